"""What one model has and does otherwise than another."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from proset.editing import Difference, diff
from proset.plot import style
from proset.plot.display import DataFrame, Display, new_axes
from proset.plot.fitted import Fitted
from proset.units import feature_names
from proset.validation import checked_count


class DifferenceDisplay(Display):
    """Weights of prototypes (left) and of features (right) in one model and in another, as pairs of dots.

    The legend says for how many samples the predicted class differs.

    Parameters
    ----------
    difference : proset.editing.Difference
        As `proset.diff` returns it.
    top : int >= 1, default=15
        Prototypes and features to show of each, those whose weights differ most.

    Attributes
    ----------
    shown_ : tuple of two pandas.DataFrame
        The prototypes and the features that are drawn.
    ax_ : matplotlib Axes
        Those of the prototypes.
    features_ax_ : matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import ProsetClassifier
    >>> from proset.plot import DifferenceDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = ProsetClassifier().fit(X, y)
    >>> other = model.edited(pin={"petal width (cm)": 0.0})
    >>> display = DifferenceDisplay.from_estimators(model, other, X)
    >>> [label.get_text() for label in display.features_ax_.get_yticklabels()]
    ['petal width (cm)', 'petal length (cm)']
    """

    difference: Difference
    top: int = 15

    @classmethod
    def from_estimators(
        cls, model: Any, other: Any, X: npt.ArrayLike | None = None, *, top: int = 15, ax: Sequence[Axes] | None = None
    ) -> Self:
        """Compare two fitted classifiers and draw what differs.

        Parameters
        ----------
        model, other : estimator
            A fitted `ProsetClassifier`, or a `Pipeline` or search with one. `other` may also be a bare classifier that
            was derived from the one in `model`; the steps before it are then those of `model`.
        X : array-like, shape (N, D), optional
            Samples to compare predictions on, as `model` takes them. By default as in `proset.diff`.
        ax : sequence of two matplotlib Axes, optional
            By default those of a new figure.

        Raises
        ------
        ValueError
            As in `proset.diff`, or if the steps before the two classifiers give different values for `X`.
        """
        fitted, after = Fitted(model), Fitted(other)
        first, second = fitted.proset(), after.proset()
        points = None if X is None else fitted.table(X)
        has_steps = after.estimator is not after.model and first.n_features_in_ == second.n_features_in_
        if X is not None and has_steps and not np.allclose(fitted.encoded(X), after.encoded(X), equal_nan=True):
            raise ValueError("other: steps before the classifier give other values than those of model")
        found = diff(first, second, points)
        names = dict(zip(feature_names(first, None), fitted.names, strict=True))
        features = found.features.assign(feature=[names[name] for name in found.features["feature"]])
        return cls(difference=replace(found, features=features), top=checked_count(top)).plot(ax)

    def plot(self, ax: Sequence[Axes] | None = None) -> Self:
        found, tables = self.difference, [self.difference.prototypes, self.difference.features]
        shown = [_most_changed(table, self.top) for table in tables]
        n_rows = max(1, *map(len, shown))
        if ax is not None and (n_axes := np.asarray(ax, dtype=object).size) != 2:
            raise ValueError(f"ax: {n_axes} are not allowed, must be two Axes of Matplotlib")
        left, right = pair = new_axes((11.0, 1.8 + 0.28 * max(n_rows, 2)), 2) if ax is None else ax
        pairs = zip(shown[0]["row"], shown[0]["class"], strict=True)
        rows = [f"row {row}, class {style.plain(label)}" for row, label in pairs]
        _dumbbells(left, shown[0], rows, "weight of prototype")
        _dumbbells(right, shown[1], [style.plain(name) for name in shown[1]["feature"]], "largest weight of feature")
        for axes in pair:
            axes.set_ylim(n_rows - 0.4, -0.6)
        for axes, table, part, what in zip(pair, tables, shown, ("prototypes", "features"), strict=True):
            axes.set_title(_summary(table, part, what), fontsize="small", loc="left")
        style.legend(right, title=_turned(found.predictions), alignment="left")
        self.shown_ = shown[0], shown[1]
        self.ax_, self.features_ax_, self.figure_ = left, right, left.figure
        return self


def _most_changed(table: "DataFrame", top: int) -> "DataFrame":
    change = -(table["weight then"] - table["weight"]).abs().to_numpy()
    return table.iloc[np.argsort(change, kind="stable")[:top]]


def _dumbbells(axes: Axes, table: "DataFrame", names: list[str], what: str) -> None:
    style.dumbbells(axes, table["weight"], table["weight then"], ("before", "after"), names)
    largest = table[["weight", "weight then"]].to_numpy(dtype=float).max(initial=0.0) or 1.0
    axes.set(xlabel=what, xlim=(-0.05 * largest, 1.05 * largest))


def _summary(table: "DataFrame", shown: "DataFrame", what: str) -> str:
    counts = table["change"].value_counts()
    parts = [f"{counts[name]} {name}" for name in ("added", "removed", "changed", "same") if name in counts]
    of_all = "" if len(shown) == len(table) else f"; {len(shown)} shown"
    return f"{what}: {', '.join(parts) or 'none'}{of_all}"


def _turned(predictions: "DataFrame") -> str:
    turned = int((predictions["class"] != predictions["class then"]).sum())
    share = turned / max(len(predictions), 1)
    return f"{turned} of {len(predictions):,} predictions\ndiffer ({share:.1%})"
