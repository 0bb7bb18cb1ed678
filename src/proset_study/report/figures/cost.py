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
    axis = "CPU time of one fit and the scoring of its held-out fold (s)"
    return _figure(compared, is_large, seconds_of, "CPU time of a fit", axis, "CPU time", " s")


def products_figure(compared: Compared, is_large: bool = False) -> ReportFigure:
    """The same in units of a matrix product."""
    size = f"{PRODUCT_SIZE} x {PRODUCT_SIZE}"
    axis = f"one fit and the scoring of its held-out fold (products of {size} matrices)"
    what = f"CPU time, in units of a product of {size} matrices on one thread next to it,"
    return _figure(compared, is_large, matrix_products, "Cost of a fit in matrix products", axis, what, "")


def _figure(compared, is_large, measure, title, axis, what, unit):
    costs = {
        data_set: [(f.run.method, [measure(record) for record in f.trials or f.paths]) for f in finals]
        for data_set, finals in compared.items()
    }
    medians = {d: {method_name(m): float(np.median(values)) for m, values in of} for d, of in costs.items()}
    finding = f"{wins(medians, 'median cost of a fit')}."
    if is_large or max(map(len, compared.values())) > IN_A_ROW:
        spread: dict[str, list[float]] = {}
        for of_data_set in costs.values():
            for method, values in of_data_set:
                spread.setdefault(method, []).append(float(np.median(values)))
        texts = [f"{method_name(method)} {np.median(values):.2g}{unit}" for method, values in spread.items()]
        return ReportFigure(
            title=f"{title} by method",
            finding=finding,
            caption=f"{what} of one fit and of scoring its held-out fold, median over all trials and folds."
            f" {SPREAD_NOTE}",
            alt=f"Medians over the data sets: {'; '.join(texts)}.",
            figure=spread_figure(spread, axis),
        )
    figure, axes = canvas(6.0, 0.9 + 0.36 * len(compared))
    axes.set_yticks(range(len(compared)), list(compared))
    axes.set(xlabel=axis, ylabel="data set", ylim=(len(compared) - 0.5, -0.5))
    axes.grid(axis="x", color="#EEEEEE", zorder=-1)
    axes.set_axisbelow(True)
    for row in range(1, len(compared)):
        axes.axhline(row - 0.5, color="#DDDDDD", linewidth=0.6, zorder=0)
    for row, of_data_set in enumerate(costs.values()):
        for i, (method, values) in enumerate(of_data_set):
            y = row + SPREAD * (i - (len(of_data_set) - 1) / 2)
            draw_quantiles(axes, y, values, RANGE, method, label=method_name(method), markeredgewidth=0.6)
    log_axis(axes, "x")
    legend(figure)
    texts = [f"{d}, {name} {value:.2g}{unit}" for d, found in medians.items() for name, value in found.items()]
    return ReportFigure(
        title=f"{title} by data set and method",
        finding=finding,
        caption=f"{what} of one fit and of scoring its held-out fold, over all trials and folds. Mark: median; lines:"
        " quartiles and range.",
        alt=f"Medians of a fit: {'; '.join(texts)}.",
        figure=figure,
    )


@over_data_sets("Cost")
def _draw(overview):
    if overview.compared:
        is_large = overview.stored.study.is_large
        yield "time", time_figure(overview.compared, is_large)
        yield "matrix_products", products_figure(overview.compared, is_large)
