"""Colours, markers and axes of all figures: one place, so that a class looks the same in every one of them."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

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


def scale(axes: Axes, direction: str, values: np.ndarray, name: str) -> None:
    """Label an axis of a parameter; it is logarithmic if the values span much, else ticks of whole numbers are such."""
    axes.set(**{f"{direction}label": name})
    if values.min() > 0 and values.max() > 30 * values.min():
        log_axis(axes, direction)
    else:
        getattr(axes, f"{direction}axis").set_major_locator(whole_numbers(values))


def whole_numbers(values: np.ndarray) -> MaxNLocator:
    """Where ticks are: at whole numbers if all values are."""
    return MaxNLocator("auto", steps=[1, 2, 2.5, 5, 10], integer=not (values % 1).any())


def _short(value: float) -> str:
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"


def _power_of_ten(value: float) -> str:
    return "10" + str(round(math.log10(value))).translate(_SUPERSCRIPTS)  # much faster than a formula


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


def intervals(axes: Axes, place: Any, middle: Any, low: Any, high: Any, **look: Any) -> ErrorbarContainer:
    """Dots with horizontal intervals."""
    ends = np.maximum([middle - low, high - middle], 0.0)
    return axes.errorbar(middle, place, xerr=ends, **{"fmt": "o", "capsize": 3, "markersize": 6, **look})


def stacked(axes: Axes, widths: np.ndarray, labels: list[str], colours: Sequence[str] = ()) -> list[BarContainer]:
    """Horizontal bars, shape (n, K), in the colours of K classes or others."""
    colours = colours or [class_style(k, ink(axes))["color"] for k in range(len(labels))]
    left, place = np.cumsum(widths, axis=1) - widths, np.arange(len(widths))
    pairs = enumerate(zip(colours, labels, strict=True))
    return [axes.barh(place, widths[:, k], 0.7, left[:, k], color=colour, label=label) for k, (colour, label) in pairs]


def dumbbells(axes: Axes, before: Any, after: Any, labels: tuple[str, str], names: list[str]) -> None:
    """Pairs of dots, each connected by a line, from top to bottom or from bottom to top."""
    place = np.arange(len(names))
    dot: dict[str, Any] = {"marker": "o", "linestyle": "none"}
    axes.hlines(place, before, after, color=GREY, linewidth=1.0, zorder=1)
    axes.plot(before, place, markerfacecolor="none", color=GREY, label=labels[0], **dot)
    axes.plot(after, place, color=COLOURS[0], label=labels[1], **dot)
    axes.set_yticks(place, names)


def areas(weights: np.ndarray, widest: float) -> np.ndarray:
    """Areas of marks in square points, in proportion to weights; smaller marks where there are many."""
    largest = weights.max(initial=0.0)
    return widest * room(len(weights)) * weights / (largest or 1.0)


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
