"""Files with all numbers of final models: of an experiment in a replicate, or of a data set."""

from pathlib import Path

from proset_study.store.parquet import write_parquet
from proset_study.store.results import Row, case_rows, write_rows
from proset_study.study import layout
from proset_study.study.config.study import Study
from proset_study.study.finished import refuse_lost


def score(study: Study, replicate: int, experiment: str) -> None:
    """All numbers of an experiment in a replicate."""
    refuse_lost(study, [replicate], experiment)
    cases = study.cases([replicate], experiment)
    write_scores(study, cases, layout.result(study, layout.scores(study), replicate=replicate, experiment=experiment))


def score_data_set(study: Study, data_set: str) -> None:
    """All numbers of a data set."""
    refuse_lost(study, study.replicates, data_set=data_set)
    cases = study.cases(study.replicates, data_set=data_set)
    write_scores(study, cases, layout.report(study, layout.DATA_SET_SCORES, data_set=data_set))


def write_scores(study: Study, cases: list[dict], output: str | Path) -> None:
    """Write all numbers of some final models, as CSV or, of a large study, as Parquet."""
    results = Path(layout.result(study, ""))
    rows = [row for case in cases for row in case_rows(results, case)]
    if Path(output).suffix == Path(layout.PARTITION).suffix:
        write_parquet(output, rows)
    else:
        write_rows(output, rows, Row)
