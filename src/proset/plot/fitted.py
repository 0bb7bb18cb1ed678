"""What figures ask of a fitted estimator: the classifier in it, names and units of its features."""

from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import _check_n_features, check_is_fitted

from proset.encoding import as_table
from proset.plot.axis import Axis
from proset.units import feature_names, in_original_units, keeps_features, opened
from proset.validation import checked_count

if TYPE_CHECKING:
    from proset.classifier import ProsetClassifier
    from proset.model import Batch


class Fitted:
    """A classifier with the steps before it: of a `Pipeline`, of a search over such, or by itself.

    `names`, which may be given, and `levels`, None for numbers, are of the features of the classifier; `units` says
    whether these are the features of the data, but for their scale.
    """

    def __init__(self, estimator: Any, names: Sequence[str] | None = None):
        check_is_fitted(estimator)
        self.estimator = estimator
        steps, self.model = opened(estimator)  # the classifier itself
        self.steps = Pipeline([(str(i), step) for i, (_, step) in enumerate(steps)]) if steps else None
        self.units = all(keeps_features(step) for _, step in steps)
        self.names = feature_names(self.model, self.steps)
        if names is not None:
            self.names = checked_names(names, len(self.names))
        self.class_names = [str(name) for name in self.model.classes_]
        encoding = getattr(self.model, "_encoding", None)
        self.is_mixed = encoding is not None and not encoding.are_numbers  # some features are no numbers
        self.levels = [None] * len(self.names) if encoding is None else list(encoding.levels)

    def proset(self) -> "ProsetClassifier":
        """The classifier, if it is one with batches of weighted prototypes."""
        if not hasattr(self.model, "batches_"):
            raise ValueError(f"estimator: {type(self.model).__name__} is not allowed, must be a ProsetClassifier")
        return self.model

    def batch(self, number: int) -> "Batch":
        """One of the batches, from 1."""
        batches = self.proset().batches_
        if not (isinstance(number, Integral) and 1 <= number <= len(batches)):
            allowed = f"must be 1 to {len(batches)}" if batches else "the model has no batch"
            raise ValueError(f"batch: {number!r} is not allowed, {allowed}")
        return batches[number - 1]

    def to_units(self, X: np.ndarray) -> np.ndarray:
        """Rows of features of the classifier in the units of the data; see `proset.units`."""
        return in_original_units(self.steps, X)

    def scaled(self, X: npt.ArrayLike) -> Any:
        """Rows of the data as the classifier takes them, after the steps before it."""
        table = named(self.estimator, X)
        found = table if self.steps is None else self.steps.transform(table)
        return found if self.is_mixed else np.asarray(found, dtype=float)

    def table(self, X: npt.ArrayLike) -> Any:
        """The same under the names that the classifier knows."""
        return named(self.estimator, X) if self.steps is None else named(self.model, self.scaled(X))

    def encoded(self, X: npt.ArrayLike) -> np.ndarray:
        """The same as numbers: categories are their places among the levels, NaN is missing."""
        return self.model._validated(self.table(X))

    def as_given(self, X: np.ndarray) -> np.ndarray:
        """Rows of numbers of the classifier as they are in the table of the data."""
        return self.model._encoding.decode(self.to_units(X))

    def decoded(self, X: np.ndarray) -> Any:
        """Rows of numbers as the estimator takes them."""
        return named(self.estimator, self.model._encoding.decode(X) if self.is_mixed else X)

    def axis(self, d: int, values: np.ndarray, margin: float = 0.05) -> Axis:
        """The axis of a feature for values (N,); missing ones have a place if the classifier itself takes them."""
        takes_gaps = self.steps is None and hasattr(self.model, "_encoding")
        return Axis.of(values, self.levels[d], margin, takes_gaps and bool(np.isnan(values).any()))


def checked_names(names: Sequence[str], number: int) -> list[str]:
    """Names that are given for features."""
    if len(names) != number:
        raise ValueError(f"feature_names: {len(names)} are not allowed, there are {number} features")
    return [str(name) for name in names]


def named(estimator: Any, X: npt.ArrayLike) -> Any:
    """The same rows in the form in which the estimator was fitted: a frame if it knows names."""
    if not hasattr(estimator, "feature_names_in_") or hasattr(X, "columns"):
        return X
    import pandas as pd

    rows = np.asarray(X)
    if rows.ndim == 2:
        _check_n_features(estimator, rows, reset=False)
    return pd.DataFrame(rows, columns=estimator.feature_names_in_)


