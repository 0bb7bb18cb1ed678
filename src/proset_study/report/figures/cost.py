"""Over all data sets: the methods' test log-loss, and what the fits cost."""

from collections.abc import Iterator

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from proset.plot.style import log_axis
from proset.solver import MAX_ITER
from proset_study.records import PRODUCT_SIZE
from proset_study.report.costs import matrix_products, seconds_of
from proset_study.report.figures.complexity import loss_and_error, true_class_probability
from proset_study.report.figures.style import ReportFigure, legend, method_name, method_style
from proset_study.scores import SMALLEST
from proset_study.store.stored import Final

Compared = dict[str, list[Final]]  # data set -> final models of the methods, next to each other
SPREAD = 0.24  # between the methods of a row


def headline_figure(compared: Compared) -> ReportFigure:
    """Test log-loss by data set and method, with the range that the published rule allows."""
    figure, axes = _rows(compared)
    texts, zero = [], []
    for row, (data_set, finals) in enumerate(compared.items()):
        losses = {f.run.method: loss_and_error(f) for f in finals}
        best = min(finals, key=lambda f: losses[f.run.method][0])
        low, high = rule_range(best)
        axes.barh(row, high - low, 0.84, low, color="#DDDDDD", label="within the published rule", zorder=0)
        for final, y in _dodged(row, finals):
            loss, error = losses[final.run.method]
            style, name = method_style(final.run.method), method_name(final.run.method)
            axes.errorbar(loss, y, xerr=error, linestyle="none", elinewidth=0.9, markersize=6, label=name, **style)
            if zeros := np.count_nonzero(true_class_probability(final) <= SMALLEST):
                zero.append(f"{data_set}, {name}: {zeros}")
        equal = [method_name(f.run.method) for f in finals if f is not best and losses[f.run.method][0] <= high]
        texts.append(
            f"{data_set}: {method_name(best.run.method)} {losses[best.run.method][0]:.3g}"
            + (f" (within the rule: {' and '.join(equal)})" if equal else "")
        )
    axes.set_xlabel("test log-loss (nats)")
    log_axis(axes, "x", dense=True)
    legend(figure)
    return ReportFigure(
        name="headline",
        category="Overview",
        title="Test log-loss of the methods on all data sets",
        caption=f"{_source(compared)} Error bars are one standard error of the mean over the test samples. The grey"
        " range goes from the lowest log-loss of a data set to the threshold of that model (lowest mean log-loss in"
        " cross-validation of its size plus the standard deviation over folds). The published text calls models within"
        f" it equivalent to the best, which is a rule and no test. Lowest: {'; '.join(texts)}."
        + (
            f" Samples whose class was given probability 0, each of which counts as {-np.log(SMALLEST):.1f} nats:"
            f" {'; '.join(zero)}."
            if zero
            else ""
        ),
        alt=f"Test log-loss by data set. Lowest: {'; '.join(texts)}.",
        figure=figure,
    )


def time_figure(compared: Compared) -> ReportFigure:
    """CPU seconds of one fit of the search, by data set and method."""
    return _fits_figure(
        compared,
        seconds_of,
        name="time",
        title="CPU time of a fit by data set and method",
        axis="CPU time of one fit and the scoring of its held-out fold (s)",
        what="CPU time",
        unit=" s",
    )


def products_figure(compared: Compared) -> ReportFigure | None:
    """The same in units of a matrix product; None if records of a former version have none."""
    if any(matrix_products(record) is None for finals in compared.values() for f in finals for record in _searched(f)):
        return None
    return _fits_figure(
        compared,
        matrix_products,
        name="matrix_products",
        title="Cost of a fit in matrix products by data set and method",
        axis=f"one fit and the scoring of its held-out fold (products of {PRODUCT_SIZE} x {PRODUCT_SIZE} matrices)",
        what=f"CPU time, in units of a product of {PRODUCT_SIZE} x {PRODUCT_SIZE} matrices on one thread next to it,",
        unit="",
    )


def memory_figure(compared: Compared) -> ReportFigure:
    """Peak memory of the process that made the final model."""
    figure, axes = _rows(compared)
    texts = []
    for row, (data_set, finals) in enumerate(compared.items()):
        for final, y in _dodged(row, finals):
            peak, name = final.fit["resources"]["peak_memory_mib"], method_name(final.run.method)
            axes.plot(peak, y, linestyle="none", markersize=7, label=name, **method_style(final.run.method))
            texts.append(f"{data_set}, {name} {peak:.0f} MiB")
    axes.set_xlim(left=0)
    axes.set_xlabel("peak memory of the process (MiB)")
    legend(figure)
    return ReportFigure(
        name="memory",
        category="Cost",
        title="Peak memory of a final fit by data set and method",
        caption=f"{_source(compared)} Peak memory of the process that fitted and scored the final model, one process a"
        " model; interpreter, libraries and data are part of it.",
        alt=f"Peak memory of the final fits: {'; '.join(texts)}.",
        figure=figure,
    )


