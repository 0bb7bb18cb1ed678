"""The two stages of the search: what was tried, the threshold, what was chosen; experiments that vary a parameter."""

import numpy as np

from proset.plot.search import LOSSES, SearchPathDisplay, SearchPlaneDisplay, SearchProfileDisplay, loss_axis
from proset.plot.style import log_axis, plain
from proset_study import methods
from proset_study.methods.labels import method_name
from proset_study.report.analysis.losses import final_loss, prior_loss
from proset_study.report.analysis.runs import has_path
from proset_study.report.figures.registry import FigureSpec, of_data_set, unpacked
from proset_study.report.figures.style import ReportFigure, axis_name, legend, method_style, panels, shared_labels
from proset_study.report.rows import groups
from proset_study.report.wording import sentence_case, span
from proset_study.store.stored import Final

WORDS = {"log_loss": "log-loss", "error": "error rate"}  # by what a search selects


def stage1_figure(final: Final) -> ReportFigure:
    """Loss of all trials against each parameter searched, and in their plane if there are two."""
    selection, values = final.stage1, searched(final)
    assert selection is not None
    mean, deviation = np.array(selection["mean"]), np.array(selection["standard_deviation"])
    loss, name_of_loss = WORDS[selection["criterion"]], LOSSES[selection["criterion"]]
    plane, prior = len(values) == 2, prior_loss(final, selection["criterion"])
    figure, axes = panels(len(values) + plane, 4, (3.4 if plane or len(values) > 1 else 5.5, 3.3))
    if plane:
        x, y = values.values()
        names = [axis_name(name) for name in values]
        shown = SearchPlaneDisplay(x=x, y=y, selection=selection, names=names, loss_name=name_of_loss, prior=prior)
        shown.plot(axes[0], legend=False)
    first, *others = profiles = axes[plane:]
    for axis in others:
        axis.sharey(first)
    for axis, (name, x) in zip(profiles, values.items(), strict=True):
        profile = SearchProfileDisplay(
            x=x,
            selection=selection,
            name=axis_name(name),
            loss_name=name_of_loss if axis is first else "",
            connected=len(values) == 1,
        )
        profile.plot(axis, color=method_style(final.run.method)["color"], legend=False)
    loss_axis(profiles, mean, deviation, prior)
    legend(figure)
    settings = (selection["settings"][selection[role]] for role in ("selected", "optimal"))
    chosen, best = (", ".join(f"{name} = {setting[name]:.2g}" for name in values) for setting in settings)
    above = mean[selection["selected"]] - mean.min()
    rule = "the optimum itself" if selection["rule"] == "best" else "the simplest within it"
    ringed = " or ringed" if plane else ""
    crosses = " Crosses: no better than the class prior." if plane and (mean >= prior).any() else ""
    return ReportFigure(
        title=f"{final.label}, {final.data_set}: stage 1",
        finding=f"{len(selection['within'])} of {len(mean)} settings are within the threshold; the selection is"
        f" {f'{above:.2g} above' if above else 'at'} the lowest mean {loss}, {mean.min():.3g}.",
        caption=f"Bars: one standard deviation over {_folds(final)}. Filled{ringed}: within the threshold"
        f" {selection['threshold']:.3g}. Optimum: {best}; selection, {rule}: {chosen}.{crosses}",
        alt=f"Stage 1 of {final.label} on {final.data_set}: {len(selection['within'])} of {len(mean)} settings"
        f" are within the threshold {selection['threshold']:.3g}; the lowest mean {loss} is {mean.min():.3g} at"
        f" {best}; the selection is {chosen}.",
        figure=figure,
    )


def stage2_figure(finals: list[Final]) -> ReportFigure:
    """Loss against the size, a panel per run; all of one method, which select by the same loss."""
    method, criterion = methods.get(finals[0].run.method), finals[0].stage2["criterion"]
    name, alone = method_name(finals[0].run.method), len(finals) == 1
    figure, axes = panels(len(finals), 3, (5.5, 3.2) if alone else (3.1, 2.3), sharex="all", sharey="all")
    for axis, final in zip(axes, finals, strict=True):
        sizes = np.array(final.stage2["settings"], dtype=float)
        path = SearchPathDisplay(sizes=sizes, selection=final.stage2, name="", loss_name="")
        path.plot(axis, color=method_style(final.run.method)["color"], legend=False)
        axis.set_title(final.label)
    mean, deviation = (np.concatenate([f.stage2[key] for f in finals]) for key in ("mean", "standard_deviation"))
    loss_axis(axes, mean, deviation, prior_loss(finals[0], criterion))
    shared_labels(figure, axis_name(method.complexity), LOSSES[criterion])
    legend(figure)
    optima, selected = ([_size(f, role) for f in finals] for role in ("optimal", "selected"))
    above = max(f.stage2["mean"][f.stage2["selected"]] - min(f.stage2["mean"]) for f in finals)
    higher = f"{'' if alone else 'up to '}{above:.2g} higher"
    chosen = [f"{f.label}: optimum {_size(f, 'optimal')}, chosen {_size(f, 'selected')}" for f in finals]
    data_set = finals[0].data_set
    return ReportFigure(
        title=f"{name}, {data_set}: {WORDS[criterion]} against {axis_name(method.complexity)}",
        finding=f"The lowest mean {WORDS[criterion]} is at {method.complexity} = {span(optima)},"
        f" {f'the selection at {span(selected)}, {higher}' if above else 'and selected'}.",
        caption=f"Bars and bands: one standard deviation over {_folds(finals[0])}. Dashed: the threshold; the"
        f" {'largest' if method.larger_is_simpler else 'smallest'} {axis_name(method.complexity)} within it is"
        " selected, unless the experiment takes the optimum.",
        alt=f"{sentence_case(WORDS[criterion])} of {name} on {data_set} against {axis_name(method.complexity)}."
        f" {'; '.join(chosen)}.",
        figure=figure,
    )


