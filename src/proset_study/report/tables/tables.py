"""The tables of the study: published layout, our number and the published one."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pandas as pd

from proset_study import methods
from proset_study.methods.labels import method_name
from proset_study.report.analysis.losses import overlaps
from proset_study.report.analysis.paired import MIN_REPLICATES, among_the_best
from proset_study.report.rows import groups
from proset_study.report.wording import SECTIONS, counted, format_number, quantity_label, sentence_case
from proset_study.store.metrics import SCORES, Score
from proset_study.store.results import FINAL, Row, by_fit_seed, read_published
from proset_study.store.stored import Stored

MISSING = "missing"
QUARTILES = {"lowest": 0.0, "lower quartile": 0.25, "median": 0.5, "upper quartile": 0.75, "highest": 1.0}
Key = tuple[str, str, str, str, str, str]  # experiment, section, role, quantity, data set, variant


@dataclass(frozen=True)
class Entry:
    """A cell: one quantity of one data set and variant, over the replicates."""

    experiment: str
    section: str
    role: str
    quantity: str
    dataset: str
    variant: str
    method: str
    value: float | None = None  # of the first replicate and fit seed; None where a parameter was not searched
    values: dict[int, float | None] = field(default_factory=dict)  # by replicate, means over the fit seeds
    published: float | None = None
    label: str = ""  # its row of the table
    column: str = ""
    best: bool | None = None  # whether it may be the best of the data set; None where that is not asked

    @property
    def replicates(self) -> int:
        """How many there are; 0 if the final model is missing."""
        return len(self.values)

    @cached_property
    def mean(self) -> float | None:
        """Mean over the replicates; None if there is one only."""
        return fmean(self._known) if len(self._known) > 1 else None

    @cached_property
    def deviation(self) -> float | None:
        """Standard deviation over the replicates; None if there is one only."""
        return stdev(self._known) if len(self._known) > 1 else None

    @property
    def _known(self) -> list[float]:
        return [value for value in self.values.values() if value is not None]

    def text(self, value: float | None) -> str:
        """A number of this quantity as it is printed."""
        return format_number(self.quantity, value)


@dataclass(frozen=True)
class Table:
    """Named groups of numbers, each with a label, which is its row, and a column.

    Columns are data sets. There are too many to show each of them where `is_large`.
    """

    name: str
    title: str
    groups: list[tuple[str, list[Entry]]]
    is_large: bool = False

    @cached_property
    def shown(self) -> "Table":
        """The same, or with the quartiles over data sets instead of these, where they are too many."""
        if not self.is_large:
            return self
        n_data_sets = len({number.dataset for number in self.numbers})
        title = f"{self.title}, over {counted(n_data_sets, 'data set')}"
        return Table(self.name, title, [(heading, _over_data_sets(group)) for heading, group in self.groups])

    @property
    def numbers(self) -> list[Entry]:
        """All of them in the order of the table."""
        return [number for _, group in self.groups for number in group]

    @property
    def columns(self) -> list[str]:
        """Their headings."""
        return list(dict.fromkeys(number.column for number in self.numbers))

    @property
    def n_replicates(self) -> int:
        """The largest number of replicates behind a cell."""
        return max((number.replicates for number in self.numbers), default=1)

    def rows(self) -> list[tuple[str, list[tuple[str, list[Entry | None]]]]]:
        """Heading and rows of each group; a row is a label and a cell per column."""
        found = []
        for heading, group in self.groups:
            rows = [(label, {n.column: n for n in row}) for label, row in groups(group, "label").items()]
            if rows:
                found.append((heading, [(label, [row.get(c) for c in self.columns]) for label, row in rows]))
        return found

    def frame(self, show: Callable[[Entry], dict[str, Any]]) -> pd.DataFrame:
        """A data frame with a row index (group, label); `show` gives the columns of one cell by name."""
        lines = [
            {(cell.column, name): value for cell in cells if cell for name, value in show(cell).items()}
            for _, rows in self.rows()
            for _, cells in rows
        ]
        index = [(heading, label) for heading, rows in self.rows() for label, _ in rows]
        columns = pd.MultiIndex.from_tuples(list(dict.fromkeys(key for line in lines for key in line)))
        return pd.DataFrame(lines, pd.MultiIndex.from_tuples(index), columns)


def numbers_of(
    rows: list[Row], published: Iterable[Row], missing: Iterable[tuple[str, str, str, str]] = ()
) -> list[Entry]:
    """All numbers of the rows with the published ones, in the order of the rows, then the missing ones.

    `missing` are final models that the first replicate lacks: experiment, data set, variant and method.
    """
    absent = {names[:3]: names[3] for names in missing}
    known = {_key(row): row.value for row in published}
    found: dict[Key, Entry] = {}
    quantities: dict[str, dict[tuple[str, str, str], None]] = {}  # of an experiment, in their order
    for row, of_fits in by_fit_seed(rows):
        quantities.setdefault(row.experiment, {})[row.section, row.role, row.quantity] = None
        if (row.experiment, row.dataset, row.variant) not in absent:
            key = _key(row)
            if key not in found:
                found[key] = _entry(key, row.method, row.value, known.get(key))
            found[key].values[row.replicate] = fmean(of_fits) if len(of_fits) > 1 else row.value
    scores = {name for names in quantities.values() for name in names if name[0] == FINAL}
    of_others = [(FINAL, "", s.quantity) for s in SCORES.values() if s.in_published]
    default = [name for name in of_others if name in scores or not scores]
    for (experiment, data_set, variant), method in sorted(absent.items()):
        for name in quantities.get(experiment, default):
            key = (experiment, *name, data_set, variant)
            found[key] = _entry(key, method, None, known.get(key))
    return list(found.values())


def _entry(key: Key, method: str, value: float | None, published: float | None) -> Entry:
    _, _, role, quantity, data_set, variant = key
    label, column = quantity_label(quantity, role), f"{data_set} {variant}".strip()
    return Entry(*key, method, value, published=published, label=label, column=column)


def _key(row: Row) -> Key:
    return row.experiment, row.section, row.role, row.quantity, row.dataset, row.variant


def study_tables(stored: Stored, published: Path) -> Iterator[Table]:
    """All tables of the config, comparisons first; one whose experiments were not run has no cells."""
    config = stored.study.config
    for name in (*config.get("comparisons", {}), *config["experiments"]):
        yield study_table(stored, name, published)


@cache
def shown_tables(stored: Stored, published: Path) -> list[tuple[Table, bool]]:
    """All tables as they are shown, and whether each has numbers; of a large study the numbers are not kept."""
    return [(table.shown, bool(table.numbers)) for table in study_tables(stored, published)]


def study_table(stored: Stored, name: str, published: Path) -> Table:
    """The table of one experiment or comparison; of the results only theirs are read."""
    config, runs = stored.study.config, stored.study.runs
    comparison = config.get("comparisons", {}).get(name)
    entry = comparison or config["experiments"][name]
    experiments = comparison["experiments"] if comparison else [name]
    missing = [
        (model.experiment, model.data_set, model.variant, runs[model.run].method)
        for model in stored.missing_models
        if model.replicate == stored.replicates[0] and model.experiment in experiments
    ]
    run = [e for e in experiments if e in stored.study.experiments]
    printed = read_published(published)
    rows = stored.rows_of(run)
    if entry.get("rows") == "methods":
        scores = {score.quantity for score in SCORES.values() if score.by_method}
        rows = [row for row in rows if row.section == FINAL and row.quantity in scores]
    numbers = numbers_of(rows, printed, missing)
    by_experiment = groups(numbers, "experiment")
    numbers = [number for e in experiments for number in by_experiment.get(e, [])]
    if comparison is None:
        found = experiment_table(name, entry["title"], numbers, printed)
    else:
        kinds = {"experiments": comparison_table, "methods": methods_table, "prototypes": prototypes_table}
        found = kinds[entry.get("rows", "experiments")](name, entry["title"], numbers, overlaps(stored, run))
    return replace(found, is_large=stored.study.is_large)


def experiment_table(name: str, title: str, numbers: list[Entry], published: Iterable[Row]) -> Table:
    """An experiment's table; with the rows that were published if the experiment was, and our scores."""
    order = {(row.section, row.role, row.quantity) for row in published if row.experiment == name}
    if order:
        order |= {(FINAL, "", score.quantity) for score in SCORES.values() if score.in_published}
        numbers = [n for n in numbers if (n.section, n.role, n.quantity) in order]
    return Table(name, title, [(heading, [n for n in numbers if n.section == s]) for s, heading in SECTIONS.items()])


