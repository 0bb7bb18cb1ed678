"""The familiarity of a sample, and how it ranks among that of the training samples.

The familiarity is sum_k q_k(x) - 1, the weight of the prototypes near x; see `proset.model`. It has no scale of its
own: weights depend on the penalties. Its yardstick are the training samples that are no prototypes, which find none at
distance 0, as fresh samples do not. A prototype without its own weight is no substitute: it leaves a gap, and is less
familiar than fresh samples. Where most samples are prototypes there is nothing else, and all are taken that way.

That is not a refit: the prototypes know the samples. `proset.RejectOptionClassifier` corrects for it.
"""

from collections.abc import Iterator
from math import fsum

import numpy as np

from proset import arithmetic
from proset.model import Model

MAX_POINTS = 999  # of a yardstick: of more training samples it has the permilles
ROUNDING = 1e-12  # of a weight that has been added and taken away again


def staged_familiarity(model: Model, X: np.ndarray, n_threads: int = 1) -> Iterator[np.ndarray]:
    """Familiarity of samples X (N, D), shape (N,), with 0, 1, ..., B batches."""
    prior = fsum(model.class_prior)
    for q in model.staged_q(X, n_threads):
        yield np.maximum(arithmetic.row_sums(q) - prior, 0.0)


def training_familiarity(model: Model, X: np.ndarray, n_threads: int = 1) -> np.ndarray:
    """The familiarity of training samples that stand for fresh ones, as `quantile` takes it; see `stand_for_fresh`.

    Parameters
    ----------
    model : Model
        `sample_index` of its batches are rows of X.
    X : ndarray, shape (N, D)
    n_threads : int

    Returns
    -------
    ndarray, shape (B + 1, m)
        For each number of batches from 0 the quantiles 1 / (m + 1), ..., m / (m + 1), where m is N, at most
        `MAX_POINTS`.
    """
    m, own, found = min(len(X), MAX_POINTS), np.zeros(len(X)), []
    for b, familiarity in enumerate(staged_familiarity(model, X, n_threads)):
        if b > 0:
            own[model.batches[b - 1].sample_index] += model.batches[b - 1].prototype_weights
        others = familiarity - own
        others[others < ROUNDING * own] = 0.0
        points = np.sort(others[stand_for_fresh(own > 0.0)])
        points = np.concatenate([[min(0.0, points[0])], points])  # between which `quantile` is linear, too
        # As np.quantile's method "weibull", which takes 200 times as long.
        found.append(np.interp(np.arange(1, m + 1) * len(points) / (m + 1), np.arange(len(points)), points))
    return np.array(found)


def stand_for_fresh(are_prototypes: np.ndarray) -> np.ndarray:
    """Which training samples stand for fresh ones: all but the prototypes, or all if that leaves fewer than half.

    Parameters
    ----------
    are_prototypes : ndarray of bool, shape (N,)

    Returns
    -------
    ndarray of bool, shape (N,)

    Examples
    --------
    >>> stand_for_fresh(np.array([True, False, False])).tolist()
    [False, True, True]
    >>> stand_for_fresh(np.array([True, True, False])).tolist()
    [True, True, True]
    """
    return ~are_prototypes if 2 * are_prototypes.sum() <= len(are_prototypes) else np.ones_like(are_prototypes)


def quantile(points: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Proportion of a distribution that is at most each score.

    Parameters
    ----------
    points : ndarray, shape (m,)
        Its quantiles 1 / (m + 1), ..., m / (m + 1): of m samples, their scores, sorted.
    scores : ndarray, shape (N,)

    Returns
    -------
    ndarray, shape (N,)
        In [0, m / (m + 1)]; linear between the points, and from 0 at a score of 0 to the first of them. The score of
        one more sample of the distribution is among the lowest p with a probability of p, but for the interpolation.

    Examples
    --------
    >>> quantile(np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 3.0, 9.0])).tolist()
    [0.0, 0.25, 0.625, 0.75]
    """
    low = min(0.0, float(points[0]))
    positions = np.arange(len(points) + 1) / (len(points) + 1)
    return np.interp(scores, np.concatenate([[low], points]), positions)
