"""Methods on one data set, compared over replicates.

Test and training parts of replicates of the same real data overlap: the standard error of a mean difference is that of
Nadeau and Bengio's corrected resampled t-test, sqrt(1 / n + n_test / n_train) times the deviation. Replicates of
generated data are independent draws: sqrt(1 / n). Replicates of one test part (`overlap` infinite) say nothing of
another: there are no intervals and tests, as with one replicate.

C. Nadeau and Y. Bengio, Inference for the generalization error, Machine Learning 52 (2003).
D. J. Schuirmann, A comparison of the two one-sided tests procedure and the power approach, Journal of Pharmacokinetics
and Biopharmaceutics 15 (1987).
J. C. Hsu, Multiple comparisons: theory and methods, Chapman and Hall (1996): comparisons with the best.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, sqrt
from statistics import fmean, stdev

from proset_study.report.analysis.statistics import ALPHA

LEVEL = 0.95  # of intervals and, two-sided, of "ahead" and "behind" on one data set
VERDICTS = ("ahead", "behind", "not decided")
MIN_REPLICATES = 3  # for an interval that is drawn or tested against the best: of two it is 13 times as wide as of ten

LossesOfMethod = Mapping[str, Mapping[int, float]]  # by data set and replicate


@dataclass(frozen=True)
class Mean:
    """A mean difference with its standard error, and what a t-distribution makes of them."""

    value: float
    error: float
    degrees: int

    def p(self) -> float:
        """Two-sided p of the hypothesis that it is 0."""
        return min(1.0, 2 * min(self.above(0.0), self.below(0.0)))

    def above(self, bound: float) -> float:
        """One-sided p of the hypothesis that it is not above a bound."""
        return self._tail(self.value - bound)

    def below(self, bound: float) -> float:
        """One-sided p of the hypothesis that it is not below a bound."""
        return self._tail(bound - self.value)

    def equivalence(self, margin: float) -> float:
        """p of two one-sided tests (Schuirmann 1987): small if it is inside -margin to margin."""
        return max(self.above(-margin), self.below(margin))

    def _tail(self, distance):
        """Tail of the t-distribution beyond a distance; 1 - `above` would have no digits left where it is small."""
        from scipy.special import stdtr  # as `scipy.stats.t`, in a thirtieth of the time

        score = distance / self.error if self.error else inf if distance > 0 else -inf if distance < 0 else 0.0
        return float(stdtr(self.degrees, -score))

    def interval(self, level: float) -> tuple[float, float]:
        """Ends of its confidence interval."""
        from scipy.special import stdtrit

        half = float(stdtrit(self.degrees, (1 + level) / 2)) * self.error
        return self.value - half, self.value + half

    def side(self, level: float, words: tuple[str, str, str]) -> str:
        """One of the words: for an interval below 0, for one above 0, and for one that has it inside."""
        low, high = self.interval(level)
        return words[0 if high < 0 else 1 if low > 0 else 2]


def mean_difference(differences: list[float], overlap: float = 0.0) -> Mean:
    """The mean of two or more: over replicates, or over data sets or their sources, which have no overlap.

    `overlap` is n_test / n_train if replicates share samples, for numbers of training parts n_train / n_test, else 0.
    """
    n = len(differences)
    return Mean(fmean(differences), sqrt(1 / n + overlap) * stdev(differences), n - 1)


def mean_over_replicates(values: list[float], overlap: float) -> Mean | None:
    """`mean_difference` over replicates; None with fewer than `MIN_REPLICATES`, or with one split."""
    return mean_difference(values, overlap) if len(values) >= MIN_REPLICATES and overlap < inf else None


def shown_interval(values: list[float], overlap: float = 0.0) -> tuple[float, float] | None:
    """Ends of the 95 % interval of a mean over replicates; None where `mean_over_replicates` is."""
    mean = mean_over_replicates(values, overlap)
    return mean.interval(LEVEL) if mean else None


def differences(ours: Mapping[int, float], theirs: Mapping[int, float]) -> list[float]:
    """Ours minus theirs, on the replicates that both have."""
    return [ours[r] - theirs[r] for r in sorted(ours.keys() & theirs.keys())]


def on_each_data_set(ours: LossesOfMethod, theirs: LossesOfMethod, overlap: Mapping[str, float]) -> dict[str, Mean]:
    """Mean differences, ours minus theirs, where both methods have `MIN_REPLICATES` or more, of different splits."""
    means = {d: mean_over_replicates(differences(ours[d], theirs[d]), overlap[d]) for d in ours if d in theirs}
    return {d: mean for d, mean in means.items() if mean}


def shared_replicates(losses: Mapping[str, Mapping[int, float]]) -> list[int]:
    """The replicates that all of some methods have, by losses on a data set by method and replicate.

    >>> shared_replicates({"a": {2: 0.1, 0: 0.2}, "b": {0: 0.3, 1: 0.1, 2: 0.2}}), shared_replicates({})
    ([0, 2], [])
    """
    return sorted(set.intersection(*map(set, losses.values()))) if losses else []


def among_the_best(losses: Mapping[str, Mapping[int, float]], overlap: float) -> set[str]:
    """Methods that may be the best one by their losses, by method and replicate; empty if nothing can be tested.

    Each method with `MIN_REPLICATES` or more is tested against the one with the smallest mean, on the replicates that
    all of them have, one-sided at `ALPHA` divided by the number of others. The best method is left out only if another
    one is found to be better, with a probability of at most ALPHA / (k - 1) for each of k - 1 others: it is in the set
    with a probability of at least 1 - ALPHA, as in Hsu's comparisons with the best. Holm's steps would not ensure that.
    """
    tested = {method: values for method, values in losses.items() if len(values) >= MIN_REPLICATES}
    shared = shared_replicates(tested)
    if len(tested) < 2 or len(shared) < MIN_REPLICATES or overlap == inf:
        return set()
    best = min(tested, key=lambda method: fmean(tested[method][r] for r in shared))
    level = ALPHA / (len(tested) - 1)
    return {
        method
        for method, values in tested.items()
        if mean_difference([values[r] - tested[best][r] for r in shared], overlap).above(0.0) >= level
    }
