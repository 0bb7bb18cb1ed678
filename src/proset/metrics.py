"""Dissimilarities of `proset.SetCoverClassifier`: their names, which tables they take, and their values."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import haversine_distances
from sklearn.neighbors import VALID_METRICS

from proset.columns import Columns
from proset.encode import encode
from proset.encoding import Encoding
from proset.validation import no_overflow

Metric = str | Callable[[np.ndarray, np.ndarray], float]
# Without the ones scaled by statistics of the two tables they are called with, of which one is a chunk here.
METRICS = set(VALID_METRICS["brute"]) - {"seuclidean", "mahalanobis", "nan_euclidean"} | {"precomputed"}
MIXED = {"cityblock", "euclidean", "sqeuclidean"}  # those that tables with categories or missing values can have
SCIPY = {"l1": "cityblock", "manhattan": "cityblock", "l2": "euclidean"}  # names that are scikit-learn's alone


def takes_mixed(metric: Metric) -> bool:
    """Whether tables may have categories and missing values."""
    return isinstance(metric, str) and SCIPY.get(metric, metric) in MIXED


def is_mixed(columns: Columns, *tables: np.ndarray) -> bool:
    """Whether tables of some columns have categories or missing values."""
    return bool(columns.levels.any()) or any(bool(np.isnan(table).any()) for table in tables)


def distances(A: np.ndarray, B: np.ndarray, metric: Metric, columns: Columns) -> np.ndarray:
    """Dissimilarities of samples (N, D) and (M, D), shape (N, M); ValueError if some are NaN."""
    # SciPy's: scikit-learn's put equal points at a distance of 1e-8 and depend on the other rows of a chunk.
    name = SCIPY.get(metric, metric) if isinstance(metric, str) else metric
    if isinstance(name, str) and is_mixed(columns, A, B):
        return columns.distances(A, B, name)
    found: np.ndarray = haversine_distances(A, B) if name == "haversine" else cdist(A, B, name)
    if np.isnan(found).any():
        raise ValueError(f"metric: {metric!r} is not allowed for these data, some dissimilarities are NaN")
    return found


def encoded(classifier: Any, X: Any, y: Any = "no_validation", reset: bool = True) -> tuple[np.ndarray, Any, Encoding]:
    """Samples as numbers, as in `proset.encode`; ValueError if they are not what the classifier's metric takes."""
    metric = classifier.metric
    instead = f"not allowed with metric={metric!r}, only with {', '.join(sorted(MIXED | {*SCIPY}))}"
    try:
        with no_overflow():
            array, y, encoding = encode(classifier, X, y, reset=reset, allow_nan=takes_mixed(metric))
    except ValueError as error:
        if str(error).startswith("Input X contains NaN"):
            raise ValueError(f"Input X contains NaN: missing values are {instead}") from None
        raise
    if not (encoding.are_numbers or takes_mixed(metric)):
        raise ValueError(f"Input X contains categories: they are {instead}")
    return array, y, encoding


def check_precomputed(X: np.ndarray, metric: Metric) -> None:
    """ValueError if `X` holds dissimilarities and one is negative."""
    if metric == "precomputed" and X.min() < 0:
        raise ValueError(f"X: {X.min():g} is not allowed with metric='precomputed', dissimilarities must be at least 0")
