"""The tables of the study: published layout, our number and the published one."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from proset_study import methods
from proset_study.methods.labels import name_of
from proset_study.report.analysis.losses import OF_ALL, SCORES, overlaps
from proset_study.report.analysis.paired import among_the_best
from proset_study.report.wording import format_number
from proset_study.store.results import by_fit_seed, read_rows
from proset_study.store.stored import Stored

if TYPE_CHECKING:
    import pandas as pd

SECTIONS = {
    "data": "Data",
    "stage1": "Stage 1",
    "stage2": "Stage 2",
    "cv": "Cross-validation",
    "final": "Final model, scores for test data",
}
LABELS = {
    "train_samples": "Train samples",
    "test_samples": "Test samples",
    "log_loss": "log-loss",
    "clipped_log_loss": "clipped log-loss",
    "brier_score": "Brier score",
    "roc_auc": "ROC-AUC",
    "balanced_accuracy": "Balanced acc.",
    "error": "test error",
}
COLUMNS = (
    "experiment",
    "section",
    "quantity",
    "dataset",
    "variant",
    "value",
    "mean",
    "standard_deviation",
    "replicates",
    "published",
    "best",
)
_FINAL = [("final", quantity) for quantity in ("log_loss", "roc_auc", "balanced_accuracy")]
MISSING = "missing"
KEY = ("experiment", "section", "quantity", "dataset", "variant")


def make_cells(rows: list[dict], published: Path, missing: Iterable[tuple[str, str, str, str]] = ()) -> list[dict]:
    """One cell per number: that of the first replicate, mean and standard deviation over all, the published one.

    The number of a final model is that of its first fit seed; "values" are means over the fit seeds.

    Parameters
    ----------
    rows : list of dict
        What `results.case_rows` gives.
    published : Path
        CSV file of the published numbers.
    missing : iterable of (experiment, data set, variant, method)
        Final models that the first replicate lacks.

    Returns
    -------
    list of dict
        With `COLUMNS`, "method" and "values" (by replicate) as keys, in the order of the rows; "published" is None
        where nothing was published,
        "mean" and "standard_deviation" where there is one replicate only. What is missing has 0 replicates.
    """
    methods_of = {row["experiment"]: row["method"] for row in rows} | {e: method for e, *_, method in missing}
    absent = {(experiment, data_set, variant) for experiment, data_set, variant, _ in missing}
    values: dict[tuple, dict[int, float | None]] = defaultdict(dict)
    first: dict[tuple, float | None] = {}
    quantities: dict[str, list[tuple[str, str]]] = defaultdict(list)  # of an experiment
    for row, of_fits in by_fit_seed(rows):
        quantities[row["experiment"]].append((row["section"], row["quantity"]))
        if (row["experiment"], row["dataset"], row["variant"]) not in absent:
            key = tuple(row[k] for k in KEY)
            first.setdefault(key, row["value"])
            values[key][int(row["replicate"])] = fmean(of_fits) if len(of_fits) > 1 else row["value"]
    for experiment, data_set, variant in sorted(absent):
        for section, quantity in dict.fromkeys(quantities[experiment]) or _FINAL:
            values[experiment, section, quantity, data_set, variant] = {}
    known = {tuple(row[k] for k in KEY): row["value"] for row in read_rows(published)}
    cells = []
    for key, found in values.items():
        numbers = [v for v in found.values() if v is not None]
        cells.append(
            {
                **dict(zip(KEY, key, strict=True)),
                "method": methods_of[key[0]],
                "values": found,
                "value": first.get(key),
                "mean": fmean(numbers) if len(numbers) > 1 else None,
                "standard_deviation": stdev(numbers) if len(numbers) > 1 else None,
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

    @property
    def n_replicates(self) -> int:
        """The largest number of replicates behind a cell."""
        return max((cell["replicates"] for cell in self.cells), default=1)

    def rows(self) -> list[tuple[str, list[tuple[str, list[dict | None]]]]]:
        """For each group its heading and rows; a row is a label and a cell per column, with its numbers as "texts"."""
        found = []
        for heading, group in self.groups:
            rows: dict[str, dict[str, dict]] = {}
            for cell in group:
                rows.setdefault(_label(cell, heading), {})[_column(cell)] = {**cell, "texts": _texts(cell)}
            if rows:
                found.append((heading, [(label, [row.get(c) for c in self.columns]) for label, row in rows.items()]))
        return found

    def frame(self, show) -> "pd.DataFrame":
        """A data frame with a row index (group, label); `show` gives the columns of one cell by name."""
        import pandas as pd

        index, lines = [], []
        for heading, rows in self.rows():
            for label, cells in rows:
                index.append((heading, label))
                shown = zip(self.columns, cells, strict=True)
                lines.append({(c, name): v for c, cell in shown if cell for name, v in show(cell).items()})
        columns = pd.MultiIndex.from_tuples(list(dict.fromkeys(key for line in lines for key in line)))
        return pd.DataFrame(lines, pd.MultiIndex.from_tuples(index), columns)


def study_tables(stored: Stored, published: Path) -> list[Table]:
    """All tables of the config, comparisons first; one whose experiments were not run has no cells."""
    config = stored.study.config
    return [study_table(stored, name, published) for name in (*config.get("comparisons", {}), *config["experiments"])]


def study_table(stored: Stored, name: str, published: Path) -> Table:
    """The table of one experiment or comparison; of the results only theirs are read."""
    config, runs = stored.study.config, stored.study.runs
    comparisons = config.get("comparisons", {})
    entry = comparisons[name] if name in comparisons else config["experiments"][name]
    experiments = entry["experiments"] if name in comparisons else [name]
    missing = [
        (model.experiment, model.data_set, model.variant, runs[model.run].method)
        for model in stored.missing_models
        if model.replicate == stored.replicates[0] and model.experiment in experiments
    ]
    rows = stored.rows_of([e for e in experiments if e in stored.study.experiments])
    cells = make_cells(rows, published, missing)
    cells = [cell for e in experiments for cell in cells if cell["experiment"] == e]
    if name not in comparisons:
        return experiment_table(name, entry["title"], cells, published)
    kinds = {"experiments": comparison_table, "methods": methods_table, "prototypes": prototypes_table}
    make = kinds[entry.get("rows", "experiments")]
    return make(
        name, entry["title"], cells, overlaps(stored, [e for e in experiments if e in stored.study.experiments])
    )


def experiment_table(name: str, title: str, cells: list[dict], published: Path) -> Table:
    """An experiment's table; rows as published if the experiment was."""
    order = {(r["section"], r["quantity"]) for r in read_rows(published) if r["experiment"] == name}
    shown = [c for c in cells if not order or (c["section"], c["quantity"]) in order]
    groups = [(heading, [c for c in shown if c["section"] == section]) for section, heading in SECTIONS.items()]
    return Table(name, title, groups)


