"""Scores that readers of other benchmarks know: the normalised score and Elo, with intervals over sources.

Both follow TabArena (Erickson et al. 2025). On a data set the best method has the normalised score 1 and the median
method 0, with log-losses in between in proportion and those above the median at 0; the score of a method is the mean.
Elo has 400 points for odds of 10 to 1 that a method has the lower loss on a data set, a tie being half of a win for
both. It is the maximum of the likelihood of Bradley and Terry's model, with one prior tie of weight `PRIOR` of each
pair, as the Bayesian signed-rank test has: without it the rating of a method that always wins is infinite. The random
forest of the same comparison has 1000.

R. A. Bradley and M. E. Terry, Rank analysis of incomplete block designs, Biometrika 39 (1952).
N. Erickson et al., TabArena: a living benchmark for machine learning on tabular data, NeurIPS 2025.
"""

from dataclasses import dataclass

import numpy as np

from proset_study.base.seeds import generator
from proset_study.report.analysis.battery import Battery
from proset_study.report.analysis.statistics import ALPHA, DECIMALS, PRIOR

REFERENCE, REFERENCE_ELO = "random_forest", 1000.0  # the first method, where the comparison has no random forest
_POINTS = 400 / np.log(10)  # of Elo for a factor of e of the odds
_RESAMPLES = 1000
_STEPS = 100
_DIGITS = 6


@dataclass(frozen=True)
class Rating:
    """Scores of a method over the data sets of a comparison, with 95 % intervals by a bootstrap of the sources."""

    comparison: str
    method: str
    data_sets: int
    sources: int
    normalised: float
    normalised_low: float
    normalised_high: float
    elo: float
    elo_low: float
    elo_high: float


def ratings(battery: Battery, seed: int) -> list[Rating]:
    """All methods, the highest Elo first; `seed` is that of the study."""
    losses, names = battery.compared.losses, battery.compared.methods
    weights = resamples(battery.source, generator(seed, "ratings", battery.name))
    scores, wins = normalised(losses), beats(losses)
    reference = names.index(REFERENCE) if REFERENCE in names else 0
    points = elo(np.tensordot(weights, wins, axes=1), reference)
    means = weights @ scores / weights.sum(axis=1, keepdims=True)
    counts = (len(losses), battery.n_sources)
    found = [
        Rating(battery.name, name, *counts, *_numbers(means[:, i]), *_numbers(points[:, i]))
        for i, name in enumerate(names)
    ]
    return sorted(found, key=lambda rating: -rating.elo)


def normalised(losses: np.ndarray) -> np.ndarray:
    """Normalised scores, shape (N, k): 1 for the best loss, 0 for the median and above it.

    >>> normalised(np.array([[0.1, 0.2, 0.3, 0.9, 0.5]])).tolist()
    [[1.0, 0.5, 0.0, 0.0, 0.0]]
    """
    best, middle = losses.min(axis=1, keepdims=True), np.median(losses, axis=1, keepdims=True)
    width = np.where(middle > best, middle - best, 1.0)
    scores = np.where(middle > best, (middle - losses) / width, losses <= best)  # half of all methods are the best
    return np.round(np.clip(scores, 0.0, 1.0), DECIMALS)


def beats(losses: np.ndarray) -> np.ndarray:
    """Whether method i has a lower loss than j on each data set, 1/2 for a tie; shape (N, k, k), 0 on the diagonal."""
    lower = losses[:, :, None] < losses[:, None, :]
    won = lower + (losses[:, :, None] == losses[:, None, :]) / 2
    won[:, *np.diag_indices(losses.shape[1])] = 0.0
    return won


def elo(wins: np.ndarray, reference: int) -> np.ndarray:
    """Ratings from weighted numbers of wins of each method over each other, shapes (B, k, k) and (B, k).

    By Newton's method, all comparisons side by side; the rating of `reference` is `REFERENCE_ELO`.

    Ten wins of the first method and one of the second are odds of 10.25 to 1.25, as 1/4 each comes from the prior.

    >>> elo(np.array([[[0.0, 10.0], [1.0, 0.0]]]), 1).round().tolist()
    [[1366.0, 1000.0]]
    """
    n_methods = wins.shape[1]
    wins = wins + PRIOR / 2 * (1 - np.eye(n_methods))
    played, won = wins + wins.transpose(0, 2, 1), wins.sum(axis=2)
    strength = np.zeros(won.shape)
    for _ in range(_STEPS):
        expected = 1 / (1 + np.exp(strength[:, None, :] - strength[:, :, None]))
        gradient = won - (played * expected).sum(axis=2)
        curvature = played * expected * (1 - expected)
        hessian = curvature.sum(axis=2)[:, :, None] * np.eye(n_methods) - curvature
        step = np.linalg.solve(hessian + 1 / n_methods, gradient[:, :, None])[:, :, 0]  # the sum of strengths stays 0
        strength = strength + step / np.maximum(1.0, np.abs(step).max(axis=1, keepdims=True))
        if np.abs(step).max() < 1e-10:
            break
    return REFERENCE_ELO + _POINTS * (strength - strength[:, [reference]])


def resamples(source: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """How often each data set is in a bootstrap sample of sources, shape (1 + resamples, N); first each is once."""
    n_sources = int(source.max()) + 1
    drawn = rng.multinomial(n_sources, np.full(n_sources, 1 / n_sources), _RESAMPLES)
    return np.vstack([np.ones(len(source)), drawn[:, source]])


def _numbers(values):
    """What all data sets give, and the interval of the bootstrap."""
    ends = np.quantile(values[1:], [ALPHA / 2, 1 - ALPHA / 2])
    return [float(np.round(value, _DIGITS)) for value in (values[0], *ends)]
