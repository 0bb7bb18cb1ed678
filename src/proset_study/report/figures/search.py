"""The two stages of the search: what was tried, the threshold, and what was chosen."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize

from proset_study import methods
from proset_study.data.splits import TEST
from proset_study.report.figures.style import (
    CHOICE,
    GREY,
    LOSS_MAP,
    OPTIMUM,
    THRESHOLD,
    ReportFigure,
    axis_name,
    legend,
    log_axis,
    method_name,
    method_style,
    panels,
    slug,
)
from proset_study.store.stored import Final

LONG_PATH = 15  # more sizes than this are drawn as a line with a band
LOSS = "mean log-loss over folds (nats)"


def stage1_figure(final: Final) -> ReportFigure:
    """Log-loss of all trials against each parameter searched, and in their plane if there are two."""
    selection, values = final.stage1, searched(final)
    assert selection is not None
    mean, deviation = np.array(selection["mean"]), np.array(selection["standard_deviation"])
    plane, prior = len(values) == 2, prior_loss(final)
    figure, axes = panels(len(values) + plane, 4, (3.4 if plane or len(values) > 1 else 5.5, 3.3))
    if plane:
        _plane(axes[0], values, selection, prior)
    first, *others = profiles = axes[plane:]
    for axis in others:
        axis.sharey(first)
    for axis, (name, x) in zip(profiles, values.items(), strict=True):
        _profile(axis, x, selection, method_style(final.run.method)["color"], line=len(values) == 1)
        _scale(axis, "x", x, name)
    loss_axis(profiles, mean, deviation, prior)
    first.set_ylabel(LOSS)
    legend(figure)
    chosen, best = (_setting(selection, role, values) for role in ("selected", "optimal"))
    rule = "the optimum itself" if selection["rule"] == "best" else "the simplest setting within the threshold"
    by_colour, ringed = (", in the left panel by colour", ", ringed in the left panel,") if plane else ("", "")
    crosses = " Crosses are settings no better than the class prior." if plane and (mean >= prior).any() else ""
    return ReportFigure(
        name=slug(final.data_set, "stage1", final.run.name),
        category="Search",
        title=f"{final.label}, {final.data_set}: stage 1",
        caption=f"{_source(final)} Mean log-loss of {len(mean)} settings of {method_name(final.run.method)} in stage 1"
        f" against {' and '.join(values)}{by_colour}. {_ERROR_BARS.format(_folds(final))} Filled points{ringed} are"
        f" within the threshold {selection['threshold']:.3g}, which is the lowest mean plus the standard deviation of"
        f" that setting. The optimum is {best}; the selection, {rule}, is {chosen}.{crosses}",
        alt=f"Stage 1 of {final.label} on {final.data_set}: {len(selection['within'])} of {len(mean)} settings"
        f" are within the threshold {selection['threshold']:.3g}; the lowest mean log-loss is {mean.min():.3g} at"
        f" {best}; the selection is {chosen}.",
        figure=figure,
    )


def stage2_figure(finals: list[Final]) -> ReportFigure:
    """Log-loss against the size, a panel per run; all of one method."""
    method = methods.get(finals[0].run.method)
    name, alone = method_name(finals[0].run.method), len(finals) == 1
    figure, axes = panels(len(finals), 3, (5.5, 3.2) if alone else (3.1, 2.3), sharex="all", sharey="all")
    for axis, final in zip(axes, finals, strict=True):
        _path(axis, final.stage2, method_style(final.run.method)["color"])
        axis.set_title(final.label)
    mean, deviation = (np.concatenate([f.stage2[key] for f in finals]) for key in ("mean", "standard_deviation"))
    loss_axis(axes, mean, deviation, prior_loss(finals[0]))
    figure.supxlabel(axis_name(method.complexity), size=9)
    figure.supylabel(LOSS, size=9)
    legend(figure)
    chosen = [f"{f.label}: optimum {_size(f, 'optimal')}, chosen {_size(f, 'selected')}" for f in finals]
    data_set = finals[0].data_set
    return ReportFigure(
        name=slug(data_set, "stage2", finals[0].run.method),
        category="Search",
        title=f"{name}, {data_set}: log-loss against {axis_name(method.complexity)}",
        caption=f"{_source(*finals)} Mean log-loss of {name} against {axis_name(method.complexity)}, every size scored"
        f" on the held-out fold. {_ERROR_BARS.format(_folds(finals[0]))} The dashed line is the threshold, the lowest"
        f" mean plus the standard deviation at that size; the {'largest' if method.larger_is_simpler else 'smallest'}"
        f" size within it is chosen, unless the experiment takes the optimum. {'; '.join(chosen)}.",
        alt=f"Log-loss of {name} on {data_set} against {axis_name(method.complexity)}. {'; '.join(chosen)}.",
        figure=figure,
    )


def searched(final: Final) -> dict[str, np.ndarray]:
    """Values in all trials of the parameters that differ between trials, in the order of the method."""
    assert final.stage1 is not None
    settings = final.stage1["settings"]
    names = [name for name in methods.get(final.run.method).parameters if name in settings[0]]
    values = {name: np.array([s[name] for s in settings], dtype=float) for name in names}
    return {name: x for name, x in values.items() if np.ptp(x) > 0} or values


def prior_loss(final: Final) -> float:
    """Log-loss of the class proportions of the training part on the training part."""
    train = final.folds != TEST
    weight = None if final.data.sample_weight is None else final.data.sample_weight[train]
    proportion = np.bincount(final.data.y[train], weights=weight)
    proportion = proportion[proportion > 0] / proportion.sum()
    return float(-(proportion * np.log(proportion)).sum())


def loss_axis(shared: list[Axes], mean: np.ndarray, deviation: np.ndarray, prior: float) -> None:
    """Common scale of the log-loss, logarithmic if it spans much; the loss of the class prior where it is in view."""
    first = shared[0]
    low, high = (mean - deviation).min(), (mean + deviation).max()
    if mean.max() > 5 * mean.min() > 0:
        log_axis(first, "y", dense=True)
        low = max(low, mean.min() / 2)
        first.set_ylim(low / 1.2, high * 1.2)
    else:
        margin = 0.05 * (high - low or 1.0)
        first.set_ylim(max(low - margin, 0.0), high + margin)
    for axes in shared:
        axes.axhline(prior, color=GREY, linestyle=":", linewidth=1.0, label="class prior", zorder=0)


def _plane(axes, values, selection, prior):
    (x_name, x), (y_name, y) = values.items()
    mean = np.array(selection["mean"])
    within = np.isin(np.arange(len(mean)), selection["within"])
    useless = mean >= prior
    top = mean[~useless].max(initial=mean.min() * 1.01)
    points = axes.scatter(
        x,
        y,
        c=mean,
        s=38,
        cmap=LOSS_MAP,
        norm=Normalize(mean.min(), top),
        edgecolors=["black" if w else "none" for w in within],
        linewidths=1.2,
        zorder=3,
    )
    axes.scatter(x[useless], y[useless], s=16, marker="x", color="white", linewidth=0.8, zorder=4)
    bar = axes.figure.colorbar(points, ax=axes, extend="max" if useless.any() else "neither", aspect=30)
    bar.set_label(LOSS)
    for role, style in (("optimal", OPTIMUM), ("selected", CHOICE)):
        axes.scatter(x[selection[role]], y[selection[role]], **style)
    _scale(axes, "x", x, x_name)
    _scale(axes, "y", y, y_name)


def _profile(axes, x, selection, colour, line):
    mean, deviation = np.array(selection["mean"]), np.array(selection["standard_deviation"])
    within = np.isin(np.arange(len(mean)), selection["within"])
    axes.errorbar(x, mean, deviation, fmt="none", ecolor="#BBBBBB", elinewidth=0.8, zorder=1)
    if line:
        order = x.argsort()
        axes.plot(x[order], mean[order], color=colour, zorder=2)
    axes.scatter(x[~within], mean[~within], s=16, facecolor="white", edgecolor=colour, zorder=3, label="setting")
    axes.scatter(x[within], mean[within], s=16, color=colour, zorder=3, label="within the threshold")
    _choice(axes, x, selection)


def _path(axes, selection, colour):
    size, mean, deviation = (
        np.array(selection[key], dtype=float) for key in ("settings", "mean", "standard_deviation")
    )
    if len(size) > LONG_PATH:
        low, high = mean - deviation, mean + deviation
        axes.fill_between(size, low, high, color=colour, alpha=0.25, linewidth=0, rasterized=True)
        axes.plot(size, mean, color=colour, label="mean over folds")
    else:
        axes.errorbar(
            size, mean, deviation, color=colour, marker="o", capsize=2, elinewidth=0.9, label="mean over folds"
        )
        axes.set_xticks(size[:: 1 + len(size) // 8])
    _choice(axes, size, selection)


def _choice(axes, x, selection):
    axes.axhline(selection["threshold"], label="threshold", **THRESHOLD)
    for role, style in (("optimal", OPTIMUM), ("selected", CHOICE)):
        name = {"optimal": "optimum", "selected": "selection"}[role]
        axes.scatter(x[selection[role]], selection["mean"][selection[role]], label=name, **style)


def _scale(axes, direction, values, name):
    axes.set(**{f"{direction}label": axis_name(name)})
    if values.min() > 0 and values.max() > 30 * values.min():
        log_axis(axes, direction)


_ERROR_BARS = "Error bars and bands are the standard deviation over {}."


def _source(*finals):
    first = finals[0]
    return (
        f"Data set {first.data_set}, replicate {first.replicate}, {np.count_nonzero(first.folds != TEST)} training"
        f" samples, {'experiment' if len(finals) == 1 else 'experiments'} {', '.join(f.label for f in finals)}."
    )


def _folds(final):
    unit = "bootstrap draws" if final.run.settings.get("resampling") == "bootstrap" else "folds"
    return f"{int(final.folds.max()) + 1} {unit}"


def _setting(selection, role, names):
    return ", ".join(f"{name} = {selection['settings'][selection[role]][name]:.2g}" for name in names)


def _size(final, role):
    return final.stage2["settings"][final.stage2[role]]
