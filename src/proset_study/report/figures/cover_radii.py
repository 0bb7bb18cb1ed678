"""What the radius of a set cover does: balls in a plane, and the tree of one class with the foreign samples near it."""

import numpy as np

from proset.plot.balls import BallsDisplay
from proset.plot.style import GREY, class_style, plain
from proset.set_cover import SetCoverClassifier
from proset_study.data.metrics import EUCLIDEAN, is_ranked
from proset_study.methods.set_cover import SetCover, find_radii
from proset_study.methods.set_cover_lp import SetCoverLP
from proset_study.methods.set_cover_quantiles import SetCoverQuantiles
from proset_study.report.analysis.covers import cover_of, fitted_of
from proset_study.report.figures import set_cover
from proset_study.report.figures.registry import FigureSpec, by_metric, is_of, of_data_set, unpacked
from proset_study.report.figures.set_cover import CATEGORY, between, distance_of
from proset_study.report.figures.style import ReportFigure, canvas, panels, shared_labels
from proset_study.store.stored import Final

RADII = 4
MOST = 150  # balls; more of them overlap too much to be seen
RESOLUTION = 120  # points a side
SMALLEST, LARGEST = 5, 60  # samples of the class whose tree is drawn


def balls_figure(final: Final) -> ReportFigure | None:
    """Balls and prototypes at several radii, as in figure 1 of the source; None for other metrics or too many balls."""
    part, names = final.part, final.data.feature_names
    if final.metric != EUCLIDEAN:
        return None
    models = []
    for radius in find_radii(part, final.stage2["settings"][-1])[::-1]:
        model = SetCoverClassifier(eps=float(radius)).fit(part.X, part.y, part.weight)
        if len(model.prototype_index_) > MOST:
            break
        models.append(model)
    if not models:
        return None
    shown = [models[round(i)] for i in np.linspace(len(models) - 1, 0, min(RADII, len(models)))]
    figure, axes = panels(len(shown), 2, (4.5, 3.9), margin=0.3, sharex="all", sharey="all")
    found = []
    for panel, model in zip(axes, shown, strict=True):
        given = {"feature_names": names.tolist(), "grid_resolution": RESOLUTION, "ax": panel, "legend": False}
        BallsDisplay.from_estimator(model, part.X, part.y, **given)
        number = len(model.prototype_index_)
        found.append((f"{model.eps:.3g}", f"{number:,}"))
        panel.set(title=f"radius {model.eps:.3g}, {number:,} prototypes", xlabel="", ylabel="")
    name = final.data_set
    texts = [": ".join(pair) for pair in found]
    radii, numbers = (" to ".join(dict.fromkeys(ends)) for ends in zip(found[0], found[-1], strict=True))
    shared_labels(figure, plain(names[0]), plain(names[1]))
    return ReportFigure(
        title=f"{name}: balls and prototypes at several radii",
        finding=f"Covers by balls of radius {radii} have {numbers} prototypes.",
        caption=f"Training samples on standardised features. Radii and numbers of prototypes: {'; '.join(texts)}."
        " Empty marks: in no ball of their class; rings: in a ball of another class.",
        alt=f"Balls of a set cover on {name}; radius and number of prototypes {'; '.join(texts)}.",
        figure=figure,
    )


def class_tree_figure(final: Final) -> ReportFigure | None:
    """Complete-linkage tree of the smallest class, as in figure 10 of the source; None if it is too large."""
    part, fitted, cover = final.part, fitted_of(final), cover_of(final)
    counts = np.bincount(part.y)
    k = int(counts.argmin())
    if not SMALLEST <= counts[k] <= LARGEST or is_ranked(final.metric):
        return None
    from scipy.cluster.hierarchy import dendrogram, linkage

    own, radius = np.flatnonzero(part.y == k), fitted.radii[-1]
    apart = between(final, own)
    foreign = (between(final, own, np.flatnonzero(part.y != k)) < radius).sum(axis=0)
    chosen = np.isin(own, cover.index[cover.labels == k])
    figure, axes = canvas(max(6.0, 0.16 * len(own) + 1.5), 3.8)
    tree = dendrogram(
        linkage(apart[np.triu_indices(len(own), 1)], "complete"),
        ax=axes,
        link_color_func=lambda _: GREY,
        labels=[f"({number})" for number in foreign],
        leaf_rotation=90,
        leaf_font_size=7,
    )
    axes.axhline(radius, color="black", linestyle=":", linewidth=1.0)
    lowest, top = min(map(max, tree["dcoord"])), max(map(max, tree["dcoord"]))
    base = max(0.0, lowest - 0.2 * (top - lowest))  # below there are no joins
    place = 10.0 * np.arange(len(own)) + 5.0
    marked = chosen[tree["leaves"]]
    axes.scatter(place[marked], np.full(marked.sum(), base), s=24, zorder=3, clip_on=False, **class_style(k))
    axes.set_ylim(base, top + 0.02 * (top - base))
    axes.set_ylabel("distance at which groups are joined")
    name, called = final.data_set, plain(final.data.class_names[k])
    left_out = sorted(foreign[~chosen].tolist(), reverse=True)[:5]
    return ReportFigure(
        title=f"{name}: the smallest class as a tree, with its prototypes",
        finding=f"{chosen.sum()} of {len(own)} samples of class {final.data.class_names[k]} are prototypes;"
        f" {np.count_nonzero(foreign[chosen])} of their balls have samples of other classes in them.",
        caption=f"Complete linkage of class {called} by {distance_of(final)}; dotted: the radius. Numbers in brackets"
        f" count samples of other classes in the ball around each; marks are the {chosen.sum()} prototypes.",
        alt=f"Tree of {len(own)} samples of class {called} on {name}, {chosen.sum()} of them prototypes. Most samples"
        f" of other classes around a sample that is no prototype: {', '.join(map(str, left_out))}.",
        figure=figure,
    )


@of_data_set(CATEGORY)
def _plan(available):
    shape = tuple(available.settings["image"]) if "image" in available.settings else None
    greedy = [run for run in available.every if is_of(run, SetCover) or is_of(run, SetCoverQuantiles)]
    for run in (run for run in greedy if available.is_plane and not run.variant):
        yield FigureSpec(f"cover_balls {run.name}", [run], unpacked(balls_figure))
    draws = {
        **({"images": unpacked(set_cover.images_figure, shape=shape)} if shape else {}),
        "arrangement": unpacked(set_cover.arrangement_figure, shape=shape),
        "tree": unpacked(set_cover.tree_figure, shape=shape),
        "objective": unpacked(set_cover.objective_figure),
        "classes": unpacked(set_cover.classes_figure),
        "class_tree": unpacked(class_tree_figure),
    }
    for run in (run for run in greedy if by_metric(run)):
        for what, draw in draws.items():
            yield FigureSpec(f"cover {what} {run.name}", [run], draw)
    both = [next((r for r in available.runs if is_of(r, method)), None) for method in (SetCover, SetCoverLP)]
    if len(runs := [run for run in both if run is not None]) == 2:
        yield FigureSpec("cover_bounds", runs, unpacked(set_cover.bounds_figure), needs_all=True)
