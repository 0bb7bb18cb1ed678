"""Heat maps of feature weights by batch."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize

from proset.plot import style
from proset.plot.fitted import Fitted

MOST_ROWS = 40  # features shown at most
UNITS = "feature weight v (1 / standard deviation)"
UNUSED = "#EEEEEE"  # a weight of zero


class FeatureWeightsDisplay:
    """Heat map of feature weights, a column for each batch; grey is a weight of zero.

    It is recommended to use `from_estimator`.

    Parameters
    ----------
    weights : ndarray, shape (B, D)
        Zero in a batch without prototypes.
    feature_names : sequence of str, shape (D,)
        From top to bottom.

    Attributes
    ----------
    image_ : matplotlib AxesImage
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from proset import ProsetClassifier
    >>> from proset.plot import FeatureWeightsDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ProsetClassifier(n_batches=2, lambda_v=0.01, random_state=0).fit(scale(X), y)
    >>> display = FeatureWeightsDisplay.from_estimator(model)
    >>> sorted(label.get_text() for label in display.ax_.get_yticklabels())
    ['x0', 'x1', 'x2', 'x3']
    """

    def __init__(self, *, weights: np.ndarray, feature_names: Sequence[str]):
        self.weights = weights
        self.feature_names = feature_names

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, feature_names: Sequence[str] | None = None, ax: Axes | None = None
    ) -> "FeatureWeightsDisplay":
        """Draw the weights of a fitted classifier.

        Parameters
        ----------
        estimator : estimator
            A fitted `ProsetClassifier`, or a `Pipeline` or search with one.
        feature_names : sequence of str, shape (D,), optional
            Of the features of the classifier; by default those in `fit`.
        ax : matplotlib Axes, optional
            By default those of a new figure.

        Returns
        -------
        FeatureWeightsDisplay
            Features are in the order of their weight in the first batch. Of more than 20, those that are not active
            are left out, and of those 40 are shown at most.

        Raises
        ------
        ValueError
            If `estimator` has no `ProsetClassifier`, or the number of names is not that of its features.
        """
        fitted = Fitted(estimator, feature_names)
        weights = fitted.feature_weights()
        shown, _, _ = shown_features([weights])
        return cls(weights=weights[:, shown], feature_names=[fitted.names[d] for d in shown]).plot(ax)

    def plot(
        self, ax: Axes | None = None, *, norm: Normalize | None = None, colorbar: bool = True
    ) -> "FeatureWeightsDisplay":
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.
        norm : matplotlib Normalize, optional
            Range of the colours, if several maps are to share it.
        colorbar : bool, default=True

        Returns
        -------
        self
        """
        n_batches, n_features = self.weights.shape
        width = max(n_batches, 1)
        axes = style.new_axes(ax, (min(10.0, 3.6 + 0.3 * width), max(3.3, 1.0 + 0.2 * n_features)))
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
        self.ax_, self.figure_ = axes, axes.figure
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
