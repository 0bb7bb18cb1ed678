"""Tables of the pages: one number a cell, and what the template of all of them needs to know."""

from dataclasses import dataclass, field
from math import isfinite

from proset_study.report import wording


@dataclass(frozen=True)
class Cell:
    """A cell: its text, what it is sorted by if that is not the text, where it leads, and how it looks.

    `tone` is "", "good", "bad", "soft" or "best"; `wide` that the text may take several lines.
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
        for column in self.columns:
            if found and column.spanner and found[-1][0] == column.spanner:
                found[-1] = (column.spanner, found[-1][1] + 1)
            else:
                found.append((column.spanner, 1))
        return found if any(title for title, _ in found) else []


def number(value: float | None, digits: int = 3, sign: str = "", tone: str = "") -> Cell:
    """A number with so many decimals, thousands separated; an empty cell for None or what is not finite."""
    if value is None or not isfinite(value):
        return Cell(value=None)
    return Cell(wording.fixed(value, digits, sign), value, tone=tone)


def count(value: float | None) -> Cell:
    """A whole number."""
    return number(value, 0)


def p_value(value: float | None) -> Cell:
    """A p-value; an empty cell for None."""
    return Cell(wording.p_value(value), value)


def texts(*words: str, wide: bool = False) -> list[Cell]:
    """Cells of text."""
    return [Cell(word, wide=wide) for word in words]
