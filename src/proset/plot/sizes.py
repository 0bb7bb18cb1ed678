"""How good a model is with few prototypes and few features."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from proset.plot import style
from proset.plot.fitted import Fitted, named
from proset.plot.path import CRITERIA, loss_of

if TYPE_CHECKING:
    from proset.classifier import ProsetClassifier


class PrototypePathDisplay:
    """Loss on given data against the number of prototypes; a diamond marks the size of the model.

    It is recommended to use `from_estimator`.

    Parameters
    ----------
    n_prototypes : ndarray of int, shape (S,)
        Increasing.
    losses : ndarray, shape (S,)
    chosen : int
        Number of prototypes of the model.
    criterion : {"log_loss", "error"}, default="log_loss"
        What the losses are.
    name : str, optional
        Of the line in the legend.

    Attributes
    ----------
    line_ : matplotlib Line2D
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import train_test_split
    >>> from proset import ProsetClassifier
    >>> from proset.plot import PrototypePathDisplay
    >>> X_train, X_test, y_train, y_test = train_test_split(*load_wine(return_X_y=True), random_state=0)
    >>> model = ProsetClassifier().fit(X_train, y_train)
    >>> display = PrototypePathDisplay.from_estimator(model, X_test, y_test, name="test")
    >>> bool(display.losses[0] > display.losses[-1])  # one prototype, and all of them
    True
    """

    def __init__(
        self,
        *,
        n_prototypes: np.ndarray,
        losses: np.ndarray,
        chosen: int,
        criterion: str = "log_loss",
        name: str | None = None,
    ):
        self.n_prototypes = n_prototypes
        self.losses = losses
        self.chosen = chosen
        self.criterion = criterion
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        *,
        sample_weight: npt.ArrayLike | None = None,
        criterion: str = "log_loss",
        name: str | None = None,
        ax: Axes | None = None,
    ) -> "PrototypePathDisplay":
        """Draw the path of a fitted classifier.

        Parameters
        ----------
        estimator : estimator
            A fitted `ProsetClassifier` with `prototype_path_`, or a `Pipeline` or search with one.
        X : array-like, shape (N, D)
            As `estimator` takes them; better other samples than in `fit`.
        y : array-like, shape (N,)
        sample_weight : array-like, shape (N,), optional
        criterion : {"log_loss", "error"}, default="log_loss"
        name : str, optional
            Of the line in the legend.
        ax : matplotlib Axes, optional
            By default those of a new figure.

        Returns
        -------
        PrototypePathDisplay

        Raises
        ------
        ValueError
            If `estimator` has no `ProsetClassifier`, or `criterion` is not one of these.
        AttributeError
            If the model is from a file, which keeps one size.
        """
        loss = loss_of(criterion)
        fitted = Fitted(estimator)
        model = fitted.proset()
        found = list(model.sized_predict_proba(named(model, fitted.scaled(X))))
        return cls(
            n_prototypes=np.array([n for n, _ in found]),
            losses=np.array([loss(y, p, model.classes_, sample_weight) for _, p in found]),
            chosen=model.n_prototypes_,
            criterion=criterion,
            name=name,
        ).plot(ax)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> "PrototypePathDisplay":
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure. Those of another path add a line to it.
        **kwargs
            Of the line, for `matplotlib.axes.Axes.plot`.

        Returns
        -------
        self
        """
        axes = style.new_axes(ax)
        k = len([line for line in axes.lines if line.get_marker() in style.MARKERS])
        ink = style.ink(axes)
        shown = self.n_prototypes > 0  # the axis is logarithmic
        look = {**style.class_style(k, ink), "label": self.name, "markersize": 4, **kwargs}
        (self.line_,) = axes.plot(self.n_prototypes[shown], self.losses[shown], **look)
        at = shown & (self.n_prototypes == self.chosen)
        axes.scatter(self.n_prototypes[at], self.losses[at], **style.choice_style(ink))
        style.log_axis(axes, "x", dense=True)
        axes.set(xlabel="prototypes", ylabel=CRITERIA[self.criterion])
        style.legend(axes)
        self.ax_, self.figure_ = axes, axes.figure
        return self


class SizeTableDisplay:
    """Log-loss in cross-validation by numbers of features (rows) and prototypes (columns).

    Cells within one standard error of the smallest loss have a frame.

    Parameters
    ----------
    table : dict of arrays
        As `ProsetClassifier.size_table` gives it.

    Attributes
    ----------
    mesh_ : matplotlib QuadMesh
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from proset import ProsetClassifier
    >>> from proset.plot import SizeTableDisplay
    >>> display = SizeTableDisplay.from_estimator(ProsetClassifier(), *load_wine(return_X_y=True))
    >>> int(display.table["n_features"][0])
    1
    """

    def __init__(self, *, table: dict[str, np.ndarray]):
        self.table = table

    @classmethod
    def from_estimator(
        cls,
        estimator: "ProsetClassifier",
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        *,
        sample_weight: npt.ArrayLike | None = None,
        n_features: Sequence[int] | None = None,
        ax: Axes | None = None,
    ) -> "SizeTableDisplay":
        """Compute and draw the table of a classifier.

        Parameters
        ----------
        estimator : ProsetClassifier
            Its parameters count; it is not fitted, and need not be.
        X, y, sample_weight, n_features
            As of `ProsetClassifier.size_table`.
        ax : matplotlib Axes, optional
            By default those of a new figure.

        Returns
        -------
        SizeTableDisplay

        Raises
        ------
        ValueError
            As `ProsetClassifier.size_table`.
        """
        return cls(table=estimator.size_table(X, y, sample_weight, n_features)).plot(ax)

    def plot(self, ax: Axes | None = None) -> "SizeTableDisplay":
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.

        Returns
        -------
        self
        """
        loss, error = self.table["mean_loss"], self.table["standard_error"]
        n_rows, n_columns = loss.shape
        axes = style.new_axes(ax, (2.2 + 0.42 * n_columns, 1.4 + 0.3 * n_rows))
        self.mesh_ = axes.pcolormesh(loss, cmap=style.LOSS_MAP, edgecolor="white", linewidth=0.5)
        best = np.unravel_index(loss.argmin(), loss.shape)
        within = loss <= loss[best] + error[best]
        middle = (loss.min() + loss.max()) / 2
        for (row, column), value in np.ndenumerate(loss):
            colour = "white" if value > middle else style.BLACK  # the lower, the lighter
            axes.text(column + 0.5, row + 0.5, f"{value:.2f}", ha="center", va="center", size=7, color=colour)
            if within[row, column]:
                axes.add_patch(_frame(column, row))
        axes.set_xticks(np.arange(n_columns) + 0.5, [f"{n:,}" for n in self.table["n_prototypes"]], rotation=90)
        axes.set_yticks(np.arange(n_rows) + 0.5, [str(n) for n in self.table["n_features"]])
        axes.set(xlabel="prototypes, at most", ylabel="features, at most")
        axes.figure.colorbar(self.mesh_, ax=axes, label=CRITERIA["log_loss"])
        self.ax_, self.figure_ = axes, axes.figure
        return self


def _frame(column: int, row: int) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((column + 0.04, row + 0.04), 0.92, 0.92, fill=False, edgecolor="#D55E00", linewidth=1.6)
