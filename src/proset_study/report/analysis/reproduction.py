"""How close our numbers are to the published ones: differences with intervals first, then counts and what they tell."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from proset_study.report.analysis.losses import ROPE, generated
from proset_study.report.analysis.paired import LEVEL, mean_difference
from proset_study.report.analysis.published import MIN_FOR_PREDICTION, Agreement, agreement, could_be_another, within
from proset_study.report.analysis.statistics import ALPHA, POWER, equivalence_power
from proset_study.report.rows import groups, pick
from proset_study.report.wording import fixed
from proset_study.store.stored import Stored

DIFFERENCE = "log-loss, published minus ours"
PASSING = "probability that the equivalence test passes, if there is no difference"
ENOUGH = f"data sets with which that would be {100 * POWER:g} %"
MOST = 1000  # data sets that are looked at for that
INSIDE = f"test scores in the {100 * LEVEL:g} % prediction interval"
TOLERATED = "test scores within the tolerance"
TOLERATED_OF_REPEATED = "test scores with replicates within the tolerance"
PROTOTYPES, FEWER = "numbers of prototypes within a factor of 2", "numbers of prototypes outside of it, ours fewer"
FOIL = "test scores of our {ours} within the tolerance of {theirs}"
# Ours, and the published experiment it is held against: other methods and settings, to see what the tolerance can tell.
FOILS = (("E8", "E3"), ("E9", "E3"), ("E1", "E4"))
OTHERS_INSIDE = "published {theirs} scores in the prediction interval of our {ours}"
# Names of both, and ours by the published experiment: proset itself, then what its intervals should not contain.
INSIDE_FOILS = (
    ("proset", "proset", {"E3": "E3", "E10": "E10"}),
    ("KNN", "proset", {"E8": "E3", "E11": "E10"}),
    ("XGBoost", "proset", {"E9": "E3", "E12": "E10"}),
    ("E4", "E1", {"E4": "E1"}),
)
KINDS = {False: "real data", True: "generated data"}


@dataclass(frozen=True)
class Finding:
    """A mean with its interval and p-value, or how many ("found") of some numbers ("of") are as `what` says."""

    what: str
    of: int
    found: int | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None


def reproduction(stored: Stored, published: Path) -> list[Finding]:
    """What the published numbers and ours say about each other.

    First the mean of published minus our log-loss (mean over replicates) over the data sets, with the 90 % interval and
    the p of two one-sided tests with the margin `ROPE`, the power of these, and the mean by data set: data sets are the
    independent units, scores of one are not. Then numbers of test scores: in the prediction interval of our replicates,
    also as the mean over data sets of the proportion ("value") with the p of a one-sided test that it is below `LEVEL`;
    within the tolerance, in all and of those with replicates, next to the proportion that our replicates reach among
    each other ("value"). Then numbers of prototypes within a factor of 2, and of the others those of which ours are
    fewer. Last test scores within the tolerance, or in the interval, if our numbers are those of another experiment.
    """
    numbers = agreement(stored, published)
    return [*_differences(numbers), *_counts(numbers), *foils(stored, numbers)]


def foils(stored: Stored, numbers: list[Agreement]) -> list[Finding]:
    """How often numbers of other experiments pass, which says how strict the tolerance and the interval are."""
    return [*_tolerated(numbers), *_inside_others(stored, numbers)]


def reproduced(rows: Sequence[Finding]) -> list[tuple[str, str]]:
    """Whether our numbers are those that were published, from the rows of `reproduction`; nothing where none were.

    "Reproduced" takes log-losses that are shown to be equal on average, and prediction intervals that hold no fewer
    scores than chance leaves in them; the second alone is "compatible". Both take data sets as units, since the scores
    of one are not independent. The tolerance decides nothing: it passes other methods, too.

    >>> reproduced([Finding("test scores within the tolerance", of=15, found=14)])
    [('Reproduced?', '14 of 15 published test scores are within the tolerance; with fewer than 5 replicates we cannot \
say how many chance allows.')]
    """
    found: dict[str, Any] = {row.what: row for row in rows}  # the numbers that each of them has are known
    if TOLERATED not in found:
        return []
    inside, difference = found.get(INSIDE), found.get(DIFFERENCE)
    words = f"{_share(found[TOLERATED])} published test scores are within the tolerance"
    if inside is None:
        few = f"with fewer than {MIN_FOR_PREDICTION} replicates we cannot say how many chance allows"
        return [("Reproduced?", f"{words}; {few}.")]
    if difference is None:
        words += f", {_share(inside)} in our 95 % prediction intervals; a single data set is too few to test equality"
        return [("Reproduced?", f"{words}.")]
    equal = difference.p < ALPHA
    power = f" (power {_percent(found[PASSING].value)})" if PASSING in found and not equal else ""
    low, high = (fixed(number, 3, "+") for number in (difference.low, difference.high))
    side = "above" if difference.value > 0 else "below"
    words = (
        f"published log-losses are {abs(difference.value):.3f} {side} ours on average (90 % interval {low} to {high}), "
        f"{'' if equal else 'not '}shown to be equal within {ROPE:g}{power}. {_share(inside)}"
        " test scores are in our 95 % prediction intervals."
    )
    too_few = inside.p < ALPHA
    return [("Not reproduced:" if too_few else "Reproduced:" if equal else "Compatible:", words)]


def _share(row):
    return f"{row.found} of {row.of}"


def _percent(power):
    return f"{100 * power:.0f} %" if power >= 0.01 else "below 1 %"


def power_in_words(numbers: list[Agreement]) -> str:
    """What the test of equal losses could find; empty where there is none."""
    found: dict[str, Any] = {row.what: row for row in _differences(numbers)}
    if PASSING not in found:
        return ""
    passing, enough = found[PASSING], enough_in_words(found[ENOUGH].found)
    return (
        f"If there were no difference, {passing.of} data sets would show that losses are equal within {ROPE:g} with a"
        f" probability of {100 * passing.value:.0f} %; {100 * POWER:g} % would take"
        f" {enough} data sets."
    )


def enough_in_words(number: float) -> str:
    """How many data sets are enough, of which no more than `MOST` are tried."""
    return f"{number:.0f}" if number < MOST else f"{MOST:,} or more"


def differences_by_data_set(numbers: list[Agreement]) -> dict[str, list[float]]:
    """Published minus our test log-losses (means over replicates), of those with `MIN_FOR_PREDICTION` or more."""
    repeated = [n for n in pick(numbers, is_test_score=True, quantity="log_loss") if n.chance]
    return {
        data_set: [n.published - n.mean for n in group if n.published is not None and n.mean is not None]
        for data_set, group in groups(repeated, "dataset").items()
    }


def _differences(numbers: list[Agreement]) -> Iterator[Finding]:
    by_data_set = differences_by_data_set(numbers)
    means = {data_set: fmean(differences) for data_set, differences in by_data_set.items()}
    if len(means) > 1:
        mean = mean_difference(list(means.values()))
        low, high = mean.interval(1 - 2 * ALPHA)
        yield Finding(DIFFERENCE, len(means), None, mean.value, low, high, mean.equivalence(ROPE))
        if spread := stdev(means.values()):
            yield Finding(PASSING, len(means), value=round(equivalence_power(spread, len(means), ROPE), 4))
            found = bisect_left(range(MOST), POWER, lo=2, key=lambda n: equivalence_power(spread, n, ROPE))
            yield Finding(ENOUGH, len(means), found)
    for data_set, value in means.items():
        yield Finding(f"{DIFFERENCE}, {data_set}", len(by_data_set[data_set]), value=value)


def _counts(numbers: list[Agreement]) -> Iterator[Finding]:
    judged = [n for n in numbers if n.within in ("yes", "no")]
    scores = [n for n in judged if n.is_test_score]
    if repeated := [n for n in scores if n.chance]:
        yield _inside(repeated)
        again = fmean(n.repeated for n in repeated if n.repeated is not None)
        yield Finding(TOLERATED_OF_REPEATED, len(repeated), len(pick(repeated, within="yes")), again)
    yield from _counted(TOLERATED, [n.within == "yes" for n in scores])
    if prototypes := pick(judged, quantity="prototypes"):
        yield from _counted(PROTOTYPES, [n.within == "yes" for n in prototypes])
        fewer = [(n.difference or 0.0) < 0 for n in pick(prototypes, within="no")]
        yield Finding(FEWER, len(fewer), sum(fewer))


def _counted(what: str, held: list[bool]) -> Iterator[Finding]:
    """How many of some numbers are as `what` says; nothing without any."""
    if held:
        yield Finding(what, len(held), sum(held))


def _inside(numbers):
    proportions = [fmean(n.chance == "yes" for n in group) for group in groups(numbers, "dataset").values()]
    finding = Finding(INSIDE, len(numbers), len(pick(numbers, chance="yes")), fmean(proportions))
    return replace(finding, p=1 - mean_difference(proportions).above(LEVEL)) if len(proportions) > 1 else finding


def _tolerated(numbers: list[Agreement]) -> Iterator[Finding]:
    """The tolerance of one experiment's scores, asked about the numbers of another one on the same data sets."""
    scores = [n for n in numbers if n.is_test_score and not n.variant]
    ours = {(n.experiment, n.dataset, n.quantity): n.ours for n in scores if n.ours is not None}
    for other, experiment in FOILS:
        verdicts = [
            within(value, (n.allowed_low, n.allowed_high))
            for n in scores
            if n.experiment == experiment and n.allowed_low is not None and n.allowed_high is not None
            if (value := ours.get((other, n.dataset, n.quantity))) is not None
        ]
        yield from _counted(FOIL.format(ours=other, theirs=experiment), verdicts)


def _inside_others(stored, numbers):
    """Published scores of one experiment, held against the intervals of another one of ours on the same data sets."""
    scores = [n for n in numbers if n.is_test_score and not n.variant and n.published is not None and n.chance]
    spreads = {(n.experiment, n.dataset, n.quantity): (n.mean, n.standard_deviation, n.replicates) for n in scores}
    for theirs, ours, experiments in INSIDE_FOILS:
        verdicts = [
            (generated(stored, n.dataset), could_be_another(n.published, *spread))
            for n in scores
            if (spread := spreads.get((experiments.get(n.experiment), n.dataset, n.quantity)))
        ]
        what = OTHERS_INSIDE.format(theirs=theirs, ours=ours)
        yield from _counted(what, [inside for _, inside in verdicts])
        for kind, name in KINDS.items():
            yield from _counted(f"{what}, {name}", [inside for drawn, inside in verdicts if drawn == kind])