def comparison_table(name: str, title: str, cells: list[dict], overlap: dict[str, float]) -> Table:
    """Final models next to each other: a group per experiment; log-losses that cannot be told from the best are marked.

    Prototypes are shown if every experiment has them. `overlap` is what `losses.overlaps` gives.
    """
    by_experiment: dict[str, list[dict]] = defaultdict(list)
    for cell in cells:
        by_experiment[cell["experiment"]].append(dict(cell))
    losses = [c for group in by_experiment.values() for c in group if _is(c, "final", "log_loss")]
    _mark(losses, overlap, lambda value: value)
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


def methods_table(name: str, title: str, cells: list[dict], overlap: dict[str, float]) -> Table:
    """The scores of `SCORES` with a row per method, whose experiments are joined; marks as in `comparison_table`.

    Methods that predict labels and no probabilities have a balanced accuracy only.
    """
    groups = []
    for score, (quantity, loss) in SCORES.items():
        group = [
            {**c, "row": c["method"]}
            for c in cells
            if _is(c, "final", quantity) and (score == OF_ALL or methods.get(c["method"]).probabilistic)
        ]
        _mark(group, overlap, loss)
        heading = "balanced accuracy" if score == OF_ALL else score
        groups.append((f"{heading[0].upper()}{heading[1:]}", group))
    return Table(name, title, groups)


def prototypes_table(name: str, title: str, cells: list[dict], overlap: dict[str, float]) -> Table:
    """Test error and number of prototypes with a row per experiment and metric; marks as in `comparison_table`."""
    groups = []
    for quantity, heading in (("error", "Test error"), ("prototypes", "Number of prototypes")):
        group = [{**c, "row": _labelled(c), "column": c["dataset"]} for c in cells if _is(c, "final", quantity)]
        if quantity == "error":
            _mark(group, overlap, lambda value: value)
        groups.append((heading, group))
    return Table(name, title, groups)


def _labelled(cell):
    return ", ".join(filter(None, (cell["experiment"], cell["variant"].removeprefix("metric="))))


def _mark(cells, overlap, loss):
    """Mark what the replicates cannot tell from the best of the data set; nothing if there is one replicate."""
    for data_set in {cell["dataset"] for cell in cells}:
        there = {str(i): c for i, c in enumerate(cells) if c["dataset"] == data_set and c["replicates"]}
        losses = {i: {r: loss(value) for r, value in c["values"].items()} for i, c in there.items()}
        best = among_the_best(losses, overlap.get(data_set, 0.0))
        for i, cell in there.items():
            cell["best"] = i in best


def _is(cell, section, quantity):
    return (cell["section"], cell["quantity"]) == (section, quantity)


def _column(cell):
    return cell.get("column") or f"{cell['dataset']} {cell['variant']}".strip()


def quantity_label(quantity: str) -> str:
    """A quantity as tables write it."""
    role, _, rest = quantity.partition("_")
    if role in ("optimal", "selected"):
        return f"{role.capitalize()} {_name(rest)}"
    label = _name(quantity)
    return label[0].upper() + label[1:]


def _label(cell, heading):
    if "row" in cell:
        return cell["row"]
    if cell["quantity"] == "threshold" and heading.startswith("["):  # next to scores: say of which stage
        return f"Threshold {SECTIONS[cell['section']].lower()}"
    return quantity_label(cell["quantity"])


def _name(quantity):
    return LABELS.get(quantity) or name_of(quantity).table or quantity.replace("_", " ")


def _texts(cell):
    texts = {"value": format_number(cell["quantity"], cell["value"]) if cell["replicates"] else MISSING}
    for which in ("mean", "standard_deviation", "published"):
        texts[which] = "" if cell[which] is None else format_number(cell["quantity"], cell[which])
    return texts
