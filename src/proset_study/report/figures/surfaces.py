"""Decision surfaces of data with two features."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from proset_study.methods.weighted import WeightedPrototypeModel
from proset_study.report.figures.style import ReportFigure, class_style, method_name, panels, plain, slug
from proset_study.scores import log_loss
from proset_study.store.stored import Final

STRENGTH = 0.6  # of the shade, so that points in the colour of their class stand out from it
STEPS = 10  # of the shade, which make differences of probability visible and files small
SMALL, LARGE = 180, 420  # pixels a side
WIDEST_PROTOTYPE = 110.0  # area in square points of the prototype with the largest weight


def surfaces_figure(finals: list[Final]) -> ReportFigure:
    """Small multiples: one panel per final model."""
    figure, axes = panels(len(finals), 4 if len(finals) > 4 else 3, (2.5, 2.6), sharex="all", sharey="all")
    for panel, final in zip(axes, finals, strict=True):
        _surface(panel, final, SMALL, scale=0.5)
        loss = log_loss(final.probabilities, final.y, final.weight)
        label = "" if final.label == final.run.method else f"{final.label}, "  # some are named after their method
        panel.set_title(f"{label}{method_name(final.run.method)}\ntest log-loss {loss:.2f}")
    _finish(figure, axes, finals[0])
    data_set = finals[0].data_set
    return ReportFigure(
        name=slug(data_set, "surfaces"),
        category="Decision surfaces",
        title=f"{data_set}: decision surfaces of the final models",
        caption=_caption(finals),
        alt=_alt(finals),
        figure=figure,
    )


def pair_figure(chosen: Final, optimal: Final) -> ReportFigure:
    """Two models of the same search side by side, large: parameters by the rule, and optimal ones."""
    finals = [chosen, optimal]
    figure, axes = panels(2, 2, (5.0, 5.0), sharex="all", sharey="all")
    for panel, final in zip(axes, finals, strict=True):
        _surface(panel, final, LARGE, scale=1.0)
        parameters = ", ".join(f"{k} = {v:.1e}" for k, v in final.selected_parameters.items())
        what = "optimum" if final.run.selection_rule == "best" else "simplest within the threshold"
        panel.set_title(f"{final.label}, {what}\n{parameters}; batches: {final.fit['complexity']}")
    _finish(figure, axes, chosen)
    return ReportFigure(
        name=slug(chosen.data_set, "surfaces", chosen.run.name, optimal.run.name),
        category="Decision surfaces",
        title=f"{chosen.data_set}: {chosen.label} next to {optimal.label}",
        caption=f"{_caption(finals)} Both models come from the same stage 1; {chosen.label} takes the simplest"
        f" parameters within the threshold, {optimal.label} those with the lowest cross-validated log-loss.",
        alt=_alt(finals),
        figure=figure,
    )


def shade(probabilities: np.ndarray) -> np.ndarray:
    """Colours, shape (..., 3), of class probabilities, shape (..., K).

    White where all classes are equally probable; the colours of classes are mixed in proportion to how much more
    probable than that they are, in steps.
    """
    n_classes = probabilities.shape[-1]
    colours = np.array([to_rgb(class_style(k)["color"]) for k in range(n_classes)])
    excess = np.maximum(n_classes * probabilities - 1.0, 0.0) / (n_classes - 1)
    return 1.0 - STRENGTH * np.round(STEPS * excess) / STEPS @ (1.0 - colours)


def grid(X: np.ndarray, resolution: int) -> tuple[np.ndarray, np.ndarray]:
    """Centres of the pixels of each axis, shape (resolution,), over the range of the data and a margin."""
    low, high = X.min(axis=0), X.max(axis=0)
    margin = 0.05 * np.where(high > low, high - low, 1.0)
    low, high = low - margin, high + margin
    step = (high - low) / resolution
    x, y = (low[d] + step[d] * (np.arange(resolution) + 0.5) for d in range(2))
    return x, y


def surface(final: Final, resolution: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pixel centres x and y, and class probabilities at them, shape (resolution, resolution, K), y first."""
    x, y = grid(final.model.encoded(final.data.X), resolution)
    points = np.column_stack([axis.ravel() for axis in np.meshgrid(x, y)])
    return x, y, final.model.predict_proba(points).reshape(resolution, resolution, -1)


