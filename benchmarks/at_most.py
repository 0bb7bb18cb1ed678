"""What split and leave-one-out references reach with at most so many prototypes, from the committed searches."""

import tarfile
from pathlib import Path

import numpy as np

from proset_study.base.records import read_json_lines
from proset_study.report.analysis.prototypes import least_loss, trial_means
from proset_study.store.packed import unpack

SEARCHES = Path(__file__).parents[1] / "reports/open_track/records"
# As many trials from the same space, on the same folds; draws of parameters differ.
REFERENCES = {"open_proset": "split", "open_proset_leave_one_out": "leave-one-out"}
SIZES = (20, 50, 100, 200, 500, 1000)
COLUMNS = ("replicate", "data_set", "references", "prototypes", "log_loss", "error")


def run(folder: Path) -> list[dict]:
    """A row per replicate, data set, kind of references and size that a trial of stage 1 has.

    Parameters
    ----------
    folder : Path
        An empty one, for the records.

    Returns
    -------
    list of dict
        With `COLUMNS` as keys: "log_loss" and "error" are the least of the trials, means over the folds, with at most
        so many "prototypes", also a mean over the folds.
    """
    for archive in sorted(SEARCHES.glob("*_searches.tar.xz")):
        with tarfile.open(archive) as file:
            names = [name for name in file.getnames() if set(REFERENCES) & {*Path(name).parts} and "/stage1/" in name]
        unpack(archive, names, folder)
    rows = []
    for place in sorted(path for run in REFERENCES for path in folder.glob(f"*/*/{run}/stage1")):
        replicate, data_set, name, _ = place.relative_to(folder).parts
        means = trial_means([record for file in sorted(place.iterdir()) for record in read_json_lines(file)])
        order = np.argsort(means["prototypes"], kind="stable")
        sizes = means["prototypes"][order]
        fronts = [least_loss(sizes, means[score][order]) for score in ("log_loss", "error")]
        for size in SIZES:
            if n := int(np.searchsorted(sizes, size, side="right")):
                case = (int(replicate.removeprefix("replicate_")), data_set, REFERENCES[name], size)
                rows.append(dict(zip(COLUMNS, (*case, *(float(front[n - 1]) for front in fronts)), strict=True)))
    return rows
