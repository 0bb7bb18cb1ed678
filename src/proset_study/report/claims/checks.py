"""The relations a claim is made of: numbers that may be missing, and what follows from those that are there."""

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from statistics import stdev

from proset_study.report.analysis.statistics import ALPHA
from proset_study.report.claims import measures
from proset_study.report.claims.evidence import Evidence
from proset_study.store.stored import Missing

TOLERANCE = 1e-9  # closer numbers are equal, so that differences of printed decimals compare as they are printed
SIX = ("iris_2f", "wine", "cancer", "digits", "checker", "xor_6f")
FIVE = ("checker_rot", "xor_3f", "xor_4f", "xor_5f", "xor_6_6f")
ELEVEN = (*SIX, *FIVE)
SMALL, LARGE = ("iris_2f", "wine", "cancer"), ("checker", "xor_6f")
KNN = ("E8", "E11")  # its experiments have one stage only
EQUIVALENT_SCORES = 0.02  # difference of ROC-AUC or balanced accuracy of methods that are called equal or as good
MIN_REPLICATES = 10  # for the spread of a score
# Applied to the sign of the difference; what is true where the relation is not.
_RELATIONS: dict[object, tuple[Callable[[int, int], bool], str]] = {
    "<": (operator.lt, ">="),
    "<=": (operator.le, ">"),
    ">": (operator.gt, "<="),
    ">=": (operator.ge, "<"),
    "==": (operator.eq, "!="),
}


@dataclass(frozen=True)
class Number:
    """A named number; `value` is None if something is missing, and `missing` says what."""

    name: str
    value: float | None
    missing: tuple[str, ...] = ()

    def show(self, digits: int = 3) -> str:
        """Name and value, with so many significant digits unless it is a whole number."""
        return f"{self.name} {_text(self.value, digits)}".strip()

    def known(self) -> float:
        """The value; `Missing` if there is none."""
        if self.value is None:
            raise Missing(", ".join(self.missing))
        return self.value


def number(name: str, compute: Callable[[], float]) -> Number:
    """What `compute` returns, or a missing number if it raises `Missing`."""
    try:
        return Number(name, float(compute()))
    except Missing as missing:
        return Number(name, None, (str(missing),))


def combine(name: str, function: Callable[..., float], *numbers: Number) -> Number:
    """A function of numbers; missing if one of them is."""
    missing = tuple(m for n in numbers for m in n.missing)
    return Number(name, None, missing) if missing else Number(name, function(*(n.value for n in numbers)))


def distance(left: Number, right: Number | float) -> Number:
    """abs(left - right)."""
    right = _as_number(right)
    return combine(f"|{left.name} - {right.name or right.show()}|", lambda a, b: abs(a - b), left, right)


def span(name: str, numbers: Iterable[Number]) -> Number:
    """Largest minus smallest."""
    return combine(name, lambda *values: max(values) - min(values), *numbers)


def less(minuend: Number, amount: float) -> Number:
    """A number minus a constant."""
    return combine(f"{minuend.name} - {amount:g}", lambda value: value - amount, minuend)


def most_wins(scores: Iterable[Mapping[str, float]]) -> Number:
    """On how many data sets the competitor that is best most often is best.

    Parameters
    ----------
    scores : iterable of mapping
        By competitor, one for each data set; larger is better.

    Examples
    --------
    >>> most_wins([{"a": 1.0, "b": 0.5}, {"a": 0.5, "b": 0.5}, {"a": 0.1, "b": 0.2}]).show()
    'data sets with a best 2'
    """
    wins = Counter(name for found in scores for name, score in found.items() if score == max(found.values()))
    name, number_of_wins = wins.most_common(1)[0]
    return Number(f"data sets with {name} best", number_of_wins)


@dataclass(frozen=True)
class Check:
    """Whether something holds (None: what is missing decides), in words, and what is missing."""

    holds: bool | None
    text: str
    missing: tuple[str, ...] = ()

    def __invert__(self) -> "Check":
        return Check(None if self.holds is None else not self.holds, self.text, self.missing)


