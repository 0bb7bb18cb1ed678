"""A battery: the methods of a comparison on many data sets, with properties of the tables.

A comparison is one with a row per method (`rows: methods`) and at least `MIN_TABLES` data sets that all of its
methods share. Its first method is the control, and every other one that learns a rival. Losses are mean log-losses over
replicates.
"""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from proset_study import methods
from proset_study.data import generators
from proset_study.data.generators.base import Generator
from proset_study.data.splits import TEST
from proset_study.methods.labels import method_name
from proset_study.report.analysis.losses import prior_loss
from proset_study.report.analysis.over_data_sets import OverDataSets, origin_of, over_data_sets
from proset_study.report.analysis.paired import Mean, mean_difference
from proset_study.report.analysis.response_curves import true_probabilities
from proset_study.report.analysis.statistics import ALPHA
from proset_study.store.stored import Stored

MIN_TABLES = 12
MIN_SOURCES = 6  # with fewer, intervals over sources are wider than anything that they could show
BEST = "best of the others"  # a rival: on each data set the best of the other methods, baselines left out
DIGITS = 9  # of derived numbers: what comes after them depends on the library of linear algebra


@dataclass(frozen=True)
class Property:
    """How a property of a table is written: on an axis, and of tables above and up to a value of it."""

    title: str
    unit: str
    above: str = "more than {} {}"
    up_to: str = "at most {} {}"
    may_be_none: bool = False  # tables above 0 have some, the others have none

    def tables(self, split: float, above: bool) -> str:
        """The tables on one side of a value, to follow "tables with".

        >>> PROPERTIES["train_samples"].tables(1200.0, above=True), PROPERTIES["missing"].tables(0.0, above=False)
        ('more than 1,200 training rows', 'no missing values')
        """
        if split == 0 and self.may_be_none:
            return self.title if above else f"no {self.title}"
        return (self.above if above else self.up_to).format(self.unit.format(split), self.title)


PROPERTIES = {
    "train_samples": Property("training rows", "{:,.0f}"),
    "columns": Property("columns", "{:,.0f}"),
    "classes": Property("classes", "{:.0f}"),
    "noise": Property("noise", "{:.2f}", above="noise above {}", up_to="noise up to {}"),
    "categorical": Property("categorical columns", "{:.0%}", may_be_none=True),
    "missing": Property("missing values", "{:.1%}", may_be_none=True),
}


@dataclass(frozen=True)
class Table:
    """Properties of a data set of a comparison; counts are those of the first replicate.

    `noise` is the lowest possible log-loss by that of the class prior: 0 if the class follows from the features, 1 if
    these say nothing. "noise_from" is "Bayes rule" where a generator knows its true probabilities, else "best method":
    the lowest mean loss of all methods compared, which is an upper bound.
    """

    comparison: str
    dataset: str
    source: str
    train_samples: float
    columns: float
    classes: float
    noise: float
    categorical: float
    missing: float
    noise_from: str


@dataclass(frozen=True)
class Battery:
    """A comparison, with a `Table` for each of its data sets, in the same order."""

    compared: OverDataSets
    tables: list[Table]

    @property
    def name(self) -> str:
        """Name of the comparison."""
        return self.compared.comparison

    @property
    def control(self) -> str:
        """The method in question, the first one of the comparison."""
        return self.compared.methods[0]

    @cached_property
    def source(self) -> np.ndarray:
        """Number of the source of each data set, shape (N,)."""
        return np.unique([table.source for table in self.tables], return_inverse=True)[1]

    @property
    def n_sources(self) -> int:
        """How many sources there are."""
        return int(self.source.max()) + 1

    def losses_of(self, method: str) -> np.ndarray:
        """Mean log-losses of a method, shape (N,)."""
        return self.compared.losses[:, self.compared.methods.index(method)]

    @cached_property
    def differences(self) -> dict[str, np.ndarray]:
        """Log-loss of the control minus that of each rival, by rival; the first one is `BEST`."""
        ours = self.losses_of(self.control)
        others = [m for m in self.compared.methods[1:] if not methods.get(m).is_baseline]
        best = np.min([self.losses_of(m) for m in others], axis=0) if others else ours
        return {BEST: ours - best, **{m: ours - self.losses_of(m) for m in others}}

    def values(self, name: str) -> np.ndarray:
        """One of `PROPERTIES` of each data set, shape (N,)."""
        return np.array([getattr(table, name) for table in self.tables], dtype=float)


@cache
def batteries(stored: Stored) -> list[Battery]:
    """The comparisons by methods with enough data sets, in the order of the config; see `over_data_sets`."""
    shown = [
        compared
        for compared in over_data_sets(stored)
        if (compared.score, compared.group) == ("log-loss", "all")
        and stored.study.config["comparisons"][compared.comparison].get("rows") == "methods"
        and len(compared.data_sets) >= MIN_TABLES
        and all(stored.finals(data_set=data_set) for data_set in compared.data_sets)  # not of a report without records
    ]
    return [Battery(c, [_table(stored, c, i) for i in range(len(c.data_sets))]) for c in shown]


def over_sources(values: np.ndarray, source: np.ndarray) -> Mean | None:
    """The mean of values by data set, each source with the same weight; None if there are fewer than three sources.

    The sources are the units of its interval: data sets of one generator repeat each other.

    >>> over_sources(np.array([1.0, 3.0, 4.0, 6.0]), np.array([0, 0, 1, 2])).value
    4.0
    """
    means = [float(values[source == number].mean()) for number in np.unique(source)]
    return mean_difference(means) if len(means) > 2 else None


def mean_and_ends(values: np.ndarray, source: np.ndarray) -> list[float | None]:
    """The mean `over_sources` and the ends of its 95 % interval; all None with fewer than three sources."""
    mean = over_sources(values, source)
    if mean is None:
        return [None, None, None]
    return [round(number, DIGITS) for number in (mean.value, *mean.interval(1 - ALPHA))]


def rival_name(rival: str) -> str:
    """A rival as pages and figures write it."""
    return rival if rival == BEST else method_name(rival)


def _table(stored, compared, i):
    data_set = compared.data_sets[i]
    settings = stored.study.config["data_sets"][data_set]
    final = stored.finals(data_set=data_set)[0]
    data, train = final.data, final.folds != TEST
    n_columns = data.X.shape[1]
    n_categorical = 0 if data.category_column is None else len(np.unique(data.category_column))
    bayes = _bayes_loss(stored, final)
    loss = float(compared.losses[i].min()) if bayes is None else bayes
    return Table(
        comparison=compared.comparison,
        dataset=data_set,
        source=origin_of(settings),
        train_samples=float(train.sum()),
        columns=float(n_columns),
        classes=float(len(data.class_names)),
        noise=round(loss / prior_loss(final), DIGITS),
        categorical=n_categorical / n_columns if n_columns else 0.0,
        missing=float(np.isnan(data.X[train]).mean()) if n_columns else 0.0,
        noise_from="best method" if bayes is None else "Bayes rule",
    )


def _bayes_loss(stored, final):
    """Log-loss of the true probabilities, in expectation over the labels; None where they are not known."""
    from scipy.stats import entropy

    generator = generators.of(stored.study.config["data_sets"][final.data_set])
    if generator is None or type(generator).probabilities is Generator.probabilities:
        return None
    truth = true_probabilities(stored.study.config, final.data_set, final.replicate, final.X_test)
    return float(entropy(truth, axis=1).mean())
