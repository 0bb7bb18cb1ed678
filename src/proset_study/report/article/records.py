"""The committed reports and benchmarks that the article speaks of, as rows and as a study."""

import csv
import io
from collections.abc import Hashable, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from proset_study.base.records import is_number, read_json
from proset_study.store.results import Row, read_csv, read_rows
from proset_study.store.stored import Stored
from proset_study.study import layout
from proset_study.study.config.study import Study, selected_data_sets

PUBLISHED = "data/published/published.csv"

Rows = list[dict[str, Any]]
T = TypeVar("T")


def rows(path: Path, **wanted: Any) -> Rows:
    """Rows of a CSV file, which may be compressed; numbers become float, empty cells None.

    With keywords, those that have these values in the columns of that name.
    """
    table = csv.DictReader(io.StringIO(read_csv(path)))
    return pick([{key: _value(text) for key, text in row.items()} for row in table], **wanted)


def pick(table: Iterable[T], **wanted: Any) -> list[T]:
    """Rows, dicts or records, with these values in the columns of that name."""
    return [row for row in table if all(_column(row, key) == value for key, value in wanted.items())]


def groups(table: Iterable[T], *keys: str) -> dict[Any, list[T]]:
    """Rows by the value of a column, or by those of several."""
    by_value: dict[Hashable, list[T]] = {}
    for row in table:
        values = tuple(_column(row, key) for key in keys)
        by_value.setdefault(values if len(keys) > 1 else values[0], []).append(row)
    return by_value


def _column(row, key):
    return row[key] if isinstance(row, dict) else getattr(row, key)


class Reported(Stored):
    """A study of which only the report, the folder reports/<study>, is needed: its numbers are in results.csv.xz.

    `published` is the CSV file of the published numbers, by default that of the project around the report.
    """

    def __init__(self, folder: Path, published: Path | None = None):
        self.manifest = read_json(folder / layout.MANIFEST)
        self.published = published or folder.parents[1] / PUBLISHED
        super().__init__(folder, Study.of(self.manifest["config"]))

    def read(self, name: str, **wanted: Any) -> Rows:
        """Rows of one of its CSV files; see `rows`."""
        return rows(self.folder / name, **wanted)

    def experiments(self, comparison: str, *methods: str) -> list[str]:
        """Those that a comparison of the config names, of all methods or of some."""
        named = self.study.config["comparisons"][comparison]["experiments"]
        return [e for e in named if not methods or self.study.config["experiments"][e]["method"] in methods]

    def runs_whole(self, name: str) -> bool:
        """Whether the study has an experiment or a comparison, and runs it on all of its data sets."""
        config = self.study.config
        if name in config["experiments"]:
            return selected_data_sets(config, name) == config["experiments"][name]["data_sets"]
        return name in config.get("comparisons", {}) and all(map(self.runs_whole, self.experiments(name)))

    def is_generated(self, data_set: str) -> bool:
        """Whether each replicate draws the data set anew."""
        return "generator" in self.study.config["data_sets"][data_set]

    @cached_property
    def _scores(self):
        return read_rows(self.folder / layout.ALL_SCORES, Row)

    def _read_rows(self, experiment):
        return [row for row in self._scores if row.experiment == experiment]


def _value(text):
    if not text:
        return None
    return float(text) if is_number(text) else text
