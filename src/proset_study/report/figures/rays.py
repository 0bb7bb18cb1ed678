"""What models predict along rays that leave the data: where no training sample is near, and then none is."""

import numpy as np

from proset.plot.style import GREY, plain
from proset_study.data.metrics import compares_features
from proset_study.data.splits import TEST
from proset_study.methods import labels
from proset_study.report.figures.registry import FigureSpec, of_data_set
from proset_study.report.figures.style import MAIN_COLOURS, ReportFigure, legend, method_style, panels, shared_labels
from proset_study.report.wording import model, ranges
from proset_study.store.stored import Final

RAYS = 24
DISTANCES = np.geomspace(0.1, 1000.0, 61)  # from the centre, in standard deviations of each feature


def rays_figure(finals: list[Final]) -> ReportFigure:
    """Probability of one class against the distance from the centre, a line per ray."""
    first = finals[0]
    X, names = first.X_train, first.data.class_names
    counts = np.bincount(first.data.y, minlength=len(names))
    shown = 1 if len(names) == 2 else int(counts.argmax())
    centre, deviation = X.mean(axis=0), X.std(axis=0)
    farthest = np.sqrt((((X - centre) / np.where(deviation > 0, deviation, 1.0)) ** 2).sum(axis=1)).max()
    drawn = np.random.default_rng(0).normal(size=(RAYS, X.shape[1]))  # the same on every data set of this width
    directions = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    points = (centre + DISTANCES[:, None, None] * deviation * directions).reshape(-1, X.shape[1])
    figure, axes = panels(len(finals), 3, (3.2, 2.7), sharex="all", sharey="all")
    spread: dict[str, float] = {}
    for panel, final in zip(axes, finals, strict=True):
        p = final.model.predict_proba(points)[:, shown].reshape(len(DISTANCES), RAYS)
        spread[model(final)] = float(np.ptp(p[-1]))
        panel.plot(DISTANCES, p, color=method_style(final.run.method)["color"], linewidth=0.7, alpha=0.7)
        panel.axvline(farthest, color=GREY, linestyle=":", linewidth=1.0, label="farthest training sample")
        prior = float((first.data.y[first.folds != TEST] == shown).mean())
        panel.axhline(prior, color="black", linestyle="--", linewidth=0.9, label="proportion of the class")
        panel.set(title=model(final), xscale="log", ylim=(-0.03, 1.03))
    called = f"class {plain(names[shown])}"
    shared_labels(figure, "distance from the centre of the data (standard deviations)", f"probability of {called}")
    legend(figure, 2.2)
    texts = [f"{name} {value:.2f}" for name, value in spread.items()]
    return ReportFigure(
        title=f"{first.data_set}: predictions along rays that leave the data",
        finding=f"The largest difference between rays, {DISTANCES[-1]:,.0f} standard deviations away,"
        f" {ranges(spread, '{:.2f}')}.",
        caption=f"A line for each of {RAYS} random directions from the mean of the training samples; features count in"
        " their standard deviations. A model with an absolute distance comes back to the proportion of the class.",
        alt=f"Probability of one class along rays on {first.data_set}; largest difference between rays at the end:"
        f" {', '.join(texts)}.",
        figure=figure,
    )


@of_data_set("Familiarity")
def _plan(available):
    """Rays of the methods with a colour of their own, on data whose features are all numbers, none of them missing."""
    if available.data is None or available.data.categories is not None or not np.isfinite(available.data.X).all():
        return
    study = available.stored.study
    runs = [run for run in available.compared if labels.place(run.method) < len(MAIN_COLOURS)]
    if of_features := [run for run in runs if compares_features(study.metric(run.name, available.data_set))]:
        yield FigureSpec("rays", of_features, rays_figure)
