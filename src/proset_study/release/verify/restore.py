"""The searches of a report as if they had been made here, so that its study goes on from them.

Each record has the fingerprint of what it depends on; a run computes again what has another one.
"""

from collections.abc import Iterable
from pathlib import Path

from proset_study.base.records import read_json_lines, write_json
from proset_study.release.verify.foreign import ForeignReport, Refused, checked_study, one_line
from proset_study.store.packed import unpack
from proset_study.study import layout


def restore(
    report: Path, scratch: Path, data_files: Iterable[str] = (), archive: Path | None = None
) -> tuple[int, list]:
    """Write the records of the searches of a report below results/<study>; what is there is not changed.

    The archive of a release has the searches of all replicates, if the report does not. Gives the number of records
    written and the replicates with searches.
    """
    foreign = ForeignReport(report)
    study = checked_study(foreign.manifest["config"], data_files)
    if archive is not None:
        foreign.add(archive, study, scratch / "archive")
    n_records, replicates = 0, []
    for replicate in study.replicates:
        name = layout.RECORDS.format(archive=layout.searches(replicate))
        if name not in foreign.files:
            continue
        replicates.append(replicate)
        files = layout.record_names(study, layout.searches(replicate))
        unpack(foreign.path(name), files, scratch)
        for file in files:
            _, data_set, run, stage, _ = Path(file).parts
            template = layout.TRIAL if stage == "stage1" else layout.PATH
            for record in read_json_lines(scratch / file):
                try:  # numbers only: what a stranger's record says is part of a path
                    place = {key: int(record[key]) for key in ("fold", "trial") if f"{{{key}}}" in template}
                except (KeyError, TypeError, ValueError, OverflowError) as error:
                    raise Refused(f"{name}: a record of {file} does not say which it is: {one_line(error)}") from error
                names = {"replicate": replicate, "data_set": data_set, "run": run}
                kept = Path(layout.result(study, template, **names, **place))
                if not kept.exists():
                    write_json(kept, record)
                    n_records += 1
    return n_records, replicates
