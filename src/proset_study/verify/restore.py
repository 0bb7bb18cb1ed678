"""The searches of a report as if they had been made here, so that its study goes on from them.

Only the records are written that a search keeps of its single fits. Each has the fingerprint of what it depends on
(data, split, settings, seed, code), and a run computes again what has another one: nothing stale is taken over.
"""

from collections.abc import Iterable
from pathlib import Path

from proset_study import layout
from proset_study.records import write_json
from proset_study.verify.foreign import ForeignReport, checked_study
from proset_study.verify.records import Unpacked, searched_finals


def restore(report: Path, scratch: Path, files: Iterable[str] = (), archive: Path | None = None) -> tuple[int, list]:
    """Write the records of the searches of a report below results/<study>; what is there is not changed.

    Parameters
    ----------
    report : Path
        reports/<study>.
    scratch : Path
        An empty folder.
    files : iterable of str
        Files of custom data that may be read, besides those of the report.
    archive : Path, optional
        What `report.release` wrote; has the searches of all replicates, if the report does not.

    Returns
    -------
    n_records : int
        How many have been written.
    replicates : list of int
        Of which there are searches.

    Raises
    ------
    ValueError
        If the report is damaged or not what it says; see `foreign`.
    """
    foreign = ForeignReport(report)
    study = checked_study(foreign.manifest()["config"], files)
    if archive is not None:
        foreign.unpack(archive, study, scratch / "archive")
    stored, n_records = Unpacked(foreign, study, scratch / study.name), 0
    for final in searched_finals(stored):
        names = {"replicate": final.replicate, "data_set": final.data_set, "run": final.run.name}
        own = final.trials if study.stage1_run(final.run) is final.run else []
        records = [(layout.result(study, layout.TRIAL, **names, fold=r["fold"], trial=r["trial"]), r) for r in own]
        records += [(layout.result(study, layout.PATH, **names, fold=r["fold"]), r) for r in final.paths]
        for name, record in records:
            if not Path(name).exists():
                write_json(Path(name), record)
                n_records += 1
    return n_records, list(stored.searched)
