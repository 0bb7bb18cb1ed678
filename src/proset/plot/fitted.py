"""What figures ask of a fitted estimator: the classifier in it, names and units of its features."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from proset.encoding import as_table
from proset.plot.axis import Axis
from proset.units import feature_names, in_original_units, keeps_features

if TYPE_CHECKING:
    from proset.classifier import ProsetClassifier
    from proset.model import Batch


class Fitted:
    """A classifier with the steps before it.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier, a `Pipeline` that ends with one, or a search over such (with `best_estimator_`).
    names : sequence of str, optional
        Other ones for the features of the classifier.

    Attributes
    ----------
    estimator : estimator
        As given.
    model : estimator
        The classifier itself.
    units : bool
        Whether the features of the classifier are those of the data, but for their scale.
    names : list of str
        Of the features of the classifier.
    class_names : list of str
    is_mixed : bool
        Whether the classifier has features that are no numbers.
    levels : list of tuple or None
        Of these; None for numbers.
    """

    def __init__(self, estimator: Any, names: Sequence[str] | None = None):
        check_is_fitted(estimator)
        self.estimator, steps = estimator, []
        while hasattr(estimator, "best_estimator_") or isinstance(estimator, Pipeline):
            if isinstance(estimator, Pipeline):
                steps += estimator.steps[:-1]
                estimator = estimator.steps[-1][1]
            else:
                estimator = estimator.best_estimator_
        self.model = estimator
        self._steps = Pipeline([(str(i), step) for i, (_, step) in enumerate(steps)]) if steps else None
        self.units = all(keeps_features(step) for _, step in steps)
        self.names = feature_names(self.model, self._steps)
        if names is not None:
            self.names = checked_names(names, len(self.names))
        self.class_names = [str(name) for name in self.model.classes_]
        encoding = getattr(self.model, "_encoding", None)
        self.is_mixed = encoding is not None and not encoding.are_numbers
        self.levels = [None] * len(self.names) if encoding is None else list(encoding.levels)

    def proset(self) -> "ProsetClassifier":
        """The classifier, if it is one with batches of weighted prototypes."""
        if not hasattr(self.model, "batches_"):
            raise ValueError(f"estimator: {type(self.model).__name__} is not allowed, must be a ProsetClassifier")
        found: ProsetClassifier = self.model
        return found

    def batch(self, number: int) -> "Batch":
        """One of the batches, from 1."""
        batches = self.proset().batches_
        if not 1 <= number <= len(batches):
            raise ValueError(f"batch: {number!r} is not allowed, must be 1 to {len(batches)}")
        return batches[number - 1]

    def feature_weights(self) -> np.ndarray:
        """Weights of the features in each batch, shape (B, D), on a common scale; 0 in a batch without prototypes."""
        return self.proset().feature_weights_

    def to_units(self, X: np.ndarray) -> np.ndarray:
        """Rows of features of the classifier in the units of the data; see `proset.units`."""
        return in_original_units(self._steps, X)

    def scaled(self, X: npt.ArrayLike) -> Any:
        """Rows of the data as the classifier takes them, after the steps before it."""
        table = named(self.estimator, X)
        found = table if self._steps is None else self._steps.transform(table)
        return found if self.is_mixed else np.asarray(found, dtype=float)

    def encoded(self, X: npt.ArrayLike) -> np.ndarray:
        """The same as numbers: categories are their places among the levels, NaN is missing."""
        found: np.ndarray = self.model._validated(self.scaled(X)) if self.is_mixed else self.scaled(X)
        return found

    def decoded(self, X: np.ndarray) -> Any:
        """Rows of numbers as the estimator takes them."""
        return named(self.estimator, self.model._encoding.decode(X) if self.is_mixed else X)

    def axis(self, d: int, values: np.ndarray, margin: float = 0.05) -> Axis:
        """The axis of a feature for values (N,); missing ones have a place if the classifier itself takes them."""
        takes_gaps = self._steps is None and hasattr(self.model, "_encoding")
        return Axis.of(values, self.levels[d], margin, takes_gaps and bool(np.isnan(values).any()))

    def refuse_steps(self) -> None:
        """Axes of categories are those of the classifier."""
        if self.is_mixed and self._steps is not None:
            raise ValueError(
                "estimator: steps before a classifier of categories are not allowed in this figure; give the "
                "classifier and the table that it takes"
            )


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

    return pd.DataFrame(np.asarray(X), columns=estimator.feature_names_in_)


def numbers(X: Any, name: str = "X") -> np.ndarray:
    """Rows of data as an array of numbers, shape (N, D).

    Raises
    ------
    ValueError
        If they are none.
    """
    try:
        found = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: not all values are numbers, which axes need; {error}") from error
    if found.ndim != 2:
        raise ValueError(f"{name}: {found.ndim} dimensions are not allowed, must be 2 (samples, features)")
    return found


class Plane:
    """A plane of two features through a point of the data.

    Attributes
    ----------
    table : ndarray, shape (N, D)
        The data.
    features : list of int
        The two that span the plane.
    names : list of str
        Theirs.
    point : ndarray, shape (D,)
    """

    def __init__(
        self,
        fitted: Fitted,
        X: npt.ArrayLike,
        features: Sequence[int | str] | None,
        point: npt.ArrayLike | None,
        names: Sequence[str] | None,
    ):
        fitted.refuse_steps()
        self.fitted = fitted
        self.table = fitted.encoded(X) if fitted.is_mixed else numbers(X)
        n_features = self.table.shape[1]
        names = feature_names(fitted.estimator, None) if names is None else checked_names(names, n_features)
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
    low, high = np.nanmin(X, axis=0), np.nanmax(X, axis=0)  # missing values are for the steps before the classifier
    margins = margin * np.where(high > low, high - low, 1.0)
    low, high = low - margins, high + margins
    step = (high - low) / resolution
    x, y = (low[d] + step[d] * (np.arange(resolution) + 0.5) for d in range(2))
    return x, y


def two_features(features: Sequence[int | str] | None, names: list[str], default: Sequence[int]) -> list[int]:
    """Positions of the two features that span a plane, which are given by name or position.

    Raises
    ------
    ValueError
        If they are not two of those there are.
    """
    chosen = [names.index(f) if f in names else f for f in (default if features is None else features)]
    allowed = len(chosen) == 2 and all(isinstance(f, int | np.integer) and 0 <= f < len(names) for f in chosen)
    if not allowed or chosen[0] == chosen[1]:
        shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        raise ValueError(
            f"features: {features!r} is not allowed, must be two different ones of {len(names)}, by name ({shown}) or "
            "by position"
        )
    return [int(f) for f in chosen]


def codes(y: Any, classes: np.ndarray) -> np.ndarray:
    """Indices of labels among the classes.

    Raises
    ------
    ValueError
        If a label is no class.
    """
    y = np.asarray(y)
    unknown = np.setdiff1d(y, classes).tolist()
    if unknown:
        raise ValueError(f"y: {unknown[0]!r} is not allowed, must be one of the classes {classes.tolist()}")
    found: np.ndarray = np.searchsorted(classes, y)
    return found
