"""Tables as files: Markdown, CSV, LaTeX and Excel."""

from pathlib import Path

from proset.files import replacing
from proset_study.base.records import write_text
from proset_study.report.tables.tables import COLUMNS, MISSING, Table
from proset_study.store.results import write_rows

_LATEX = str.maketrans(
    {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {character: f"\\{character}" for character in "&%$#_{}"}
)


def note(table: Table) -> str:
    """How to read a table, in one or two sentences."""
    text = "Published values in brackets."
    if any(cell["best"] for cell in table.cells):
        text += " Bold: what the replicates cannot tell from the best of a data set (docs/statistics.md)."
    if any(cell["replicates"] == 0 for cell in table.cells):
        text = f"Partial: what could not be computed is marked as {MISSING}. {text}"
    if table.n_replicates > 1:
        text += (
            f" The first number is that of the first replicate; mean ± standard deviation over up to"
            f" {table.n_replicates} replicates follow."
        )
    return text


def to_markdown(table: Table) -> str:
    """A Markdown table with "ours (published)" in the cells."""
    lines = [f"# [{table.name}] {table.title}", "", note(table), ""]
    lines += ["| |" + "|".join(table.columns) + "|", "|---" + "|---:" * len(table.columns) + "|"]
    for heading, rows in table.rows():
        lines.append(f"|**{heading}**" + "|" * (len(table.columns) + 1))
        lines += [f"|{label}|" + "|".join(_joined(cell, "**") for cell in cells) + "|" for label, cells in rows]
    return "\n".join(lines) + "\n"


def to_latex(table: Table) -> str:
    """A LaTeX table for the package booktabs, with "ours (published)" in the cells."""
    shown = table.frame(lambda cell: {"": _joined(cell)}).droplevel(1, axis=1).fillna("")
    best = table.frame(lambda cell: {"": "font-weight: bold" if cell["best"] else ""}).droplevel(1, axis=1).fillna("")
    bare = {heading: heading.strip("[]") for heading in shown.index.unique(0)}  # LaTeX takes \\ [E3] for a length
    shown, best = shown.rename(index=bare, level=0), best.rename(index=bare, level=0)
    style = shown.style.apply(lambda _: best, axis=None).format(escape="latex")
    for axis in (0, 1):
        style = style.format_index(escape="latex", axis=axis)
    caption = f"[{table.name}] {table.title}. {note(table)}".translate(_LATEX)
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
    """Write a table as <name>.md, as <name>.csv with a line per cell, and as <name>.tex."""
    write_text(folder / f"{table.name}.md", to_markdown(table))
    cells = [{column: cell[column] for column in COLUMNS} for cell in table.cells]
    write_rows(folder / f"{table.name}.csv", cells, COLUMNS)
    write_text(folder / f"{table.name}.tex", to_latex(table))


def write_workbook(path: Path, tables: list[Table]) -> None:
    """Write an Excel workbook, a sheet per table, our number and the published one in columns of their own."""
    import pandas as pd

    def show(cell):
        several = (
            {"mean": cell["mean"], "standard_deviation": cell["standard_deviation"]} if cell["replicates"] > 1 else {}
        )
        ours = cell["value"] if cell["replicates"] else MISSING
        return {"ours": ours, **several, "published": cell["published"]}

    with replacing(path) as file, pd.ExcelWriter(file, engine="openpyxl") as workbook:
        for table in tables:
            frame = table.frame(show) if table.cells else pd.DataFrame(columns=["not run"])
            frame.to_excel(workbook, sheet_name=table.name[:31], freeze_panes=(2, 2))
            sheet = workbook.sheets[table.name[:31]]
            sheet.column_dimensions["A"].width, sheet.column_dimensions["B"].width = 32, 24
            for cell in (cell for row in sheet.iter_rows() for cell in row if cell.data_type == "f"):
                cell.data_type, cell.quotePrefix = "s", True  # text that begins with "=" is no formula


def _joined(cell, emphasis=""):
    if cell is None:
        return ""
    texts = cell["texts"]
    text = f"{emphasis}{texts['value']}{emphasis}" if cell["best"] else texts["value"]
    if texts["mean"]:
        text += f" [{texts['mean']} ± {texts['standard_deviation']}]"
    return f"{text} ({texts['published']})" if texts["published"] else text
