"""What split and leave-one-out references reach with at most so many prototypes, from the committed searches."""

import tarfile
from collections import defaultdict
from pathlib import Path
from statistics import fmean

import numpy as np

from proset_study.records import read_json_lines
from proset_study.report.prototypes import least_loss
from proset_study.store.packed import unpack

SEARCHES = Path(__file__).parents[1] / "reports/open_track/records"
REFERENCES = {"open_proset": "split", "open_proset_leave_one_out": "leave-one-out"}  # the same trials, the same folds
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
        sizes, losses = _trials(place)
        order = np.argsort(sizes, kind="stable")
        front = {score: least_loss(sizes[order], found[order]) for score, found in losses.items()}
        for size in SIZES:
            if n := int(np.searchsorted(sizes[order], size, side="right")):
                names = (int(replicate.removeprefix("replicate_")), data_set, REFERENCES[name], size)
                least = (float(found[n - 1]) for found in front.values())
                rows.append(dict(zip(COLUMNS, (*names, *least), strict=True)))
    return rows


def _trials(place):
    """Prototypes, shape (trials,), and the losses, by name of the same shape: means over the folds."""
    trials = defaultdict(list)
    for file in sorted(place.iterdir()):
        for record in read_json_lines(file):
            trials[record["trial"]].append((record["summary"]["prototypes"], record["log_loss"], record["error"]))
    means = np.array([[fmean(values) for values in zip(*folds, strict=True)] for folds in trials.values()])
    return means[:, 0], {"log_loss": means[:, 1], "error": means[:, 2]}
