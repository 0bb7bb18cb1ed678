"""Prototypes: in the plane of two features, and over all active features."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from proset.encoding import Category
from proset.plot import style
from proset.plot.axis import label_plane, name_of
from proset.plot.display import Display
from proset.plot.feature_weights import shown_features
from proset.plot.fitted import Fitted, two_features
from proset.validation import checked_count, class_codes

WIDEST = 220.0  # area in square points of the prototype with the largest weight
N_FEATURES = 12  # in parallel, as many as can be labelled
GAP = -0.18  # height of missing values there
MAX_NAMES = 12  # of categories at an axis


class PrototypesDisplay(Display):
    """Prototypes in the plane of two features, with areas by weight.

    Parameters
    ----------
    prototypes : ndarray, shape (J, 2)
    weights : ndarray, shape (J,)
    labels : ndarray of int, shape (J,)
        Class indices.
    class_names, feature_names : sequence of str
        K, and two.
    samples : ndarray, shape (N, 2), optional
        Drawn small, with `sample_labels`.
    sample_labels : ndarray of int, shape (N,), optional

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import ProsetClassifier
    >>> from proset.plot import PrototypesDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ProsetClassifier(lambda_v=0.01, random_state=0).fit(X, y)
    >>> display = PrototypesDisplay.from_estimator(model, X, y)
    >>> sorted(display.feature_names), len(display.prototypes) == model.n_prototypes_
    (['x2', 'x3'], True)
    """

    prototypes: np.ndarray
    weights: np.ndarray
    labels: np.ndarray
    class_names: Sequence[str]
    feature_names: Sequence[str]
    samples: np.ndarray | None = None
    sample_labels: np.ndarray | None = None
    ticks: tuple[Any, Any] = (None, None)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: npt.ArrayLike | None = None,
        y: npt.ArrayLike | None = None,
        *,
        batch: int = 1,
        features: Sequence[int | str] | None = None,
        feature_names: Sequence[str] | None = None,
        ax: Axes | None = None,
        legend: bool = True,
    ) -> Self:
        """Draw the prototypes of one batch.

        Parameters
        ----------
        estimator : estimator
            A fitted `ProsetClassifier` of at least two features, or a `Pipeline` or search with one. Axes are in the
            units of the data as far as the steps before it can be undone.
        X : array-like, shape (N, D), optional
            Samples to show too, as `estimator` takes them.
        y : array-like, shape (N,), optional
            Their classes; needed with `X`.
        batch : int, default=1
            1, 2, ...
        features : two of str or int, optional
            By default the two with the largest weights in the batch.
        """
        fitted = Fitted(estimator, feature_names)
        chosen = fitted.batch(batch)
        heaviest = np.argsort(-fitted.proset().feature_weights_[batch - 1], kind="stable")[:2]
        plane = two_features(features, fitted.names, heaviest.tolist())
        shown: dict[str, Any] = {}
        if X is not None:
            if y is None:
                raise ValueError("y: None is not allowed with X, must be the classes of the samples")
            samples = fitted.to_units(fitted.encoded(X))[:, plane]
            shown = {"sample_labels": class_codes(y, fitted.model.classes_, len(samples))}
        prototypes = fitted.to_units(chosen.prototypes)[:, plane]
        every = prototypes if X is None else np.vstack([prototypes, samples])
        spanning = [fitted.axis(d, every[:, i]) for i, d in enumerate(plane)] if len(every) else []
        if X is not None:
            shown["samples"] = np.column_stack([axis.places(samples[:, i], i) for i, axis in enumerate(spanning)])
        if spanning:
            prototypes = np.column_stack([axis.places(prototypes[:, i], i) for i, axis in enumerate(spanning)])
            shown["ticks"] = tuple(axis.ticks() for axis in spanning)
        return cls(
            prototypes=prototypes,
            weights=chosen.prototype_weights,
            labels=chosen.labels,
            class_names=fitted.class_names,
            feature_names=[fitted.names[d] for d in plane],
            **shown,
        ).plot(ax, legend=legend)

    def plot(self, ax: Axes | None = None, *, legend: bool = True) -> Self:
        axes = self._axes(ax)
        ink = style.ink(axes)
        area = style.areas(self.weights, WIDEST)
        for k in range(len(self.class_names)):
            look, own = style.class_style(k, ink), self.labels == k
            if self.samples is not None:
                points, size = self.samples[self.sample_labels == k], 14 * style.room(len(self.samples))
                style.scatter(axes, points, s=size, alpha=0.5, linewidth=0, zorder=2, **look)
            edge = {"edgecolor": ink, "linewidth": 0.7}
            style.scatter(axes, self.prototypes[own], s=area[own], alpha=0.75, zorder=3, **edge, **look)
        label_plane(axes, self.feature_names, self.ticks)
        if legend:
            style.legend(axes, handles=self._handles(ink, area))
        return self

    def _handles(self, ink: str, area: np.ndarray) -> list[Any]:
        found = style.class_markers(self.class_names, ink)
        if len(self.weights):
            largest = self.weights.max()
            for share in (1.0, 0.25, 0.0625):
                size = (area.max() * share) ** 0.5
                look = {"marker": "o", "markerfacecolor": "none", "markeredgecolor": ink, "markersize": size}
                found.append(style.marker(f"weight {largest * share:.3g}", **look))
        return found


class ParallelCoordinatesDisplay(Display):
    """Prototypes as lines over the active features, one axis each; wider lines have larger weights.

    Parameters
    ----------
    prototypes : ndarray, shape (J, A)
    weights : ndarray, shape (J,)
    labels : ndarray of int, shape (J,)
        Class indices.
    class_names : sequence of str, shape (K,)
    feature_names : sequence of str, shape (A,)
        From left to right.
    levels : sequence of tuple or None, shape (A,), optional
        Of categories; by default all are numbers.

    Attributes
    ----------
    lines_ : list of matplotlib Line2D
        In the order of the prototypes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import ProsetClassifier
    >>> from proset.plot import ParallelCoordinatesDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ProsetClassifier(lambda_v=0.01, random_state=0).fit(X, y)
    >>> display = ParallelCoordinatesDisplay.from_estimator(model)
    >>> len(display.lines_) == model.n_prototypes_
    True
    """

    prototypes: np.ndarray
    weights: np.ndarray
    labels: np.ndarray
    class_names: Sequence[str]
    feature_names: Sequence[str]
    levels: Sequence[tuple[Category, ...] | None] | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        batch: int | None = None,
        n_features: int = N_FEATURES,
        feature_names: Sequence[str] | None = None,
        ax: Axes | None = None,
        legend: bool = True,
    ) -> Self:
        """Draw the prototypes of a fitted classifier.

        Parameters
        ----------
        estimator : estimator
            A fitted `ProsetClassifier`, or a `Pipeline` or search with one. Axes are in the units of the data as far as
            the steps before it can be undone.
        batch : int, optional
            1, 2, ...; by default all batches together.
        n_features : int, default=12
            Features to show at most, sorted by their weight in the first batch drawn, then by their largest weight.

        Raises
        ------
        ValueError
            If `estimator` has no `ProsetClassifier`, there is no prototype to show, or an argument does not fit it.
        """
        fitted = Fitted(estimator, feature_names)
        batches = list(fitted.proset().batches_) if batch is None else [fitted.batch(batch)]
        filled = [chosen for chosen in batches if len(chosen.labels)]
        if not filled:
            raise ValueError("estimator: there is no prototype to show")
        _, active, _ = shown_features([fitted.proset().feature_weights_[slice(None) if batch is None else [batch - 1]]])
        shown = active[: checked_count(n_features, "n_features")]
        return cls(
            prototypes=fitted.to_units(np.concatenate([chosen.prototypes for chosen in filled]))[:, shown],
            weights=np.concatenate([chosen.prototype_weights for chosen in filled]),
            labels=np.concatenate([chosen.labels for chosen in filled]),
            class_names=fitted.class_names,
            feature_names=[fitted.names[d] for d in shown],
            levels=[fitted.levels[d] for d in shown],
        ).plot(ax, legend=legend)

    def plot(self, ax: Axes | None = None, *, legend: bool = True) -> Self:
        places = np.arange(len(self.feature_names))
        axes = self._axes(ax, (max(6.4, 2.5 + 0.8 * len(places)), 4.8))
        ink = style.ink(axes)
        low, high = (np.nan_to_num(f(self.prototypes, axis=0)) for f in (np.fmin.reduce, np.fmax.reduce))
        span = np.where(high > low, high - low, 1.0)
        heights = np.where(high > low, (self.prototypes - low) / span, 0.5)
        has_gaps = np.isnan(self.prototypes).any(axis=0)
        heights[np.isnan(heights)] = GAP
        strength = self.weights / self.weights.max()
        self.lines_ = []
        for row, k, share in zip(heights, self.labels, strength, strict=True):
            look = {"linewidth": 0.4 + 3.0 * share, "alpha": 0.2 + 0.6 * share, "zorder": 2.0 + 0.5 * share}
            self.lines_ += axes.plot(places, row, color=style.class_style(k, ink)["color"], **look)
        for k in np.unique(self.labels):
            label = f"class {style.plain(self.class_names[k])}"
            axes.plot([], [], color=style.class_style(k, ink)["color"], linewidth=2.0, label=label)
        axes.plot([], [], color=style.GREY, linewidth=3.4, label=f"weight {self.weights.max():.3g}")
        axes.plot([], [], color=style.GREY, linewidth=0.4, label="weight near 0")
        axes.vlines(places, 0.0, 1.0, color=ink, linewidth=0.8, zorder=3)
        of_features = self.levels or [None] * len(places)
        for place, bottom, top, levels, gaps in zip(places.tolist(), low, high, of_features, has_gaps, strict=True):
            text: dict[str, Any] = {"size": "small", "color": ink}
            for height, value, side in ((-0.02, bottom, "top"), (1.02, top, "bottom")):
                if levels is None:
                    axes.text(place, height, f"{value:,.4g}", ha="center", va=side, **text)
            if levels is not None:
                present = np.unique(self.prototypes[:, place])[:MAX_NAMES]
                for value in present[~np.isnan(present)]:
                    height = (value - bottom) / (top - bottom) if top > bottom else 0.5
                    named = axes.text(place + 0.03, height, name_of(levels[int(value)]), va="center", **text)
                    named.set_bbox({"facecolor": axes.get_facecolor(), "alpha": 0.7, "edgecolor": "none", "pad": 0.5})
            if gaps:
                axes.text(place, GAP - 0.02, "missing", ha="center", va="top", **text)
        axes.set_xticks(places, [style.plain(name) for name in self.feature_names], rotation=30, ha="right")
        axes.tick_params(bottom=False, pad=0)
        axes.set(yticks=[], ylim=(GAP - 0.1 if has_gaps.any() else -0.1, 1.1), xlim=(-0.3, len(places) - 0.7))
        axes.spines[:].set_visible(False)
        if legend:
            style.legend(axes)
        return self
