"""What figures over very many data sets draw instead of a row for each: the methods, with quartiles or counts."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from proset.plot.style import log_axis
from proset_study.methods.labels import method_name
from proset_study.report.figures.style import OTHER_COLOURS, canvas, method_style, row_axis

RANGE, QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0), (0.05, 0.25, 0.5, 0.75, 0.95)
WHAT = "Mark: median over the data sets; lines: quartiles, and from 5 to 95 %."


def spread_figure(values: Mapping[str, Sequence[float]], axis: str) -> Figure:
    """Quantiles of values over the data sets, a row for each method, on a logarithmic axis."""
    figure, axes = canvas(6.0, 0.9 + 0.24 * max(3, len(values)))
    for y, (method, of_method) in enumerate(values.items()):
        draw_quantiles(axes, y, of_method, QUANTILES, method)
    row_axis(axes, [method_name(method) for method in values])
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


def counts_figure(counts: Mapping[str, tuple[int, int, int]], subject: str, axis: str) -> Figure:
    """Number of data sets on which the subject is better, not significantly different or worse; a row per method."""
    figure, axes = canvas(6.0, 0.9 + 0.24 * max(3, len(counts)))
    for y, numbers in enumerate(counts.values()):
        start = 0
        for number, colour in zip(numbers, (method_style(subject)["color"], "#DDDDDD", OTHER_COLOURS[0]), strict=True):
            axes.barh(y, number, 0.7, start, color=colour)
            start += number
    row_axis(axes, [method_name(method) for method in counts])
    axes.set_xlabel(axis)
    return figure