def varied_figure(finals: list[Final]) -> ReportFigure:
    """Test log-loss and complexity of the final models against the varied parameter; `finals` are its variants."""
    first = finals[0]
    (parameter,) = first.run.settings["vary"]
    finals = sorted(finals, key=lambda f: f.run.settings["parameters"][parameter])
    values = np.array([f.run.settings["parameters"][parameter] for f in finals], dtype=float)
    of_labels = not methods.get(first.run.method).probabilistic
    score = "error" if of_labels else "log-loss"
    losses, errors = np.transpose([final_loss(f, "error" if of_labels else "log_loss") for f in finals])
    quantities = [q for q in methods.get(first.run.method).quantities if all(q in f.fit["summary"] for f in finals)]
    figure, axes = panels(1 + len(quantities), 1 + len(quantities), (3.2, 3.0), margin=0.2)
    style = {**method_style(first.run.method), "linestyle": "-"}
    axes[0].errorbar(values, losses, errors, ecolor="#C4C4C4", **style)
    axes[0].set_ylabel("test error" if of_labels else "test log-loss (nats)")
    texts = []
    for panel, quantity in zip(axes[1:], quantities, strict=True):
        counts = [f.fit["summary"][quantity] for f in finals]
        panel.plot(values, counts, **style)
        panel.set_ylim(bottom=0)
        panel.set_ylabel(f"{quantity.replace('_', ' ')} of the final model")
        texts.append(f"{quantity.replace('_', ' ')} {', '.join(map(str, counts))}")
    for panel in axes:
        panel.set_xlabel(axis_name(parameter))
        if values.min() > 0:
            log_axis(panel, "x")
    data_set, experiment = first.data_set, first.run.experiment
    step = methods.get(first.run.method).complexity
    best = losses.argmin()
    shown = "; ".join([f"{score} {', '.join(f'{loss:.3g}' for loss in losses)}", *texts])
    return ReportFigure(
        title=f"{experiment}, {plain(data_set)}: {parameter} varied",
        finding=f"On this split the lowest test {score} is {losses[best]:.3g}, at {parameter} = {values[best]:g}; the"
        f" highest is {losses.max():.3g}.",
        caption=f"Final models of {experiment}; the number of {step} is selected anew for each. Lines are one standard"
        " error over the test samples.",
        alt=f"{experiment} on {data_set}, in rising order of {parameter}: {shown}.",
        figure=figure,
    )


def searched(final: Final) -> dict[str, np.ndarray]:
    """Values in all trials of the parameters that differ between trials, in the order of the method."""
    assert final.stage1 is not None
    settings = final.stage1["settings"]
    names = [name for name in methods.get(final.run.method).parameters if name in settings[0]]
    values = {name: np.array([s[name] for s in settings], dtype=float) for name in names}
    return {name: x for name, x in values.items() if np.ptp(x) > 0} or values


def _folds(final):
    unit = "bootstrap draws" if final.run.settings.get("resampling") == "bootstrap" else "folds"
    return f"{int(final.folds.max()) + 1} {unit}"


def _size(final, role):
    return final.stage2["settings"][final.stage2[role]]


@of_data_set("Search")
def _plan(available):
    study, data_set = available.stored.study, available.data_set
    for run in available.compared:
        if study.stage1_run(run) is run:
            yield FigureSpec(f"stage1 {run.name}", [run], unpacked(stage1_figure))
    with_path = [run for run in available.runs if has_path(run, data_set)]
    for method in dict.fromkeys(run.method for run in available.compared if run in with_path):
        for criterion, runs in groups([run for run in with_path if run.method == method], "criterion").items():
            name = f"stage2 {method}" if criterion == "log_loss" else f"stage2 {method} {criterion}"
            yield FigureSpec(name, runs, stage2_figure)
    varying = [run for run in available.every if run.variant]
    for experiment in dict.fromkeys(run.experiment for run in varying if "metric" not in run.settings["vary"]):
        yield FigureSpec(f"varied {experiment}", [r for r in varying if r.experiment == experiment], varied_figure)
