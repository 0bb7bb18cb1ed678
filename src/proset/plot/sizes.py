"""How good a model is with few batches, few prototypes and few features."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from sklearn.metrics import log_loss, zero_one_loss

from proset.plot import style
from proset.plot.display import Display
from proset.plot.fitted import Fitted

if TYPE_CHECKING:
    from proset.classifier import ProsetClassifier


CRITERIA = {"log_loss": "log-loss (nats)", "error": "error rate"}


def losses_of(
    found: Iterable[np.ndarray], criterion: str, classes: np.ndarray, y: Any, sample_weight: Any
) -> np.ndarray:
    """Losses of several arrays of probabilities; ValueError if there is no such criterion."""
    if criterion not in CRITERIA:
        raise ValueError(f"criterion: {criterion!r} is not allowed, must be one of {', '.join(CRITERIA)}")
    if criterion == "error":
        predicted = (classes[probabilities.argmax(axis=1)] for probabilities in found)
        return np.array([zero_one_loss(y, labels, sample_weight=sample_weight) for labels in predicted])
    return np.array([log_loss(y, p, labels=classes, sample_weight=sample_weight) for p in found])


class BatchPathDisplay(Display):
    """Loss on given data against the number of batches; the number of prototypes stands on top.

    On the axes of another display of this kind it adds a line.

    Parameters
    ----------
    losses : ndarray, shape (B + 1,)
        With 0, 1, ..., B batches.
    n_prototypes : ndarray of int, shape (B + 1,)
        In these batches.
    name : str, optional
        Name of the line in the legend.

    Attributes
    ----------
    line_ : matplotlib Line2D

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import train_test_split
    >>> from proset import ProsetClassifier
    >>> from proset.plot import BatchPathDisplay
    >>> X_train, X_test, y_train, y_test = train_test_split(*load_iris(return_X_y=True), random_state=0)
    >>> model = ProsetClassifier(n_batches=3, lambda_v=0.01).fit(X_train, y_train)
    >>> display = BatchPathDisplay.from_estimator(model, X_train, y_train, name="training")
    >>> display = BatchPathDisplay.from_estimator(model, X_test, y_test, name="test", ax=display.ax_)
    >>> bool(display.losses[0] > display.losses[1])  # the class prior, and one batch
    True
    """

    losses: np.ndarray
    n_prototypes: np.ndarray
    criterion: str = "log_loss"
    name: str | None = None

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
    ) -> Self:
        """Draw the path of a fitted classifier.

        Parameters
        ----------
        X : array-like, shape (N, D)
            Samples as `estimator` takes them, preferably not those of `fit`.
        """
        fitted = Fitted(estimator)
        model = fitted.proset()
        staged = model.staged_predict_proba(fitted.table(X))
        return cls(
            losses=losses_of(staged, criterion, model.classes_, y, sample_weight),
            n_prototypes=np.cumsum([0, *(len(batch.labels) for batch in model.batches_)]),
            criterion=criterion,
            name=name,
        ).plot(ax)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        axes = self._axes(ax)
        number = np.arange(len(self.losses))
        k = len([line for line in axes.lines if line.get_marker() in style.MARKERS])
        look = {**style.class_style(k, style.ink(axes)), "label": self.name, **kwargs}
        (self.line_,) = axes.plot(number, self.losses, **look)
        if self.losses.max() > 5 * self.losses.min() > 0:
            style.log_axis(axes, "y", dense=True)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
        axes.set(xlabel="batches", ylabel=CRITERIA[self.criterion])
        if not axes.child_axes:
            shown = number[:: 1 + len(number) // 8]
            top = axes.secondary_xaxis("top")
            top.set_xticks(shown, [f"{n:,}" for n in self.n_prototypes[shown]])
            top.set_xlabel("prototypes")
        style.legend(axes)
        return self


class PrototypePathDisplay(Display):
    """Loss on given data against the number of prototypes; a diamond marks the size of the model.

    On the axes of another display of this kind it adds a line.

    Parameters
    ----------
    n_prototypes : ndarray of int, shape (S,)
        Increasing.
    losses : ndarray, shape (S,)
    chosen : int
        Number of prototypes of the model. The axis is logarithmic; sizes of 0 are not drawn.
    name : str, optional
        Name of the line in the legend.

    Attributes
    ----------
    line_ : matplotlib Line2D

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

    n_prototypes: np.ndarray
    losses: np.ndarray
    chosen: int
    criterion: str = "log_loss"
    name: str | None = None

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
    ) -> Self:
        """Draw the path of a fitted classifier.

        Parameters
        ----------
        estimator : estimator
            A fitted `ProsetClassifier`, or a `Pipeline` or search with one. Without `prototype_path_` it has one size.
        X : array-like, shape (N, D)
            Samples as `estimator` takes them, preferably not those of `fit`.

        Raises
        ------
        ValueError
            If `estimator` has no `ProsetClassifier`, no size has a prototype, or another argument does not fit it.
        AttributeError
            If the model is from a file or shrunk, which keeps one size.
        """
        fitted = Fitted(estimator)
        model = fitted.proset()
        if not any(of_size.n_prototypes() for of_size in model._of_all_sizes()):
            raise ValueError("estimator: a model without prototypes in any size is not allowed")
        sizes, found = zip(*model.sized_predict_proba(fitted.table(X)), strict=True)
        return cls(
            n_prototypes=np.array(sizes),
            losses=losses_of(found, criterion, model.classes_, y, sample_weight),
            chosen=model.n_prototypes_,
            criterion=criterion,
            name=name,
        ).plot(ax)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        axes = self._axes(ax)
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
        return self


