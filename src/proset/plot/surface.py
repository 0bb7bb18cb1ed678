"""Decision surfaces: shades of the predicted probabilities in a plane of two features, with prototypes and samples."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colorbar import Colorbar
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.lines import Line2D

from proset.explain import exponents_of
from proset.plot import style
from proset.plot.axis import label_plane
from proset.plot.display import Display
from proset.plot.fitted import Fitted, Plane
from proset.validation import class_codes

STRENGTH = 0.6  # of the shade, so that points in the colour of their class stand out from it
STEPS = 10  # of the shade, which make differences of probability visible and files small
WIDEST_PROTOTYPE = 110.0  # area in square points of the prototype with the largest weight


class DecisionSurfaceDisplay(Display):
    """Predicted class probabilities in a plane, as shades, with prototypes as circles.

    White means that all classes are equally probable; elsewhere the colours of the more probable classes are mixed.
    Black lines show where the most probable class changes. The area of a prototype of a `ProsetClassifier` is its
    weight times its similarity to the plane, so that distant prototypes vanish.

    Parameters
    ----------
    x, y : ndarray, shape (R,)
        Centres of the pixels on each axis.
    probabilities : ndarray, shape (R, R, K)
        At the pixels, y first.
    class_names, feature_names : sequence of str
        K, and two.
    samples : ndarray, shape (N, 2), optional
        Points to draw, with `labels` and `predicted`.
    labels, predicted : ndarray of int, shape (N,), optional
        Class indices; `predicted` is -1 for a rejected sample.
    prototypes : ndarray, shape (J, 2), optional
    prototype_weights : ndarray, shape (J,), optional
        Areas of the circles are in proportion to them.
    point : ndarray, shape (2,), optional
        Point through which the plane was laid, to be marked.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from proset import ProsetClassifier
    >>> from proset.plot import DecisionSurfaceDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), ProsetClassifier(random_state=0)).fit(X[:, 2:], y)
    >>> display = DecisionSurfaceDisplay.from_estimator(model, X[:, 2:], y, feature_names=["length", "width"])
    >>> display.ax_.get_xlabel()
    'length'
    """

    x: np.ndarray
    y: np.ndarray
    probabilities: np.ndarray
    class_names: Sequence[str] | np.ndarray
    feature_names: Sequence[str] | np.ndarray
    samples: np.ndarray | None = None
    labels: np.ndarray | None = None
    predicted: np.ndarray | None = None
    prototypes: np.ndarray | None = None
    prototype_weights: np.ndarray | None = None
    point: np.ndarray | None = None
    ticks: tuple[Any, Any] = (None, None)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: npt.ArrayLike,
        y: npt.ArrayLike | None = None,
        *,
        features: Sequence[int | str] | None = None,
        point: npt.ArrayLike | None = None,
        grid_resolution: int = 200,
        feature_names: Sequence[str] | None = None,
        ax: Axes | None = None,
        legend: bool = True,
    ) -> Self:
        """Draw the surface of a fitted classifier.

        Parameters
        ----------
        estimator : estimator
            Any fitted classifier, or a `Pipeline` or search with one. Prototypes of a `ProsetClassifier` or a
            `SetCoverClassifier` are shown, unless steps before it do more than scale the features. Without
            `predict_proba`, the predicted class has the probability 1.
        X : array-like, shape (N, D)
            In the units in which `estimator` takes them; the axes span their range.
        y : array-like, shape (N,), optional
            With labels, samples are drawn too; misclassified ones are larger and have a black edge.
        grid_resolution : int, default=200
            Pixels per side.
        legend : bool, default=True
            Whether to draw a legend, and a bar of probabilities where there are two classes.
        """
        fitted = Fitted(estimator)
        plane = Plane(fitted, X, features, point, feature_names)
        x, vertical, points = plane.grid(grid_resolution)
        prototypes, weights = _in_plane(fitted, plane)
        shown: dict[str, Any] = {}
        if y is not None:
            classes, found = fitted.model.classes_, estimator.predict(X)
            labels = class_codes(y, classes, len(found))
            predicted = np.where(np.isin(found, classes), np.searchsorted(classes, found), -1)  # -1: rejected
            shown = {"samples": plane.places(plane.table), "labels": labels, "predicted": predicted}
        return cls(
            x=x,
            y=vertical,
            probabilities=_probabilities(fitted, points).reshape(len(vertical), len(x), -1),
            class_names=fitted.class_names,
            feature_names=plane.names,
            prototypes=prototypes,
            prototype_weights=weights,
            point=None if point is None else plane.places(plane.point[None])[0],
            ticks=plane.ticks(),
            **shown,
        ).plot(ax, legend=legend)

    def plot(self, ax: Axes | None = None, *, scale: float = 1.0, legend: bool = True) -> Self:
        """Draw it.

        Parameters
        ----------
        scale : float > 0, default=1.0
            Factor of the area of marks.
        """
        axes = self._axes(ax)
        x, y = self.x, self.y
        half = (x[1] - x[0]) / 2, (y[1] - y[0]) / 2
        extent = (x[0] - half[0], x[-1] + half[0], y[0] - half[1], y[-1] + half[1])
        axes.set_rasterization_zorder(3)  # one image instead of thousands of paths in an SVG
        image = shade(self.probabilities)
        axes.imshow(image, extent=extent, origin="lower", aspect="auto", interpolation="nearest", zorder=0)
        for k in range(1 if len(self.class_names) == 2 else 0, len(self.class_names)):
            lead = self.probabilities[..., k] - np.delete(self.probabilities, k, axis=2).max(axis=2)
            if lead.min() < 0 < lead.max():
                axes.contour(x, y, lead, levels=[0.0], colors="black", linewidths=0.7, zorder=1)
        if self.samples is not None and self.labels is not None:
            self._draw_samples(axes, self.samples, self.labels, scale)
        if self.prototypes is not None and self.prototype_weights is not None:
            area = style.areas(self.prototype_weights, WIDEST_PROTOTYPE * scale)
            style.circles(axes, self.prototypes, area, zorder=2.4)
        if self.point is not None:
            for colour, width in (("white", 3.0), ("black", 1.4)):
                style.scatter(axes, self.point[None], s=60, marker="x", color=colour, linewidth=width, zorder=2.6)
        axes.set(xlim=extent[:2], ylim=extent[2:])
        label_plane(axes, self.feature_names, self.ticks)
        if legend:
            style.legend(axes, handles=self.handles(style.ink(axes)))
            if len(self.class_names) == 2:
                probability_bar([axes], self.class_names[1], location="bottom")
        return self

    def handles(self, ink: str = style.BLACK) -> list[Line2D]:
        """What a legend shows, on a ground where text has the colour `ink`."""
        found = style.class_markers(self.class_names, ink)
        edge = {"markerfacecolor": "none", "markeredgecolor": ink}
        if self.samples is not None:
            found.append(style.marker("misclassified", marker="o", markersize=5, **edge))
        if self.prototype_weights is not None and len(self.prototype_weights):
            equal = np.ptp(self.prototype_weights) == 0
            found.append(style.circle("prototype" if equal else "prototype, area by weight"))
        if self.point is not None:
            found.append(style.marker("point", marker="x", **edge))
        return found

    def _draw_samples(self, axes: Axes, samples: np.ndarray, labels: np.ndarray, scale: float) -> None:
        wrong, size = self.predicted != labels, 20.0 * scale * style.room(len(labels))
        for k in range(len(self.class_names)):
            look = style.class_style(k)
            right, missed = ~wrong & (labels == k), wrong & (labels == k)
            style.scatter(axes, samples[right], s=size, linewidth=0, zorder=2, **look)
            style.scatter(
                axes,
                samples[missed],
                s=max(1.5 * size, 12.0 * scale),
                marker=look["marker"],
                facecolor=look["color"],
                edgecolor="black",
                linewidth=0.8,
                zorder=2.2,
            )


def shade(probabilities: np.ndarray) -> np.ndarray:
    """Colours, shape (..., 3), of class probabilities, shape (..., K).

    White where all classes are equally probable; the colours of classes are mixed in proportion to how much more
    probable than that they are, in steps.
    """
    n_classes = probabilities.shape[-1]
    colours = np.array([to_rgb(style.class_style(k)["color"]) for k in range(n_classes)])
    excess = np.maximum(n_classes * probabilities - 1.0, 0.0) / (n_classes - 1)
    return 1.0 - STRENGTH * np.round(STEPS * excess) / STEPS @ (1.0 - colours)


def probability_bar(axes: Sequence[Axes], class_name: str, **options: Any) -> Colorbar:
    """A bar of shades for the probability of the second of two classes, next to all `axes`."""
    p = np.linspace(0.0, 1.0, 101)
    colours = ListedColormap(shade(np.column_stack([1 - p, p])))
    bar = axes[0].figure.colorbar(ScalarMappable(cmap=colours), ax=axes, aspect=40, shrink=0.8, **options)
    bar.set_label(f"probability of class {style.plain(class_name)}")
    return bar


def _probabilities(fitted: Fitted, points: np.ndarray) -> np.ndarray:
    """Probabilities of classes, shape (N, K); 1 for the predicted class of a classifier that has none."""
    table = fitted.decoded(points)
    if hasattr(fitted.estimator, "predict_proba"):
        found: np.ndarray = fitted.estimator.predict_proba(table)
    else:
        predicted = fitted.estimator.predict(table)
        found = np.eye(len(fitted.class_names))[class_codes(predicted, fitted.model.classes_, len(points))]
    return found


def _in_plane(fitted: Fitted, plane: Plane) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Prototypes projected on a plane, and their weights there."""
    if not fitted.units:
        return None, None
    if not hasattr(fitted.model, "batches_"):
        found = getattr(fitted.model, "prototypes_", None)
        return (None, None) if found is None else (plane.places(fitted.to_units(found)), np.ones(len(found)))
    others = np.delete(np.arange(len(plane.point)), plane.features)
    place = plane.point if fitted.is_mixed else fitted.scaled(plane.point[None])[0]
    positions, weights = [np.empty((0, 2))], [np.empty(0)]
    for batch in fitted.model.batches_:
        positions.append(plane.places(fitted.to_units(batch.prototypes)))
        (exponents,) = exponents_of(fitted.model._model, place[None], batch, others).sum(axis=0)
        weights.append(batch.prototype_weights * np.exp(-0.5 * exponents))
    return np.concatenate(positions), np.concatenate(weights)
