"""Test log-loss of the final models against their complexity."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation, Transform

from proset.plot.style import log_axis, plain
from proset_study.report.figures.style import ReportFigure, legend, method_name, method_style, panels, slug
from proset_study.scores import SMALLEST
from proset_study.store.stored import Final

QUANTITIES = ("prototypes", "active_features")


def complexity_figure(finals: list[Final]) -> ReportFigure:
    """Test log-loss against prototypes (where the method has them) and against active features."""
    quantities = [q for q in QUANTITIES if any(q in f.fit["summary"] for f in finals)]
    figure, axes = panels(len(quantities), 2, (5.0, 4.0), sharey="all")
    losses = {f.run.name: loss_and_error(f) for f in finals}
    drawn = [_points(panel, q, finals, losses) for panel, q in zip(axes, quantities, strict=True)]
    axes[0].set_ylabel("test log-loss (nats)")
    legend(figure)
    if (layout := figure.get_layout_engine()) is not None:  # so that labels find their places on axes of the final size
        layout.execute(figure)
    for panel, points in zip(axes, drawn, strict=True):
        _label(panel, points)
    first = finals[0]
    best = min(finals, key=lambda f: losses[f.run.name])
    texts = [f"{f.label} {losses[f.run.name][0]:.3g}" for f in finals]
    return ReportFigure(
        name=slug(first.data_set, "complexity"),
        category="Loss and complexity",
        title=f"{first.data_set}: test log-loss against complexity",
        caption=f"Data set {first.data_set}, replicate {first.replicate}, {len(first.y)} test samples, final models of"
        f" {', '.join(f.label for f in finals)}. Error bars are one standard error of the mean over the test samples;"
        " these are the same for every model, so that differences are more certain than the bars suggest. Models with"
        " the same number are shown side by side. XGBoost's active features are those with positive importance.",
        alt=f"Test log-loss on {first.data_set}: {', '.join(texts)}; the lowest is that of {best.label}.",
        figure=figure,
    )


def loss_and_error(final: Final) -> tuple[float, float]:
    """Log-loss on the test part and its standard error over the samples."""
    loss = -np.log(np.clip(true_class_probability(final), SMALLEST, 1 - SMALLEST))
    weight = final.weight / final.weight.sum()
    mean = float(weight @ loss)
    return mean, float(np.sqrt((weight**2 * (loss - mean) ** 2).sum()))


def true_class_probability(final: Final) -> np.ndarray:
    """Probability that each test sample's true class was given, shape (m,)."""
    return final.probabilities[np.arange(len(final.y)), final.y]


def _points(axes, quantity, finals, losses):
    """Draw the models that have the quantity; give the place, x, y and label of each point."""
    shown = [f for f in finals if quantity in f.fit["summary"]]
    x = np.array([f.fit["summary"][quantity] for f in shown], dtype=float)
    y, error = np.array([losses[f.run.name] for f in shown]).T
    if x.min() > 0 and x.max() > 30 * x.min():
        axes.set_xlim(x.min() / 1.3, 1.3 * x.max())
        log_axis(axes, "x", dense=True)
    else:
        axes.set_xlim(-0.1 * (x.max() or 1.0), 1.2 * (x.max() or 1.0))
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 5, 10], integer=True))
    axes.set_xlabel(f"{quantity.replace('_', ' ')} of the final model")
    places = [_next_to(axes, x, i) for i in range(len(x))]
    for final, place, *point in zip(shown, places, x, y, error, strict=True):
        # Limits do not follow points that are shown next to their place.
        axes.update_datalim([(point[0], point[1] - point[2]), (point[0], point[1] + point[2])])
        axes.errorbar(*point, linestyle="none", ecolor="#C4C4C4", elinewidth=0.8, zorder=1, transform=place)
        style = method_style(final.run.method)
        name = method_name(final.run.method)
        axes.plot(*point[:2], linestyle="none", markersize=6, label=name, transform=place, **style)
    axes.autoscale(axis="y")
    return list(zip(places, x, y, [f.label for f in shown], strict=True))


def _next_to(axes: Axes, x: np.ndarray, i: int) -> Transform:
    """Where the i-th point is shown: next to others with the same x."""
    same = np.flatnonzero(x == x[i])
    shift = 6 * (int(np.searchsorted(same, i)) - (len(same) - 1) / 2)
    return axes.transData + ScaledTranslation(shift / 72, 0, axes.figure.dpi_scale_trans)


def _label(axes: Axes, points: list[tuple[Transform, float, float, str]]) -> None:
    """Write each label near its point, where it covers the least of other points and labels."""
    unit = axes.figure.dpi / 72  # pixels
    centres = [place.transform((x, y)) / unit for place, x, y, _ in points]
    taken = [(cx - 4, cy - 4, cx + 4, cy + 4) for cx, cy in centres]
    inside = np.array(axes.bbox.extents) / unit
    longest_first = sorted(zip(points, centres, strict=True), key=lambda p: -len(p[0][3]))
    for (place, x, y, label), (cx, cy) in longest_first:
        width, height = 5.2 * len(label), 9.0  # of text of 8 points, about
        boxes = []
        for dx, dy in _OFFSETS:
            left = cx + (6 if dx > 0 else -6 - width if dx < 0 else -width / 2)
            bottom = cy + 10 * dy - height / 2
            boxes.append((left, bottom, left + width, bottom + height))
        costs = [sum(_overlap(box, t) for t in taken) + width * height - _overlap(box, inside) for box in boxes]
        best = int(np.argmin(costs))
        taken.append(boxes[best])
        dx, dy = _OFFSETS[best]
        axes.annotate(
            plain(label),
            (x, y),
            xycoords=place,
            xytext=(6 * dx, 10 * dy),
            textcoords="offset points",
            ha={1: "left", 0: "center", -1: "right"}[dx],
            va="center",
            size=8,
        )


_OFFSETS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1), (1, 2), (-1, 2), (1, -2), (-1, -2)]


def _overlap(a, b):
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
