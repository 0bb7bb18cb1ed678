"""The report: one function that writes all of it, or parts, of a whole study or of what is finished."""

import json
from collections.abc import Collection
from pathlib import Path

from proset_study.base.records import write_json, write_text
from proset_study.report.analysis.manifest import DOCS, manifest, rendered
from proset_study.report.analysis.selected_features import FEATURE_COLUMNS, selected_features
from proset_study.report.analysis.verdict import verdict, verdict_markdown
from proset_study.report.article.build import numbers_record
from proset_study.report.catalogue import write_figures, write_overview_figures
from proset_study.report.claims import write_claims
from proset_study.report.evaluation_tables import write_evaluation
from proset_study.report.pages.data_set import write_data_set
from proset_study.report.pages.rendering import write_library
from proset_study.report.row_files import write_row_files
from proset_study.report.tables.table_files import write_table, write_workbook
from proset_study.report.tables.tables import shown_tables, study_tables
from proset_study.store.results import write_rows
from proset_study.store.stored import Stored
from proset_study.study import layout
from proset_study.study.failures import LOCAL

PARTS = ("manifest", "tables", "numbers", "models", "overview", "article", "data_sets")  # in this order


def write_report(
    stored: Stored, folder: Path, published: Path, parts: Collection[str] = PARTS, options: list[str] = LOCAL
) -> None:
    """Write the report of a study into reports/<study>; what is missing of it is marked in tables and pages.

    `stored` is a `Finished` one for a partial report; `options` are those of the commands that the pages give.
    """
    if "manifest" in parts:  # first, because fits that do not belong together are refused
        docs = DOCS if (folder.parent.parent / "docs/statistics.md").exists() else ""  # in the repository only
        known = manifest(stored) | {"rendered": rendered(options, docs)}
        write_text(folder / layout.MANIFEST, json.dumps(known, indent=1, allow_nan=False) + "\n")
    if "tables" in parts:
        for table in study_tables(stored, published):
            if table.shown.numbers:
                write_table(folder / layout.TABLES, table)
    if "numbers" in parts:  # all else that follows from the records alone
        write_workbook(folder / layout.WORKBOOK, [table for table, _ in shown_tables(stored, published)])
        write_row_files(folder, stored, published)
        write_evaluation(folder, stored)
        write_text(folder / layout.HEADLINE, verdict_markdown(verdict(stored, published)))
    if "models" in parts:  # from the records and the models
        write_rows(folder / layout.FEATURES, selected_features(stored), FEATURE_COLUMNS)
        write_claims(folder / layout.CLAIMS, stored, published)
    if "overview" in parts:
        _overview(stored, folder, published, options)
    if "article" in parts and not stored.missing_models:  # it reads the other parts, of whole studies only
        write_json(folder / layout.NUMBERS, numbers_record(folder, published))
    if "data_sets" in parts and not stored.study.is_large:  # of which a page is made when it is asked for
        write_data_sets(stored, folder, options)


def write_data_sets(stored: Stored, folder: Path, options: list[str] = LOCAL, order: list[str] | None = None) -> None:
    """Write the page and the figures of each data set; `order` has those of the whole study if these are some of it."""
    shown = [data_set for data_set in stored.study.data_sets if stored.finals(data_set=data_set)]
    for data_set in shown:
        write_page_of(data_set, stored, folder, options, order or shown)  # pages lead to the next one


def write_page_of(data_set: str, stored: Stored, folder: Path, options: list[str], order: list[str]) -> None:
    """Write the page and the figures of one data set; `order` has those of the whole study."""
    figures = folder / layout.FIGURES.format(data_set=data_set)
    page = folder / layout.PAGE.format(data_set=data_set)
    write_figures(stored, figures, data_set)
    place = order.index(data_set)
    neighbours = ["", *order][place], [*order, ""][place + 1]
    write_data_set(page, stored, data_set, figures, options, neighbours)


def _overview(stored, folder, published, options):
    """The pages over all data sets and their figures; they show the models' numbers and the manifest."""
    from proset_study.report.pages.front_page import write_explore, write_index, write_tables
    from proset_study.report.pages.when_it_pays import write_when_it_pays

    figures = folder / layout.FIGURES.format(data_set="overview")
    write_overview_figures(stored, figures, published)
    write_index(folder, stored, published, options)
    write_when_it_pays(folder / layout.WHEN_IT_PAYS, stored, figures)
    write_tables(folder / layout.TABLE_PAGE, stored, published, options)
    write_explore(folder / layout.EXPLORE, stored)
    write_library(folder / layout.VEGA)
