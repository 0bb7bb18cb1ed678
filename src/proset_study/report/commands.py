"""Commands that write tables, pages and texts about finished studies."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from proset_study.base.environment import import_xgboost_alone
from proset_study.store.results import Row, read_rows
from proset_study.store.stored import Finished, Stored
from proset_study.study import layout
from proset_study.study.config.study import Study
from proset_study.study.finished import refuse_lost


def table(study: Study, name: str, published: Path) -> None:
    """The table of one experiment or comparison."""
    from proset_study.report.tables.table_files import write_table
    from proset_study.report.tables.tables import study_table

    write_table(Path(layout.report(study, layout.TABLES)), study_table(Stored.of(study), name, published))


def data_set_page(study: Study, data_set: str, options: Annotated[list[str], json.loads]) -> None:
    """The figures and the page of one data set."""
    import_xgboost_alone()
    from proset_study.report.write import write_data_sets

    folder = Path(layout.REPORTS.format(study=study.name))
    refuse_lost(study, study.replicates[:1], data_set=data_set)
    write_data_sets(Stored.of(study.of_data_set(data_set)), folder, options, study.data_sets)


def report(study: Study, published: Path, options: Annotated[list[str], json.loads]) -> None:
    """All of the report but its tables, the pages of data sets and the archives of records."""
    import_xgboost_alone()
    from proset_study.report.write import write_report

    parts = ["manifest", "numbers", "models", "overview", "article"]
    refuse_lost(study, study.replicates)
    write_report(Stored.of(study), Path(layout.REPORTS.format(study=study.name)), published, parts, options)


def partial(study: Study, published: Path, options: Annotated[list[str], json.loads]) -> None:
    """A report of what is finished."""
    import_xgboost_alone()
    from proset_study.report.write import write_report

    write_report(Finished.of(study), Path(layout.PARTIAL.format(study=study.name)), published, options=options)


def standing_on(study: Study, data_set: str, report: Path, output: Path) -> None:
    """All replicates of a data set in one process, as the jobs of the workflow would: to start these takes longer."""
    from proset_study.report.analysis.standing import check_data
    from proset_study.store.scores import write_scores
    from proset_study.study.steps import prepare_data_set, run_case

    for replicate in study.replicates:
        prepare_data_set(study, replicate, data_set)
        check_data(Path(layout.result(study, "")), layout.DATA.format(replicate=replicate, data_set=data_set), report)
        for run in study.runs:
            run_case(study, replicate, data_set, run)
    write_scores(study, study.cases(study.replicates, data_set=data_set), output)


def standing(study: Study, report: Path, files: Sequence[Path] = ()) -> None:
    """Where a method stands among those of a report."""
    from proset_study.report.analysis.standing import write_standing

    rows = [row for file in files for row in read_rows(file, Row)]
    write_standing(Path(layout.report(study, "")), study, rows, report)


def article(output: Path) -> None:
    """Typeset the article from the committed records; status 1 if it has a number that is typed by hand."""
    from proset_study.report.article.build import build

    print(build(Path(), output))


def findings(output: Path) -> None:
    """Write the page of findings from its template and the committed records; fails as `article` does."""
    from proset_study.report.article import page

    output.write_text(page.findings(Path()), encoding="utf-8")


def site(output: Path) -> None:
    """Write the site of the committed reports, and the page to open in a clone, reports/index.html."""
    from proset_study.report.site.build import write_site

    write_site(Path(), output)


def renew(report: Path, published: Path) -> None:
    """Write a report for committing: its pages without links to what only a release has, new where numbers suffice."""
    from proset_study.report.renew import renew

    for name in renew(report, published):
        print(name)


def edges(report: Path) -> None:
    """List where a report has optima at the end of what was tried; status 1 if one of the open track is unexplained."""
    from proset_study.report.analysis.edges import Edge, explained, in_words
    from proset_study.report.analysis.manifest import read_manifest

    study = Study.of(read_manifest(report)["config"])
    optima = explained(study, read_rows(report / layout.EDGES, Edge))
    for edge in sorted(optima, key=lambda edge: bool(edge.explanation)):
        print(in_words(edge))
    unexplained = sum(not edge.explanation for edge in optima)
    summary = f"{report}, {study.track}: {len(optima)} edges, {unexplained} without an explanation"
    if unexplained and study.track == "open track":
        sys.exit(summary)
    print(summary)
