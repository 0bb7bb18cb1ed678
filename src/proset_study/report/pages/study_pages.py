"""The pages over all data sets besides the front page: all tables, and the searches to touch."""

from functools import partial
from pathlib import Path

from proset_study.report.pages.charts import library
from proset_study.report.pages.pages import write_page
from proset_study.report.pages.searches import search_charts
from proset_study.report.tables.table_grids import grids
from proset_study.report.tables.tables import study_tables
from proset_study.store.stored import Stored
from proset_study.study.failures import LOCAL, retry


def write_tables(path: Path, stored: Stored, published: Path, options: list[str] = LOCAL) -> None:
    """Write the page of all tables; `published` is the CSV file of the published numbers."""
    comparisons = stored.study.config.get("comparisons", {})
    found = study_tables(stored, published)
    shown = [
        {"name": table.name, "title": table.title, "grids": grids(table, table.name in comparisons)}
        for table in found
        if table.numbers
    ]
    write_page(
        path,
        "tables.html.j2",
        study=stored.study.name,
        n_replicates=len(stored.replicates),
        tables=shown,
        not_run=[table.name for table in found if not table.numbers and table.name in stored.study.tables],
        command=partial(retry, options=options),
    )


def write_explore(path: Path, stored: Stored) -> None:
    """Write the page of searches and of prototypes as images."""
    write_page(
        path,
        "explore.html.j2",
        study=stored.study.name,
        data_sets=[d for d in stored.study.data_sets if stored.finals(data_set=d)],
        charts=search_charts(stored),
        library=library,
    )
