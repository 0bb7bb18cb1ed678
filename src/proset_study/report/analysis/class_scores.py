"""Scores of each class against the rest, and the confusion matrix, of the most probable class."""

import numpy as np

COUNTS = ("true_positive", "false_negative", "false_positive", "true_negative")
_OF_SUMS = {  # scores that are one of the counts in proportion to its sum with another one
    "sensitivity": ("true_positive", "false_negative"),
    "specificity": ("true_negative", "false_positive"),
    "positive_predictive_value": ("true_positive", "false_positive"),
    "negative_predictive_value": ("true_negative", "false_negative"),
    "false_positive_rate": ("false_positive", "true_negative"),
    "false_negative_rate": ("false_negative", "true_positive"),
    "false_discovery_rate": ("false_positive", "true_positive"),
    "false_omission_rate": ("false_negative", "true_negative"),
}
SCORES = (*_OF_SUMS, "f1")


def confusion(probabilities: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """Number (weight) of samples by true class (row) and most probable class (column), shape (K, K)."""
    from sklearn.metrics import confusion_matrix

    labels = np.arange(probabilities.shape[1])
    return confusion_matrix(y, probabilities.argmax(axis=1), labels=labels, sample_weight=weight)


def class_scores(
    probabilities: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None
) -> list[dict[str, float | None]]:
    """`COUNTS` (sums of weights) and `SCORES` of each class against all others, None if the denominator is 0."""
    matrix = confusion(probabilities, y, weight)
    rows = []
    for k in range(len(matrix)):
        others = np.delete(np.arange(len(matrix)), k)
        tp, fn = matrix[k, k].item(), matrix[k, others].sum().item()
        fp, tn = matrix[others, k].sum().item(), matrix[np.ix_(others, others)].sum().item()
        counts = dict(zip(COUNTS, (tp, fn, fp, tn), strict=True))
        scores = {name: _ratio(counts[one], counts[one] + counts[other]) for name, (one, other) in _OF_SUMS.items()}
        rows.append(counts | scores | {"f1": _ratio(2 * tp, 2 * tp + fn + fp)})
    return rows


def _ratio(part, whole):
    return part / whole if whole else None
