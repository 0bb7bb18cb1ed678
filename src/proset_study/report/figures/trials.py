"""Loss against the number of prototypes, over all parameters that stage 1 tried."""

import numpy as np
from matplotlib.axes import Axes

from proset.plot.style import log_axis
from proset_study.methods.labels import method_name
from proset_study.report.analysis.prototypes import least_loss, trial_means
from proset_study.report.figures.style import ReportFigure, legend, method_style, panels, slug
from proset_study.store.stored import Final

_SCORES = {"log_loss": "log-loss (nats)", "error": "error rate"}


def trials_figure(finals: list[Final]) -> ReportFigure:
    """Log-loss and error in cross-validation against prototypes, a point per trial; all of one data set.

    Parameters
    ----------
    finals : list of Final
        One a method, all with a stage 1 and with prototypes.
    """
    figure, axes = panels(2, 2, (5.0, 4.2), sharex="all")
    means = {final.run.method: trial_means(final.trials) for final in finals}
    for panel, (score, name) in zip(axes, _SCORES.items(), strict=True):
        for method, found in means.items():
            _points_and_front(panel, method, found["prototypes"], found[score])
        log_axis(panel, "x", dense=True)
        panel.set(xlabel="prototypes, mean over the folds", ylabel=f"{name} in cross-validation")
    legend(figure, widest=2.0)
    first = finals[0]
    lowest = min(means, key=lambda method: means[method]["log_loss"].min())
    best = means[lowest]["log_loss"].argmin()
    texts = [f"{method_name(method)} {found['log_loss'].min():.3g}" for method, found in means.items()]
    return ReportFigure(
        name=slug(first.data_set, "trials"),
        category="Prototypes",
        title=f"{first.data_set}: loss against prototypes over all parameters tried",
        finding=f"The lowest log-loss of all parameters tried is {means[lowest]['log_loss'][best]:.3g}, of"
        f" {method_name(lowest)} with {means[lowest]['prototypes'][best]:.3g} prototypes.",
        caption="Each point is one trial of stage 1, each line the least loss with at most so many prototypes.",
        alt=f"Cross-validated loss on {first.data_set} against prototypes. Lowest log-loss: {'; '.join(texts)}.",
        figure=figure,
    )


def _points_and_front(axes: Axes, method: str, prototypes: np.ndarray, loss: np.ndarray) -> None:
    shown, style = prototypes > 0, method_style(method)
    prototypes, loss = prototypes[shown], loss[shown]
    axes.plot(prototypes, loss, linestyle="none", markersize=3, alpha=0.4, **style)
    order = np.argsort(prototypes, kind="stable")
    front = least_loss(prototypes[order], loss[order])
    axes.step(prototypes[order], front, where="post", label=method_name(method), color=style["color"])
