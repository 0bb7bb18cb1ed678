"""Decision surfaces of data with two features."""

from functools import partial

import numpy as np

from proset.losses import error_rate, log_loss
from proset.plot.fitted import grid
from proset.plot.style import plain
from proset.plot.surface import STEPS, DecisionSurfaceDisplay, probability_bar
from proset_study.data import generators
from proset_study.data.metrics import compares_features
from proset_study.methods import get
from proset_study.methods.base import Method
from proset_study.methods.labels import method_name
from proset_study.methods.prototypes import PrototypeModel
from proset_study.report.analysis.runs import optimal_pairs
from proset_study.report.figures.registry import FigureSpec, of_data_set, unpacked
from proset_study.report.figures.style import ReportFigure, panels, shared_labels
from proset_study.report.wording import model, ranges
from proset_study.store.stored import Final

SMALL, LARGE = 180, 420  # pixels a side
LONGEST = 12  # letters of the name of an experiment
MOST_PROTOTYPES = 250  # circles of more hide the surface


def surfaces_figure(finals: list[Final], settings: dict) -> ReportFigure:
    """One panel per final model of a data set; with the best possible boundary where it is known."""
    figure, axes = panels(len(finals), 5 if len(finals) > 4 else 3, (2.0, 2.15), sharex="all", sharey="all")
    displays = [display(final, SMALL) for final in finals]
    generated = generators.of(settings)
    is_known = generated is not None and generated.bayes_error() is not None
    for panel, final, shown in zip(axes, finals, displays, strict=True):
        _draw(shown, panel, scale=0.5)
        if is_known:
            _best_boundary(panel, shown, generated)
        is_alone = [f.run.method for f in finals].count(final.run.method) == 1
        label = "" if is_alone else f"{plain(final.label, LONGEST)}, "  # else the method says which it is
        panel.set_title(f"{label}{method_name(final.run.method)}\n{_scores(final)}")
    _finish(figure, axes, displays)
    data_set, wrong = finals[0].data_set, {model(f): _misclassified(f) for f in finals}
    return ReportFigure(
        title=f"{data_set}: decision surfaces of the final models",
        finding=f"Of {len(finals[0].y):,} test samples on this split the number misclassified {ranges(wrong, '{:,}')}.",
        caption=_CAPTION + (" Dashed: the best possible rule." if is_known else ""),
        alt=_alt(finals),
        figure=figure,
    )


def pair_figure(chosen: Final, optimal: Final) -> ReportFigure:
    """Two models of the same search side by side, large: parameters by the rule, and optimal ones."""
    finals = [chosen, optimal]
    figure, axes = panels(2, 2, (5.0, 5.0), sharex="all", sharey="all")
    displays = [display(final, LARGE) for final in finals]
    for panel, final, shown in zip(axes, finals, displays, strict=True):
        _draw(shown, panel, scale=1.0)
        selected, counts = final.selected_parameters.items(), get(final.run.method).complexity
        parameters = ", ".join(f"{k} = {v:.1e}" if isinstance(v, float) else f"{k} = {v}" for k, v in selected)
        size = "" if counts == Method.complexity else f"{counts}: {final.fit['complexity']}"
        what = "optimum" if final.run.selection_rule == "best" else "simplest within the threshold"
        panel.set_title(f"{final.label}, {what}\n{'; '.join(filter(None, (parameters, size)))}")
    _finish(figure, axes, displays)
    return ReportFigure(
        title=f"{chosen.data_set}: {chosen.label} next to {optimal.label}",
        finding=f"Of {len(chosen.y):,} test samples on this split {_in_numbers(chosen)}, {_in_numbers(optimal)}.",
        caption=f"From the same stage 1: {chosen.label} takes the simplest parameters within the threshold,"
        f" {optimal.label} those with the lowest cross-validated log-loss.",
        alt=_alt(finals),
        figure=figure,
    )


