"""Tests for several methods on several data sets, and what they can find at all.

Scores are losses, shape (N data sets, k methods), smaller is better.

J. Demsar, Statistical comparisons of classifiers over multiple data sets, JMLR 7 (2006): ranks, Friedman's test with
Iman and Davenport's correction, Nemenyi's critical difference, signed-rank tests with Holm's correction.
A. Benavoli et al., A Bayesian Wilcoxon signed-rank test based on the Dirichlet process, ICML 2014.
A. Benavoli et al., Time for a change, JMLR 18 (2017): the region of practical equivalence.
"""

import numpy as np

ALPHA = 0.05
POWER = 0.8
PRIOR = 0.5  # weight of the one prior observation of the Bayesian test, a difference of 0; a data set has weight 1
STORED_DECIMALS = 10  # the same for scores of which some are from files, which have 12 digits
DECIMALS = 12  # beyond them differences are taken for rounding errors: equal scores shall be ties
FEW_DATA_SETS = 100  # up to which there are as many draws as anybody could want; of more, a draw says more
_SIMULATED = 1000
_LARGEST_SHIFT = 4.0


def rank(losses: np.ndarray) -> np.ndarray:
    """Ranks of the methods on each data set, 1 is best, equal ones share the mean; shape (N, k)."""
    from scipy.stats import rankdata

    return rankdata(losses, axis=1)


def friedman(losses: np.ndarray) -> dict[str, float]:
    """Friedman's test of equal average ranks of three methods or more, corrected for ties: "chi2" and "chi2_p".

    "f" and "f_p" are Iman and Davenport's F test of it, which is the better one for few data sets and methods.
    """
    from scipy import stats

    n, k = losses.shape
    if (losses == losses[:, :1]).all():
        return {"chi2": 0.0, "chi2_p": 1.0, "f": 0.0, "f_p": 1.0}
    test = stats.friedmanchisquare(*losses.T)
    chi2, rest = float(test.statistic), n * (k - 1) - float(test.statistic)
    f = (n - 1) * chi2 / rest if rest > 1e-9 else np.inf  # all data sets rank the methods alike
    f_p = float(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))
    return {"chi2": chi2, "chi2_p": float(test.pvalue), "f": f, "f_p": f_p}


def critical_difference(n: int, k: int) -> float:
    """Smallest difference of average ranks that Nemenyi's test calls significant for `n` data sets, `k` methods."""
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(1 - ALPHA, k, np.inf)) * (k * (k + 1) / (12 * n)) ** 0.5


def signed_rank(differences: np.ndarray) -> float:
    """Two-sided p of Wilcoxon's signed-rank test; differences of 0 are dropped, 1.0 if nothing is left.

    Exact up to 13 data sets, and up to 50 where no two differences have the same size.
    """
    from scipy.stats import wilcoxon

    differences = np.round(differences, DECIMALS)
    differences = differences[differences != 0]
    return float(wilcoxon(differences).pvalue) if len(differences) else 1.0


def smallest_p(n: int) -> float:
    """The smallest p of an exact signed-rank test of `n` differences, none of them 0: all have the same sign."""
    return 2.0 ** (1 - n)


def holm(p: list[float]) -> list[float]:
    """Holm's correction of some p-values for their number.

    That of statsmodels collects garbage, for half a second each time where the rows of a whole study are in memory.
    """
    corrected, order = np.empty(len(p)), np.argsort(p)
    corrected[order] = np.maximum.accumulate(np.asarray(p)[order] * np.arange(len(p), 0, -1))
    return np.minimum(corrected, 1.0).tolist()


def dirichlet_weights(n: int, rng: np.random.Generator) -> np.ndarray:
    """Draws from the posterior of the weights of the prior observation and `n` data sets, shape (draws, 1 + n).

    These are 20,000, of more than `FEW_DATA_SETS` data sets 2,000.
    """
    prior = [PRIOR, *[1.0] * n]
    if n <= FEW_DATA_SETS:
        return rng.dirichlet(prior, 20_000)
    return np.asfortranarray(rng.dirichlet(prior, 2_000))  # for `_outside`, which orders the data sets


