"""The tables of the study: published layout, published value in brackets beside ours."""

from collections import defaultdict
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


def experiment_table(cells: list[dict], published: Path, experiment: str) -> list[tuple[str, list[dict]]]:
    """Sections of an experiment's table, each with its cells; rows as published if the experiment was."""
    order = {
        (r["section"], r["quantity"]): i for i, r in enumerate(read_rows(published)) if r["experiment"] == experiment
    }
    shown = [c for c in cells if not order or (c["section"], c["quantity"]) in order]
    return [(title, [c for c in shown if c["section"] == section]) for section, title in SECTIONS.items()]


def comparison_table(cells: list[dict]) -> list[tuple[str, list[dict]]]:
    """Final models beside each other: a section per experiment; the best log-loss per data set is marked.

    Prototypes are shown if every experiment has them; models whose log-loss agrees to two decimals share the mark.
    """
    by_experiment: dict[str, list[dict]] = defaultdict(list)
    for cell in cells:
        by_experiment[cell["experiment"]].append(cell)
    losses = [c for c in cells if (c["section"], c["quantity"]) == ("final", "log_loss")]
    for cell in losses:
        smallest = min(c["value"] for c in losses if c["dataset"] == cell["dataset"])
        cell["best"] = round(cell["value"], 2) == round(smallest, 2)
    quantities = ["active_features", "prototypes", "log_loss", "threshold", "roc_auc", "balanced_accuracy"]
    if not all(any(c["quantity"] == "prototypes" for c in group) for group in by_experiment.values()):
        quantities.remove("prototypes")
    return [
        (
            f"[{experiment}]",
            [
                c
                for q in quantities
                for c in group
                if c["quantity"] == q and (c["section"] == "final" or (q == "threshold" and c["section"] != "stage1"))
            ],
        )
        for experiment, group in by_experiment.items()
    ]


def to_markdown(title: str, sections: list[tuple[str, list[dict]]]) -> str:
    """A Markdown table: a column per data set (and variant), a row per quantity, "ours (published)" in the cells."""
    columns = list(dict.fromkeys((c["dataset"], c["variant"]) for _, cells in sections for c in cells))
    replicates = max((c["replicates"] for _, cells in sections for c in cells), default=1)
    note = "Published values in brackets; the best log-loss of a data set is bold."
    if replicates > 1:
        note += f" Means over {replicates} replicates, with their standard deviation after the sign ±."
    lines = [f"# {title}", "", note, ""]
    lines += ["| |" + "|".join(" ".join(c).strip() for c in columns) + "|", "|---" + "|---:" * len(columns) + "|"]
    for name, cells in sections:
        if not cells:
            continue
        lines.append(f"|**{name}**" + "|" * (len(columns) + 1))
        rows: dict[tuple[str, str], dict[tuple, dict]] = defaultdict(dict)
        for c in cells:
            rows[c["section"], c["quantity"]][c["dataset"], c["variant"]] = c
        for (section, quantity), row in rows.items():
            label = (
                _label(quantity)
                if section == "final" or not name.startswith("[")
                else f"Threshold {SECTIONS[section].lower()}"
            )
            lines.append(f"|{label}|" + "|".join(_cell(row[c]) if c in row else "" for c in columns) + "|")
    return "\n".join(lines) + "\n"


def write_table(
    name: str, title: str, scores: list[Path], published: Path, comparison: bool, markdown: Path, out: Path
):
    """Make one table as Markdown and as CSV with a line per cell."""
    cells = make_cells(scores, published)
    sections = comparison_table(cells) if comparison else experiment_table(cells, published, name)
    write_text(markdown, to_markdown(f"[{name}] {title}", sections))
    write_rows(out, [cell for _, group in sections for cell in group], COLUMNS)


def _label(quantity):
    role, _, rest = quantity.partition("_")
    return (
        f"{role.capitalize()} {LABELS[rest]}"
        if role in ("optimal", "selected")
        else LABELS[quantity].capitalize()
        if quantity == "log_loss"
        else LABELS[quantity]
    )


def _cell(cell):
    text = format_number(cell["quantity"], cell["value"])
    if cell["spread"] is not None:
        text += f" ± {format_number(cell['quantity'], cell['spread'])}"
    if cell["best"]:
        text = f"**{text}**"
    if cell["published"] is not None:
        text += f" ({format_number(cell['quantity'], cell['published'])})"
    return text


def format_number(quantity: str, value: float | None) -> str:
    """A number as the published tables print it; "n/a" for None."""
    if value is None:
        return "n/a"
    if "lambda" in quantity:
        return f"{value:.1e}".replace("e-0", "e-")
    if value == int(value) and not any(q in quantity for q in ("log_loss", "threshold", "auc", "accuracy", "sample")):
        return f"{int(value):,}"
    if quantity in ("samples", "train_samples", "test_samples"):
        return f"{round(value):,}"
    return f"{value:.2f}"
