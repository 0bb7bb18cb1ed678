"""How a model gets better with each of its batches."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from sklearn.metrics import log_loss, zero_one_loss

from proset.plot import style
from proset.plot.fitted import Fitted, named

CRITERIA = {"log_loss": "log-loss (nats)", "error": "error rate"}


def loss_of(criterion: str) -> Callable[[Any, np.ndarray, np.ndarray, Any], float]:
    """A function of labels, probabilities, classes and sample weights.

    Raises
    ------
    ValueError
        If `criterion` is not one of `CRITERIA`.
    """
    if criterion not in CRITERIA:
        raise ValueError(f"criterion: {criterion!r} is not allowed, must be one of {', '.join(CRITERIA)}")

    def loss(y: Any, probabilities: np.ndarray, classes: np.ndarray, sample_weight: Any) -> float:
        if criterion == "error":
            return float(zero_one_loss(y, classes[probabilities.argmax(axis=1)], sample_weight=sample_weight))
        return float(log_loss(y, probabilities, labels=classes, sample_weight=sample_weight))

    return loss


class BatchPathDisplay:
    """Loss on given data against the number of batches; the number of prototypes stands on top.

    It is recommended to use `from_estimator`.

    Parameters
    ----------
    losses : ndarray, shape (B + 1,)
        With 0, 1, ..., B batches.
    n_prototypes : ndarray of int, shape (B + 1,)
        In these batches.
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
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn.preprocessing import scale
    >>> from proset import ProsetClassifier
    >>> from proset.plot import BatchPathDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> X_train, X_test, y_train, y_test = train_test_split(scale(X), y, random_state=0)
    >>> model = ProsetClassifier(n_batches=3, random_state=0).fit(X_train, y_train)
    >>> display = BatchPathDisplay.from_estimator(model, X_train, y_train, name="training")
    >>> display = BatchPathDisplay.from_estimator(model, X_test, y_test, name="test", ax=display.ax_)
    >>> bool(display.losses[0] > display.losses[1])  # the class prior, and one batch
    True
    """

    def __init__(
        self, *, losses: np.ndarray, n_prototypes: np.ndarray, criterion: str = "log_loss", name: str | None = None
    ):
        self.losses = losses
        self.n_prototypes = n_prototypes
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
    ) -> "BatchPathDisplay":
        """Draw the path of a fitted classifier.

        Parameters
        ----------
        estimator : estimator
            A fitted `ProsetClassifier`, or a `Pipeline` or search with one.
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
        BatchPathDisplay

        Raises
        ------
        ValueError
            If `estimator` has no `ProsetClassifier`, or `criterion` is not one of these.
        """
        loss = loss_of(criterion)
        fitted = Fitted(estimator)
        model = fitted.proset()
        staged = model.staged_predict_proba(named(model, fitted.scaled(X)))
        sizes = np.cumsum([0, *(len(batch.labels) for batch in model.batches_)])
        losses = np.array([loss(y, probabilities, model.classes_, sample_weight) for probabilities in staged])
        return cls(losses=losses, n_prototypes=sizes, criterion=criterion, name=name).plot(ax)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> "BatchPathDisplay":
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
        self.ax_, self.figure_ = axes, axes.figure
        return self
