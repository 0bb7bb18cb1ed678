"""Tables of the pages: one number a cell, and what the template of all of them needs to know."""

from dataclasses import dataclass, field
from itertools import groupby
from math import isfinite, sqrt

from proset_study.methods import METHODS
from proset_study.methods.labels import method_name
from proset_study.report import wording
from proset_study.report.rows import groups
from proset_study.report.tables.tables import MISSING, QUARTILES, Table
from proset_study.report.wording import quantity_label, significant_decimals


@dataclass(frozen=True)
class Cell:
    """A cell: its text, what it is sorted by if that is not the text, where it leads, and how it looks.

    `tone` is "", "good", "bad", "soft", "best" or, for words on one line, "text"; `wide` says that the text may take
    several lines.
    """

    text: str = ""
    value: float | None = None
    link: str = ""
    tone: str = ""
    wide: bool = False


@dataclass(frozen=True)
class Column:
    """A column; neighbours with the same `spanner` have it as a common heading above theirs."""

    title: str
    spanner: str = ""
    text: bool = False


def headed(*titles: str, spanner: str = "", text: bool = False) -> list[Column]:
    """Columns that differ by their titles."""
    return [Column(title, spanner, text) for title in titles]


@dataclass(frozen=True)
class Grid:
    """A table with an id, a caption, and rows of `Cell`; the first cell of a row is its heading."""

    id: str
    caption: str
    columns: list[Column]
    rows: list[list[Cell]] = field(default_factory=list)
    sort: bool = True

    @property
    def spanners(self) -> list[tuple[str, int]]:
        """Common headings and how many columns they span; empty without any."""
        found: list[tuple[str, int]] = []
        for title, columns in groupby(column.spanner for column in self.columns):
            number = len(list(columns))
            found += [(title, number)] if title else [("", 1)] * number
        return found if any(title for title, _ in found) else []


def number(value: float | None, digits: int = 3, sign: str = "", tone: str = "") -> Cell:
    """A number with `digits` decimals, thousands separated; an empty cell for None or what is not finite."""
    if value is None or not isfinite(value):
        return Cell(value=None)
    return Cell(wording.fixed(value, digits, sign), value, tone=tone)


def count(value: float | None) -> Cell:
    """A whole number."""
    return number(value, 0)


def p_value(value: float | None) -> Cell:
    """A p-value; an empty cell for None."""
    return Cell(wording.p_value(value), value)


def texts(*words: str) -> list[Cell]:
    """Cells of text."""
    return [Cell(word) for word in words]


_PARTS = {"": "", "deviation": "±", "published": "published"}  # of a cell, each a number


def grids(table: Table, is_comparison: bool) -> list[Grid]:
    """One for each section of an experiment, for each quantity of a comparison, or for each score of methods."""
    if not is_comparison:
        return [_data_sets_down(table, heading, group) for heading, group in table.groups if group]
    if all(heading == f"[{group[0].experiment}]" for heading, group in table.groups if group):
        by_quantity = groups(table.numbers, lambda n: quantity_label(n.quantity, n.role)).items()
        return [_data_sets_across(table, h, group, "experiment", "experiment") for h, group in by_quantity]
    return [_data_sets_across(table, h, group, "method", "label") for h, group in table.groups if group]


def _data_sets_down(table, heading, group):
    columns, shown = [Column("data set" if group[0].dataset not in QUARTILES else "over data sets", text=True)], []
    for label, numbers in groups(group, "label").items():
        parts = _parts(numbers)
        columns += [Column(_PARTS[part] or "ours", label) if len(parts) > 1 else Column(label) for part in parts]
        shown += [({n.column: n for n in numbers}, part) for part in parts]
    rows = [
        [Cell(data_set), *(_cell(numbers.get(data_set), part) for numbers, part in shown)]
        for data_set in dict.fromkeys(n.column for n in group)
    ]
    return Grid(f"{table.name}-{group[0].section}", f"{table.name}: {heading}", columns, rows)


def _data_sets_across(table, heading, group, title, key):
    data_sets = list(dict.fromkeys(n.column for n in group))
    rows = []
    for name, numbers in groups(group, key).items():
        own = {n.column: n for n in numbers}
        written = method_name(name) if name in METHODS else name
        for part in _parts(numbers):
            head = Cell(f"{written} {_PARTS[part]}".strip(), tone="soft" if part else "")
            rows.append([head, *(_cell(own.get(d), part) for d in data_sets)])
    columns = [Column(title, text=True), *map(Column, data_sets)]
    return Grid(f"{table.name}-{heading}".replace(" ", "-"), f"{table.name}: {heading}", columns, rows, sort=False)


def _parts(numbers):
    """Parts that some of the numbers have; deviations only if some are not 0."""
    has = {"": True, "deviation": any(n.deviation for n in numbers)}
    has["published"] = any(n.published is not None for n in numbers)
    return [part for part in _PARTS if has[part]]


def _cell(n, part):
    if n is None:
        return Cell()
    if not n.replicates:
        return Cell("" if part else MISSING, link="" if part else "index.html#missing", tone="bad")
    value = getattr(n, part) if part else n.value if n.mean is None else n.mean
    if value is None:
        return Cell("" if part else "n/a")
    tone = "soft" if part else "best" if n.best else ""
    if part != "published" and n.deviation:
        return number(value, significant_decimals(n.deviation / sqrt(n.replicates)), tone=tone)
    return Cell(n.text(value), value, tone=tone)