def display(final: Final, resolution: int) -> DecisionSurfaceDisplay:
    """The surface of a final model, with the test samples and the prototypes in the units of the data."""
    model = final.model
    encoded = model.encoded(final.data.X)
    x, y = grid(encoded[~np.isnan(encoded).any(axis=1)], resolution)  # a model may take what is missing as it is
    points = np.column_stack([axis.ravel() for axis in np.meshgrid(x, y)])
    prototypes, weights = None, None
    if isinstance(model.fitted, PrototypeModel) and len(model.fitted.prototypes().X) <= MOST_PROTOTYPES:
        found = model.fitted.prototypes()
        prototypes, weights = found.X * model.scale + model.centre, found.weights
    return DecisionSurfaceDisplay(
        x=x,
        y=y,
        probabilities=model.predict_proba(points).reshape(resolution, resolution, -1),
        class_names=final.data.class_names,
        feature_names=final.data.feature_names,
        samples=model.encoded(final.X_test),
        labels=final.y,
        predicted=final.probabilities.argmax(axis=1),
        prototypes=prototypes,
        prototype_weights=weights,
    )


def _draw(shown, axes, scale):
    shown.plot(axes, scale=scale, legend=False)
    axes.set(xlabel="", ylabel="")  # the panels share them


def _best_boundary(axes, shown, generated):
    points = np.column_stack([axis.ravel() for axis in np.meshgrid(shown.x, shown.y)])
    best = generated.probabilities(points).argmax(axis=1).reshape(len(shown.y), len(shown.x))
    for k in range(1, best.max() + 1):
        axes.contour(shown.x, shown.y, best == k, levels=[0.5], colors="black", linewidths=0.9, linestyles="--")


def _finish(figure, axes, displays):
    first = displays[0]
    if len(first.class_names) == 2:
        probability_bar(axes, first.class_names[1])
    shared_labels(figure, plain(first.feature_names[0]), plain(first.feature_names[1]))
    marks = max((shown.handles() for shown in displays), key=len)  # not all methods have prototypes
    figure.legend(handles=marks, loc="outside upper center", ncols=min(6, len(marks)))


_CAPTION = (
    f"Shade: predicted probability in {STEPS} steps, white where all classes are equally probable; lines: where the"
    " most probable class changes. Points: test samples, with a black edge if misclassified; circles: prototypes of"
    f" models with at most {MOST_PROTOTYPES}."
)


def _scores(final):
    """The error rate, with the log-loss of methods that have probabilities: of others it is 34.5 times the error."""
    error = f"error {100 * error_rate(final.probabilities, final.y, final.weight):.1f} %"
    if not get(final.run.method).probabilistic:
        return error
    return f"log-loss {log_loss(final.probabilities, final.y, final.weight):.2f}, {error}"


def _misclassified(final):
    return np.count_nonzero(final.probabilities.argmax(axis=1) != final.y)


def _in_numbers(final):
    found = f"{final.label} misclassifies {_misclassified(final):,}"
    prototypes = final.fit["summary"].get("prototypes")
    return found if prototypes is None else f"{found} with {prototypes:,} prototypes"


def _alt(finals):
    errors = [f"{f.label}: {_misclassified(f)}" for f in finals]
    return (
        f"Decision surfaces of {len(finals)} final models on {finals[0].data_set}; misclassified of"
        f" {len(finals[0].y)} test samples: {', '.join(errors)}."
    )


@of_data_set("Decision surfaces")
def _plan(available):
    study, data_set = available.stored.study, available.data_set
    if available.is_plane:
        of_features = [run for run in available.runs if compares_features(study.metric(run.name, data_set))]
        yield FigureSpec("surfaces", of_features, partial(surfaces_figure, settings=available.settings))
        for source, run in optimal_pairs(study, data_set):
            name = f"surfaces {source.name} {run.name}"
            yield FigureSpec(name, [source, run], unpacked(pair_figure), needs_all=True)
