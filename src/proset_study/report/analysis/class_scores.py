"""Scores of each class against the rest, and the confusion matrix, of the most probable class."""

import numpy as np

COUNTS = ("true_positive", "false_negative", "false_positive", "true_negative")
SCORES = (
    *("sensitivity", "specificity", "positive_predictive_value", "negative_predictive_value"),
    *("false_positive_rate", "false_negative_rate", "false_discovery_rate", "false_omission_rate", "f1"),
)


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
        scores = {
            "sensitivity": _ratio(tp, tp + fn),
            "specificity": _ratio(tn, tn + fp),
            "positive_predictive_value": _ratio(tp, tp + fp),
            "negative_predictive_value": _ratio(tn, tn + fn),
            "false_positive_rate": _ratio(fp, tn + fp),
            "false_negative_rate": _ratio(fn, fn + tp),
            "false_discovery_rate": _ratio(fp, tp + fp),
            "false_omission_rate": _ratio(fn, tn + fn),
            "f1": _ratio(2 * tp, 2 * tp + fn + fp),
        }
        rows.append(dict(zip(COUNTS, (tp, fn, fp, tn), strict=True)) | scores)
    return rows


def _ratio(part, whole):
    return part / whole if whole else None
