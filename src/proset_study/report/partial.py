"""A report of what is finished, in which everything that is not is marked: never to be taken for the whole."""

import json
from functools import cached_property
from pathlib import Path

from proset_study.config.study import Study
from proset_study.records import write_text
from proset_study.report.claims import write_claims
from proset_study.report.comparison import write_comparison
from proset_study.report.evaluation import write_evaluation
from proset_study.report.figures.catalogue import write_figures
from proset_study.report.findings import write_findings
from proset_study.report.manifest import manifest
from proset_study.report.pages import write_data_set, write_index
from proset_study.report.tables import study_tables, write_table, write_workbook
from proset_study.store.missing import MissingModel
from proset_study.store.results import case_rows, write_rows
from proset_study.store.stored import Final, Stored


class Partial(Stored):
    """The finished part of a study; its numbers are made from the records, because no experiment need be whole."""

    def __init__(self, folder: Path, study: Study, missing_models: list[MissingModel]):
        super().__init__(folder, study)
        self.missing_models = missing_models
        self._absent = {(model.replicate, model.run, model.data_set) for model in missing_models}

    def finals(self, replicate: int | None = None, data_set: str | None = None) -> list[Final]:
        """As in `Stored`, without a model left over from a run before the one that failed."""
        found = super().finals(replicate, data_set)
        return [f for f in found if (f.replicate, f.run.name, f.data_set) not in self._absent]

    @cached_property
    def rows(self) -> list[dict]:
        """As in `Stored`."""
        cases = self.study.cases(self.replicates)
        there = [c for c in cases if (c["replicate"], c["run"], c["dataset"]) not in self._absent]
        return [row for case in there for row in case_rows(self.folder, case)]


def write_partial(folder: Path, stored: Partial, published: Path, options: list[str]) -> None:
    """Write the report.

    Parameters
    ----------
    folder : Path
        reports/<study>-partial.
    stored : Partial
    published : Path
        CSV file of the published numbers.
    options : list of str
        Those of the commands that the pages give.

    Raises
    ------
    ValueError
        If nothing is finished, or nothing is missing.
    """
    if not stored.missing_models and not stored.missing_evaluations():
        raise ValueError(f"study {stored.study.name}: nothing is missing, make the whole report instead")
    if not stored.rows:
        raise ValueError(f"study {stored.study.name}: no final model is finished, there is nothing to report")
    write_rows(folder / "results.csv", stored.rows)
    tables = study_tables(stored, published)
    for table in tables:
        if table.cells:
            write_table(table, *(folder / "tables" / f"{table.name}.{suffix}" for suffix in ("md", "csv", "tex")))
    write_workbook(folder / "tables.xlsx", tables)
    write_comparison(folder / "comparison.csv", stored, published)
    write_claims(folder / "claims.csv", stored, published)
    write_findings(folder / "findings", stored)
    write_evaluation(folder / "evaluation", stored)
    data = dict.fromkeys(final.folder.parent / "data.npz" for final in stored.all_finals())
    made = manifest(stored.folder, stored.study.config, list(data), stored)
    write_text(folder / "manifest.json", json.dumps(made, indent=1, allow_nan=False) + "\n")
    for data_set in stored.study.data_sets:
        if stored.finals(data_set=data_set):
            figures = folder / "figures" / data_set
            write_figures(stored, figures, data_set)
            write_data_set(folder / "data_sets" / f"{data_set}.html", stored, data_set, figures, options)
    overview = folder / "figures/overview"
    write_figures(stored, overview)
    write_index(folder / "index.html", stored, published, folder / "claims.csv", made, overview, options)
