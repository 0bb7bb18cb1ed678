"""What a fit makes of its arguments: samples of positive weight, numbers of their classes, and their scale."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from proset.columns import Columns
from proset.leave_one_out import copies_of
from proset.model import MAX_ABS
from proset.validation import weights_with_classes

MIN_SPREAD, MAX_SPREAD = 1e-6, 1e6  # of the widest feature: beyond, every kernel value starts as 1 or as 0


@dataclass(frozen=True)
class Prepared:
    """Samples of positive weight.

    Attributes
    ----------
    X : ndarray, shape (n, D)
    codes : ndarray of int, shape (n,)
        Numbers of their classes.
    weight : ndarray, shape (n,), optional
        By default 1.
    copies : ndarray, shape (n,)
        How many rows each row stands for.
    rows : ndarray of int, shape (n,)
        Which of the given samples they are, increasing.
    classes : ndarray, shape (K,)
    columns : Columns
    scale : ndarray, shape (D,)
        What features are divided by.
    """

    X: np.ndarray
    codes: np.ndarray
    weight: np.ndarray | None
    copies: np.ndarray
    rows: np.ndarray
    classes: np.ndarray
    columns: Columns
    scale: np.ndarray

    @property
    def feature_range(self) -> np.ndarray:
        """Smallest and largest values, shape (2, D)."""
        return np.array([np.fmin.reduce(self.X, axis=0), np.fmax.reduce(self.X, axis=0)])

    @property
    def constant(self) -> np.ndarray:
        """Which columns are the same in all samples, but for rounding; shape (D,)."""
        (low, high), gaps = self.feature_range, np.isnan(self.X)
        varies = high - low > 10.0 * np.finfo(float).eps * np.maximum(np.abs(low), np.abs(high))
        return ~varies & (gaps.all(axis=0) | ~gaps.any(axis=0))

    @property
    def weights(self) -> np.ndarray:
        """Shape (n,)."""
        return np.ones(len(self.X)) if self.weight is None else self.weight

    @property
    def scaled(self) -> np.ndarray:
        """Numbers as the penalties see them; categories have no scale of their own."""
        return self.X / np.where(self.columns.levels > 0, 1.0, self.scale)


def prepared(
    X: np.ndarray,
    y: np.ndarray,
    levels: np.ndarray,
    sample_weight: npt.ArrayLike | None,
    class_weight: dict[Any, float] | str | None,
    scale: bool,
) -> Prepared:
    """Check samples (N, D), whose columns of positive `levels` are categories, and leave out those of weight 0.

    Raises
    ------
    ValueError
        If features overflow or, without `scale`, are far from a scale of 1, weights are negative, all zero or huge, or
        there is one class only.
    """
    _check_range(X)
    check_classification_targets(y)
    weight = None
    rows, copies = np.arange(len(y)), np.ones(len(y))
    if sample_weight is not None:
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        copies = copies_of(weight)
    if class_weight is not None:
        weight = weights_with_classes(np.ones(len(y)) if weight is None else weight, class_weight, y)
    if weight is not None:
        largest = weight.max(initial=0.0)
        if not largest:
            raise ValueError("sample_weight is zero for every sample; at least two classes need positive weight")
        if not 1.0 / MAX_ABS <= largest <= MAX_ABS:
            allowed = f"must be {1.0 / MAX_ABS:g} to {MAX_ABS:g}"
            raise ValueError(f"sample_weight: a largest weight of {largest:g} is not allowed, {allowed}")
        rows = np.flatnonzero(weight > 0)
        weight = weight[rows]
    classes, codes = np.unique(y[rows], return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"Classifier can't train when only one class is present: y has {len(classes)} class "
            f"({classes[0]}) among samples of positive weight, at least 2 classes are needed"
        )
    X = X[rows]
    if not scale:
        _check_spread(X[:, levels == 0])
    columns = Columns.of(X, levels, weight)
    divisors = columns.spread if scale else np.ones(X.shape[1])
    return Prepared(X, codes, weight, copies[rows], rows, classes, columns, divisors)


def _check_range(X: np.ndarray) -> None:
    """Refuse features whose squares overflow."""
    max_abs = np.nan_to_num(np.fmax.reduce(np.abs(X), axis=0))
    if max_abs.max() > MAX_ABS:
        raise ValueError(f"X: feature {max_abs.argmax()} reaches {max_abs.max():g}, at most {MAX_ABS:g} is allowed")


def _check_spread(X: np.ndarray) -> None:
    """Refuse features that are so large or all so small that the fit cannot start."""
    spreads = np.nan_to_num(np.fmax.reduce(X, axis=0) - np.fmin.reduce(X, axis=0))
    spread = spreads.max(initial=0.0)
    if spread > MAX_SPREAD or 0 < spread < MIN_SPREAD:
        raise ValueError(
            f"X: feature {spreads.argmax()} spreads over {spread:g}, with scale=False the widest feature has to spread "
            f"over {MIN_SPREAD:g} to {MAX_SPREAD:g}; use scale=True"
        )
