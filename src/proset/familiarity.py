"""The familiarity of a sample, and how it ranks among that of the training samples.

The familiarity is sum_k q_k(x) - 1, the weight of the prototypes near x; see `proset.model`. It has no scale of its
own: weights depend on the penalties. Its yardstick are the training samples, each without its own prototypes, which
would find it at distance 0 as they find no fresh sample.

That is not a refit: the other prototypes know the sample. `proset.RejectOptionClassifier` corrects for it.
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
    """The familiarity of training samples without their own prototypes, as `quantile` takes it.

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
    m = min(len(X), MAX_POINTS)
    ranks, own, found = np.arange(1, m + 1) * (len(X) + 1) / (m + 1), np.zeros(len(X)), []
    for b, familiarity in enumerate(staged_familiarity(model, X, n_threads)):
        if b > 0:
            own[model.batches[b - 1].sample_index] += model.batches[b - 1].prototype_weights
        others = familiarity - own
        others[others < ROUNDING * own] = 0.0
        # As np.quantile's method "weibull", which takes 200 times as long.
        found.append(np.interp(ranks, np.arange(1, len(X) + 1), np.sort(others)))
    return np.array(found)


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
