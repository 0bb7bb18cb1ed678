"""The balls of a set cover in a plane of two features."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from proset.plot import style
from proset.plot.axis import label_plane
from proset.plot.display import Display
from proset.plot.fitted import Fitted, Plane
from proset.set_cover import SetCoverClassifier
from proset.validation import class_codes

MARGIN = 0.2  # around the samples, of their range: balls reach beyond them


class BallsDisplay(Display):
    """Prototypes of a set cover with their balls, and which samples are covered.

    Balls are cut by the plane of two features; those that do not reach it are left out.

    Parameters
    ----------
    x, y : ndarray, shape (R,)
        Points of a grid on each axis.
    distances : ndarray, shape (R, R, P)
        From the points of the grid, y first, to the prototypes.
    radii : ndarray, shape (P,)
    prototypes : ndarray, shape (P, 2)
    labels : ndarray of int, shape (P,)
        The classes that they stand for.
    class_names, feature_names : sequence of str
        K, and two.
    samples : ndarray, shape (N, 2)
    sample_labels : ndarray of int, shape (N,)
    covered, miscovered : ndarray of bool, shape (N,)
        Whether each sample is in a ball of its class, and whether it is in one of another class.
    aspect : {"auto", "equal"}, default="auto"
        "equal" draws round balls as circles.

    Attributes
    ----------
    balls_ : list of matplotlib QuadContourSet
        Edges of the balls that are in view, in the order of the prototypes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import SetCoverClassifier
    >>> from proset.plot import BallsDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SetCoverClassifier(eps=0.6).fit(X[:, 2:], y)
    >>> display = BallsDisplay.from_estimator(model, X[:, 2:], y)
    >>> len(display.balls_) == len(model.prototypes_)
    True
    """

    x: np.ndarray
    y: np.ndarray
    distances: np.ndarray
    radii: np.ndarray
    prototypes: np.ndarray
    labels: np.ndarray
    class_names: Sequence[str]
    feature_names: Sequence[str]
    samples: np.ndarray
    sample_labels: np.ndarray
    covered: np.ndarray
    miscovered: np.ndarray
    aspect: str = "auto"
    ticks: tuple[Any, Any] = (None, None)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        *,
        features: Sequence[int | str] | None = None,
        point: npt.ArrayLike | None = None,
        grid_resolution: int = 200,
        feature_names: Sequence[str] | None = None,
        ax: Axes | None = None,
        legend: bool = True,
    ) -> Self:
        """Draw the balls of a fitted classifier, at the radius with which it was fitted.

        Parameters
        ----------
        estimator : estimator
            A fitted `SetCoverClassifier`, or a `Pipeline` or search with one. The shape of balls follows from its
            metric, and from steps before it: they need not be round.
        X : array-like, shape (N, D)
            The training samples, as `estimator` takes them.
        y : array-like, shape (N,)
            Their classes.
        grid_resolution : int, default=200
            Points per side at which distances are computed.

        Raises
        ------
        ValueError
            If `estimator` has no `SetCoverClassifier`, its metric is "precomputed", steps before it do more than scale
            the features, or another argument does not fit it.
        """
        fitted = Fitted(estimator)
        model = fitted.model
        if not isinstance(model, SetCoverClassifier):
            raise ValueError(f"estimator: {type(model).__name__} is not allowed, must be a SetCoverClassifier")
        if model.metric == "precomputed":
            raise ValueError("estimator: metric='precomputed' is not allowed, there are no features to draw")
        if not fitted.units:
            raise ValueError("estimator: steps before the classifier are not allowed to change features but in scale")
        plane = Plane(fitted, X, features, point, feature_names)
        x, vertical, points = plane.grid(grid_resolution, MARGIN)
        scaled = plane.table if fitted.is_mixed else fitted.scaled(plane.table)
        of_grid = points if fitted.is_mixed else fitted.scaled(points)
        own = class_codes(y, model.classes_, len(plane.table))
        inside, same = model._near(scaled) < model.radii_, own[:, None] == model._labels
        return cls(
            x=x,
            y=vertical,
            distances=model._near(of_grid).reshape(len(vertical), len(x), len(model.radii_)),
            radii=model.radii_,
            prototypes=plane.places(fitted.to_units(model.prototypes_), MARGIN),
            labels=model._labels,
            class_names=fitted.class_names,
            feature_names=plane.names,
            samples=plane.places(plane.table, MARGIN),
            ticks=plane.ticks(MARGIN),
            sample_labels=own,
            covered=(inside & same).any(axis=1),
            miscovered=(inside & ~same).any(axis=1),
            aspect="equal" if model is estimator and plane.ticks(MARGIN) == (None, None) else "auto",
        ).plot(ax, legend=legend)

    def plot(self, ax: Axes | None = None, *, legend: bool = True) -> Self:
        axes = self._axes(ax)
        ink = style.ink(axes)
        self.balls_ = []
        for j, (position, k, radius) in enumerate(zip(self.prototypes, self.labels, self.radii, strict=True)):
            distance, look = self.distances[..., j], style.class_style(k, ink)
            if distance.min() < radius:
                levels = [-1.0, min(radius, distance.max() + 1.0)]
                axes.contourf(self.x, self.y, distance, levels=levels, colors=look["color"], alpha=0.12)
                if radius < distance.max():
                    line = {"colors": look["color"], "linewidths": 0.9}
                    self.balls_.append(axes.contour(self.x, self.y, distance, levels=[radius], **line))
                style.scatter(axes, position[None], s=70, edgecolor=ink, linewidth=1.2, zorder=4, **look)
        size = 18.0 * style.room(len(self.samples))
        for k in range(len(self.class_names)):
            look, own = style.class_style(k, ink), self.sample_labels == k
            for covered, face in ((True, look["color"]), (False, "none")):
                shown = self.samples[own & (self.covered == covered)]
                edge = {"marker": look["marker"], "edgecolor": look["color"], "linewidth": 0.8}
                style.scatter(axes, shown, s=size, facecolor=face, zorder=3, **edge)
        wrong = self.samples[self.miscovered]
        ring = {"marker": "o", "facecolor": "none", "edgecolor": ink}
        style.scatter(axes, wrong, s=2.5 * size, linewidth=0.9, zorder=3.5, **ring)
        axes.set(xlim=(self.x[0], self.x[-1]), ylim=(self.y[0], self.y[-1]), aspect=self.aspect)
        label_plane(axes, self.feature_names, self.ticks)
        if legend:
            style.legend(axes, handles=self._handles(ink))
        return self

    def _handles(self, ink: str) -> list[Any]:
        found = style.class_markers(self.class_names, ink, markersize=4)
        look = {"marker": "o", "markeredgecolor": ink}
        found.append(style.marker("prototype with its ball", markerfacecolor=style.GREY, markersize=8, **look))
        if not self.covered.all():
            found.append(style.marker("in no ball of its class", markerfacecolor="none", markersize=4, **look))
        if self.miscovered.any():
            found.append(style.marker("in a ball of another class", markerfacecolor="none", markersize=8, **look))
        return found
