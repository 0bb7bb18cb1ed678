"""Over all data sets: what the fits cost."""

import numpy as np

from proset.plot.style import log_axis
from proset_study.base.records import PRODUCT_SIZE
from proset_study.methods.labels import method_name
from proset_study.report.analysis.costs import matrix_products, seconds_of
from proset_study.report.figures.registry import over_data_sets
from proset_study.report.figures.style import (
    RANGE,
    SPREAD_NOTE,
    ReportFigure,
    canvas,
    draw_quantiles,
    legend,
    spread_figure,
)
from proset_study.report.wording import wins
from proset_study.store.stored import Final

Compared = dict[str, list[Final]]  # data set -> final models of the methods, next to each other
SPREAD, IN_A_ROW = 0.24, 4  # between the methods of a row, and how many fit into it


def time_figure(compared: Compared, is_large: bool = False) -> ReportFigure:
    """CPU seconds of one fit of the search, by data set and method, or by method if there are too many."""
    return _drawing(compared, is_large)(
        compared,
        seconds_of,
        title="CPU time of a fit by data set and method",
        axis="CPU time of one fit and the scoring of its held-out fold (s)",
        what="CPU time",
        unit=" s",
    )


def products_figure(compared: Compared, is_large: bool = False) -> ReportFigure:
    """The same in units of a matrix product."""
    return _drawing(compared, is_large)(
        compared,
        matrix_products,
        title="Cost of a fit in matrix products by data set and method",
        axis=f"one fit and the scoring of its held-out fold (products of {PRODUCT_SIZE} x {PRODUCT_SIZE} matrices)",
        what=f"CPU time, in units of a product of {PRODUCT_SIZE} x {PRODUCT_SIZE} matrices on one thread next to it,",
        unit="",
    )


def _drawing(compared, is_large):
    return _of_methods if is_large or max(map(len, compared.values())) > IN_A_ROW else _fits_figure


def _fits_figure(compared, measure, title, axis, what, unit):
    figure, axes = canvas(6.0, 0.9 + 0.36 * len(compared))
    axes.set_yticks(range(len(compared)), list(compared))
    axes.set(xlabel=axis, ylabel="data set", ylim=(len(compared) - 0.5, -0.5))
    axes.grid(axis="x", color="#EEEEEE", zorder=-1)
    axes.set_axisbelow(True)
    for row in range(1, len(compared)):
        axes.axhline(row - 0.5, color="#DDDDDD", linewidth=0.6, zorder=0)
    medians: dict[str, dict[str, float]] = {}
    for row, (data_set, finals) in enumerate(compared.items()):
        for i, final in enumerate(finals):
            values = np.array([measure(record) for record in _searched(final)])
            y, name = row + SPREAD * (i - (len(finals) - 1) / 2), method_name(final.run.method)
            draw_quantiles(axes, y, values, RANGE, final.run.method, label=name, markeredgewidth=0.6)
            medians.setdefault(data_set, {})[name] = float(np.median(values))
    log_axis(axes, "x")
    legend(figure)
    texts = [f"{d}, {name} {value:.2g}{unit}" for d, found in medians.items() for name, value in found.items()]
    return ReportFigure(
        title=title,
        finding=f"{wins(medians, 'median cost of a fit')}.",
        caption=f"{what} of one fit and of scoring its held-out fold, over all trials and folds. Mark: median; lines:"
        " quartiles and range.",
        alt=f"Medians of a fit: {'; '.join(texts)}.",
        figure=figure,
    )


def _of_methods(compared, measure, title, axis, what, unit):
    """Medians over trials and folds, spread over very many data sets."""
    medians: dict[str, dict[str, float]] = {}
    for data_set, finals in compared.items():
        for final in finals:
            middle = float(np.median([measure(record) for record in _searched(final)]))
            medians.setdefault(final.run.method, {})[data_set] = middle
    by_data_set = {d: {method_name(m): of[d] for m, of in medians.items() if d in of} for d in compared}
    middles = {method_name(method): float(np.median(list(of.values()))) for method, of in medians.items()}
    return ReportFigure(
        title=title.replace("by data set and method", "by method"),
        finding=f"{wins(by_data_set, 'median cost of a fit')}.",
        caption=f"{what} of one fit and of scoring its held-out fold, median over all trials and folds. {SPREAD_NOTE}",
        alt=f"Medians over the data sets: {'; '.join(f'{name} {value:.2g}{unit}' for name, value in middles.items())}.",
        figure=spread_figure({method: list(of.values()) for method, of in medians.items()}, axis),
    )


def _searched(final):
    return final.trials or final.paths


@over_data_sets("Cost")
def _draw(overview):
    if overview.compared:
        is_large = overview.stored.study.is_large
        yield "time", time_figure(overview.compared, is_large)
        yield "matrix_products", products_figure(overview.compared, is_large)
