"""The tables of the study: published layout, published value in brackets beside ours."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev

from proset.study.records import write_text
from proset.study.results import read_rows, write_rows

SECTIONS = {
    "data": "Data",
    "stage1": "Stage 1",
    "stage2": "Stage 2",
    "cv": "Cross-validation",
    "final": "Final model, scores for test data",
}
LABELS = {
    "classes": "Classes",
    "features": "Features",
    "samples": "Samples",
    "train_samples": "Train samples",
    "test_samples": "Test samples",
    "candidates": "Candidates",
    "lambda_v": "lambda_v",
    "lambda_w": "lambda_w",
    "max_depth": "max. depth",
    "colsample": "colsample",
    "subsample": "subsample",
    "batches": "batches",
    "k": "k",
    "iterations": "iterations",
    "log_loss": "log-loss",
    "threshold": "Threshold",
    "active_features": "Active features",
    "prototypes": "Prototypes",
    "roc_auc": "ROC-AUC",
    "balanced_accuracy": "Balanced acc.",
}
COLUMNS = (
    "experiment",
    "section",
    "quantity",
    "dataset",
    "variant",
    "value",
    "spread",
    "replicates",
    "published",
    "best",
)
FRACTIONS = ("log_loss", "threshold", "roc_auc", "balanced_accuracy", "colsample", "subsample")
KEY = ("experiment", "section", "quantity", "dataset", "variant")


def make_cells(scores: list[Path], published: Path) -> list[dict]:
    """One cell per number: mean over the replicates, their standard deviation, and the published value.

    Parameters
    ----------
    scores : list of Path
        Files of `results.write_rows`.
    published : Path
        CSV file of the published numbers.

    Returns
    -------
    list of dict
        With `COLUMNS` as keys, in the order of the scores; "published" is None where nothing was published.
    """
    values: dict[tuple, list[float | None]] = defaultdict(list)
    for path in scores:
        for row in read_rows(path):
            values[tuple(row[k] for k in KEY)].append(row["value"])
    known = {tuple(row[k] for k in KEY): row["value"] for row in read_rows(published)}
    cells = []
    for key, found in values.items():
        numbers = [v for v in found if v is not None]
        cells.append(
            {
                **dict(zip(KEY, key, strict=True)),
                "value": fmean(numbers) if numbers else None,
                "spread": stdev(numbers) if len(numbers) > 1 else None,
                "replicates": len(found),
                "published": known.get(key),
                "best": None,
            }
        )
    return cells


@dataclass(frozen=True)
class Table:
    """One table: named groups of cells, a column per data set and variant, a row per quantity."""

    name: str
    title: str
    groups: list[tuple[str, list[dict]]]

    @property
    def cells(self) -> list[dict]:
        """All cells in the order of the table."""
        return [cell for _, group in self.groups for cell in group]

    @property
    def columns(self) -> list[str]:
        """Headings: data set, and variant if there is one."""
        return list(dict.fromkeys(_column(cell) for cell in self.cells))

    def rows(self) -> list[tuple[str, list[tuple[str, list[dict | None]]]]]:
        """For each group its heading and rows; a row is a label and, per column, "ours", "published" and "best"."""
        found = []
        for heading, group in self.groups:
            rows: dict[str, dict[str, dict]] = {}
            for cell in group:
                rows.setdefault(_label(cell, heading), {})[_column(cell)] = _texts(cell)
            if rows:
                found.append((heading, [(label, [row.get(c) for c in self.columns]) for label, row in rows.items()]))
        return found


def experiment_table(name: str, title: str, cells: list[dict], published: Path) -> Table:
    """An experiment's table; rows as published if the experiment was."""
    order = {(r["section"], r["quantity"]) for r in read_rows(published) if r["experiment"] == name}
    shown = [c for c in cells if not order or (c["section"], c["quantity"]) in order]
    groups = [(heading, [c for c in shown if c["section"] == section]) for section, heading in SECTIONS.items()]
    return Table(name, title, groups)


