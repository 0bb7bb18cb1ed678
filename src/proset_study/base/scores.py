"""The scores that searches choose by; the same to the last digit on every processor.

Logarithms are `proset.arithmetic.log`, means are exact sums (`math.fsum`) divided once. All other scores are in
`store.metrics`, because what is here makes every fit stale.
"""

import math

import numpy as np

from proset import arithmetic

SMALLEST = 1e-15  # probability that log-loss takes for 0


def log_loss(
    probabilities: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None, clip: float = SMALLEST
) -> float:
    """Mean of -log p(true class), with p clipped to [clip, 1 - clip]; FloatingPointError if one is not finite.

    Probabilities have the shape (N, K), class indices `y` and weights (N,).

    Examples
    --------
    >>> probabilities, y = np.array([[0.5, 0.5], [0.75, 0.25]]), np.array([0, 1])
    >>> round(log_loss(probabilities, y), 6), error_rate(probabilities, y)
    (1.039721, 0.5)
    """
    of_true_class = probabilities[np.arange(len(y)), y].astype(np.float64)
    if bad := np.count_nonzero(~np.isfinite(of_true_class)):
        raise FloatingPointError(f"{bad} of {len(y)} probabilities are not finite")
    return mean(-arithmetic.log(np.clip(of_true_class, clip, 1.0 - clip)), weight)


def error_rate(probabilities: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Proportion of samples whose most probable class is not the true one; parameters as in `log_loss`."""
    return mean(probabilities.argmax(axis=1) != y, weight)


def mean(values: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Mean of numbers from correctly rounded sums: in any order, by any instructions, the same.

    Examples
    --------
    >>> mean(np.array([1e16, 1.0, -1e16]))
    0.3333333333333333
    >>> mean(np.array([1.0, 4.0]), weight=np.array([2.0, 1.0]))
    2.0
    """
    if weight is None:
        return math.fsum(values) / len(values)
    return math.fsum(weight * values) / math.fsum(weight)
