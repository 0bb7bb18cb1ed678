"""What features bring to a prediction, as it is written down: the Shapley values of `proset.attributions`, exact.

All 2^A sets of the A active features are enumerated: those in a set are of the sample, the others of a background row.
"""

from math import comb
from typing import Any

import numpy as np
from sklearn.utils.validation import _num_samples

from proset.attributions import MAX_ENUMERATED
from proset.convert.formula import ProsetFormula, SetCoverFormula, is_constant, take_apart
from proset.model import MAX_ABS
from proset.validation import checked_count

MOST_ROWS = 1000
MOST_POINTS = 2**20  # samples made of x and of a row, 2^A of each row, whose probabilities are computed for one x


def background_of(
    what: ProsetFormula | SetCoverFormula,
    model: Any,
    background: Any,
    most_features: int = MAX_ENUMERATED,
    most_points: int = MOST_POINTS,
) -> np.ndarray:
    """Rows as the prototypes of a formula: scaled, of the features that are used, shape (M, A).

    Raises
    ------
    ValueError
        If the model has no attributions, or there are too many features or rows.
    """
    steps, classifier = take_apart(model)
    if isinstance(what, SetCoverFormula):
        raise ValueError("background: attributions of a SetCoverClassifier are not allowed, it has no probabilities")
    if classifier._fitted_base() is not None and not is_constant(classifier._fitted_base()):
        raise ValueError(
            f"background: attributions with base {classifier._base_name()} are not allowed, must be of a model without "
            "a base"
        )
    n_active, n_rows = len(classifier.active_features_), _num_samples(background)
    if n_active > most_features:
        raise ValueError(
            f"background: a model with {n_active} active features is not allowed, must have at most {most_features}; "
            "max_features of ProsetClassifier keeps fewer"
        )
    most = min(MOST_ROWS, most_points >> len(what.used))
    if not 1 <= n_rows <= most:
        raise ValueError(
            f"background: {n_rows} rows are not allowed, must be 1 to {most} for {n_active} active features"
        )
    for _, step in steps:
        background = step.transform(background)
    return np.clip(classifier._validated(background)[:, what.used], -MAX_ABS, MAX_ABS)


def orders(n: int) -> np.ndarray:
    """Proportion of the orders of n features in which one comes after a given set, by the size of that, shape (n,).

    Examples
    --------
    >>> orders(3).round(3).tolist()
    [0.333, 0.167, 0.333]
    """
    return np.array([1.0 / (n * comb(n - 1, size)) for size in range(n)])


def base_values(what: ProsetFormula, points: np.ndarray) -> np.ndarray:
    """Mean probabilities of the background, shape (K,)."""
    q = np.tile(what.class_prior, (len(points), 1))
    kernel = np.exp(-0.5 * exponents(what, points).sum(axis=1))
    for k in range(q.shape[1]):
        q[:, k] += kernel[:, what.labels == k] @ what.prototype_weights[what.labels == k]
    return (q / q.sum(axis=1, keepdims=True)).mean(axis=0)


def exponents(what: ProsetFormula, points: np.ndarray) -> np.ndarray:
    """What each feature adds for points (M, A) and the prototypes, shape (M, A, J); see `proset.columns`."""
    x, c = points[:, :, None], what.prototypes.T
    v, gap = what.feature_weights[what.batch].T, what.gaps[what.batch].T
    category = what.category[:, None]
    of_numbers = np.where(np.isnan(x) & np.isnan(c), 0.0, np.where(np.isnan(x) | np.isnan(c), gap, (v * (x - c)) ** 2))
    return np.where(category > 0.0, (x != c) * (v * category) ** 2, of_numbers)


def check_top(name: str, top: Any, what: ProsetFormula | SetCoverFormula) -> None:
    """ValueError if that many prototypes cannot be listed."""
    if isinstance(what, SetCoverFormula):
        raise ValueError(f"{name}: shares of a SetCoverClassifier are not allowed, it has no probabilities")
    checked_count(top, name)
