"""The tables of the study as grids: data sets as rows of experiments, methods or experiments as rows of comparisons."""

from collections.abc import Callable, Iterable
from math import sqrt

from proset_study.methods import METHODS
from proset_study.methods.labels import method_name
from proset_study.report.tables.grids import Cell, Column, Grid, number
from proset_study.report.tables.tables import MISSING, Number, Table
from proset_study.report.wording import decimals, quantity_label

_PARTS = {"": "", "deviation": "±", "published": "published"}  # of a cell, each a number


def grids(table: Table, is_comparison: bool) -> list[Grid]:
    """One for each section of an experiment, for each quantity of a comparison, or for each score of methods."""
    if not is_comparison:
        return [_data_sets_down(table, heading, group) for heading, group in table.groups if group]
    if all(heading == f"[{group[0].experiment}]" for heading, group in table.groups if group):
        by_quantity = _grouped(table.numbers, lambda n: quantity_label(n.quantity, n.role))
        return [_data_sets_across(table, h, group, "experiment", lambda n: n.experiment) for h, group in by_quantity]
    return [_data_sets_across(table, h, group, "method", lambda n: n.label) for h, group in table.groups]


def _grouped(numbers: Iterable[Number], key: Callable[[Number], str]) -> list[tuple[str, list[Number]]]:
    groups: dict[str, list[Number]] = {}
    for n in numbers:
        groups.setdefault(key(n), []).append(n)
    return list(groups.items())


def _data_sets_down(table, heading, group):
    columns, shown = [Column("data set", text=True)], []
    for label, numbers in _grouped(group, lambda n: n.label):
        parts = _parts(numbers)
        columns += [Column(_PARTS[part] or "ours", label) if len(parts) > 1 else Column(label) for part in parts]
        shown += [({n.column: n for n in numbers}, part) for part in parts]
    rows = [
        [Cell(data_set), *(_cell(numbers.get(data_set), part) for numbers, part in shown)]
        for data_set in dict.fromkeys(n.column for n in group)
    ]
    return Grid(f"{table.name}-{group[0].section}", f"{table.name}: {heading}", columns, rows)


def _data_sets_across(table, heading, group, title, label_of):
    data_sets = list(dict.fromkeys(n.column for n in group))
    rows = []
    for name, numbers in _grouped(group, label_of):
        own = {n.column: n for n in numbers}
        written = method_name(name) if name in METHODS else name
        for part in _parts(numbers):
            head = Cell(f"{written} {_PARTS[part]}".strip(), tone="soft" if part else "")
            rows.append([head, *(_cell(own.get(d), part) for d in data_sets)])
    columns = [Column(title, text=True), *map(Column, data_sets)]
    return Grid(f"{table.name}-{heading}".replace(" ", "-"), f"{table.name}: {heading}", columns, rows, sort=False)


def _parts(numbers):
    """Those that some of the numbers have; deviations only if some are not 0."""
    return [part for part in _PARTS if not part or any(getattr(n, part) for n in numbers)]


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
        return number(value, decimals(n.deviation / sqrt(n.replicates)), tone=tone)
    return Cell(n.text(value), value, tone=tone)
