"""Colours, markers, sizes and saving: one place, so that a method or a class looks the same in every figure."""

import io
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from proset.plot.style import MARKERS, log_axis, plain
from proset_study.base.records import write_text
from proset_study.methods import labels

RASTER_DPI = 160  # of images and dense points inside an SVG
# Neither those of classes, in `proset.plot.style`, nor of estimators: a colour stands for one thing. These are of the
# methods with the first places: proset as published, k nearest neighbours, XGBoost, proset by default, the SVM, and
# proset with few prototypes.
MAIN_COLOURS = ("#004488", "#D07A00", "#1B8A7A", "#3B8BD0", "#7B4FA3", "#0097B2")
OTHER_COLOURS = ("#707070", "#8F8F8F", "#A8A8A8", "#585858", "#404040")  # of all others, after markers
ESTIMATOR_COLOURS = ("#332288", "#882255", "#AA4499", "#000000")
RANGE, QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0), (0.05, 0.25, 0.5, 0.75, 0.95)
SPREAD_NOTE = "Mark: median over the data sets; lines: quartiles, and from 5 to 95 %."
_INVISIBLE = re.compile(r"(\b\d\.\d{4}|\d\d\.\d{2})\d+")  # digits of numbers, after those that count
_SERIES = re.compile(r'<g([^>]*)>((?:<(?:use|path)[^>]* style="[^"]*"/>){2,})</g>')  # markers or lines of a series
_STYLE = re.compile(r' style="[^"]*"')

_SETTINGS: dict[Any, Any] = {
    "figure.dpi": 110,
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "lines.linewidth": 1.4,
    "lines.markersize": 5,
    "svg.hashsalt": "proset",  # ids, and with them the bytes, are the same every time
}


@dataclass(frozen=True)
class ReportFigure:
    """A figure with what a page needs to show it, all as plain text."""

    title: str
    finding: str  # one sentence that says what the figure shows, made from what is drawn; else what to look at
    caption: str  # how to read the figure, in full sentences
    alt: str  # what a reader who cannot see the figure should know
    figure: Figure
    name: str = ""  # stem of its files: lower-case letters, digits and underscores; `registry` sets it
    category: str = ""


def context() -> AbstractContextManager:
    """The settings under which figures are drawn and saved."""
    return matplotlib.rc_context(_SETTINGS)


def method_style(method: str) -> dict[str, Any]:
    """Colour and marker of a method; some have a colour of their own, all others are grey."""
    i = labels.place(method)
    others = OTHER_COLOURS[i // len(MARKERS) % len(OTHER_COLOURS)]
    return {"color": MAIN_COLOURS[i] if i < len(MAIN_COLOURS) else others, "marker": MARKERS[i % len(MARKERS)]}


def axis_name(parameter: str) -> str:
    """Label of an axis that shows a parameter or the size of a method."""
    name = labels.name_of(parameter)
    return name.axis or name.table or plain(parameter.replace("_", " "))


def slug(*names: str) -> str:
    """Names as lower-case letters, digits and underscores."""
    return re.sub(r"[^a-z0-9]+", "_", "_".join(names).lower()).strip("_")


def panels(
    number: int, columns: int, size: tuple[float, float], margin: float = 0.5, **shared: Any
) -> tuple[Figure, list[Axes]]:
    """A figure with panels in a grid, row by row, at most `columns` in a row.

    `size` is that of one panel and `margin` the room for a legend, in inches; `shared` is for `Figure.subplots`.
    """
    columns = min(columns, number)
    rows = -(-number // columns)
    width = min(10.0, max(5.0, columns * size[0]))
    figure = Figure(figsize=(width, rows * size[1] + margin), layout="constrained")
    axes = list(figure.subplots(rows, columns, squeeze=False, **shared).ravel())
    for i, unused in enumerate(axes[number:], start=number):
        unused.remove()
        axes[i - columns].tick_params(labelbottom=True)  # it is now the lowest of its column
    return figure, axes[:number]


def canvas(width: float, height: float, rows: int = 1, columns: int = 1, **shared: Any) -> tuple[Figure, Any]:
    """A figure of this size in inches with one panel, or an array of several, as `Figure.subplots` makes them."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, **shared)


def row_axis(axes: Axes, names: Sequence[str]) -> None:
    """A row for each name, the first one on top."""
    axes.set_yticks(range(len(names)), [plain(name) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)


def spread_figure(values: Mapping[str, Sequence[float]], axis: str) -> Figure:
    """Quantiles of values over the data sets, a row for each method, on a logarithmic axis."""
    figure, axes = canvas(6.0, 0.9 + 0.24 * max(3, len(values)))
    for y, (method, of_method) in enumerate(values.items()):
        draw_quantiles(axes, y, of_method, QUANTILES, method)
    row_axis(axes, [labels.method_name(method) for method in values])
    axes.set_xlabel(axis)
    log_axis(axes, "x", dense=True)
    return figure


def draw_quantiles(
    axes: Axes, y: float, values: Sequence[float] | np.ndarray, quantiles: Sequence[float], method: str, **look
) -> None:
    """Draw five quantiles in a row: a thin line between the outer ones, a thick one inside, a mark in the middle."""
    style = method_style(method)
    low, lower, middle, upper, high = np.quantile(values, quantiles)
    axes.hlines(y, low, high, color=style["color"], linewidth=0.8)
    axes.hlines(y, lower, upper, color=style["color"], linewidth=3.5)
    axes.plot(middle, y, linestyle="none", markersize=6, markeredgecolor="white", **look, **style)


def shared_labels(figure: Figure, x: str, y: str) -> None:
    """Labels of the axes of all panels."""
    figure.supxlabel(x, size=9)
    figure.supylabel(y, size=9)


def legend(figure: Figure, widest: float = 1.6, **look: Any) -> None:
    """One legend above all panels, each label once; `widest` is the room for an entry in inches."""
    found = {
        label: handle for axes in figure.axes for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    columns = min(len(found), int(figure.get_figwidth() / widest))
    figure.legend(found.values(), found.keys(), loc="outside upper center", ncols=columns, **look)


def save(figure: Figure, stem: Path) -> None:
    """Write `stem`.svg."""
    with context():
        if (layout := figure.get_layout_engine()) is not None:
            layout.execute(figure)
        figure.set_layout_engine("none")  # the layout has been found; no file needs to find it again
        figure.set_dpi(RASTER_DPI)
        drawn = io.StringIO()
        FigureCanvasSVG(figure).print_svg(drawn, metadata={"Date": None})
        write_text(stem.with_name(f"{stem.name}.svg"), smaller(drawn.getvalue()))


def smaller(svg: str) -> str:
    """The same picture without metadata, line breaks, digits that cannot be seen, ids without use and repeated styles.

    Comments have its texts.
    """
    svg = re.sub(r"<!DOCTYPE.*?>|<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\s*\n\s*", " ", svg).replace("> <", "><")
    svg = _SERIES.sub(_with_one_style, svg.replace("DejaVuSans-", "g"))  # a letter is an id of the font's name
    used = set(re.findall(r"#([\w-]+)", svg))
    svg = re.sub(r' id="([^"]*)"', lambda found: found[0] if found[1] in used else "", svg)
    return _INVISIBLE.sub(r"\1", svg).strip() + "\n"


def _with_one_style(series):
    """A group of markers or lines that look alike, with their style at the group, from which they inherit it."""
    styles = set(_STYLE.findall(series[2]))
    return f"<g{series[1]}{styles.pop()}>{_STYLE.sub('', series[2])}</g>" if len(styles) == 1 else series[0]