def comparison_table(name: str, title: str, numbers: list[Entry], overlap: dict[str, float]) -> Table:
    """Final models next to each other, a group per experiment; marks log-losses not significantly worse than the best.

    Prototypes are shown if every experiment has them. `overlap` is what `losses.overlaps` gives.
    """
    losses = _marked([n for n in numbers if _is(n, "log_loss")], SCORES["log_loss"], overlap)
    by_experiment = groups([*losses, *(n for n in numbers if not _is(n, "log_loss"))], "experiment")
    scores = [score.quantity for score in SCORES.values() if score.in_published]
    quantities = ["active_features", "prototypes", scores[0], "threshold", *scores[1:]]
    if not all(any(_is(n, "prototypes") for n in group) for group in by_experiment.values()):
        quantities.remove("prototypes")
    found = []
    for experiment, group in by_experiment.items():
        shown = [n for n in group if n.section == FINAL]
        thresholds = [n for n in group if n.quantity == "threshold" and n.section != "stage1"]
        shown += [replace(n, label=f"Threshold {SECTIONS[n.section].lower()}") for n in thresholds]
        found.append((f"[{experiment}]", [n for q in quantities for n in shown if n.quantity == q]))
    return Table(name, title, found)


def methods_table(name: str, title: str, numbers: list[Entry], overlap: dict[str, float]) -> Table:
    """Scores with a row per method, whose experiments are joined; marks as in `comparison_table`.

    Methods that predict labels and no probabilities have a balanced accuracy only.
    """
    found = []
    for score in (score for score in SCORES.values() if score.by_method):
        group = [n for n in numbers if _is(n, score.quantity) and score.fits(methods.get(n.method))]
        group = _marked(group, score, overlap) if score.loss else group
        found.append((sentence_case(score.name), [replace(n, label=method_name(n.method)) for n in group]))
    return Table(name, title, found)


