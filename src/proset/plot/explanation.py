"""What a prediction for one sample consists of."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from proset.plot import style
from proset.plot.display import DataFrame, Display
from proset.plot.fitted import Fitted
from proset.plot.samples import one_sample


class ExplanationDisplay(Display):
    """Shares of the prior and of the prototypes in the prediction for one sample, as bars by class.

    Those of a class add up to its probability, which the legend says.

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

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import ProsetClassifier
    >>> from proset.plot import ExplanationDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ProsetClassifier().fit(X, y)
    >>> display = ExplanationDisplay.from_estimator(model, X[60], top=2)
    >>> [label.get_text().split(",")[0] for label in display.ax_.get_yticklabels()][::3]
    ['prior', 'others']
    """

    explanation: "DataFrame"
    classes: np.ndarray

    @classmethod
    def from_estimator(
        cls, estimator: Any, x: npt.ArrayLike, *, top: int = 10, ax: Axes | None = None, legend: bool = True
    ) -> Self:
        """Draw the explanation of one sample.

        Parameters
        ----------
        top : int >= 1, default=10
            Prototypes to show, those with the largest contributions; the others are one bar.
        """
        fitted, table = Fitted(estimator), one_sample(x)
        model = fitted.proset()
        explanation = model.explain(fitted.table(table), top)
        return cls(explanation=explanation, classes=model.classes_).plot(ax, legend=legend)

    def plot(self, ax: Axes | None = None, *, legend: bool = True) -> Self:
        sample, terms = self.explanation.iloc[0], self.explanation.iloc[1:]
        names = np.array([_name(term) for _, term in terms.iterrows()])
        shown = list(dict.fromkeys(names))  # terms of the same name are parts of one bar
        share = np.array([(terms["share"] * (terms["class"] == label)).to_numpy() for label in self.classes])
        widths = np.array([share[:, names == name].sum(axis=1) for name in shown])
        axes = self._axes(ax, (7.5, 1.6 + 0.25 * len(shown)))
        ink, ends = style.ink(axes), widths.sum(axis=1)
        probabilities = zip(self.classes, widths.sum(axis=0), strict=True)
        labels = [f"class {style.plain(label)}: {probability:.3f}" for label, probability in probabilities]
        self.bars_ = style.stacked(axes, widths, labels)
        for y, name in enumerate(shown):
            (term,) = terms[names == name].to_dict("records")[:1]
            if term["term"] == "prototype":
                text = f" {term['similarity']:.2g} · {term['weight']:.3g}"
                axes.text(ends[y], y, text, va="center", size="small", color=ink)
        axes.set_yticks(range(len(shown)), shown)
        axes.invert_yaxis()
        axes.set(xlabel="share of the prediction (similarity · weight, normalised)", xlim=(0, 1.5 * ends.max()))
        if legend:
            style.legend(axes, title=f"familiarity quantile {sample['familiarity quantile']:.2f}", alignment="left")
        return self


def _name(term: Any) -> str:
    return f"row {term['row']}, batch {term['batch']}" if term["term"] == "prototype" else str(term["term"])
