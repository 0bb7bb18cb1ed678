"""The figures of a study that have their records, what the others lack, and the files they are written to."""

from pathlib import Path

from proset_study.base.records import write_json
from proset_study.report import evaluations
from proset_study.report.analysis.runs import compared_runs
from proset_study.report.figures.registry import DataSetRuns, overview_figures, planned
from proset_study.report.figures.style import ReportFigure, context, save
from proset_study.store.parquet import without_collections
from proset_study.store.stored import Stored

ABOUT = ("name", "category", "title", "finding", "caption", "alt")  # what pages read of a figure


def data_set_figures(stored: Stored, data_set: str) -> list[ReportFigure]:
    """Figures of one data set for which there are records."""
    finals = _by_run(stored, data_set)
    with context():
        return [figure for spec in planned(DataSetRuns(stored, data_set)) if (figure := spec.drawn(finals)) is not None]


def missing_records(stored: Stored, data_set: str | None = None) -> list[tuple[str, str, str]]:
    """Name of each figure that lacks something, the missing run, and the target of Snakemake that makes it.

    Without a data set, of the figures over all of them.
    """
    if data_set is None:
        lacking = [
            (f"{run.name} on {d}", run.experiment)
            for d in stored.study.data_sets
            for finals in [_by_run(stored, d)]
            for run in compared_runs(stored.study, d)
            if run.name not in finals
        ]
        return [(name, *run) for name in ("headline", "time") for run in lacking] + [
            missing for missing in stored.missing_evaluations() if not evaluations.get(missing[0]).by_data_set
        ]
    finals = _by_run(stored, data_set)
    return [
        (spec.name, f"{run.name} on {data_set}", data_set if spec.evaluation else run.experiment)
        for spec in planned(DataSetRuns(stored, data_set))
        for run in spec.runs
        if not spec.shows(finals.get(run.name))
    ]


def write_figures(stored: Stored, folder: Path, data_set: str) -> None:
    """Write <name>.svg of every figure of a data set, and figures.json about them."""
    with without_collections():  # they would take a tenth of the time
        _write(folder, data_set_figures(stored, data_set), missing_records(stored, data_set))


def write_overview_figures(stored: Stored, folder: Path, published: Path) -> None:
    """The same over all data sets; `published` is the CSV file of the published numbers."""
    with without_collections():
        _write(folder, overview_figures(stored, published), missing_records(stored))


def _write(folder: Path, figures: list[ReportFigure], missing: list[tuple[str, str, str]]) -> None:
    about = write_drawn(figures, folder)
    lacking = [{"name": name, "missing": run, "target": target} for name, run, target in missing]
    write_json(folder / "figures.json", {"figures": about, "missing": lacking})


def write_drawn(figures: list[ReportFigure], folder: Path) -> list[dict[str, str]]:
    """Write the files of some figures; gives what pages read of them."""
    for drawn in figures:
        save(drawn.figure, folder / drawn.name)
    return [{key: getattr(drawn, key) for key in ABOUT} for drawn in figures]


def _by_run(stored, data_set):
    return {f.run.name: f for f in stored.finals(data_set=data_set)}
