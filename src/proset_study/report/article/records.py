"""The committed reports and benchmarks that the article speaks of, as rows and as a study."""

import csv
import io
from functools import cached_property
from pathlib import Path

from proset_study.base.records import is_number, read_json
from proset_study.store.results import Row, read_csv, read_rows
from proset_study.store.stored import Stored
from proset_study.study import layout
from proset_study.study.config.study import Study


def rows(path: Path) -> list[dict]:
    """Rows of a CSV file, which may be compressed; numbers become float, empty cells None."""
    return [{key: _value(text) for key, text in row.items()} for row in csv.DictReader(io.StringIO(read_csv(path)))]


class Reported(Stored):
    """A study of which only the report is there: its numbers are those of results.csv.xz.

    Parameters
    ----------
    folder : Path
        reports/<study>, with manifest.json and results.csv.xz.
    """

    def __init__(self, folder: Path):
        self.manifest = read_json(folder / layout.MANIFEST)
        super().__init__(folder, Study.of(self.manifest["config"]))

    def read(self, name: str) -> list[dict]:
        """Rows of one of its CSV files."""
        return rows(self.folder / name)

    def experiments(self, comparison: str, *methods: str) -> list[str]:
        """Those that a comparison of the config names, of all methods or of some."""
        named = self.study.config["comparisons"][comparison]["experiments"]
        return [e for e in named if not methods or self.study.config["experiments"][e]["method"] in methods]

    @cached_property
    def _scores(self):
        return read_rows(self.folder / layout.ALL_SCORES, Row)

    def _read_rows(self, experiment):
        return [row for row in self._scores if row.experiment == experiment]


def _value(text):
    if not text:
        return None
    return float(text) if is_number(text) else text