class SizeTableDisplay(Display):
    """Log-loss in cross-validation by numbers of features (rows) and prototypes (columns).

    Cells within one standard error of the smallest loss have a frame.

    Parameters
    ----------
    table : dict of arrays
        As `ProsetClassifier.size_table` gives it.

    Attributes
    ----------
    mesh_ : matplotlib QuadMesh

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from proset import ProsetClassifier
    >>> from proset.plot import SizeTableDisplay
    >>> display = SizeTableDisplay.from_estimator(ProsetClassifier(), *load_wine(return_X_y=True))
    >>> int(display.table["n_features"][0])
    1
    """

    table: dict[str, np.ndarray]

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
    ) -> Self:
        """Compute and draw the table of a classifier.

        Parameters
        ----------
        estimator : ProsetClassifier
            Only its parameters are used. It need not be fitted, and this does not fit it.
        X, y, sample_weight, n_features
            As in `ProsetClassifier.size_table`.
        """
        if not hasattr(estimator, "size_table"):
            raise ValueError(f"estimator: {type(estimator).__name__} is not allowed, must be a ProsetClassifier")
        return cls(table=estimator.size_table(X, y, sample_weight, n_features)).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        loss, error = self.table["mean_loss"], self.table["standard_error"]
        n_rows, n_columns = loss.shape
        axes = self._axes(ax, (2.2 + 0.42 * n_columns, 1.4 + 0.3 * n_rows))
        self.mesh_ = axes.pcolormesh(loss, cmap=style.LOSS_MAP, edgecolor="white", linewidth=0.5)
        best = np.unravel_index(loss.argmin(), loss.shape)
        within = loss <= loss[best] + error[best]
        middle = (loss.min() + loss.max()) / 2
        for (row, column), value in np.ndenumerate(loss):
            colour = "white" if value > middle else style.BLACK  # the lower, the lighter
            axes.text(column + 0.5, row + 0.5, f"{value:.2f}", ha="center", va="center", size=7, color=colour)
            if within[row, column]:
                frame: dict[str, Any] = {"fill": False, "edgecolor": "#D55E00", "linewidth": 1.6}
                axes.add_patch(Rectangle((column + 0.04, row + 0.04), 0.92, 0.92, **frame))
        axes.set_xticks(np.arange(n_columns) + 0.5, [f"{n:,}" for n in self.table["n_prototypes"]], rotation=90)
        axes.set_yticks(np.arange(n_rows) + 0.5, [str(n) for n in self.table["n_features"]])
        axes.set(xlabel="prototypes, at most", ylabel="features, at most")
        axes.figure.colorbar(self.mesh_, ax=axes, label=CRITERIA["log_loss"])
        return self
