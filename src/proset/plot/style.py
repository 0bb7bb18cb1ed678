"""Colours, markers and axes of all figures: one place, so that a class looks the same in every one of them."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

BLACK = "#000000"
# Okabe and Ito's colours, which colour-blind readers can tell apart, then two that differ from them in lightness.
COLOURS = (
    *("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", BLACK, "#F0E442"),
    *("#999999", "#7A4A2B"),
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
GREY = "#8A8A8A"
LOSS_MAP = "viridis_r"  # the best are light, so that a black ring around them shows
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def class_style(k: int, ink: str = BLACK) -> dict[str, Any]:
    """Colour and marker of the class with index `k`; `ink` takes the place of black where the ground is dark."""
    colour = COLOURS[k % len(COLOURS)]
    return {"color": ink if colour == BLACK else colour, "marker": MARKERS[k % len(MARKERS)]}


def optimum_style(ink: str = BLACK) -> dict[str, Any]:
    """The mark of the setting with the lowest loss."""
    return {"marker": "*", "s": 110, "facecolor": "#D55E00", "edgecolor": ink, "linewidth": 0.8, "zorder": 6}


def choice_style(ink: str = BLACK) -> dict[str, Any]:
    """The mark of the setting that is selected."""
    return {"marker": "D", "s": 100, "facecolor": "none", "edgecolor": ink, "linewidth": 1.6, "zorder": 7}


def plain(text: object, limit: int = 28) -> str:
    """Any text so that it is drawn as it is: no formula, one line, not dropped from a legend, not too long."""
    line = "".join(c if c.isprintable() else " " for c in str(text))
    line = line if len(line) <= limit else line[: limit - 1] + "…"
    line = " " + line if line.startswith("_") else line  # legends leave out labels that start with it
    return line.replace("$", r"\$")


def log_axis(axes: Axes, direction: str, dense: bool = False) -> None:
    """Make axis "x" or "y" logarithmic, with ticks at powers of ten, or at 1, 2, 5, 10, ... if it spans few of them."""
    axes.set(**{f"{direction}scale": "log"})
    axis = getattr(axes, f"{direction}axis")
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if dense else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: _short(value) if dense else _power_of_ten(value)))
    axis.set_minor_locator(NullLocator())


def _short(value: float) -> str:
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"


def _power_of_ten(value: float) -> str:
    return "10" + str(round(math.log10(value))).translate(_SUPERSCRIPTS)  # much faster than a formula


def new_axes(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    """The axes to draw on: those given, or those of a new figure of Matplotlib's size, or of `size` inches."""
    if ax is not None:
        return ax
    from matplotlib import pyplot

    created: Axes = pyplot.subplots(figsize=size, layout="constrained")[1]
    return created


def ink(axes: Axes) -> str:
    """The colour of text, which can be seen on the ground of the axes in every style."""
    colour = axes.xaxis.label.get_color()
    return str(colour)


def legend(axes: Axes, **options: Any) -> None:
    """A legend at the right of the axes, where it covers nothing."""
    if options.get("handles") or axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0.0, frameon=False, **options)


def scatter(axes: Axes, points: np.ndarray, **look: Any) -> None:
    """Marks at points, shape (N, 2)."""
    axes.scatter(points[:, 0], points[:, 1], **look)


def marker(label: str, **style: Any) -> Line2D:
    """A marker for a legend."""
    return Line2D([], [], linestyle="none", label=label, **style)


def class_markers(names: Sequence[str] | np.ndarray, ink: str, **look: Any) -> list[Line2D]:
    """Markers of all classes for a legend."""
    return [marker(f"class {plain(name)}", **class_style(k, ink), **look) for k, name in enumerate(names)]


def label_plane(axes: Axes, names: Sequence[str] | np.ndarray) -> None:
    """Name the two axes."""
    axes.set(xlabel=plain(names[0]), ylabel=plain(names[1]))


def areas(weights: np.ndarray, widest: float) -> np.ndarray:
    """Areas of marks in square points, in proportion to weights; smaller marks where there are many."""
    largest = weights.max(initial=0.0)
    found: np.ndarray = widest * room(len(weights)) * weights / (largest or 1.0)
    return found


def room(number: int) -> float:
    """Factor for the size of marks that leaves room between many of them."""
    return float(min(1.0, (60 / max(number, 1)) ** 0.5))


def circles(axes: Axes, positions: np.ndarray, area: np.ndarray, **options: Any) -> None:
    """Rings that are seen on any ground."""
    width = room(len(area))
    for colour, thickness in (("black", 2.0), ("white", 0.8)):
        scatter(axes, positions, s=area, facecolor="none", edgecolor=colour, linewidth=thickness * width, **options)


def circle(label: str) -> Line2D:
    """The ring in a legend."""
    ring = {"marker": "o", "markerfacecolor": "none", "markeredgecolor": "white", "markersize": 9}
    return marker(label, path_effects=[withStroke(linewidth=2.2, foreground="black")], **ring)
