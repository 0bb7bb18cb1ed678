"""Error rate against the number of prototypes, as in figure 4 of Bien and Tibshirani (2011)."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, LogLocator

from proset.plot.style import GREY, choice_style, log_axis, plain
from proset_study.data import generators
from proset_study.methods.labels import method_name
from proset_study.report.analysis.losses import final_loss
from proset_study.report.analysis.prototypes import error_path, least_loss, prototype_rows, trial_means
from proset_study.report.analysis.runs import prototype_runs
from proset_study.report.figures.registry import FigureSpec, of_data_set, over_data_sets
from proset_study.report.figures.style import ReportFigure, legend, method_style, panels, shared_labels
from proset_study.report.rows import groups
from proset_study.report.wording import leader, wins
from proset_study.store.stored import Final

SOURCE = " Bien and Tibshirani (2011) state 2.49 % with 3,372 prototypes for other digits (USPS, tangent distance)."
_SCORES = {"log_loss": "log-loss (nats)", "error": "error rate"}


def error_figure(finals: list[Final], settings: dict) -> ReportFigure:
    """Cross-validated error along the paths, and test error of the final models, one a method, of one data set."""
    figure, (left, right) = panels(2, 2, (5.0, 4.2), sharex="all", sharey="all")
    for final in finals:
        _path(left, final.run.method, error_path(final), final.stage2["selected"], bars=True)
    left.set(ylabel="error rate", title="cross-validation")
    right.set_title("test set, chosen size")
    tested = {f.run.method: (f.fit["summary"]["prototypes"], *final_loss(f, "error")) for f in finals}
    for method, (prototypes, error, deviation) in tested.items():
        style = {"label": method_name(method), "linestyle": "none", **method_style(method)}
        right.errorbar(prototypes, error, deviation, markersize=7, elinewidth=0.8, **style)
    bayes = _bayes_error(settings)
    for panel in (left, right):
        _finish(panel, bayes)
        panel.set_xlabel("prototypes")
    legend(figure)
    first = finals[0]
    errors = {method_name(method): 100 * error for method, (_, error, _) in tested.items()}
    leanest = min(tested, key=lambda method: tested[method][:2])
    fewest, error = f"{tested[leanest][0]:,}", errors[method_name(leanest)]
    also = f"; {method_name(leanest)} has the fewest prototypes, {fewest}, and {error:.1f} %"
    if error == min(errors.values()):
        also = f" with {fewest} prototypes, the fewest"
    texts = [f"{method_name(m)} {100 * error:.1f} % with {n:,}" for m, (n, error, _) in tested.items()]
    return ReportFigure(
        title=f"{plain(first.data_set)}: error against the number of prototypes",
        finding=f"On this split the lowest test error is {leader(errors, '{:.1f} %')}{also}.",
        caption="Lines are one standard error, over the folds or the test samples. Diamonds mark the chosen sizes."
        + ("" if bayes is None else f" Dotted: no rule can have less than {100 * bayes:.1f} %.")
        + (SOURCE if settings.get("sklearn") == "digits" else ""),
        alt=f"Error rate on {first.data_set} against the number of prototypes. Test error: {'; '.join(texts)}.",
        figure=figure,
    )


def prototypes_overview(rows: Iterable[Mapping[str, Any]], data_sets: dict[str, dict]) -> ReportFigure:
    """Cross-validated error along the paths of the methods, a panel per data set; `data_sets` is the config's entry.

    `rows` are those of `analysis.prototypes.prototype_rows` of one replicate. Standard errors would cover the lines;
    the figure of one data set shows them.
    """
    compared = {data_set: groups(found, "method") for data_set, found in groups(rows, "dataset").items()}
    figure, axes = panels(len(compared), 3, (3.3, 2.5), margin=0.7)
    lowest: dict[str, dict[str, float]] = {data_set: {} for data_set in compared}
    for panel, (data_set, by_method) in zip(axes, compared.items(), strict=True):
        for method, steps in by_method.items():
            path = {name: np.array([step[name] for step in steps]) for name in ("prototypes", "error")}
            chosen = [str(step["chosen"]) for step in steps].index("True")  # which is text in a file
            lowest[data_set][method_name(method)] = 100 * float(_path(panel, method, path, chosen).min())
        _finish(panel, _bayes_error(data_sets[data_set]))
        panel.set_title(plain(data_set))
    shared_labels(figure, "prototypes", "error rate in cross-validation")
    legend(figure)
    texts = [f"{data_set} {leader(errors, '{:.1f} %')}" for data_set, errors in lowest.items()]
    n_methods = len({method for errors in lowest.values() for method in errors})
    return ReportFigure(
        title="Error against the number of prototypes",
        finding=f"{wins(lowest, 'cross-validation error')}." if n_methods > 1 else f"Lowest: {'; '.join(texts)}.",
        caption="Diamonds mark the chosen sizes; dotted: the error of the best possible rule, where it is known."
        " Standard errors are on the pages of the data sets.",
        alt=f"Error rate against the number of prototypes by data set. Lowest: {'; '.join(texts)}.",
        figure=figure,
    )


def _path(axes: Axes, method: str, path: dict[str, np.ndarray], chosen: int, bars: bool = False) -> np.ndarray:
    """Draw a line, and give its errors; a path begins with the class prior, which is drawn only if it is chosen."""
    style, shown = method_style(method), path["prototypes"] > 0
    shown[chosen] = True
    x, y = (path[name][shown] for name in ("prototypes", "error"))
    error = path["standard_error"][shown] if bars else None
    alone = len(x) == 1
    look, size = ("none", 7) if alone else ("-", 4)
    label = method_name(method)
    axes.errorbar(x, y, error, label=label, linewidth=1.1, elinewidth=0.7, linestyle=look, markersize=size, **style)
    if not alone:
        axes.scatter(path["prototypes"][chosen], path["error"][chosen], **choice_style())
    return y


def _finish(axes: Axes, bayes: float | None) -> None:
    has_none = any(np.equal(line.get_xdata(), 0).any() for line in axes.lines)
    if bayes is not None:
        axes.axhline(bayes, color=GREY, linestyle=":", linewidth=1.0, label="best possible", zorder=0)
    log_axis(axes, "x", dense=True)
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    if has_none:
        labels = axes.xaxis.get_major_formatter()
        axes.set_xscale("symlog", linthresh=1.0)
        axes.xaxis.set_major_locator(FixedLocator([0.0, *(10.0**k * n for k in range(5) for n in (1, 3))]))
        axes.xaxis.set_major_formatter(labels)


def _bayes_error(settings):
    generated = generators.of(settings)
    return None if generated is None else generated.bayes_error()


def trials_figure(finals: list[Final]) -> ReportFigure:
    """Log-loss and error in cross-validation against prototypes, a point per trial of stage 1, for one run a method."""
    figure, axes = panels(2, 2, (5.0, 4.2), sharex="all")
    means = {final.run.method: trial_means(final.trials) for final in finals}
    for panel, (score, name) in zip(axes, _SCORES.items(), strict=True):
        for method, found in means.items():
            shown, style = found["prototypes"] > 0, method_style(method)
            prototypes, loss = found["prototypes"][shown], found[score][shown]
            panel.plot(prototypes, loss, linestyle="none", markersize=3, alpha=0.4, **style)
            order = np.argsort(prototypes, kind="stable")
            front = least_loss(prototypes[order], loss[order])
            panel.step(prototypes[order], front, where="post", label=method_name(method), color=style["color"])
        log_axis(panel, "x", dense=True)
        panel.set(xlabel="prototypes, mean over the folds", ylabel=f"{name} in cross-validation")
    legend(figure, widest=2.0)
    first = finals[0]
    lowest = min(means, key=lambda method: means[method]["log_loss"].min())
    best = means[lowest]["log_loss"].argmin()
    texts = [f"{method_name(method)} {found['log_loss'].min():.3g}" for method, found in means.items()]
    return ReportFigure(
        title=f"{first.data_set}: loss against prototypes over all parameters tried",
        finding=f"The lowest log-loss of all parameters tried is {means[lowest]['log_loss'][best]:.3g}, of"
        f" {method_name(lowest)} with {means[lowest]['prototypes'][best]:.3g} prototypes.",
        caption="A point is a trial of stage 1. A line is the lowest loss with at most that number of prototypes.",
        alt=f"Cross-validated loss on {first.data_set} against prototypes. Lowest log-loss: {'; '.join(texts)}.",
        figure=figure,
    )


@of_data_set("Prototypes")
def _plan(available):
    study = available.stored.study
    runs = prototype_runs(study, available.data_set)
    if runs:
        yield FigureSpec("prototypes", runs, partial(error_figure, settings=available.settings))
    searched = [run for run in runs if study.stage1_run(run) is not None]
    if len(searched) > 1:
        yield FigureSpec("trials", searched, trials_figure)


@over_data_sets("Prototypes")
def _draw(overview):
    stored, rows = overview.stored, overview.paths
    if stored.study.is_large:  # a panel each
        return
    if rows is None:
        rows = prototype_rows(stored, stored.replicates[:1])
    if rows:
        yield "prototypes", prototypes_overview(rows, stored.study.config["data_sets"])