Checks = Iterator[Check]  # what has to hold for a claim on one data set


def compare(*terms: Number | float | str) -> Check:
    """Check a chain of relations.

    Parameters
    ----------
    *terms
        Numbers and relations in turn, as in `compare(a, "<", b, "<=", 0.5)`; relations are <, <=, >, >= and ==.

    Returns
    -------
    Check
        Its text shows the relations that are true, with more than three digits where it takes more to see that. A chain
        with missing numbers fails if a part of it does.
    """
    numbers = [_as_number(term) for term in terms[::2]]
    digits = _digits(numbers)
    text, held = numbers[0].show(digits), []
    for (left, right), relation in zip(pairwise(numbers), terms[1::2], strict=True):
        holds, otherwise = _RELATIONS[relation]
        known = left.value is not None and right.value is not None
        held.append(holds(_sign(left.known() - right.known()), 0) if known else None)
        text += f" {otherwise if held[-1] is False else relation} {right.show(digits)}"
    return Check(every(held), text, tuple(m for n in numbers for m in n.missing))


def every(held: Iterable[bool | None]) -> bool | None:
    """Whether all hold: False if one does not, else None if one is not known."""
    held = list(held)
    return False if False in held else None if None in held else True


def some(checks: Iterable[Check]) -> Check:
    """Whether at least one holds."""
    checks = list(checks)
    none = every((~check).holds for check in checks)
    return ~Check(none, "; ".join(check.text for check in checks), tuple(m for check in checks for m in check.missing))


def mostly_better(losses: Iterable[tuple[Number, Number]]) -> Check:
    """Whether the first of two losses is smaller on more than half of the data sets, of which each has a pair."""
    better = [combine("better", operator.lt, *pair) for pair in losses]
    return compare(combine("data sets where it is better", lambda *n: sum(n), *better), ">", len(better) / 2)