def numbers(X: Any, name: str = "X") -> np.ndarray:
    """Rows of data as an array of numbers, shape (N, D); ValueError if they are none."""
    try:
        found = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: not all values are numbers, which axes need; {error}") from error
    if found.ndim != 2:
        raise ValueError(f"{name}: {found.ndim} dimensions are not allowed, must be 2 (samples, features)")
    return found


class Plane:
    """A plane of two features, which have `names`, through a point, shape (D,), of the data."""

    def __init__(
        self,
        fitted: Fitted,
        X: npt.ArrayLike,
        features: Sequence[int | str] | None,
        point: npt.ArrayLike | None,
        names: Sequence[str] | None,
    ):
        if fitted.is_mixed and fitted.steps is not None:  # axes of categories are those of the classifier
            raise ValueError(
                "estimator: steps before a classifier of categories are not allowed in this figure; give the "
                "classifier and the table that it takes"
            )
        self.fitted = fitted
        self.table = fitted.encoded(X) if fitted.is_mixed else numbers(X)
        n_features = self.table.shape[1]
        names = feature_names(fitted.estimator, None) if names is None else checked_names(names, n_features)
        if len(names) != n_features:
            raise ValueError(f"X: {n_features} features are not allowed, estimator takes {len(names)}")
        self.features = two_features(features, names, (0, 1))
        self.names = [names[d] for d in self.features]
        if point is None:
            self.point = self._middle()
        elif fitted.is_mixed:
            self.point = fitted.encoded(as_table([point] if np.ndim(point) == 1 else point))[0]
        else:
            self.point = numbers(np.atleast_2d(point), "point")[0]
        if len(self.point) != n_features:
            raise ValueError(f"point: {len(self.point)} values are not allowed, X has {n_features} features")

    def _middle(self) -> np.ndarray:
        """Medians of numbers, the most frequent of categories, shape (D,)."""
        middle: np.ndarray = np.nanmedian(self.table, axis=0)
        for d in np.flatnonzero([levels is not None for levels in self.fitted.levels]) if self.fitted.is_mixed else ():
            values, counts = np.unique(self.table[:, d], return_counts=True)
            middle[d] = values[counts.argmax()]
        return middle

    def axes(self, margin: float = 0.05) -> list[Axis]:
        """The two that span the plane, over the range of the data and a margin, a proportion of it."""
        if len(self.fitted.levels) != self.table.shape[1]:  # steps before the classifier make other features
            return [Axis.of(self.table[:, d], None, margin) for d in self.features]
        return [self.fitted.axis(d, self.table[:, d], margin) for d in self.features]

    def grid(self, resolution: int, margin: float = 0.05) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Centres of pixels on both axes, (resolution,), and their points, shape (resolution**2, D), row by row."""
        checked_count(resolution, "grid_resolution", 2)
        (x, of_x), (y, of_y) = (axis.pixels(resolution) for axis in self.axes(margin))
        points = np.tile(self.point, (resolution**2, 1))
        points[:, self.features] = np.column_stack([axis.ravel() for axis in np.meshgrid(of_x, of_y)])
        return x, y, points

    def places(self, X: np.ndarray, margin: float = 0.05) -> np.ndarray:
        """Where rows (N, D) are in the plane, shape (N, 2)."""
        pairs = enumerate(zip(self.axes(margin), self.features, strict=True))
        return np.column_stack([axis.places(X[:, d], i) for i, (axis, d) in pairs])

    def ticks(self, margin: float = 0.05) -> tuple[Any, Any]:
        """Names at the two axes, see `Axis.ticks`."""
        x, y = (axis.ticks() for axis in self.axes(margin))
        return x, y


def grid(X: np.ndarray, resolution: int, margin: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Centres of the pixels of each axis, shape (resolution,), over the range of the data and a margin."""
    x, y = (Axis.of(X[:, d], None, margin).pixels(resolution)[0] for d in range(2))
    return x, y


def two_features(features: Sequence[int | str] | None, names: list[str], default: Sequence[int]) -> list[int]:
    """Positions of the two features that span a plane, which are given by name or position; ValueError if not two."""
    listed: Any = default if features is None else [features] if np.ndim(features) == 0 else features
    chosen = [names.index(f) if f in names else f for f in listed]
    allowed = len(chosen) == 2 and all(isinstance(f, int | np.integer) and 0 <= f < len(names) for f in chosen)
    if not allowed or chosen[0] == chosen[1]:
        shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        raise ValueError(
            f"features: {features!r} is not allowed, must be two different ones of {len(names)}, by name ({shown}) or "
            "by position"
        )
    return [int(f) for f in chosen]