def prototypes_table(name: str, title: str, numbers: list[Entry], overlap: dict[str, float]) -> Table:
    """Test error and number of prototypes with a row per experiment and metric; marks as in `comparison_table`."""
    errors, sizes = ([n for n in numbers if _is(n, quantity)] for quantity in ("error", "prototypes"))
    found = [("Test error", _marked(errors, SCORES["error"], overlap)), ("Number of prototypes", sizes)]
    return Table(name, title, [(heading, list(map(_of_metric, group))) for heading, group in found])


def _over_data_sets(numbers: list[Entry]) -> list[Entry]:
    """The quartiles of each row of a table and variant over the data sets, of means over the replicates."""
    found = []
    for (_, variant), row in groups(numbers, "label", "variant").items():
        values = [v for n in row if (v := n.value if n.mean is None else n.mean) is not None]
        for name, proportion in QUARTILES.items() if values else ():
            column, value = f"{name} {variant}".strip(), float(np.quantile(values, proportion))
            shown = replace(row[0], dataset=name, column=column, value=value, values={0: value})
            found.append(replace(shown, published=None, best=None))
    return found


def _of_metric(number):
    label = ", ".join(filter(None, (number.experiment, number.variant.removeprefix("metric="))))
    return replace(number, label=label, column=number.dataset)


def _is(number, quantity):
    return (number.section, number.quantity) == (FINAL, quantity)


def _marked(numbers: list[Entry], score: Score, overlap: dict[str, float]) -> list[Entry]:
    """The numbers of a score, marked where they are not significantly worse than the best of their data set.

    Without a test, as of fewer than `MIN_REPLICATES`, they are neither this nor the opposite.
    """
    losses: dict[str, dict[str, dict[int, float]]] = {}  # by data set and position
    for i, n in enumerate(numbers):
        if n.values:
            values = {r: score.as_loss(value) for r, value in n.values.items() if value is not None}
            losses.setdefault(n.dataset, {})[str(i)] = values
    best = {data_set: among_the_best(found, overlap.get(data_set, 0.0)) for data_set, found in losses.items()}
    found = []
    for i, n in enumerate(numbers):
        values = losses.get(n.dataset, {}).get(str(i), {})
        is_tested = len(values) >= MIN_REPLICATES and best[n.dataset]
        found.append(replace(n, best=str(i) in best[n.dataset]) if is_tested else n)
    return found