def iterations_figure(finals: dict[str, list[Final]]) -> ReportFigure:
    """Solver iterations of all proset batches by data set, with the limit; `finals` are all of proset."""
    figure = Figure(figsize=(8.0, 1.2 + 0.38 * len(finals)), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    texts = []
    for row, (data_set, group) in enumerate(finals.items()):
        batches = list(fitted_batches(group))
        for panel, key in ((left, "n_iter"), (right, "n_evaluations")):
            _spread(panel, row, np.array([b[key] for b in batches]), "proset", label="batch of proset")
        stopped = sum(not b["converged"] for b in batches)
        texts.append(f"{data_set} {stopped} of {len(batches):,}")
    left.axvline(MAX_ITER, color="black", linestyle="--", linewidth=1.0, label=f"limit of {MAX_ITER} iterations")
    left.set_yticks(range(len(finals)), list(finals))
    left.invert_yaxis()
    left.set(xlabel="solver iterations", ylabel="data set")
    right.set_xlabel("evaluations of objective and gradient")
    for panel in (left, right):
        log_axis(panel, "x")
    legend(figure)
    return ReportFigure(
        name="iterations",
        category="Cost",
        title="Solver iterations of proset by data set",
        caption=f"Replicate {next(iter(finals.values()))[0].replicate}. Iterations and evaluations of the objective"
        " with its gradient for every batch fitted in any experiment with proset (both stages and the final models)."
        f" Mark: median; thick line: quartiles; thin line: range. Batches that did not converge: {', '.join(texts)}.",
        alt=f"Distribution of solver iterations. Batches that did not converge: {', '.join(texts)}.",
        figure=figure,
    )


def rule_range(best: Final) -> tuple[float, float]:
    """Range of test log-loss that the published rule allows next to the best model: from its loss to its threshold."""
    loss, _ = loss_and_error(best)
    return loss, max(loss, best.stage2["threshold"])


def fitted_batches(finals: list[Final]) -> Iterator[dict]:
    """Diagnostics of every batch that was fitted for some proset models, each once."""
    for final in finals:
        own = final.trials if final.stage1_folder == final.folder else []
        for record in [*own, *final.paths, *final.fits]:
            yield from record["summary"]["batches"]


def _fits_figure(compared, measure, name, title, axis, what, unit):
    figure, axes = _rows(compared)
    medians = []
    for row, (data_set, finals) in enumerate(compared.items()):
        for final, y in _dodged(row, finals):
            values = np.array([measure(record) for record in _searched(final)])
            _spread(axes, y, values, final.run.method)
            medians.append(f"{data_set}, {method_name(final.run.method)} {np.median(values):.2g}{unit}")
    axes.set_xlabel(axis)
    log_axis(axes, "x")
    legend(figure)
    return ReportFigure(
        name=name,
        category="Cost",
        title=title,
        caption=f"{_source(compared)} {what} of one fit and of scoring the held-out fold, over all trials and folds"
        " of stage 1, at the size that it compares (batches, boosting rounds); for a method without stage 1, over"
        " the folds of its only search (KNN: one query that serves every k). Mark: median; thick line: quartiles;"
        " thin line: range.",
        alt=f"Medians of a fit: {'; '.join(medians)}.",
        figure=figure,
    )


def _searched(final):
    return final.trials or final.paths


def _rows(compared: Compared) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(7.5, 1.2 + 0.5 * len(compared)), layout="constrained")
    axes = figure.subplots()
    axes.set_yticks(range(len(compared)), list(compared))
    axes.set_ylim(len(compared) - 0.5, -0.5)
    axes.set_ylabel("data set")
    axes.grid(axis="x", color="#EEEEEE", zorder=-1)
    axes.set_axisbelow(True)
    for row in range(1, len(compared)):
        axes.axhline(row - 0.5, color="#DDDDDD", linewidth=0.6, zorder=0)
    return figure, axes


def _dodged(row, finals):
    return [(final, row + SPREAD * (i - (len(finals) - 1) / 2)) for i, final in enumerate(finals)]


def _spread(axes, y, values, method, label=None):
    style = method_style(method)
    low, lower, middle, upper, high = np.quantile(values, [0.0, 0.25, 0.5, 0.75, 1.0])
    axes.hlines(y, low, high, color=style["color"], linewidth=0.8)
    axes.hlines(y, lower, upper, color=style["color"], linewidth=3.5)
    axes.plot(
        middle,
        y,
        linestyle="none",
        markersize=6,
        markeredgecolor="white",
        markeredgewidth=0.6,
        label=label or method_name(method),
        **style,
    )


def _source(compared):
    shown = [f for finals in compared.values() for f in finals]
    experiments = dict.fromkeys(f.label for f in shown)
    return f"Replicate {shown[0].replicate}, experiments {', '.join(experiments)}."
