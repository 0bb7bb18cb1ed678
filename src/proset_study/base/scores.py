"""Scores of predicted probabilities; the same to the last digit on every processor.

Logarithms are `proset.arithmetic.log`, means are exact sums (`math.fsum`) divided once. Other scores are made of counts
and of sums in a fixed order.
"""

import math

import numpy as np

from proset import arithmetic

SMALLEST = 1e-15  # probability that log-loss takes for 0
CLIP = 1e-3  # the same for the clipped log-loss: one sample costs at most 6.9 nats, not 34.5


def log_loss(
    probabilities: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None, clip: float = SMALLEST
) -> float:
    """Mean of -log p(true class), with p clipped to [clip, 1 - clip].

    Parameters
    ----------
    probabilities : ndarray of float64, shape (N, K)
    y : ndarray of int, shape (N,)
    weight : ndarray, shape (N,), optional
    clip : float in (0, 0.5), optional

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
    of_true_class = probabilities[np.arange(len(y)), y].astype(np.float64)
    if bad := np.count_nonzero(~np.isfinite(of_true_class)):
        raise FloatingPointError(f"{bad} of {len(y)} probabilities are not finite")
    return mean(-arithmetic.log(np.clip(of_true_class, clip, 1.0 - clip)), weight)


def brier_score(probabilities: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Mean squared distance of the probabilities from 1 for the true class and 0 for the others (Brier 1950).

    0 is best, 2 is worst; with two classes it is twice the squared error of one of them. Parameters as in `log_loss`.

    Examples
    --------
    >>> brier_score(np.array([[0.5, 0.5], [0.75, 0.25]]), np.array([0, 1]))
    0.8125
    """
    squares = (probabilities - np.eye(probabilities.shape[1])[y]) ** 2
    return mean(sum(squares.T), weight)


def error_rate(probabilities: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Proportion of samples whose most probable class is not the true one; parameters as in `log_loss`."""
    return mean(probabilities.argmax(axis=1) != y, weight)


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
        return math.fsum(values) / len(values)
    return math.fsum(weight * values) / math.fsum(weight)


def score_predictions(probabilities: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> dict[str, float]:
    """Log-loss, the same clipped at `CLIP`, Brier score, ROC-AUC and balanced accuracy on test data.

    ROC-AUC of more than two classes is the unweighted mean over all pairs of classes (Hand and Till 2001); balanced
    accuracy is that of the most probable class. Parameters as in `log_loss`.
    """
    from sklearn.metrics import balanced_accuracy_score, roc_auc_score

    if probabilities.shape[1] == 2:
        auc = roc_auc_score(y, probabilities[:, 1], sample_weight=weight)
    else:  # scikit-learn has no sample weights for pairs of classes
        auc = roc_auc_score(y, probabilities, multi_class="ovo", average="macro", labels=range(probabilities.shape[1]))
    return {
        "log_loss": log_loss(probabilities, y, weight),
        "clipped_log_loss": log_loss(probabilities, y, weight, CLIP),
        "brier_score": brier_score(probabilities, y, weight),
        "roc_auc": float(auc),
        "balanced_accuracy": float(balanced_accuracy_score(y, probabilities.argmax(axis=1), sample_weight=weight)),
    }
