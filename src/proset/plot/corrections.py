"""Where prototypes correct a base model: sample by sample, and prototype by prototype."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from proset.plot import style
from proset.plot.display import DataFrame, Display
from proset.plot.fitted import Fitted
from proset.validation import checked_count

LABELS = "base", "with prototypes"
ACTUAL: dict[str, Any] = {"marker": "|", "markersize": 14, "markeredgewidth": 2.0, "linestyle": "none"}


class CorrectionsDisplay(Display):
    """Samples that the prototypes move furthest: the probability of the predicted class by the base and by the model.

    Without a base, the class proportions take its place.

    Parameters
    ----------
    table : pandas.DataFrame
        As `ProsetClassifier.corrections` gives it.

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

    table: "DataFrame"

    @classmethod
    def from_estimator(cls, estimator: Any, X: npt.ArrayLike, *, top: int = 15, ax: Axes | None = None) -> Self:
        """Draw the samples that a fitted classifier moves furthest.

        Parameters
        ----------
        top : int >= 1, default=15
            Samples to show.
        """
        fitted, top = Fitted(estimator), checked_count(top)
        samples = fitted.table(X)
        table = fitted.proset().corrections(samples.reset_index(drop=True) if hasattr(samples, "iloc") else samples)
        labels: Any = getattr(X, "index") if hasattr(X, "iloc") else range(len(table))  # noqa: B009 - X has any type
        table["sample"] = np.asarray(labels)[table["sample"]]
        return cls(table=table.head(top)).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        table = self.table
        axes = self._axes(ax, (7.5, 1.4 + 0.28 * len(table)))
        names = [f"{style.plain(n)}: {style.plain(k)}" for n, k in zip(table["sample"], table["class"], strict=True)]
        style.dumbbells(axes, table["probability by base"], table["probability"], LABELS, names)
        axes.invert_yaxis()
        axes.set(xlabel="probability of the predicted class", ylabel="sample: predicted class", xlim=(-0.02, 1.02))
        style.legend(axes)
        return self


class DisagreementsDisplay(Display):
    """Prototypes by their gain: how often samples near them have their class, and what the base and the model say.

    Parameters
    ----------
    table : pandas.DataFrame
        As `ProsetClassifier.disagreements` gives it.

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

    table: "DataFrame"

    @classmethod
    def from_estimator(cls, estimator: Any, *, top: int = 10, ax: Axes | None = None) -> Self:
        """Draw the prototypes of a fitted classifier.

        Parameters
        ----------
        estimator : estimator
            A fitted `ProsetClassifier` with a base, or a `Pipeline` or search with one.
        top : int >= 1, default=10
            Prototypes to show.

        Raises
        ------
        ValueError
            If `estimator` has no `ProsetClassifier`, or `top` is below 1.
        AttributeError
            As in `ProsetClassifier.disagreements`: if it was fitted without a base, edited, or has another size.
        """
        return cls(table=Fitted(estimator).proset().disagreements().head(checked_count(top))).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        table = self.table
        axes = self._axes(ax, (7.5, 1.4 + 0.28 * len(table)))
        axes.plot(table["proportion"], range(len(table)), color=style.ink(axes), label="training samples", **ACTUAL)
        for y, (gain, samples) in enumerate(zip(table["gain"], table["samples"], strict=True)):
            axes.text(1.04, y, f"{gain:.2g}, {samples:,}", va="center", size="small", color=style.ink(axes))
        names = [f"row {row}: {style.plain(k)}" for row, k in zip(table["row"], table["class"], strict=True)]
        style.dumbbells(axes, table["by base"], table["by model"], LABELS, names)
        axes.invert_yaxis()
        axes.set(xlabel="probability of the class of the prototype near it", xlim=(-0.02, 1.3))
        axes.set_ylabel("prototype: its class")
        axes.set_title("gain in nats, and samples near it, at the right", fontsize="small")
        style.legend(axes)
        return self