def _surface(axes: Axes, final: Final, resolution: int, scale: float) -> None:
    x, y, probabilities = surface(final, resolution)
    half = (x[1] - x[0]) / 2, (y[1] - y[0]) / 2
    extent = (x[0] - half[0], x[-1] + half[0], y[0] - half[1], y[-1] + half[1])
    axes.set_rasterization_zorder(3)  # one image instead of thousands of paths in an SVG
    axes.imshow(shade(probabilities), extent=extent, origin="lower", aspect="auto", interpolation="nearest", zorder=0)
    for k in range(1 if probabilities.shape[2] == 2 else 0, probabilities.shape[2]):
        lead = probabilities[..., k] - np.delete(probabilities, k, axis=2).max(axis=2)
        if lead.min() < 0 < lead.max():
            axes.contour(x, y, lead, levels=[0.0], colors="black", linewidths=0.7, zorder=1)
    point = 20.0 * scale * _room(len(final.y))
    X, wrong = final.model.encoded(final.X_test), final.probabilities.argmax(axis=1) != final.y
    for k in range(probabilities.shape[2]):
        style = class_style(k)
        right = ~wrong & (final.y == k)
        x, y = X[right].T
        axes.scatter(x, y, s=point, marker=style["marker"], color=style["color"], linewidth=0, zorder=2)
        missed = wrong & (final.y == k)
        axes.scatter(
            X[missed, 0],
            X[missed, 1],
            s=max(1.5 * point, 12.0 * scale),
            marker=style["marker"],
            facecolor=style["color"],
            edgecolor="black",
            linewidth=0.8,
            zorder=2.2,
        )
    if isinstance(final.model.fitted, WeightedPrototypeModel):
        _prototypes(axes, final.model, final.model.fitted.prototypes(), scale)
    axes.set(xlim=extent[:2], ylim=extent[2:])


def _room(number):
    """Factor for the size of marks that leaves room between many of them."""
    return min(1.0, (60 / number) ** 0.5)


def _prototypes(axes, model, prototypes, scale):
    weight = prototypes.weights
    if not len(weight):
        return
    position = prototypes.X * model.scale + model.centre
    room = _room(len(weight))
    area = WIDEST_PROTOTYPE * scale * room * weight / weight.max()
    for colour, width in (("black", 2.0), ("white", 0.8)):  # to be seen on any shade
        axes.scatter(*position.T, s=area, facecolor="none", edgecolor=colour, linewidth=width * room, zorder=2.4)


def _finish(figure, axes, final):
    names = [plain(name) for name in final.data.class_names]
    if len(names) == 2:
        p = np.linspace(0.0, 1.0, 101)
        colours = ListedColormap(shade(np.column_stack([1 - p, p])))
        bar = figure.colorbar(ScalarMappable(cmap=colours), ax=axes, aspect=40, shrink=0.8)
        bar.set_label(f"probability of class {names[1]}")
    figure.supxlabel(plain(final.data.feature_names[0]), size=9)
    figure.supylabel(plain(final.data.feature_names[1]), size=9)

    def mark(label, **style):
        return Line2D([], [], linestyle="none", label=label, **style)

    marks = [mark(f"class {name}", **class_style(k)) for k, name in enumerate(names)]
    marks.append(mark("misclassified", marker="o", markerfacecolor="none", markeredgecolor="black", markersize=5))
    circle = {"markerfacecolor": "none", "markeredgecolor": "white", "markersize": 9}
    outline = [withStroke(linewidth=2.2, foreground="black")]
    marks.append(mark("prototype, area by weight", marker="o", path_effects=outline, **circle))
    figure.legend(handles=marks, loc="outside upper center", ncols=min(6, len(marks)))


def _caption(finals):
    first = finals[0]
    return (
        f"Data set {first.data_set}, replicate {first.replicate}, final models fitted to {first.fit['n_fit']} training"
        f" samples. Shade is the predicted probability in {STEPS} steps, white where all classes are equally probable,"
        " and mixed of the colours of classes that are more probable; black lines are where the most probable class"
        f" changes. Points are the {len(first.y)} test samples by class, larger with a black edge if the model"
        " misclassifies them; equal samples cover each other. Circles are proset's prototypes, their area in proportion"
        " to their weight within the panel."
    )


def _alt(finals):
    errors = [f"{f.label}: {np.count_nonzero(f.probabilities.argmax(axis=1) != f.y)}" for f in finals]
    return (
        f"Decision surfaces of {len(finals)} final models on {finals[0].data_set}; misclassified of"
        f" {len(finals[0].y)} test samples: {', '.join(errors)}."
    )
