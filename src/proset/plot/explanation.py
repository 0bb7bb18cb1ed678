"""What a prediction for one sample consists of."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from proset.encoding import as_table
from proset.plot import style
from proset.plot.fitted import Fitted

if TYPE_CHECKING:
    import pandas as pd


class ExplanationDisplay:
    """Shares of the prior and of the prototypes in the prediction for one sample, as bars by class.

    Those of a class add up to its probability, which the legend says. It is recommended to use `from_estimator`.

    Parameters
    ----------
    explanation : pandas.DataFrame
        Of one sample, as `ProsetClassifier.explain` returns it.
    classes : ndarray, shape (K,)
        All of them, in the order of the classifier.

    Attributes
    ----------
    bars_ : list of matplotlib BarContainer
        One for each class.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from proset import ProsetClassifier
    >>> from proset.plot import ExplanationDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), ProsetClassifier(random_state=0)).fit(X, y)
    >>> display = ExplanationDisplay.from_estimator(model, X[60], top=2)
    >>> [label.get_text().split(",")[0] for label in display.ax_.get_yticklabels()][::3]
    ['prior', 'others']
    """

    def __init__(self, *, explanation: "pd.DataFrame", classes: np.ndarray):
        self.explanation = explanation
        self.classes = classes

    @classmethod
    def from_estimator(
        cls, estimator: Any, x: npt.ArrayLike, *, top: int = 10, ax: Axes | None = None, legend: bool = True
    ) -> "ExplanationDisplay":
        """Draw the explanation of one sample.

        Parameters
        ----------
        estimator : estimator
            A fitted `ProsetClassifier`, or a `Pipeline` or search with one.
        x : array-like, shape (D,) or (1, D)
            As `estimator` takes it.
        top : int >= 1, default=10
            Prototypes to show, those with the largest contributions; the others are one bar.
        ax : matplotlib Axes, optional
            By default those of a new figure.
        legend : bool, default=True

        Returns
        -------
        ExplanationDisplay

        Raises
        ------
        ValueError
            If `estimator` has no `ProsetClassifier`, or `x` is not one sample of its features.
        """
        fitted = Fitted(estimator)
        table = x if hasattr(x, "columns") else as_table(x if np.ndim(x) == 2 else [x])
        if np.shape(table)[0] != 1:
            raise ValueError(f"x: {np.shape(table)[0]} samples are not allowed, one is shown")
        model = fitted.proset()
        explanation = model.explain(fitted.scaled(table), top)
        return cls(explanation=explanation, classes=model.classes_).plot(ax, legend=legend)

    def plot(self, ax: Axes | None = None, *, legend: bool = True) -> "ExplanationDisplay":
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.
        legend : bool, default=True

        Returns
        -------
        self
        """
        sample, terms = self.explanation.iloc[0], self.explanation.iloc[1:]
        names = np.array([_name(term) for _, term in terms.iterrows()])
        shown = list(dict.fromkeys(names))  # terms of the same name are parts of one bar
        share = np.array([(terms["share"] * (terms["class"] == label)).to_numpy() for label in self.classes])
        widths = np.array([share[:, names == name].sum(axis=1) for name in shown]).T
        axes = style.new_axes(ax, (7.5, 1.6 + 0.25 * len(shown)))
        ink, place, left = style.ink(axes), np.arange(len(shown)), np.zeros(len(shown))
        self.bars_ = []
        for k, (label, width) in enumerate(zip(self.classes, widths, strict=True)):
            colour, text = style.class_style(k, ink)["color"], f"class {style.plain(label)}: {width.sum():.3f}"
            self.bars_.append(axes.barh(place, width, left=left, height=0.7, color=colour, label=text))
            left = left + width
        for y, name in enumerate(shown):
            (term,) = terms[names == name].to_dict("records")[:1]
            if term["term"] == "prototype":
                text = f" {term['similarity']:.2g} · {term['weight']:.3g}"
                axes.text(left[y], y, text, va="center", size="small", color=ink)
        axes.set_yticks(place, shown)
        axes.invert_yaxis()
        axes.set(xlabel="share of the prediction (similarity · weight, normalised)", xlim=(0, 1.5 * left.max()))
        if legend:
            style.legend(axes, title=f"familiarity quantile {sample['familiarity quantile']:.2f}", alignment="left")
        self.ax_, self.figure_ = axes, axes.figure
        return self


def _name(term: Any) -> str:
    return f"row {term['row']}, batch {term['batch']}" if term["term"] == "prototype" else str(term["term"])