def bayesian_signed_rank(differences: np.ndarray, rope: float, weights: np.ndarray) -> tuple[float, float, float]:
    """Posterior probabilities that differences lie mostly below, inside or above the region from -rope to rope.

    Each is the proportion of draws of `dirichlet_weights` in which most of the distribution of the mean of two
    differences, as in Wilcoxon's statistic, is there.
    """
    values = np.array([0.0, *np.round(differences, DECIMALS)])
    if len(differences) <= FEW_DATA_SETS:
        means = np.round((values[:, None] + values) / 2, DECIMALS)
        below, above = (((weights @ region) * weights).sum(axis=1) for region in (means < -rope, means > rope))
    else:
        below, above = _outside(values, rope, weights.T)
    winner = np.argmax([1 - below - above, below, above], axis=0)  # a region that holds nothing never wins
    inside, below, above = np.bincount(winner, minlength=3) / len(weights)
    return float(below), float(inside), float(above)


def _outside(values: np.ndarray, rope: float, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights of the pairs of values whose mean is below -rope, and above rope, without a matrix of all pairs.

    `weights` has a column for each draw.
    """
    order = np.argsort(values)
    values, weights = values[order], weights[order]
    upto = np.concatenate([np.zeros((1, weights.shape[1])), np.cumsum(weights, axis=0)])  # of the first values
    n_below = np.searchsorted(values, np.round(-2 * rope - values, DECIMALS))
    n_not_above = np.searchsorted(values, np.round(2 * rope - values, DECIMALS), side="right")
    below, above = upto[n_below], upto[-1] - upto[n_not_above]
    return np.einsum("ij,ij->j", weights, below), np.einsum("ij,ij->j", weights, above)


def equivalence_power(deviation: float, n: int, margin: float) -> float:
    """Probability that two one-sided t-tests at `ALPHA` call n equal means equivalent, whose difference is normal.

    The differences have the standard deviation `deviation` and the mean 0; the chi-square distribution of their
    observed variance stands as a thousand equally likely values. With 11 differences and half a deviation as margin:

    >>> round(equivalence_power(0.02, 11, 0.01), 2)
    0.08
    """
    from scipy import stats

    chi2 = stats.chi2.ppf((np.arange(1000) + 0.5) / 1000, n - 1)
    half = stats.t.ppf(1 - ALPHA, n - 1) * (chi2 / (n - 1)) ** 0.5  # of the 90 % interval, in standard errors
    room = margin * n**0.5 / deviation - half
    return float(np.maximum(2 * stats.norm.cdf(room) - 1, 0.0).mean())


def detectable_shift(n: int, alpha: float, rng: np.random.Generator) -> float | None:
    """Smallest mean difference that the signed-rank test at `alpha` finds with probability `POWER`, by simulation.

    In standard deviations of the differences, which are normal and independent; None if no difference is enough.
    """
    from scipy.stats import wilcoxon

    if smallest_p(n) > alpha:
        return None
    noise = rng.normal(size=(_SIMULATED, n))
    low, high = 0.0, _LARGEST_SHIFT
    while high - low > 0.04:
        middle = (low + high) / 2
        found = np.mean(wilcoxon(noise + middle, axis=1).pvalue <= alpha)
        low, high = (low, middle) if found >= POWER else (middle, high)
    return high


def likeness(ranks: np.ndarray, sources: list[str]) -> dict[str, float]:
    """Mean rank correlation of two data sets of the same source ("alike_within") and of different ones.

    "effective" is the number of independent data sets that are worth as much: what data sets of one source share beyond
    what all share, (within - between) / (1 - between), is the correlation of their errors (at least 0), and the
    variance of a mean of N such values is that of a mean of "effective" independent ones.
    """
    n, k = ranks.shape
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    correlation = centred @ centred.T / (k * (k * k - 1) / 12)
    i, j = np.triu_indices(n, 1)
    same, values = np.array(sources)[i] == np.array(sources)[j], correlation[i, j]
    within, between = float(values[same].mean()), float(values[~same].mean())
    excess = max(0.0, (within - between) / (1 - between)) if between < 1 else 0.0
    return {"alike_within": within, "alike_between": between, "effective": n * n / (n + 2 * int(same.sum()) * excess)}
