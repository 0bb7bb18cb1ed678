"""Bayesian comparison of two methods over data sets that have replicates (Corani et al. 2017).

On data set i the differences of two methods over n_i replicates are normal around delta_i with deviation sigma_i and
the correlation of the samples that replicates share; the delta_i follow a Student distribution, of which centre, spread
and degrees of freedom are unknown. So a noisy data set counts less, and one that is unlike the others does not decide.
Asked for is the difference on a further data set.

Priors are those of the paper: flat for centre, spread and the sigma_i (there bounded far away from the data, here not:
with three data sets the posterior is proper), for the degrees of freedom 1 + Gamma(a, b) with a uniform in 0.5 to 5 and
b in 0.05 to 0.15.

It is sampled by Gibbs steps, all pairs and chains side by side: given the weights of the Student distribution as a
mixture of normals, centre and delta_i are normal, the sigma_i and the weights gamma; spread and degrees of freedom take
Metropolis steps, the spread with delta_i and centre integrated out.

G. Corani, A. Benavoli, J. Demsar, F. Mangili and M. Zaffalon, Statistical comparison of classifiers through Bayesian
hierarchical modelling, Machine Learning 106 (2017).
"""

import numpy as np
from scipy.special import gammaln, stdtr

from proset_study.report.analysis.statistics import FEW_DATA_SETS

CHAINS, WARM_UP, DRAWS = 50, 300, 400  # 20,000 draws; a step takes as long for few chains as for many
LEAST_CHAINS = 2
_STEP = 2000  # chains times data sets, of more than `FEW_DATA_SETS`: there a step takes longer with every chain
MIN_HIERARCHICAL = 3
_SHAPE, _RATE = (0.5, 5.0), (0.05, 0.15)  # of the gamma distribution of the degrees of freedom
_LEAST_DEVIATION = 1e-3  # of sigma_i, in regions of practical equivalence: methods may agree in every replicate


def hierarchical(
    differences: list[np.ndarray], overlap: np.ndarray, rope: float, rng: np.random.Generator
) -> np.ndarray:
    """Probabilities that a further difference lies mostly below, inside or above -rope to rope, shape (P, 3).

    Each is the proportion of draws of centre, spread and degrees of freedom whose Student distribution is mostly there.
    Each of at least `MIN_HIERARCHICAL` data sets has differences of P pairs over n_i > 1 replicates, shape (P, n_i).
    `overlap`, shape (N,), has test samples per training sample where replicates share samples, else 0; the correlation
    is taken to be the proportion of test samples, overlap / (1 + overlap).
    """
    mean, variance, rest, factor, degrees = _summaries(differences, overlap, rope)
    chains = CHAINS if len(differences) <= FEW_DATA_SETS else max(LEAST_CHAINS, _STEP // len(differences))
    shape = (len(mean), chains)
    deviation2 = np.broadcast_to(variance, (*shape, len(differences)))
    weight = np.ones(deviation2.shape)
    spread = np.log(mean.std(axis=2) + np.sqrt(variance * factor).mean(axis=2)) + rng.normal(size=shape)
    freedom = 1 + rng.gamma(2.0, 10.0, shape)
    gamma = (rng.uniform(*_SHAPE, shape), rng.uniform(*_RATE, shape))
    won = np.zeros((3, len(mean)))
    for i in range(WARM_UP + DRAWS):
        error2 = deviation2 * factor
        spread, centre = _spread_and_centre(spread, mean, error2, weight, rng)
        between2 = np.exp(2 * spread)[..., None]
        precision = 1 / error2 + weight / between2
        delta = (mean / error2 + centre[..., None] * weight / between2) / precision
        delta = delta + rng.normal(size=delta.shape) / np.sqrt(precision)
        deviation2 = (rest + (mean - delta) ** 2 / factor) / 2 / rng.gamma(degrees / 2, size=delta.shape)
        scaled2 = (delta - centre[..., None]) ** 2 / between2
        freedom, gamma = _freedom(freedom, gamma, scaled2, rng)
        weight = 2 * rng.gamma((freedom[..., None] + 1) / 2, size=delta.shape) / (freedom[..., None] + scaled2)
        if i >= WARM_UP:
            below, above = (stdtr(freedom, (-rope + sign * centre) / np.exp(spread)) for sign in (-1, 1))
            winner = np.argmax([1 - below - above, below, above], axis=0)  # a region that holds nothing never wins
            won += [(winner == k).sum(axis=1) for k in range(3)]
    inside, below, above = won / (chains * DRAWS)
    return np.stack([below, inside, above], axis=1)


def _summaries(differences, overlap, rope):
    """What is needed of the data: means and variances, shape (P, 1, N); by data set sums of squares and constants."""
    n = np.array([d.shape[1] for d in differences])
    correlation = overlap / (1 + overlap)
    mean = np.stack([d.mean(axis=1) for d in differences], axis=1)[:, None, :]
    squares = np.stack([d.var(axis=1) * d.shape[1] for d in differences], axis=1)[:, None, :]
    squares = np.maximum(squares, n * (_LEAST_DEVIATION * rope) ** 2)
    rest = squares / (1 - correlation)
    return mean, rest / (n - 1), rest, (1 + (n - 1) * correlation) / n, n - 1.0


def _spread_and_centre(spread, mean, error2, weight, rng):
    """A step of the logarithm of the spread, and the centre given it; the delta_i are integrated out."""

    def density(spread):
        precision = 1 / (error2 + np.exp(2 * spread)[..., None] / weight)
        total = precision.sum(axis=2)
        centre = (precision * mean).sum(axis=2) / total
        misfit = (precision * (mean - centre[..., None]) ** 2).sum(axis=2)
        return (np.log(precision).sum(axis=2) - np.log(total) - misfit) / 2 + spread, centre, total

    proposed = spread + rng.normal(size=spread.shape)
    (now, *moments), (then, *others) = density(spread), density(proposed)
    accepted = np.log(rng.uniform(size=spread.shape)) < then - now
    centre, total = (np.where(accepted, b, a) for a, b in zip(moments, others, strict=True))
    return np.where(accepted, proposed, spread), centre + rng.normal(size=spread.shape) / np.sqrt(total)


def _freedom(freedom, gamma, scaled2, rng):
    """A step of the degrees of freedom, the weights integrated out, and one of the parameters of their prior."""

    def prior(freedom, shape, rate):
        return shape * np.log(rate) - gammaln(shape) + (shape - 1) * np.log(freedom - 1) - rate * (freedom - 1)

    def density(freedom):
        f = freedom[..., None]
        terms = gammaln((f + 1) / 2) - gammaln(f / 2) - np.log(f) / 2 - (f + 1) / 2 * np.log1p(scaled2 / f)
        return terms.sum(axis=2) + prior(freedom, *gamma) + np.log(freedom - 1)

    def accept(then, now):
        return np.log(rng.uniform(size=freedom.shape)) < then - now

    proposed = 1 + (freedom - 1) * np.exp(rng.normal(size=freedom.shape))
    freedom = np.where(accept(density(proposed), density(freedom)), proposed, freedom)
    others = (rng.uniform(*_SHAPE, freedom.shape), rng.uniform(*_RATE, freedom.shape))
    accepted = accept(prior(freedom, *others), prior(freedom, *gamma))
    return freedom, tuple(np.where(accepted, b, a) for a, b in zip(gamma, others, strict=True))
