"""Rows of tables, which are dicts or records: from a file, filtered, in groups."""

import csv
import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from proset_study.base.records import is_number
from proset_study.store.results import read_csv

T = TypeVar("T")


def read_cells(path: Path) -> list[dict[str, str]]:
    """Rows of a CSV file, which may be compressed, as text."""
    return list(csv.DictReader(io.StringIO(read_csv(path))))


def read_table(path: Path, **wanted: Any) -> list[dict[str, Any]]:
    """The same with numbers as float and None for empty cells; with keywords, those that `pick` finds."""
    return pick([{key: _value(text) for key, text in row.items()} for row in read_cells(path)], **wanted)


def pick(table: Iterable[T], **wanted: Any) -> list[T]:
    """Rows with these values in the columns of that name."""
    return [row for row in table if all(_column(row, key) == value for key, value in wanted.items())]


def groups(table: Iterable[T], *keys: str | Callable[[T], Any]) -> dict[Any, list[T]]:
    """Rows by the value of a column, or by those of several; a function of a row may stand for a column."""
    by_value: dict[Any, list[T]] = {}
    for row in table:
        values = tuple(key(row) if callable(key) else _column(row, key) for key in keys)
        by_value.setdefault(values if len(keys) > 1 else values[0], []).append(row)
    return by_value


def _column(row, key):
    return row[key] if isinstance(row, dict) else getattr(row, key)


def _value(text):
    return (float(text) if is_number(text) else text) if text else None
