"""Commands that gather the numbers and records of a study."""

from pathlib import Path

from proset_study.study import layout
from proset_study.study.config.study import Study


def score(study: Study, replicate: int, experiment: str) -> None:
    """All numbers of an experiment in a replicate."""
    cases = study.cases([replicate], experiment)
    write_scores(study, cases, layout.result(study, layout.SCORES, replicate=replicate, experiment=experiment))


def score_data_set(study: Study, data_set: str) -> None:
    """All numbers of a data set."""
    cases = study.cases(study.replicates, data_set=data_set)
    write_scores(study, cases, layout.report(study, layout.DATA_SET_SCORES, data_set=data_set))


def write_scores(study: Study, cases: list[dict], output: str | Path) -> None:
    """Write all numbers of some final models."""
    from proset_study.store.results import Row, case_rows, write_rows

    results = Path(layout.result(study, ""))
    write_rows(Path(output), [row for case in cases for row in case_rows(results, case)], Row)


def pack(study: Study, name: str) -> None:
    """Records of one replicate as one archive."""
    from proset_study.store import packed

    names, output = layout.record_names(study, name), Path(layout.report(study, layout.RECORDS, archive=name))
    packed.pack(Path(layout.result(study, "")), names, output, name.endswith(layout.FIRST_FITS))
