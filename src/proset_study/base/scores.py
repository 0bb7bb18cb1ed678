"""Scores of predicted probabilities beyond those of `proset.losses`; the same to the last digit on every processor.

They are made of counts and of sums that are exact or in a fixed order.
"""

import numpy as np

from proset.losses import log_loss, mean

CLIP = 1e-3  # probability that the clipped log-loss takes for 0: one sample costs at most 6.9 nats, not 34.5


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