class Quantities:
    """The numbers of one data set, by the letters of the published study.

    L final test log-loss; T threshold of stage 2 (KNN: of its cross-validation); SD = T minus the optimal mean
    log-loss, the standard deviation over the folds, which the published text calls one standard error; c(B) mean
    log-loss of stage 2 at size B; A ROC-AUC; BA balanced accuracy; F active features; P prototypes
    over all batches.

    Parameters
    ----------
    evidence : Evidence
    data_set : str
        Empty for a claim about several; see `on`.
    label : str
        Added to the names of the numbers.
    """

    def __init__(self, evidence: Evidence, data_set: str, label: str = ""):
        self.evidence, self.data_set, self.label = evidence, data_set, label

    def on(self, data_set: str) -> "Quantities":
        """The same for another data set, which the names of the numbers then say."""
        return Quantities(self.evidence, data_set, data_set)

    def L(self, experiment: str, variant: str = "") -> Number:
        return self.table("L", experiment, "final", "log_loss", variant)

    def A(self, experiment: str) -> Number:
        return self.table("A", experiment, "final", "roc_auc")

    def BA(self, experiment: str, variant: str = "") -> Number:
        return self.table("BA", experiment, "final", "balanced_accuracy", variant)

    def F(self, experiment: str) -> Number:
        """KNN always uses all features; its published tables do not list them."""
        section, quantity = ("data", "features") if experiment in KNN else ("final", "active_features")
        return self.table("F", experiment, section, quantity)

    def P(self, experiment: str, variant: str = "") -> Number:
        return self.table("P", experiment, "final", "prototypes", variant)

    def T(self, experiment: str, variant: str = "") -> Number:
        return self.table("T", experiment, _last_stage(experiment), "threshold", variant)

    def best(self, experiment: str, variant: str = "") -> Number:
        """The smallest c(B)."""
        return self.table("min c", experiment, _last_stage(experiment), "optimal_log_loss", variant)

    def SD(self, experiment: str) -> Number:
        return combine(self._name("SD", experiment), operator.sub, self.T(experiment), self.best(experiment))

    def c(self, experiment: str, size: int, variant: str = "") -> Number:
        loss = partial(self.evidence.loss, experiment, self.data_set, size, variant)
        return number(self._name(f"c({size})", experiment, variant), loss)

    def table(self, name: str, experiment: str, section: str, quantity: str, variant: str = "") -> Number:
        """One number of the tables."""
        value = partial(self.evidence.value, experiment, self.data_set, section, quantity, variant)
        return number(self._name(name, experiment, variant), value)

    def measure(self, name: str, experiment: str, function: Callable[..., float], variant: str = "") -> Number:
        """A function of a final model, as those of `measures`."""
        return number(
            self._name(name, experiment, variant),
            lambda: function(self.evidence.final(experiment, self.data_set, variant)),
        )

    def of_truth(self, name: str, experiment: str, function: Callable[..., float], training: bool = False) -> Number:
        """A function of a final model and of the true class probabilities of its test part, or of its training part."""

        def compute():
            final = self.evidence.final(experiment, self.data_set)
            return function(final, self.evidence.truth(self.data_set, final.X_train if training else final.X_test))

        return number(self._name(name, experiment), compute)

    def excess(self, experiment: str) -> Number:
        """By how much a final model's error rate is above that of the Bayes rule."""
        return self.of_truth("excess error", experiment, measures.excess_error)

    def path(self, name: str, experiment: str, function: Callable[..., float], variant: str = "") -> Number:
        """A function of the mean log-losses of stage 2 by size."""
        return number(
            self._name(name, experiment, variant),
            lambda: function(self.evidence.curve(experiment, self.data_set, variant)),
        )

    def replicates(self, at_least: int) -> "list[Quantities]":
        """The same for every replicate; `Missing` if there are fewer."""
        found = self.evidence.replicates
        if len(found) < at_least:
            raise Missing(f"{at_least - len(found)} more replicates")
        return [Quantities(evidence, self.data_set) for evidence in found]

    def varies_more(self, one: str, other: str) -> Check:
        """Whether L of one experiment varies more over the replicates than that of another on the same splits.

        By Pitman and Morgan's test: paired samples have the same variance if sum and difference do not correlate. The
        check is undetermined if its p is above `ALPHA`.
        """
        from scipy.stats import pearsonr

        ours, theirs = (
            [r.L(experiment).known() for r in self.replicates(MIN_REPLICATES)] for experiment in (one, other)
        )
        pairs = list(zip(ours, theirs, strict=True))
        sums, differences = [a + b for a, b in pairs], [a - b for a, b in pairs]
        constant = len(set(sums)) == 1 or len(set(differences)) == 1
        p = 1.0 if constant else float(pearsonr(sums, differences).pvalue)
        more = stdev(ours) > stdev(theirs)
        text = f"standard deviation of L {one} {stdev(ours):.3g} {'>' if more else '<='} {other} {stdev(theirs):.3g}"
        return Check(more if p < ALPHA else None, f"{text} (p = {p:.2g})")

    def _name(self, *parts):
        return " ".join(part for part in (*parts, self.label) if part)


def _last_stage(experiment):
    return "cv" if experiment in KNN else "stage2"


def _as_number(term) -> Number:
    return term if isinstance(term, Number) else Number("", float(term))


def _text(value, digits):
    return "?" if value is None else f"{value:.0f}" if value % 1 == 0 else f"{value:.{digits}g}"


def _digits(numbers):
    """Three, or as many as it takes to see which of two neighbours is larger."""
    values = [(a.value, b.value) for a, b in pairwise(numbers) if not (a.missing or b.missing)]
    unequal = [(a, b) for a, b in values if _sign(a - b)]
    return next(d for d in range(3, 18) if all(_text(a, d) != _text(b, d) for a, b in unequal))


def _sign(difference):
    return 0 if abs(difference) <= TOLERANCE else 1 if difference > 0 else -1
