"""Where prototypes correct a base model: sample by sample, and prototype by prototype."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from proset.plot import style
from proset.plot.fitted import Fitted, named

if TYPE_CHECKING:
    import pandas as pd

BASE: dict[str, Any] = {
    "marker": "o",
    "markerfacecolor": "none",
    "color": style.GREY,
    "linestyle": "none",
    "label": "base",
}
MODEL: dict[str, Any] = {"marker": "o", "color": style.COLOURS[0], "linestyle": "none", "label": "with prototypes"}
ACTUAL: dict[str, Any] = {"marker": "|", "markersize": 14, "markeredgewidth": 2.0, "linestyle": "none"}


class CorrectionsDisplay:
    """Samples that the prototypes move furthest: the probability of the predicted class by the base and by the model.

    It is recommended to use `from_estimator`.

    Parameters
    ----------
    table : pandas.DataFrame
        As `ProsetClassifier.corrections` gives it.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from proset import ProsetClassifier
    >>> from proset.plot import CorrectionsDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ProsetClassifier(base=GaussianNB(), lambda_v=0.01, lambda_w=1e-4, max_prototypes=10).fit(X, y)
    >>> display = CorrectionsDisplay.from_estimator(model, X, top=5)
    >>> len(display.table)
    5
    """

    def __init__(self, *, table: "pd.DataFrame"):
        self.table = table

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: npt.ArrayLike, *, top: int = 15, ax: Axes | None = None
    ) -> "CorrectionsDisplay":
        """Draw the samples that a fitted classifier moves furthest.

        Parameters
        ----------
        estimator : estimator
            A fitted `ProsetClassifier`, or a `Pipeline` or search with one.
        X : array-like, shape (N, D)
            As `estimator` takes them.
        top : int >= 1, default=15
            Samples to show.
        ax : matplotlib Axes, optional
            By default those of a new figure.

        Returns
        -------
        CorrectionsDisplay

        Raises
        ------
        ValueError
            If `estimator` has no `ProsetClassifier`, or `X` has other features.
        """
        fitted = Fitted(estimator)
        model = fitted.proset()
        table = model.corrections(named(model, fitted.scaled(X)))
        labels: Any = getattr(X, "index") if hasattr(X, "iloc") else range(len(table))  # noqa: B009 - X has any type
        table["sample"] = np.asarray(labels)[table["sample"]]
        return cls(table=table.head(top)).plot(ax)

    def plot(self, ax: Axes | None = None) -> "CorrectionsDisplay":
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.

        Returns
        -------
        self
        """
        table, place = self.table, np.arange(len(self.table))
        axes = style.new_axes(ax, (7.5, 1.4 + 0.28 * len(table)))
        before, after = table["probability by base"], table["probability"]
        axes.hlines(place, before, after, color=style.GREY, linewidth=1.0, zorder=1)
        axes.plot(before, place, **BASE)
        axes.plot(after, place, **MODEL)
        names = [f"{style.plain(n)}: {style.plain(k)}" for n, k in zip(table["sample"], table["class"], strict=True)]
        axes.set_yticks(place, names)
        axes.invert_yaxis()
        axes.set(xlabel="probability of the predicted class", ylabel="sample: predicted class", xlim=(-0.02, 1.02))
        style.legend(axes)
        self.ax_, self.figure_ = axes, axes.figure
        return self


class DisagreementsDisplay:
    """Prototypes by what they bring: how often samples near them have their class, and what base and model say.

    It is recommended to use `from_estimator`.

    Parameters
    ----------
    table : pandas.DataFrame
        As `ProsetClassifier.disagreements` gives it.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from proset import ProsetClassifier
    >>> from proset.plot import DisagreementsDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ProsetClassifier(base=GaussianNB(), lambda_v=0.01, lambda_w=1e-4, max_prototypes=10).fit(X, y)
    >>> display = DisagreementsDisplay.from_estimator(model, top=5)
    >>> display.ax_.get_xlabel()
    'probability of the class of the prototype near it'
    """

    def __init__(self, *, table: "pd.DataFrame"):
        self.table = table

    @classmethod
    def from_estimator(cls, estimator: Any, *, top: int = 10, ax: Axes | None = None) -> "DisagreementsDisplay":
        """Draw the prototypes of a fitted classifier.

        Parameters
        ----------
        estimator : estimator
            A fitted `ProsetClassifier` with a base, or a `Pipeline` or search with one.
        top : int >= 1, default=10
            Prototypes to show.
        ax : matplotlib Axes, optional
            By default those of a new figure.

        Returns
        -------
        DisagreementsDisplay

        Raises
        ------
        ValueError
            If `estimator` has no `ProsetClassifier`.
        AttributeError
            If it was fitted without a base.
        """
        return cls(table=Fitted(estimator).proset().disagreements().head(top)).plot(ax)

    def plot(self, ax: Axes | None = None) -> "DisagreementsDisplay":
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.

        Returns
        -------
        self
        """
        table, place = self.table, np.arange(len(self.table))
        axes = style.new_axes(ax, (7.5, 1.4 + 0.28 * len(table)))
        axes.hlines(place, table["by base"], table["by model"], color=style.GREY, linewidth=1.0, zorder=1)
        axes.plot(table["proportion"], place, color=style.ink(axes), label="training samples", **ACTUAL)
        axes.plot(table["by base"], place, **BASE)
        axes.plot(table["by model"], place, **MODEL)
        for y, (gain, samples) in enumerate(zip(table["gain"], table["samples"], strict=True)):
            axes.text(1.04, y, f"{gain:.2g}, {samples:,}", va="center", size="small", color=style.ink(axes))
        names = [f"row {row}: {style.plain(k)}" for row, k in zip(table["row"], table["class"], strict=True)]
        axes.set_yticks(place, names)
        axes.invert_yaxis()
        axes.set(
            xlabel="probability of the class of the prototype near it",
            ylabel="prototype: its class",
            xlim=(-0.02, 1.3),
        )
        axes.set_title("gain in nats, and samples near it, at the right", fontsize="small")
        style.legend(axes)
        self.ax_, self.figure_ = axes, axes.figure
        return self
