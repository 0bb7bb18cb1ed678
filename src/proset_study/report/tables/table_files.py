"""Tables as files: Markdown, CSV, LaTeX and Excel."""

from pathlib import Path

import pandas as pd

from proset.files import replacing
from proset_study.base.records import write_text
from proset_study.report.analysis.paired import MIN_REPLICATES
from proset_study.report.tables.tables import MISSING, Entry, Table
from proset_study.store.results import with_role, write_lines

COLUMNS = (
    *("experiment", "section", "quantity", "dataset", "variant"),
    *("value", "mean", "standard_deviation", "replicates", "published", "best"),
)
_LATEX = str.maketrans(
    {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {character: f"\\{character}" for character in "&%$#_{}"}
)


def note(table: Table) -> str:
    """How to read a table, in a few sentences; none where its numbers need none."""
    said = []
    if any(number.replicates == 0 for number in table.numbers):
        said.append(f"Partial: numbers that could not be computed are marked as {MISSING}.")
    if any(number.published is not None for number in table.numbers):
        said.append("Published values are in brackets.")
    if any(number.best for number in table.numbers):
        marked = {n.quantity for n in table.numbers if n.best is not None}
        few = any(n.quantity in marked and 0 < n.replicates < MIN_REPLICATES for n in table.numbers)
        untested = f"; numbers of fewer than {MIN_REPLICATES} replicates are not tested" if few else ""
        said.append(f"Bold: not significantly worse than the best on the data set (docs/statistics.md){untested}.")
    if table.n_replicates > 1:
        said.append(
            f"The first number is that of the first replicate; mean ± standard deviation over up to"
            f" {table.n_replicates} replicates follow."
        )
    return " ".join(said)


def to_markdown(table: Table) -> str:
    """A Markdown table with "ours (published)" in the cells."""
    lines = [f"# [{table.name}] {table.title}", ""]
    if said := note(table):
        lines += [said, ""]
    lines += ["| |" + "|".join(table.columns) + "|", "|---" + "|---:" * len(table.columns) + "|"]
    for heading, rows in table.rows():
        lines.append(f"|**{heading}**" + "|" * (len(table.columns) + 1))
        lines += [f"|{label}|" + "|".join(_joined(cell, "**") for cell in cells) + "|" for label, cells in rows]
    return "\n".join(lines) + "\n"


def to_latex(table: Table) -> str:
    """A LaTeX table for the package booktabs, with "ours (published)" in the cells."""
    shown = table.frame(lambda n: {"": _joined(n)}).droplevel(1, axis=1).fillna("")
    best = table.frame(lambda n: {"": "font-weight: bold" if n.best else ""}).droplevel(1, axis=1).fillna("")
    bare = {heading: heading.strip("[]") for heading in shown.index.unique(0)}  # LaTeX takes \\ [E3] for a length
    shown, best = shown.rename(index=bare, level=0), best.rename(index=bare, level=0)
    style = shown.style.apply(lambda _: best, axis=None).format(escape="latex")
    for axis in (0, 1):
        style = style.format_index(escape="latex", axis=axis)
    caption = f"[{table.name}] {table.title}. {note(table)}".rstrip().translate(_LATEX)
    return style.to_latex(
        caption=caption,
        column_format="ll" + "r" * len(table.columns),
        convert_css=True,
        hrules=True,
        clines="skip-last;data",
        multirow_align="naive",
        position_float="centering",
    )


def write_table(folder: Path, table: Table) -> None:
    """Write a table as it is shown as <name>.md and <name>.tex, and as <name>.csv with a line for each number."""
    write_text(folder / f"{table.name}.md", to_markdown(table.shown))
    write_lines(folder / f"{table.name}.csv", COLUMNS, map(_line, table.numbers))
    write_text(folder / f"{table.name}.tex", to_latex(table.shown))


def write_workbook(path: Path, tables: list[Table]) -> None:
    """Write an Excel workbook, a sheet per table as it is shown; our number and the published one have columns."""

    def show(n):
        several = {"mean": n.mean, "standard_deviation": n.deviation} if n.replicates > 1 else {}
        return {"ours": n.value if n.replicates else MISSING, **several, "published": n.published}

    with replacing(path) as file, pd.ExcelWriter(file, engine="openpyxl") as workbook:
        for table, name in zip(tables, sheet_names([table.name for table in tables]), strict=True):
            frame = table.frame(show) if table.numbers else pd.DataFrame(columns=["not run"])
            frame.to_excel(workbook, sheet_name=name, freeze_panes=(2, 2))
            sheet = workbook.sheets[name]
            sheet.column_dimensions["A"].width, sheet.column_dimensions["B"].width = 32, 24
            for cell in (cell for row in sheet.iter_rows() for cell in row if cell.data_type == "f"):
                cell.data_type, cell.quotePrefix = "s", True  # text that begins with "=" is no formula


def sheet_names(names: list[str]) -> list[str]:
    """Names of sheets, which have at most 31 characters and differ: of those that begin alike, later ones are numbered.

    >>> sheet_names(["E3", "a" * 40, "a" * 41])
    ['E3', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'aaaaaaaaaaaaaaaaaaaaaaaaaaa (2)']
    """
    found: dict[str, str] = {}  # by what does not tell capitals from small letters
    for name in names:
        shown, number = name[:31], 1
        while shown.lower() in found:
            number += 1
            shown = f"{name[: 31 - len(f' ({number})')]} ({number})"
        found[shown.lower()] = shown
    return list(found.values())


def _line(n: Entry) -> tuple[object, ...]:
    names = (n.experiment, n.section, with_role(n.quantity, n.role), n.dataset, n.variant)
    return *names, n.value, n.mean, n.deviation, n.replicates, n.published, n.best


def _joined(n: Entry | None, emphasis: str = "") -> str:
    if n is None:
        return ""
    text = n.text(n.value) if n.replicates else MISSING
    if n.best:
        text = f"{emphasis}{text}{emphasis}"
    if n.mean is not None:
        text += f" [{n.text(n.mean)} ± {n.text(n.deviation)}]"
    return text if n.published is None else f"{text} ({n.text(n.published)})"
