"""The numbers that claims are about: named, deferred until their evidence is there, and any of them may be missing.

`log_loss("E6")` waits for a `Scope`, the evidence and the data set it is taken from.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Generic, TypeVar

from proset_study.report.claims import measures
from proset_study.report.claims.evidence import KNN, Evidence
from proset_study.store.stored import Final, Missing

T = TypeVar("T")


@dataclass(frozen=True)
class Scope:
    """The evidence on a data set ("" for a claim about several); names of numbers have `label` added."""

    evidence: Evidence
    data_set: str
    label: str = ""

    def on(self, data_set: str) -> "Scope":
        """The same for another data set, which the names of the numbers then say."""
        return Scope(self.evidence, data_set, data_set)

    def final(self, experiment: str, variant: str = "") -> Final:
        """A final model; `Missing` if there is none."""
        return self.evidence.final(experiment, self.data_set, variant)

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

    def on(self, data_set: str) -> "Deferred[T]":
        """The same on another data set."""
        return Deferred(lambda scope: self(scope.on(data_set)))


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


def as_number(term: Quantity | float | str) -> Quantity:
    """Wrap a plain number, which then has no name."""
    return term if isinstance(term, Quantity) else Quantity("", float(term))


def _combined(name: str, function: Callable[..., float], *numbers: Quantity) -> Quantity:
    """A function of numbers; missing if one of them is."""
    missing = tuple(m for n in numbers for m in n.missing)
    return Quantity(name, None, missing) if missing else Quantity(name, function(*(n.value for n in numbers)))


combine = deferred(_combined)


@deferred
def distance(left: Quantity, right: Quantity | float) -> Quantity:
    """abs(left - right)."""
    right = as_number(right)
    return _combined(f"|{left.name} - {right.name or right.show()}|", lambda a, b: abs(a - b), left, right)


@deferred
def less(minuend: Quantity, amount: float) -> Quantity:
    """A number minus a constant."""
    return _combined(f"{minuend.name} - {amount:g}", lambda value: value - amount, minuend)


def named(name: str, experiment: str, variant: str, compute: Callable[[Scope], float]) -> Deferred[Quantity]:
    """What `compute` returns, or a missing number if it raises `Missing`."""

    def number(scope):
        full_name = " ".join(filter(None, (name, experiment, variant, scope.label)))
        try:
            return Quantity(full_name, float(compute(scope)))
        except Missing as missing:
            return Quantity(full_name, None, (str(missing),))

    return Deferred(number)


def table(name: str, experiment: str, section: str, quantity: str, variant: str = "") -> Deferred[Quantity]:
    """One number of the tables."""
    place = (section, quantity, variant)
    return named(name, experiment, variant, lambda s: s.evidence.value(experiment, s.data_set, *place))


# They are shown by the letters of the published study.


def log_loss(experiment: str, variant: str = "") -> Deferred[Quantity]:
    """L, the final test log-loss."""
    return table("L", experiment, "final", "log_loss", variant)


def roc_auc(experiment: str) -> Deferred[Quantity]:
    """A, the ROC-AUC."""
    return table("A", experiment, "final", "roc_auc")


def balanced_accuracy(experiment: str, variant: str = "") -> Deferred[Quantity]:
    """BA, the balanced accuracy."""
    return table("BA", experiment, "final", "balanced_accuracy", variant)


def active_features(experiment: str) -> Deferred[Quantity]:
    """F, the active features. KNN always uses all features; its published tables do not list them."""
    section, quantity = ("data", "features") if experiment in KNN else ("final", "active_features")
    return table("F", experiment, section, quantity)


def prototypes(experiment: str, variant: str = "") -> Deferred[Quantity]:
    """P, the prototypes over all batches."""
    return table("P", experiment, "final", "prototypes", variant)


def threshold(experiment: str, variant: str = "") -> Deferred[Quantity]:
    """T, the threshold of stage 2 (KNN: of its cross-validation)."""
    return table("T", experiment, _last_stage(experiment), "threshold", variant)


def lowest_loss(experiment: str, variant: str = "") -> Deferred[Quantity]:
    """The smallest c of all sizes."""
    return table("min c", experiment, _last_stage(experiment), "optimal_log_loss", variant)


def _last_stage(experiment):
    return "cv" if experiment in KNN else "stage2"


def deviation(experiment: str) -> Deferred[Quantity]:
    """SD = T - min c, the standard deviation over the folds, which the published text calls one standard error."""
    return combine(f"SD {experiment}", operator.sub, threshold(experiment), lowest_loss(experiment))


def loss_at(size: int, experiment: str, variant: str = "") -> Deferred[Quantity]:
    """c(size), the mean log-loss of stage 2 at a size: batches, k, rounds."""
    return named(f"c({size})", experiment, variant, lambda s: s.evidence.loss(experiment, s.data_set, size, variant))


def path(name: str, experiment: str, function: Callable[..., float], variant: str = "") -> Deferred[Quantity]:
    """A function of the mean log-losses of stage 2 by size."""
    return named(name, experiment, variant, lambda s: function(s.evidence.curve(experiment, s.data_set, variant)))


def measure(name: str, experiment: str, function: Callable[..., float], variant: str = "") -> Deferred[Quantity]:
    """A function of a final model, as those of `measures`."""
    return named(name, experiment, variant, lambda s: function(s.final(experiment, variant)))


def of_truth(name: str, experiment: str, function: Callable[..., float], training: bool = False) -> Deferred[Quantity]:
    """A function of a final model and of the true class probabilities of its test part, or of its training part."""

    def compute(scope):
        final = scope.final(experiment)
        return function(final, scope.evidence.truth(scope.data_set, final.X_train if training else final.X_test))

    return named(name, experiment, "", compute)


def excess(experiment: str) -> Deferred[Quantity]:
    """Error rate of a final model minus that of the Bayes rule."""
    return of_truth("excess error", experiment, measures.excess_error)
