"""Heat maps of feature weights by batch."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize

from proset.plot import style
from proset.plot.display import Display
from proset.plot.fitted import Fitted

MOST_ROWS = 40  # features shown at most
UNITS = "feature weight v (1 / standard deviation)"
UNUSED = "#EEEEEE"  # a weight of zero


class FeatureWeightsDisplay(Display):
    """Heat map of feature weights, a column for each batch; grey is a weight of zero.

    Parameters
    ----------
    weights : ndarray, shape (B, D)
        Zero in a batch without prototypes.
    feature_names : sequence of str, shape (D,)
        From top to bottom.

    Attributes
    ----------
    image_ : matplotlib AxesImage

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import ProsetClassifier
    >>> from proset.plot import FeatureWeightsDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ProsetClassifier(n_batches=2, lambda_v=0.01, random_state=0).fit(X, y)
    >>> display = FeatureWeightsDisplay.from_estimator(model)
    >>> sorted(label.get_text() for label in display.ax_.get_yticklabels())
    ['x0', 'x1', 'x2', 'x3']
    """

    weights: np.ndarray
    feature_names: Sequence[str]

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, feature_names: Sequence[str] | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw the weights of a fitted classifier.

        Returns
        -------
        FeatureWeightsDisplay
            Features are sorted by their weight in the first batch, then by their largest weight. With more than 20
            features only active ones are shown, if there are any, and at most 40.
        """
        fitted = Fitted(estimator, feature_names)
        weights = fitted.proset().feature_weights_
        shown, _, _ = shown_features([weights])
        return cls(weights=weights[:, shown], feature_names=[fitted.names[d] for d in shown]).plot(ax)

    def plot(self, ax: Axes | None = None, *, norm: Normalize | None = None, colorbar: bool = True) -> Self:
        """Draw it.

        Parameters
        ----------
        norm : matplotlib Normalize, optional
            Range of the colours, if several maps are to share it.
        colorbar : bool, default=True
        """
        n_batches, n_features = self.weights.shape
        width = max(n_batches, 1)
        axes = self._axes(ax, (min(10.0, 3.6 + 0.3 * width), max(3.3, 1.0 + 0.2 * n_features)))
        axes.set_facecolor(UNUSED)
        cells = self.weights.T if n_batches else np.full((n_features, 1), np.nan)
        self.image_ = axes.imshow(
            np.where(cells > 0, cells, np.nan),
            cmap="viridis_r",
            norm=norm or Normalize(0.0, self.weights.max(initial=0.0) or 1.0),
            aspect="auto",
            interpolation="nearest",
            extent=(0.5, width + 0.5, n_features - 0.5, -0.5),
        )
        axes.set_xticks(range(1, width + 1, 1 if width < 10 else 3))
        axes.set_yticks(range(n_features), [style.plain(name) for name in self.feature_names])
        axes.set(xlabel="batch", ylabel="feature")
        if colorbar:
            axes.figure.colorbar(self.image_, ax=axes, aspect=30, label=UNITS)
        return self


def shown_features(weights: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, int]:
    """Features that a heat map shows in its order, all that some model uses, and the number of all.

    They are sorted by the largest weight in any first batch, then by the largest in any batch. Data with few features
    are shown whole.
    """
    n_features = weights[0].shape[1]
    first = np.max([w[:1].max(axis=0, initial=0.0) for w in weights], axis=0)
    largest = np.max([w.max(axis=0, initial=0.0) for w in weights], axis=0)
    order = np.lexsort((-largest, -first))
    active = order[largest[order] > 0]
    shown = active if n_features > MOST_ROWS // 2 and len(active) else order
    return shown[:MOST_ROWS], active, n_features
