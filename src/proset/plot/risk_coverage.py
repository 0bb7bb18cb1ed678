"""Error rate against the proportion of samples that are not rejected."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from sklearn.metrics import auc

from proset.plot import style
from proset.plot.display import Display
from proset.rejection import RejectOptionClassifier, risk_coverage_curve, scores_of


class RiskCoverageDisplay(Display):
    """Error rate among the accepted samples (risk) against their proportion (coverage).

    On the axes of another display of this kind it adds a line.

    Parameters
    ----------
    coverage, risk : ndarray, shape (m,)
        See `proset.risk_coverage_curve`.
    name : str, optional
        Of the curve in the legend, which adds the area under it (AURC).

    Attributes
    ----------
    line_ : matplotlib Line2D

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import train_test_split
    >>> from proset import ProsetClassifier
    >>> from proset.plot import RiskCoverageDisplay
    >>> X_train, X_test, y_train, y_test = train_test_split(*load_iris(return_X_y=True), random_state=0)
    >>> model = ProsetClassifier(random_state=0).fit(X_train, y_train)
    >>> display = RiskCoverageDisplay.from_estimator(model, X_test, y_test, criterion="confidence")
    >>> float(display.coverage[-1])
    1.0
    """

    coverage: np.ndarray
    risk: np.ndarray
    name: str | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        *,
        criterion: str = "familiarity_quantile",
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of a fitted classifier.

        Parameters
        ----------
        estimator : estimator
            A fitted classifier, a `Pipeline` or search with one, or a `RejectOptionClassifier`, whose own estimator
            and criterion are used; `criterion` is then ignored.
        X : array-like, shape (N, D)
            Samples as `estimator` takes them, preferably not those of `fit`.
        criterion : {"familiarity_quantile", "familiarity", "confidence"}, default="familiarity_quantile"
            Samples that score low are rejected first; see `RejectOptionClassifier`.
        name : str, optional
            By default the criterion.
        """
        if isinstance(estimator, RejectOptionClassifier):
            estimator, criterion = estimator.estimator_, estimator._criterion
        y_pred, found = estimator.predict(X), scores_of(estimator, X, criterion)
        return cls.from_predictions(y, y_pred, found, name=name or criterion.replace("_", " "), ax=ax, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: npt.ArrayLike,
        y_pred: npt.ArrayLike,
        score: npt.ArrayLike,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of predictions and their scores.

        Parameters
        ----------
        y_true, y_pred : array-like, shape (N,)
        score : array-like, shape (N,)
            Samples that score low are rejected first.
        """
        coverage, risk, _ = risk_coverage_curve(y_true, y_pred, score)
        return cls(coverage=coverage, risk=risk, name=name).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        axes = self._axes(ax)
        colour = style.class_style(len(axes.lines), style.ink(axes))["color"]
        area = f"AURC = {auc(self.coverage, self.risk):.3g}" if len(self.risk) > 1 else ""
        label = f"{self.name} ({area})" if self.name and area else self.name or area
        (self.line_,) = axes.plot(self.coverage, self.risk, **{"color": colour, "label": label, **kwargs})
        axes.set(xlabel="coverage (proportion of samples accepted)", ylabel="risk (error rate of those accepted)")
        axes.set(xlim=(0, 1.02), ylim=(0, None))
        style.legend(axes)
        return self
