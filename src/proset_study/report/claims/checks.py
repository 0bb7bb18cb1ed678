"""The relations between numbers that a claim is made of."""

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from statistics import stdev

from scipy.stats import pearsonr

from proset_study.report.analysis.statistics import ALPHA
from proset_study.report.claims.quantities import Deferred, Quantity, Scope, combine, deferred, number

TOLERANCE = 1e-9  # closer numbers are equal, so that differences of printed decimals compare as they are printed
SIX = ("iris_2f", "wine", "cancer", "digits", "checker", "xor_6f")
FIVE = ("checker_rot", "xor_3f", "xor_4f", "xor_5f", "xor_6_6f")
ELEVEN = (*SIX, *FIVE)
SMALL, LARGE = ("iris_2f", "wine", "cancer"), ("checker", "xor_6f")
# Experiments of the three methods on the first six data sets, and on the other five.
METHODS = {"proset": ("E3", "E10"), "KNN": ("E8", "E11"), "XGBoost": ("E9", "E12")}
EQUIVALENT_SCORES = 0.02  # difference of ROC-AUC or balanced accuracy of methods that are called equal or as good
MIN_FOR_SPREAD = 10  # replicates, for the spread of a score
# Applied to the sign of the difference; what is true where the relation is not.
_RELATIONS: dict[str, tuple[Callable[[int, int], bool], str]] = {
    "<": (operator.lt, ">="),
    "<=": (operator.le, ">"),
    ">": (operator.gt, "<="),
    ">=": (operator.ge, "<"),
    "==": (operator.eq, "!="),
}


def experiments_on(data_set: str) -> dict[str, str]:
    """The experiment of each of `METHODS` on one of `ELEVEN` data sets."""
    return {method: experiments[data_set in FIVE] for method, experiments in METHODS.items()}


@dataclass(frozen=True)
class Check:
    """Whether something holds (None: what is missing decides), in words, and what is missing."""

    holds: bool | None
    text: str
    missing: tuple[str, ...] = ()


def compare(*terms: Deferred[Quantity] | Quantity | float | str) -> Deferred[Check]:
    """Check a chain of numbers and relations in turn, as in `compare("L E6 < T E3 <= 0.5")`.

    Other numbers than those that `number` reads stand between the texts, as in `compare(a, "< T E3 <=", 0.5)`. The text
    of the check shows the relations that are true. A chain with missing numbers fails if a part of it does.
    """
    parts = [part for term in terms for part in (_parts(term) if isinstance(term, str) else [term])]
    return _chain(*parts)


def _parts(text):
    """Numbers and relations in turn."""
    parts = re.split("(?:^| )([<>=]+)(?: |$)", text)
    return [part if part in _RELATIONS else number(part) for part in parts if part]


@deferred
def _chain(*terms) -> Check:
    numbers = [term if isinstance(term, Quantity) else Quantity("", float(term)) for term in terms[::2]]
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


def _contrary(check: Check) -> Check:
    return Check(None if check.holds is None else not check.holds, check.text, check.missing)


fails = deferred(_contrary)


@deferred
def some(*checks: Check) -> Check:
    """Whether at least one holds."""
    none = every(_contrary(check).holds for check in checks)
    missing = tuple(m for check in checks for m in check.missing)
    return _contrary(Check(none, "; ".join(check.text for check in checks), missing))


def mostly_less(pairs: Iterable[tuple[str, str]]) -> Deferred[Check]:
    """Whether the first of two numbers is smaller on more than half of the data sets, of which each has a pair."""
    better = [combine("better", operator.lt, *map(number, pair)) for pair in pairs]
    wins = combine("data sets where it is better", lambda *held: sum(held), *better)
    return compare(wins, ">", len(better) / 2)


def never_always_best(scores: Iterable[Mapping[str, float]]) -> Deferred[Check]:
    """Whether no competitor is best on all data sets, from their scores on each of them."""
    scores = list(scores)
    wins = Counter(name for by_name in scores for name, score in by_name.items() if score == max(by_name.values()))
    name, number_of_wins = wins.most_common(1)[0]
    return compare(Quantity(f"data sets with {name} best", number_of_wins), "<", Quantity("all", len(scores)))


def varies_more(one: str, other: str) -> Deferred[Check]:
    """Whether L of one experiment varies more over the replicates than that of another on the same splits.

    By Pitman and Morgan's test: paired samples have the same variance if sum and difference do not correlate. The check
    is undetermined if its p is above `ALPHA`.
    """

    def check(scope: Scope) -> Check:
        replicates = scope.replicates(MIN_FOR_SPREAD)
        ours, theirs = ([r.known(f"L {experiment}") for r in replicates] for experiment in (one, other))
        pairs = list(zip(ours, theirs, strict=True))
        sums, differences = [a + b for a, b in pairs], [a - b for a, b in pairs]
        constant = len(set(sums)) == 1 or len(set(differences)) == 1
        p = 1.0 if constant else float(pearsonr(sums, differences).pvalue)
        more = stdev(ours) > stdev(theirs)
        text = f"standard deviation of L {one} {stdev(ours):.3g} {'>' if more else '<='} {other} {stdev(theirs):.3g}"
        return Check(more if p < ALPHA else None, f"{text} (p = {p:.2g})")

    return Deferred(check)


def _digits(numbers):
    """Three, or as many as show which of two neighbours is larger."""
    known = [(a, b) for a, b in pairwise(numbers) if not (a.missing or b.missing)]
    unequal = [(Quantity("", a.value), Quantity("", b.value)) for a, b in known if _sign(a.value - b.value)]
    return next(d for d in range(3, 18) if all(a.show(d) != b.show(d) for a, b in unequal))


def _sign(difference):
    return 0 if abs(difference) <= TOLERANCE else 1 if difference > 0 else -1
