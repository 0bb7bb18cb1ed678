"""What a fit of `proset.SetCoverClassifier` makes of its arguments: samples to be covered, and what may cover them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from proset.columns import Columns
from proset.metrics import check_precomputed, encoded
from proset.metrics import distances as metric_distances
from proset.validation import weights_with_classes

MAX_WEIGHT = 1e100  # sums of more are beyond the largest number


@dataclass(frozen=True)
class Problem:
    """Samples of positive weight, which must be covered, and the candidates that cover them.

    Attributes
    ----------
    points : ndarray, shape (N, D)
    codes : ndarray of int, shape (N,)
        Class indices.
    weight : ndarray, shape (N,)
    index : ndarray of int, shape (M,)
        What the candidates are called outside.
    centres : ndarray, shape (M, D), optional
        Not with "precomputed".
    distances : callable
        From slices of the points and of the candidates to their dissimilarities.
    """

    points: np.ndarray
    codes: np.ndarray
    weight: np.ndarray
    index: np.ndarray
    centres: np.ndarray | None
    distances: Callable[..., np.ndarray]

    @property
    def size(self) -> tuple[int, int]:
        """Numbers of points and of candidates."""
        return len(self.points), len(self.index)


def problem_of(
    classifier: Any,
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    sample_weight: npt.ArrayLike | None,
    candidates: npt.ArrayLike | None,
) -> Problem:
    """Validate everything; sets `classes_` and the attributes of the features."""
    classifier._validate_params()
    for name in ("eps", "cost", "n_neighbors"):
        if isinstance(getattr(classifier, name), bool):  # which Python takes for a number
            raise ValueError(f"{name}: {getattr(classifier, name)} is not allowed, must be a number")
    for name in ("lower_bound_", "prototypes_"):  # of an earlier fit; not every fit has them
        classifier.__dict__.pop(name, None)
    X, labels, classifier._encoding = encoded(classifier, X, y)
    y = np.asarray(labels)
    check_classification_targets(y)
    check_precomputed(X, classifier.metric)
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if weight.min() < 0:
        raise ValueError(f"sample_weight: {weight.min():g} is not allowed, must be at least 0")
    if classifier.class_weight is not None:
        weight = weights_with_classes(weight, classifier.class_weight, y)
    if weight.max() > MAX_WEIGHT:
        raise ValueError(f"sample_weight: {weight.max():g} is not allowed, must be at most {MAX_WEIGHT:g}")
    rows = np.flatnonzero(weight > 0)
    classifier._columns = Columns.of(X[rows], classifier._encoding.n_levels, weight[rows])
    classifier.classes_, codes = np.unique(y[rows], return_inverse=True)
    points = X[rows]
    is_precomputed = classifier.metric == "precomputed"
    index, centres = rows, None if is_precomputed else points
    if candidates is not None:
        if is_precomputed:
            raise ValueError(
                "candidates: not allowed with metric='precomputed', where the columns of X are the candidates"
            )
        try:
            centres, _, _ = encoded(classifier, candidates, reset=False)
        except (TypeError, ValueError) as error:
            raise type(error)(f"candidates: {error}") from error
        index = np.arange(len(centres))
    elif is_precomputed and X.shape[0] != X.shape[1]:
        index = np.arange(X.shape[1])

    def distances(these: slice, those: slice = slice(None)) -> np.ndarray:
        return (
            points[these, index[those]]
            if centres is None
            else metric_distances(points[these], centres[those], classifier.metric, classifier._columns)
        )

    return Problem(points, codes, weight[rows], index, centres, distances)
