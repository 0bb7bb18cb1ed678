"""The numbers that claims are about: named, deferred until their evidence is there, and any of them may be missing.

`number("L E6")`, the log-loss of experiment E6, waits for a `Scope`, the evidence and the data set it is taken from.
"""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Generic, TypeVar

from proset_study.base.records import is_number
from proset_study.report.claims import measures
from proset_study.report.claims.evidence import KNN, Evidence
from proset_study.store.stored import Final, Missing

T = TypeVar("T")

# Letters, most of them of the published study, of section and name of a number in the tables; of stage 2, c is the mean
# log-loss by size.
SYMBOLS = {
    "L": ("final", "log_loss"),
    "A": ("final", "roc_auc"),
    "BA": ("final", "balanced_accuracy"),
    "F": ("final", "active_features"),
    "P": ("final", "prototypes"),
    "T": ("stage2", "threshold"),
    "min c": ("stage2", "optimal_log_loss"),
    "selected B": ("stage2", "selected_batches"),
    "optimum": ("stage2", "optimal_iterations"),
    "rounds": ("stage2", "optimal_iterations"),
    "k": ("cv", "selected_k"),
    "lambda_v": ("stage1", "optimal_lambda_v"),
    "selected c at 0.1": ("stage1", "selected_log_loss"),
    "optimal depth": ("stage1", "optimal_max_depth"),
}
# KNN has one stage, and always uses all features; its published tables do not list them.
OF_KNN = {"F": ("data", "features"), "T": ("cv", "threshold"), "min c": ("cv", "optimal_log_loss")}
# Functions of a final model, by the name they are shown by.
MEASURES: dict[str, Callable[[Final], float]] = {
    "regions": measures.count_regions,
    "mean weight": measures.mean_weight,
    "mean |p - prior|": measures.distance_from_prior,
    "far |p - prior|": measures.distance_from_prior_far_away,
    "spread of p far away": measures.spread_far_away,
    "test - training log-loss": measures.overfitting,
    "steps to the last prototype that covers more": measures.steps_that_cover_more,
    "samples of a class, largest difference": measures.imbalance_of_folds,
    "p of the first split": measures.p_of_first_split,
    "BA by vote": measures.balanced_accuracy_of_votes,
}
_SYMBOL = "|".join(map(re.escape, (*SYMBOLS, *MEASURES, "SD", "excess error")))
_TERM = re.compile(rf"({_SYMBOL}|c\(\d+\)) ([^ =]+(?: [^ ]+=[^ ]+)?)(?: on ([^ ]+))?")


@dataclass(frozen=True)
class Scope:
    """The evidence on a data set ("" for a claim about several); `label` is added to the names of numbers."""

    evidence: Evidence
    data_set: str
    label: str = ""

    def known(self, text: str) -> float:
        """A `number`; `Missing` if there is none."""
        return number(text)(self).known()

    def final(self, run: str) -> Final:
        """A final model of an experiment, or of a variant as in "E7 candidates=100"; `Missing` if there is none."""
        experiment, _, variant = run.partition(" ")
        return self.evidence.final(experiment, self.data_set, variant)

    def curve(self, run: str) -> dict[int, float]:
        """The mean log-losses of stage 2 by size; `Missing` if there are none."""
        experiment, _, variant = run.partition(" ")
        return self.evidence.curve(experiment, self.data_set, variant)

    def replicates(self, at_least: int) -> "list[Scope]":
        """The same for every replicate; `Missing` if there are fewer."""
        replicates = self.evidence.replicates
        if len(replicates) < at_least:
            raise Missing(f"{at_least - len(replicates)} more replicates")
        return [Scope(evidence, self.data_set) for evidence in replicates]


@dataclass(frozen=True)
class Deferred(Generic[T]):
    """A number or a check that waits for its scope."""

    compute: Callable[[Scope], T]

    def __call__(self, scope: Scope) -> T:
        return self.compute(scope)


def deferred(function: Callable[..., T]) -> Callable[..., Deferred[T]]:
    """Let a function of numbers or checks take and return deferred ones."""

    @wraps(function)
    def later(*arguments):
        return Deferred(lambda scope: function(*(a(scope) if isinstance(a, Deferred) else a for a in arguments)))

    return later


