"""An experiment that varies one parameter: loss and complexity against it."""

import numpy as np

from proset.plot.style import log_axis, plain
from proset_study import methods
from proset_study.report.analysis.losses import final_loss
from proset_study.report.figures.registry import FigureSpec, of_data_set
from proset_study.report.figures.style import ReportFigure, axis_name, method_style, panels
from proset_study.store.stored import Final


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


@of_data_set("Search")
def _plan(available):
    varying = [run for run in available.every if run.variant]
    for experiment in dict.fromkeys(run.experiment for run in varying if "metric" not in run.settings["vary"]):
        yield FigureSpec(f"varied {experiment}", [r for r in varying if r.experiment == experiment], varied_figure)
