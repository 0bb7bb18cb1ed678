"""The size of a data set, known from the config before the data set is made: for estimates of time and memory."""

import csv
import io
import os
import re
from dataclasses import replace
from functools import cache
from zipfile import BadZipFile

import numpy as np

from proset_study.data import generators
from proset_study.data.custom_matrix import n_items
from proset_study.data.dataset import Size
from proset_study.data.metrics import PRECOMPUTED
from proset_study.data.openml import description, table_of
from proset_study.data.table_file import located, opened

LOOK = 2**20  # bytes of a CSV file that are looked at
INDEX = re.compile(r"__index_level_\d+__")  # what pandas writes of an index without a name
SKLEARN = {
    "iris": Size(150, 4, 3),
    "wine": Size(178, 13, 3),
    "breast_cancer": Size(569, 30, 2),
    "diabetes": Size(442, 10, 2),
    "digits": Size(1797, 64, 10),
}
UNKNOWN = (1000, 10)  # rows and columns of a file that cannot be read; the rule `data` says what is wrong with it
UNKNOWN_CLASSES = 5  # of a custom table: only reading all of it would tell
UNKNOWN_CATEGORIES = 5  # of one of its columns


def size_of(data: dict) -> Size:
    """Size of a data set by its entry in the config.

    Exact for generated data and those of scikit-learn; for those of OpenML, a guess until they are downloaded. For a
    custom table the numbers of classes and categories are guesses; that of the rows of a CSV file follows from its
    bytes and the length of its first lines.

    >>> size_of({"generator": "xor", "features": 3, "irrelevant": 2})
    Size(rows=800, features=5, classes=2)
    """
    if (generated := generators.of(data)) is not None:
        return generated.size
    size = _size_of_table(data)
    return replace(size, rows=min(size.rows, data.get("rows", size.rows)))


def _size_of_table(data: dict) -> Size:
    if "sklearn" in data:
        whole = SKLEARN[data["sklearn"]]
        return Size(whole.rows, len(data["features"]) if "features" in data else whole.features, whole.classes)
    if "openml" in data:
        return Size(*_downloaded(table_of(data["openml"])))
    rows, columns = _table(data["file"], data.get("sep", ","))
    if data.get("metric") == PRECOMPUTED or "items" in data:
        return Size(rows, 0, UNKNOWN_CLASSES)
    others = 1 + len(data.get("drop", [])) + sum(role in data for role in ("weight", "group", "time", "test"))
    more = (UNKNOWN_CATEGORIES - 1) * len(data.get("categorical", []))
    classes = 1 + np.size(data["threshold"]) if "threshold" in data else UNKNOWN_CLASSES
    return Size(rows, max(1, columns - others + more), classes)


@cache
def _downloaded(table: str) -> tuple[int, int, int]:
    return tuple(description(table).get("size", (*UNKNOWN, UNKNOWN_CLASSES)))


def fraction_tested(data: dict, of_study: float) -> float:
    """Proportion of the samples in the test part: that of the study, unless the data set comes with its own.

    >>> fraction_tested({"generator": "clusters", "samples": 500, "test_samples": 1500}, 0.3)
    0.75
    """
    if (generated := generators.of(data)) is not None and generated.test_samples:
        return generated.test_samples / generated.size.rows
    return data["published_draw"]["test_fraction"] if "published_draw" in data else of_study


@cache
def _table(file: str, sep: str) -> tuple[int, int]:
    """Rows and columns of a file."""
    try:
        if file.endswith(".parquet"):
            from pyarrow.parquet import read_metadata

            metadata = read_metadata(located(file))
            names = metadata.schema.to_arrow_schema().names
            return metadata.num_rows, sum(not INDEX.fullmatch(name) for name in names)
        if file.endswith(".npz"):
            return n_items(located(file)), 0
        with opened(located(file), "rb") as table:
            start = table.read(LOOK)
            size = table.seek(0, os.SEEK_END) if file.endswith(".gz") else located(file).stat().st_size
        lines = csv.reader(io.StringIO(start.decode("utf-8-sig", "replace"), newline=""), delimiter=sep)
        n_columns = max(1, len(next(filter(None, lines), [])))
    except (OSError, EOFError, ValueError, KeyError, BadZipFile, csv.Error):
        return UNKNOWN
    header, _, rows = start.partition(b"\n")
    size_of_a_row = len(rows) / max(1, rows.count(b"\n"))
    n_rows = (size - len(header)) / size_of_a_row if rows else 0
    return round(n_rows), n_columns