@dataclass(frozen=True)
class Quantity:
    """A named number; `value` is None if something is missing, and `missing` says what."""

    name: str
    value: float | None
    missing: tuple[str, ...] = ()

    def show(self, digits: int = 3) -> str:
        """Name and value, with `digits` significant digits unless it is a whole number."""
        value = self.value
        text = "?" if value is None else f"{value:.0f}" if value % 1 == 0 else f"{value:.{digits}g}"
        return f"{self.name} {text}".strip()

    def known(self) -> float:
        """The value; `Missing` if there is none."""
        if self.value is None:
            raise Missing(", ".join(self.missing))
        return self.value


def _combined(name: str, function: Callable[..., float], *numbers: Quantity) -> Quantity:
    """A function of numbers; missing if one of them is."""
    missing = tuple(m for n in numbers for m in n.missing)
    return Quantity(name, None, missing) if missing else Quantity(name, function(*(n.value for n in numbers)))


combine = deferred(_combined)


@deferred
def difference(left: Quantity, right: Quantity) -> Quantity:
    """left - right."""
    return _combined(f"{left.name} - {right.name or right.show()}", operator.sub, left, right)


@deferred
def absolute(term: Quantity) -> Quantity:
    """abs(term)."""
    return _combined(f"|{term.name}|", abs, term)


def named(name: str, run: str, compute: Callable[[Scope], float]) -> Deferred[Quantity]:
    """What `compute` returns, or a missing number if it raises `Missing`; the full name has run and `Scope.label`."""

    def computed(scope):
        full_name = " ".join(filter(None, (name, run, scope.label)))
        try:
            return Quantity(full_name, float(compute(scope)))
        except Missing as missing:
            return Quantity(full_name, None, (str(missing),))

    return Deferred(computed)


def number(text: str) -> Deferred[Quantity]:
    """A number as claims write it: one of `SYMBOLS` or `MEASURES`, the experiment, and its variant if it has one.

    "c(3) E6" is the c of E6 at size 3 (batches, k, rounds), "SD E3" is T - min c, the standard deviation over the
    folds, which the published text calls one standard error, "excess error E3" is the error rate minus that of the
    Bayes rule. "T E9 on checker" is of that data set, whatever the scope. "L E5 - 0.02" and "|L E5 - L E3|" are a
    difference and its size.
    """
    if is_number(text):
        return Deferred(lambda scope: Quantity("", float(text)))
    term = _TERM.fullmatch(text)
    if term is None and " - " in text:
        found = difference(*map(number, text.strip("|").split(" - ")))
        return absolute(found) if text.startswith("|") else found
    if term is None:
        raise ValueError(f"{text!r} is no number of an experiment")
    symbol, run, data_set = term.groups()
    experiment, _, variant = run.partition(" ")
    if data_set:
        elsewhere = number(f"{symbol} {run}")
        return Deferred(lambda scope: elsewhere(Scope(scope.evidence, data_set, label=data_set)))
    if symbol in MEASURES:
        return measure(symbol, run, MEASURES[symbol])
    if symbol == "excess error":
        return of_truth(symbol, run, measures.excess_error)
    if symbol == "SD":
        return combine(text, operator.sub, number(f"T {run}"), number(f"min c {run}"))
    if symbol in SYMBOLS:
        place = OF_KNN.get(symbol, SYMBOLS[symbol]) if experiment in KNN else SYMBOLS[symbol]
        return named(symbol, run, lambda s: s.evidence.value(experiment, s.data_set, *place, variant))
    size = int(symbol.strip("c()"))
    return named(symbol, run, lambda s: s.evidence.loss(experiment, s.data_set, size, variant))


def measure(name: str, run: str, function: Callable[..., float]) -> Deferred[Quantity]:
    """A function of a final model, as those of `measures`."""
    return named(name, run, lambda s: function(s.final(run)))


def of_truth(name: str, run: str, function: Callable[..., float], training: bool = False) -> Deferred[Quantity]:
    """A function of a final model and of the true class probabilities of its test part, or of its training part."""

    def compute(scope):
        final = scope.final(run)
        return function(final, scope.evidence.truth(scope.data_set, final.X_train if training else final.X_test))

    return named(name, run, compute)
