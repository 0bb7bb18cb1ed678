"""What the difference of two values is, by column: numbers, categories and missing values.

The kernel of `proset.objective` is exp(-1/2 sum_d e_d), where column d adds

    e_d = v_d^2 (x_d - c_d)^2            for two numbers,
    e_d = v_d^2 t_d^2 [x_d != c_d]       for two categories, t_d being their distance,
    e_d = log(1 + v_d^2 s_d^2)           for a number and a missing value, s_d being the spread of the column,
    e_d = 0                              for two missing values.

There is one weight v_d for a column, however many categories it has. Without division by standard deviations (`scale_`
of `proset.ProsetClassifier`) t_d is 1. With it, two rows drawn at random have the same mean square, 2, in all columns:
the standard deviation of a column of categories with proportions p_l is that of its indicators over sqrt(2),
sqrt((1 - sum_l p_l^2) / 2). A category that was not in the training data differs from all others.

A missing category is a category. A missing number is not filled in: exp(-e_d / 2) is the mean of the kernel over
numbers that are normally distributed around the known one with the standard deviation s_d of the column. So a column
that counts takes a row with a gap away from rows with a number, but not out of their reach, as a constant times v_d^2
would. Rows with the same gaps are as near as their other columns say.

In arrays, X (N, D), categories are their numbers among the levels, 0, 1, ..., and missing numbers are NaN.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

BITS = 16  # of a standard deviation: what is beyond depends on the order of the rows
SMALLEST = 1e-100  # differences whose squares underflow are none


@dataclass(frozen=True)
class Columns:
    """How the values of columns compare.

    Attributes
    ----------
    levels : ndarray of int, shape (D,)
        How many categories the training data have; 0 for numbers. A larger number in an array is another category.
    category : ndarray, shape (D,)
        t_d, the distance of two different categories; 0 for numbers.
    spread : ndarray, shape (D,)
        s_d > 0, the standard deviation of a column, 1 if it is constant.
    has_gaps : ndarray of bool, shape (D,)
        Where numbers may be missing. All others are complete in training data; see `proset.arithmetic.class_sums`.

    Examples
    --------
    >>> columns = Columns(np.array([0, 4]), np.array([0.0, 1.0]), np.array([2.0, 1.0]), np.array([True, False]))
    >>> columns.exponent(0, np.array([6.0, 5.0, np.nan]), 5.0, v=0.5).round(3).tolist()  # 0.693: log(1 + (0.5 2)^2)
    [0.25, 0.0, 0.693]
    >>> columns.exponent(1, np.array([3.0, 2.0]), 3.0, v=2.0).tolist()
    [0.0, 4.0]
    """

    levels: np.ndarray
    category: np.ndarray
    spread: np.ndarray
    has_gaps: np.ndarray

    def unless_plain(self) -> "Columns | None":
        """None if all are numbers, of which none is missing."""
        return self if self.levels.any() or self.has_gaps.any() else None

    @classmethod
    def of(cls, X: np.ndarray, levels: np.ndarray, weight: np.ndarray | None) -> "Columns":
        """Columns of training samples X (N, D), perhaps with weights (N,); spreads are rounded to `BITS`."""
        return cls(levels, (levels > 0).astype(float), spreads(X, levels, weight), np.isnan(X).any(axis=0))

    @property
    def are_numbers(self) -> np.ndarray:
        """Shape (D,)."""
        found: np.ndarray = self.levels == 0
        return found

    def take(self, features: np.ndarray) -> "Columns":
        """Columns of some features."""
        return Columns(self.levels[features], self.category[features], self.spread[features], self.has_gaps[features])

    def divided(self, scale: np.ndarray) -> "Columns":
        """Columns of X / scale."""
        return replace(self, category=self.category / scale, spread=self.spread / scale)

    def filled(self, X: np.ndarray) -> np.ndarray:
        """X with a number below all others for each missing one: equal where, and only where, the values are."""
        gaps = np.isnan(X)
        if not gaps.any():
            return X
        least = np.where(gaps, np.inf, X).min(axis=0)
        least = np.where(np.isinf(least), 0.0, least)
        below = np.minimum(least - self.spread, np.nextafter(least, -np.inf))  # 1e17 - 1 is 1e17
        return np.where(gaps, below, X)

    def exponent(self, d: int, x: npt.ArrayLike, c: npt.ArrayLike, v: float) -> np.ndarray:
        """e_d of values x and c of column d with weight v; they broadcast."""
        return self._exponent(d, np.asarray(x), np.asarray(c), v**2, np.log1p((v * self.spread[d]) ** 2))

    def distances(self, X: np.ndarray, Y: np.ndarray, metric: str) -> np.ndarray:
        """Distances of samples (N, D) and (M, D) without weights, shape (N, M).

        By "euclidean", the root of sum_d e_d; by "sqeuclidean", that sum; by "cityblock", sum_d sqrt(e_d). The e_d of
        numbers and categories are those of v_d = 1; of a missing and a known number it is s_d^2 log(2), as with
        v_d = 1 / s_d.
        """
        found = np.zeros((len(X), len(Y)))
        for d in range(X.shape[1]):
            square = self._exponent(d, X[:, d, None], Y[:, d], 1.0, self.spread[d] ** 2 * np.log(2.0))
            found += np.sqrt(square) if metric == "cityblock" else square
        return np.sqrt(found) if metric == "euclidean" else found

    def _exponent(self, d: int, x: np.ndarray, c: np.ndarray, factor: float, one_missing: float) -> np.ndarray:
        if self.levels[d]:
            return np.where(x != c, factor * self.category[d] ** 2, 0.0)
        missing_x, missing_c = np.isnan(x), np.isnan(c)
        found = np.where(missing_x | missing_c, 0.0, factor * (x - c) ** 2)
        found[missing_x != missing_c] = one_missing
        return found


def spreads(X: np.ndarray, levels: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """Standard deviations of columns, of those values that are there, shape (D,); 1 of constant ones.

    That of categories is the root of (1 - sum_l p_l^2) / 2, so that a column of two is what it would be as 0 and 1.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [3.0, 0.0], [np.nan, 1.0], [np.nan, 1.0]])
    >>> spreads(X, np.array([0, 2]), None).tolist()
    [1.0, 0.5]
    """
    weight = np.ones(len(X)) if weight is None else weight
    found, plain = np.ones(X.shape[1]), (levels == 0) & ~np.isnan(X).any(axis=0)
    found[plain] = _deviations(X[:, plain], weight)
    for d in np.flatnonzero(~plain):
        there = ~np.isnan(X[:, d])
        if levels[d]:
            p = np.bincount(X[:, d].astype(int), weights=weight) / weight.sum()
            found[d] = np.sqrt((1.0 - (p**2).sum()) / 2.0) if (p > 0).sum() > 1 else 1.0
        elif there.any():
            (found[d],) = _deviations(X[there, d : d + 1], weight[there])
    mantissa, exponent = np.frexp(found)
    rounded: np.ndarray = np.ldexp(np.round(mantissa * 2.0**BITS), exponent - BITS)
    return rounded


def _deviations(X: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Standard deviations of numbers; 1 for columns that are constant but for rounding."""
    mean = np.average(X, axis=0, weights=weight)
    from_mean = X - mean
    largest = np.abs(from_mean).max(axis=0, initial=0.0)
    is_constant = (largest <= 10.0 * np.finfo(float).eps * np.abs(mean)) | (largest < SMALLEST)
    largest[is_constant] = 1.0
    deviation: np.ndarray = largest * np.sqrt(np.average((from_mean / largest) ** 2, axis=0, weights=weight))
    deviation[is_constant] = 1.0
    return deviation