def comparison_table(name: str, title: str, cells: list[dict]) -> Table:
    """Final models beside each other: a group per experiment; the best log-loss per data set is marked.

    Prototypes are shown if every experiment has them; models whose log-loss agrees to two decimals share the mark.
    """
    by_experiment: dict[str, list[dict]] = defaultdict(list)
    for cell in cells:
        by_experiment[cell["experiment"]].append(dict(cell))
    losses = [c for group in by_experiment.values() for c in group if _is(c, "final", "log_loss")]
    for cell in losses:
        smallest = min(c["value"] for c in losses if c["dataset"] == cell["dataset"])
        cell["best"] = round(cell["value"], 2) == round(smallest, 2)
    quantities = ["active_features", "prototypes", "log_loss", "threshold", "roc_auc", "balanced_accuracy"]
    if not all(any(c["quantity"] == "prototypes" for c in group) for group in by_experiment.values()):
        quantities.remove("prototypes")
    groups = []
    for experiment, group in by_experiment.items():
        final = [
            c for c in group if c["section"] == "final" or (c["quantity"] == "threshold" and c["section"] != "stage1")
        ]
        groups.append((f"[{experiment}]", [c for q in quantities for c in final if c["quantity"] == q]))
    return Table(name, title, groups)


def to_markdown(table: Table) -> str:
    """A Markdown table with "ours (published)" in the cells."""
    replicates = max((c["replicates"] for c in table.cells), default=1)
    note = "Published values in brackets; the best log-loss of a data set is bold."
    if replicates > 1:
        note += f" Means over {replicates} replicates, with their standard deviation after the sign ±."
    lines = [f"# [{table.name}] {table.title}", "", note, ""]
    lines += ["| |" + "|".join(table.columns) + "|", "|---" + "|---:" * len(table.columns) + "|"]
    for heading, rows in table.rows():
        lines.append(f"|**{heading}**" + "|" * (len(table.columns) + 1))
        lines += [f"|{label}|" + "|".join(map(_markdown, cells)) + "|" for label, cells in rows]
    return "\n".join(lines) + "\n"


def write_table(table: Table, markdown: Path, csv: Path) -> None:
    """Write a table as Markdown, and as CSV with a line per cell."""
    write_text(markdown, to_markdown(table))
    write_rows(csv, table.cells, COLUMNS)


def _is(cell, section, quantity):
    return (cell["section"], cell["quantity"]) == (section, quantity)


def _column(cell):
    return f"{cell['dataset']} {cell['variant']}".strip()


def _label(cell, heading):
    role, _, rest = cell["quantity"].partition("_")
    if role in ("optimal", "selected"):
        return f"{role.capitalize()} {LABELS[rest]}"
    if cell["quantity"] == "threshold" and heading.startswith("["):  # beside scores: say of which stage
        return f"Threshold {SECTIONS[cell['section']].lower()}"
    label = LABELS[cell["quantity"]]
    return label[0].upper() + label[1:]


def _texts(cell):
    ours, published = (format_number(cell["quantity"], cell[which]) for which in ("value", "published"))
    if cell["spread"] is not None:
        ours += f" ± {format_number(cell['quantity'], cell['spread'])}"
    return {"ours": ours, "published": published if cell["published"] is not None else "", "best": bool(cell["best"])}


def _markdown(cell):
    if cell is None:
        return ""
    ours = f"**{cell['ours']}**" if cell["best"] else cell["ours"]
    return f"{ours} ({cell['published']})" if cell["published"] else ours


def format_number(quantity: str, value: float | None) -> str:
    """A number as the published tables print it; "n/a" for None."""
    if value is None:
        return "n/a"
    if "lambda" in quantity:
        return f"{value:.1e}".replace("e-0", "e-")
    if any(fraction in quantity for fraction in FRACTIONS) or value != round(value):
        return f"{value:.2f}"
    return f"{round(value):,}"
