"""Prototypes chosen by set cover: which, in what order, how they lie, and how many each class needs."""

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb

from proset.plot.style import GREY, MARKERS, class_style, plain
from proset_study.data.distances import distances
from proset_study.data.metrics import EUCLIDEAN, PRECOMPUTED, is_ranked
from proset_study.fits.resampling import training_rows
from proset_study.report.analysis.covers import cover_of, fitted_of
from proset_study.report.figures.style import ESTIMATOR_COLOURS, ReportFigure, canvas, legend, panels
from proset_study.store.stored import Final

CATEGORY = "Prototypes chosen by set cover"
SHOWN = 88  # prototypes at most, the first ones; as many as in the source
COLUMNS = 11
UNDER_A_TREE = 24  # images below a tree
LARGEST_TREE = 2000  # samples; above, single leaves are not to be seen
FEWEST = 8  # prototypes; fewer need no map


def images_figure(final: Final, shape: tuple[int, int]) -> ReportFigure | None:
    """The first prototypes as images in order of selection, and how many samples each covers; None without any."""
    cover = cover_of(final)
    shown = _images(final, shape)
    if not shown:
        return None
    rows, columns = -(-len(shown) // COLUMNS), min(COLUMNS, len(shown))
    height, width = shape[0] * 1.6, shape[1] * 1.25  # with room for the text
    figure, axes = canvas(0.8 * columns + 0.4, 0.8 * rows * height / width + 0.3)
    limits = _grey_levels(final)
    for number, image in enumerate(shown):
        row, column = divmod(number, COLUMNS)
        left, top = column * width, row * height
        extent = (left, left + shape[1], top + shape[0], top)
        axes.imshow(image, cmap="gray_r", interpolation="nearest", extent=extent, **limits)
        text = f"{cover.newly_covered[number]:g} ({cover.miscovered[number]:g})"
        axes.text(left + shape[1] / 2, top - 0.08 * shape[0], text, size=7, ha="center", va="bottom")
    axes.set(xlim=(-1, columns * width), ylim=(rows * height, -0.5 * shape[0]), aspect="equal")
    axes.axis("off")
    name = final.data_set
    upto = np.cumsum(cover.newly_covered)
    half = int(np.searchsorted(upto, upto[-1] / 2)) + 1
    first = f"{cover.newly_covered[0]:g} of its class and {cover.miscovered[0]:g} of others"
    return ReportFigure(
        title=f"{name}: the first {len(shown)} of {len(cover.index)} prototypes in the order in which they were chosen",
        finding=f"The first {half:,} of {len(cover.index):,} prototypes cover half of the training samples that all"
        " prototypes cover in their own classes.",
        caption=f"Above each image is the {_amount(final)} of training samples of its class that it is the first to"
        " cover, and in brackets that of other classes.",
        alt=f"Images of {len(shown)} prototypes on {name}; the first one covers {first}.",
        figure=figure,
    )


def arrangement_figure(final: Final, shape: tuple[int, int] | None) -> ReportFigure | None:
    """Prototypes arranged by multidimensional scaling, as images or as points; None for few, or ranks."""
    cover = cover_of(final)
    index = cover.index[:SHOWN]
    if len(index) < FEWEST or is_ranked(final.metric):
        return None
    from sklearn.manifold import ClassicalMDS

    place = ClassicalMDS(n_components=2, metric="precomputed").fit_transform(between(final, index))
    place *= np.sign(place[np.abs(place).argmax(axis=0), [0, 1]])  # the sign is arbitrary
    size = np.log1p(cover.covered[: len(index)])
    size /= size.max()
    figure, axes = canvas(7.0, 6.0)
    spread = np.ptp(place, axis=0).max() or 1.0
    for k in np.unique(cover.labels[: len(index)]):
        own = cover.labels[: len(index)] == k
        area = 40.0 if shape else 140.0 * size[own]  # images hide the marks, which are for the legend
        axes.scatter(place[own, 0], place[own, 1], s=area, alpha=0.8, label=_class(final, k), **class_style(k))
    if shape:
        images, limits = _images(final, shape), _grey_levels(final)
        for number in reversed(range(len(index))):  # the first ones on top
            half = 0.035 * spread * size[number] * np.array([shape[1], shape[0]]) / max(shape)
            image, (x, y) = images[number], place[number]
            colour = to_rgb(class_style(cover.labels[number])["color"])
            grey = np.clip((image - limits["vmin"]) / (limits["vmax"] - limits["vmin"] or 1.0), 0, 1)[..., None]
            tinted = (1 - grey) * (1 - 0.25 * (1 - np.array(colour))) + grey * np.array(colour) * 0.6
            extent = (x - half[0], x + half[0], y - half[1], y + half[1])
            axes.imshow(tinted, interpolation="nearest", extent=extent, zorder=3)
    margin = 0.06 * spread
    axes.set(xlim=(place[:, 0].min() - margin, place[:, 0].max() + margin), aspect="equal")
    axes.set(ylim=(place[:, 1].min() - margin, place[:, 1].max() + margin))
    unit = " (standard deviations of the features)" if final.metric == EUCLIDEAN else ""
    axes.set(xlabel=f"first coordinate{unit}", ylabel="second coordinate")
    legend(figure, widest=1.0)
    name, what = final.data_set, "Side" if shape else "Area"
    apart = np.hypot(*(place[:, None] - place).T)
    np.fill_diagonal(apart, np.inf)
    labels = cover.labels[: len(index)]
    alike = np.count_nonzero(labels[apart.argmin(axis=0)] == labels)
    return ReportFigure(
        title=f"{name}: prototypes arranged by multidimensional scaling",
        finding=f"The nearest neighbour of {alike} of {len(index)} prototypes on this map has the same class.",
        caption=f"The first {len(index)} prototypes by classical scaling of {distance_of(final)}. {what}"
        f" grows with the {_amount(final)} of training samples rightly covered.",
        alt=f"Two-dimensional arrangement of {len(index)} prototypes on {name}, coloured by class.",
        figure=figure,
    )


def tree_figure(final: Final, shape: tuple[int, int] | None) -> ReportFigure | None:
    """Complete-linkage tree of the training samples with the prototypes marked; None for too many samples."""
    n = final.fit["n_fit"]
    if n > LARGEST_TREE or is_ranked(final.metric):
        return None
    from scipy.cluster.hierarchy import dendrogram, linkage

    cover, fitted = cover_of(final), fitted_of(final)
    apart = between(final, np.arange(n))[np.triu_indices(n, 1)]
    tree = dendrogram(linkage(apart, "complete"), no_plot=True)
    place = np.empty(n)
    place[tree["leaves"]] = 10.0 * np.arange(n) + 5.0  # as the function has it
    figure, axes = canvas(10.0, 4.6)
    axes.set_rasterization_zorder(1)
    lines = [np.column_stack(xy) for xy in zip(tree["icoord"], tree["dcoord"], strict=True)]
    axes.add_collection(LineCollection(lines, colors=GREY, linewidths=0.5, zorder=0.5))
    top, radius = max(map(max, tree["dcoord"])), fitted.radii[-1]
    axes.axhline(radius, color="black", linestyle=":", linewidth=1.0, label=f"radius of the balls, {radius:.3g}")
    chosen = np.flatnonzero(cover.index < n)  # centres of k-means are no leaves
    for k in np.unique(cover.labels[chosen]):
        own = chosen[cover.labels[chosen] == k]
        x = place[cover.index[own]]
        style = class_style(k)
        axes.scatter(x, np.full(len(x), -0.02 * top), s=14, label=_class(final, k), zorder=3, **style)
    lowest = -0.06 * top
    if shape:
        lowest = _images_below(axes, final, shape, chosen[:UNDER_A_TREE], place, top)
    axes.set(xlim=(0, 10.0 * n), ylim=(lowest, 1.02 * top), xticks=[])
    axes.set_yticks([t for t in axes.get_yticks() if 0 <= t <= top])
    axes.set(xlabel=f"{n:,} training samples", ylabel="distance at which groups are joined")
    legend(figure)
    name = final.data_set
    groups = 1 + sum(max(heights) > radius for heights in tree["dcoord"])
    below = f" The first {min(UNDER_A_TREE, len(chosen))} prototypes are shown as images." if shape else ""
    return ReportFigure(
        title=f"{name}: prototypes in a tree of the training samples",
        finding=f"Cut at the radius, the tree has {groups:,} groups of samples; the cover has {len(cover.index):,}"
        " prototypes.",
        caption=f"Complete linkage by {distance_of(final)}: samples joined below the dotted line are in each other's"
        f" balls. Marks: samples chosen as prototypes, by class.{below}",
        alt=f"Tree of {n} training samples on {name} with {len(chosen)} prototypes marked.",
        figure=figure,
    )


def objective_figure(final: Final) -> ReportFigure | None:
    """Objective, and its improvement, after each step of the greedy algorithm; None without steps."""
    cover = cover_of(final)
    if not len(cover.index):
        return None
    steps = np.arange(len(cover.objective_path))
    several = np.flatnonzero(_newly_covered(final) > 1)
    last = int(several[-1]) + 1 if len(several) else 0
    figure, (left, right) = panels(2, 2, (4.5, 3.2), margin=0.3)
    left.plot(steps, cover.objective_path, color=ESTIMATOR_COLOURS[0], drawstyle="steps-post")
    left.set(xlabel="prototypes", ylabel="objective", ylim=(0, None))
    right.plot(steps[1:], -np.diff(cover.objective_path), color=ESTIMATOR_COLOURS[0], drawstyle="steps-mid")
    right.set(xlabel="step", ylabel="improvement of the objective", yscale="log")
    for panel in (left, right):
        panel.axvline(last, color="black", linestyle=":", linewidth=1.0, label="last step that covers several samples")
    legend(figure, widest=3.0)
    rest = len(cover.index) - last
    falls = cover.objective_path[0] - cover.objective_path
    half = int(np.argmax(falls >= falls[-1] / 2))
    name = final.data_set
    return ReportFigure(
        title=f"{name}: objective against steps of the greedy algorithm",
        finding=f"The objective falls from {cover.objective_path[0]:g} to {cover.objective:.4g}; half of this takes"
        f" {half:,} of {len(cover.index):,} steps.",
        caption=f"The objective is the {_amount(final)} of training samples left uncovered or wrongly covered, plus the"
        f" cost of the prototypes. The {rest} prototypes after step {last} cover one more sample each.",
        alt=f"The objective on {name} falls from {cover.objective_path[0]:g} to {cover.objective:.4g} in"
        f" {len(cover.index)} steps; the last {rest} cover one more sample each.",
        figure=figure,
    )


def bounds_figure(greedy: Final, rounded: Final) -> ReportFigure:
    """Objective of both algorithms along the radii, with the lower bound, and how far they are above it."""
    steps = min(len(final.stage2["settings"]) for final in (greedy, rounded))

    def mean(final, name):
        return np.mean([record["staged_summary"][name][:steps] for record in final.paths], axis=0)

    radius, bound = mean(rounded, "ball_radius"), mean(rounded, "lower_bound")
    found = {"greedy": mean(greedy, "objective"), "linear program, rounded": mean(rounded, "objective")}
    figure, (left, right) = panels(2, 2, (4.5, 3.2), margin=0.3)
    for (label, objective), colour, marker in zip(found.items(), ESTIMATOR_COLOURS, MARKERS, strict=False):
        left.plot(radius, objective, color=colour, marker=marker, label=label)
        right.plot(radius, objective - bound, color=colour, marker=marker, label=label)
    left.plot(radius, bound, color="black", linestyle=":", label="lower bound")
    left.set(xlabel="radius of the balls", ylabel="objective", ylim=(0, None))
    right.set(xlabel="radius of the balls", ylabel="objective above the lower bound")
    legend(figure, widest=2.0)
    name = greedy.data_set
    worst = {label: float((objective - bound).max()) for label, objective in found.items()}
    gaps = " and ".join(f"{gap:.3g} ({label})" for label, gap in worst.items())
    return ReportFigure(
        title=f"{name}: objective against radius, greedy and rounded, with the lower bound",
        finding=f"The largest distances from the lower bound are {gaps}.",
        caption=f"Means over {len(greedy.paths)} folds. The bound is that of the relaxation to a linear program.",
        alt=f"Objective on {name} against the radius; greedy and rounded are at most {gaps} above the lower bound.",
        figure=figure,
    )


def classes_figure(final: Final) -> ReportFigure | None:
    """Proportion of the prototypes next to that of training samples, by class; None without prototypes."""
    cover, names = cover_of(final), final.data.class_names
    if not len(cover.index):
        return None
    fitted = final.data.y[training_rows(final.data, final.folds)]  # without samples of weight 0
    samples, chosen = (np.bincount(labels, minlength=len(names)) for labels in (fitted, cover.labels))
    figure, axes = canvas(max(5.0, 0.7 * len(names) + 1.0), 3.2)
    place = np.arange(len(names))
    for shift, counts, label, colour in (
        (-0.2, samples, "training samples", GREY),
        (0.2, chosen, "prototypes", ESTIMATOR_COLOURS[0]),
    ):
        bars = axes.bar(place + shift, 100 * counts / counts.sum(), 0.4, label=label, color=colour)
        axes.bar_label(bars, [f"{c:,}" for c in counts], size=7)
    axes.set_xticks(place, [plain(n, 12) for n in names], rotation=0 if len(names) <= 12 else 90)
    axes.set(xlabel="class", ylabel="proportion of the class, %")
    legend(figure)
    proportions = (chosen / chosen.sum()) / (samples / samples.sum())
    most, least = proportions.argmax(), proportions.argmin()
    name = final.data_set
    return ReportFigure(
        title=f"{name}: proportion of prototypes by class",
        finding=f"The share of the prototypes is {proportions[most]:.2f} times the share of the samples for class"
        f" {names[most]} and {proportions[least]:.2f} times for class {names[least]}.",
        caption="Numbers are counts. All balls have the same radius: classes that vary more need more balls, classes"
        " that overlap with others get fewer.",
        alt=f"Proportions of training samples and of {len(cover.index)} prototypes by class on {name}: relative to its"
        f" samples, class {names[most]} has the most prototypes and class {names[least]} the fewest.",
        figure=figure,
    )


def _amount(final):
    return "number" if final.data.sample_weight is None else "weight"


def between(final: Final, index: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
    """Dissimilarities of some candidates from each other, or of some training samples (rows) from them."""
    fitted = fitted_of(final)
    points, samples = fitted.candidates[index], index if rows is None else rows
    X = final.part.X[samples] if fitted.metric == PRECOMPUTED else fitted.candidates[samples]
    return distances(X, points, fitted.metric)


def distance_of(final: Final) -> str:
    """What samples are compared by, in words."""
    if final.metric == EUCLIDEAN:
        return "distances on standardised features"
    on = " on standardised features" if fitted_of(final).metric != PRECOMPUTED else ""
    return f"dissimilarities by {final.metric}{on}"


def _newly_covered(final):
    """Number of training samples of its class that each prototype covers and none before it did, shape (P,)."""
    cover, fitted, part = cover_of(final), fitted_of(final), final.part
    left, found = np.ones(len(part.y), dtype=bool), []
    for j, k in zip(cover.index, cover.labels, strict=True):
        apart = distances(part.X, fitted.candidates[[j]], fitted.metric)[:, 0]
        new = left & (part.y == k) & (apart < fitted.radii[-1])
        left &= ~new
        found.append(new.sum())
    return np.array(found)


def _class(final, k):
    return f"class {plain(final.data.class_names[k])}"


def _images(final, shape):
    """The first prototypes in the units of the data."""
    index, fitted, model = cover_of(final).index[:SHOWN], fitted_of(final), final.model
    if fitted.metric == PRECOMPUTED:
        features = final.data.X[training_rows(final.data, final.folds)[index]]
    else:
        features = fitted.candidates[index] * model.scale + model.centre
    return [row.reshape(shape) for row in features]


def _grey_levels(final):
    return {"vmin": final.data.X.min(), "vmax": final.data.X.max()}


def _images_below(axes, final, shape, chosen, place, top):
    """Images of some prototypes in a row below a tree, in the order of their leaves; the lowest y that is used."""
    images, limits = _images(final, shape), _grey_levels(final)
    chosen = chosen[np.argsort(place[cover_of(final).index[chosen]])]
    width = 10.0 * final.fit["n_fit"] / UNDER_A_TREE
    high, low = -0.16 * top, -0.34 * top
    for slot, number in enumerate(chosen):
        leaf, centre = place[cover_of(final).index[number]], (slot + 0.5) * width
        style = class_style(cover_of(final).labels[number])
        axes.plot([leaf, centre], [-0.03 * top, high], color=style["color"], linewidth=0.6, zorder=2)
        extent = (centre - 0.45 * width, centre + 0.45 * width, low, high)
        axes.imshow(images[number], cmap="gray_r", interpolation="nearest", extent=extent, aspect="auto", **limits)
    return low - 0.02 * top
