"""Losses of predicted probabilities; the same to the last digit on every processor.

Logarithms are `proset.arithmetic.log`, means are exact sums (`math.fsum`) divided once.
"""

from collections.abc import Callable
from math import fsum

import numpy as np

from proset import arithmetic

SMALLEST = 1e-15  # probability that log-loss takes for 0


def log_losses(probabilities: np.ndarray, y: np.ndarray, clip: float = SMALLEST) -> np.ndarray:
    """-log p(true class) of each sample, with p clipped to [clip, 1 - clip], shape (N,).

    Parameters
    ----------
    probabilities : ndarray, shape (N, K)
    y : ndarray of int, shape (N,)
    clip : float in [0, 0.5)
    """
    of_true_class = probabilities[np.arange(len(y)), y].astype(np.float64)
    return -arithmetic.log(np.clip(of_true_class, clip, 1.0 - clip))


def errors(probabilities: np.ndarray, y: np.ndarray) -> np.ndarray:
    """1 for samples whose most probable class is not the true one, else 0, shape (N,)."""
    wrong: np.ndarray = (probabilities.argmax(axis=1) != y).astype(float)
    return wrong


LOSSES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {"log_loss": log_losses, "error": errors}


def log_loss(
    probabilities: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None, clip: float = SMALLEST
) -> float:
    """Mean of `log_losses`.

    Parameters
    ----------
    probabilities : ndarray, shape (N, K)
    y : ndarray of int, shape (N,)
    weight : ndarray, shape (N,), optional
    clip : float in [0, 0.5)

    Raises
    ------
    FloatingPointError
        If a probability is not finite.

    Examples
    --------
    >>> probabilities, y = np.array([[0.5, 0.5], [0.75, 0.25]]), np.array([0, 1])
    >>> round(log_loss(probabilities, y), 6), error_rate(probabilities, y)
    (1.039721, 0.5)
    """
    if bad := np.count_nonzero(~np.isfinite(probabilities[np.arange(len(y)), y])):
        raise FloatingPointError(f"{bad} of {len(y)} probabilities are not finite")
    return mean(log_losses(probabilities, y, clip), weight)


def error_rate(probabilities: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Proportion of samples whose most probable class is not the true one; parameters as in `log_loss`."""
    return mean(errors(probabilities, y), weight)


def mean(values: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Mean of numbers from correctly rounded sums: in any order, by any instructions, the same.

    Parameters
    ----------
    values : ndarray, shape (N,)
    weight : ndarray, shape (N,), optional

    Examples
    --------
    >>> mean(np.array([1e16, 1.0, -1e16]))
    0.3333333333333333
    >>> mean(np.array([1.0, 4.0]), weight=np.array([2.0, 1.0]))
    2.0
    """
    if weight is None:
        return fsum(values) / len(values)
    return fsum(weight * values) / fsum(weight)
