"""The tables of the study as grids: data sets as rows of experiments, methods or experiments as rows of comparisons."""

from math import sqrt

from proset_study.methods import METHODS
from proset_study.methods.labels import method_name
from proset_study.report.tables.grids import (
    Cell,
    Column,
    Grid,
    number,
)
from proset_study.report.tables.tables import (
    MISSING,
    SECTIONS,
    Table,
    quantity_label,
)
from proset_study.report.wording import (
    decimals,
    format_number,
)

_PARTS = {"": "", "standard_deviation": "±", "published": "published"}  # of a cell, each a number


def grids(table: Table, is_comparison: bool) -> list[Grid]:
    """One for each section of an experiment, or for each quantity of a comparison."""
    return _of_comparison(table) if is_comparison else _of_experiment(table)


def _of_experiment(table):
    found = []
    for section, heading in SECTIONS.items():
        cells = [c for c in table.cells if c["section"] == section]
        columns, keys = [Column("data set", text=True)], []
        for quantity in dict.fromkeys(c["quantity"] for c in cells):
            own = [c for c in cells if c["quantity"] == quantity]
            label = quantity_label(quantity)
            parts = [part for part in _PARTS if _has(own, part)]
            columns += [Column(_PARTS[part] or "ours", label) if len(parts) > 1 else Column(label) for part in parts]
            keys += [(quantity, part) for part in parts]
        rows = []
        for data_set, variant in dict.fromkeys((c["dataset"], c["variant"]) for c in cells):
            by_quantity = {c["quantity"]: c for c in cells if (c["dataset"], c["variant"]) == (data_set, variant)}
            head = Cell(f"{data_set} {variant}".strip())
            rows.append([head, *(_number(by_quantity.get(quantity), part) for quantity, part in keys)])
        if rows:
            found.append(Grid(f"{table.name}-{section}", f"{table.name}: {heading}", columns, rows))
    return found


def _of_comparison(table):
    found = []
    by_method = any("row" in c for c in table.cells)

    def row_of(cell):
        return cell["row"] if by_method else cell["experiment"]

    groups = [(h, cells) for h, cells in table.groups] if by_method else [(q, c) for q, c in _by_quantity(table)]
    for heading, cells in groups:
        data_sets = list(dict.fromkeys(_place(c) for c in cells))
        columns = [Column("method" if by_method else "experiment", text=True), *map(Column, data_sets)]
        rows = []
        for name in dict.fromkeys(map(row_of, cells)):
            own = {_place(c): c for c in cells if row_of(c) == name}
            written = method_name(name) if name in METHODS else name
            for part in (part for part in _PARTS if _has(own.values(), part)):
                head = Cell(f"{written} {_PARTS[part]}".strip(), tone="soft" if part else "")
                rows.append([head, *(_number(own.get(d), part) for d in data_sets)])
        found.append(
            Grid(f"{table.name}-{heading}".replace(" ", "-"), f"{table.name}: {heading}", columns, rows, sort=False)
        )
    return found


def _place(cell):
    return cell.get("column") or f"{cell['dataset']} {cell['variant']}".strip()


def _by_quantity(table):
    for quantity in dict.fromkeys(c["quantity"] for c in table.cells):
        yield quantity_label(quantity), [c for c in table.cells if c["quantity"] == quantity]


def _has(cells, part):
    """Whether some cell has this number; deviations only if some are not 0."""
    return not part or any(c[part] for c in cells)


def _number(cell, part):
    if cell is None:
        return Cell()
    if not cell["replicates"]:
        return Cell("" if part else MISSING, link="" if part else "index.html#missing", tone="bad")
    value = cell[part] if part else cell["value"] if cell["mean"] is None else cell["mean"]
    if value is None:
        return Cell("" if part else "n/a")
    tone = "soft" if part else "best" if cell["best"] else ""
    if part != "published" and cell["standard_deviation"]:
        return number(value, decimals(cell["standard_deviation"] / sqrt(cell["replicates"])), tone=tone)
    return Cell(format_number(cell["quantity"], value), value, tone=tone)
