"""What models with weighted prototypes are made of: feature weights by batch, and for images the prototypes."""

from functools import partial

import numpy as np
from matplotlib.colors import ListedColormap, Normalize

from proset.plot.feature_weights import UNITS, UNUSED, FeatureWeightsDisplay, shown_features
from proset.plot.style import plain
from proset_study.data import generators
from proset_study.methods import get
from proset_study.methods.prototypes import Prototypes
from proset_study.methods.weighted import MODELS, weighted
from proset_study.report.figures.registry import FigureSpec, is_weighted, of_data_set, unpacked
from proset_study.report.figures.style import ESTIMATOR_COLOURS, ReportFigure, canvas, legend, panels, shared_labels
from proset_study.report.wording import model, ranges
from proset_study.store.stored import Final

CATEGORY = "Feature weights and prototypes"
SIDE = 8  # pixels of the images
HEAVIEST = 8  # prototypes shown of each class


def weights_figure(finals: list[Final]) -> ReportFigure:
    """Heat maps of batches x features, a panel per model, with the same features in the same order."""
    weights = [batch_weights(f) for f in finals]
    shown, active, total = shown_features(weights)
    names = [finals[0].feature_names[d] for d in shown]
    room = [max(len(w), 1) + 3.0 for w in weights]  # for batches and for the title
    width, height = min(10.0, max(5.0, 2.5 + 0.22 * sum(room))), max(3.3, 1.6 + 0.165 * len(shown))
    figure, (axes,) = canvas(width, height, 1, len(finals), squeeze=False, sharey=True, width_ratios=room)
    scale = Normalize(0.0, max(w.max(initial=0.0) for w in weights) or 1.0)
    for panel, final, w in zip(axes, finals, weights, strict=True):
        shown_weights = FeatureWeightsDisplay(weights=w[:, shown], feature_names=names)
        image = shown_weights.plot(panel, norm=scale, colorbar=False).image_
        panel.set(xlabel="", ylabel="")
        panel.set_title(_narrow(final), size=8)
        panel.tick_params(left=panel is axes[0])
    shared_labels(figure, "batch", "feature")
    figure.colorbar(image, ax=list(axes), aspect=30, label=UNITS)
    used = _used(finals, weights)
    counts = [f"{f.label}: {number}" for f, number in zip(finals, used.values(), strict=True)]
    data_set = finals[0].data_set
    left_out = total - len(active) if set(shown) <= set(active) else 0
    held_out = f"; {left_out} that no model uses are left out" if left_out else ""
    if len(shown) < len(active):
        held_out += f"; the {len(shown)} of {len(active)} with the largest weights are shown"
    mixed = finals[0].model.is_mixed
    how = " (a column of categories is one)" if mixed else " (categories are 0 or 1)"
    categories = "" if finals[0].data.categories is None else how
    of = f"{MODELS} that take categories and missing values as they are," if mixed else f"the {MODELS}"
    return ReportFigure(
        title=f"{data_set}: feature weights of {of} by batch",
        finding=f"Of {total} features, the number that a model uses {ranges(used, '{}')}.",
        caption=f"Weight v, the inverse bandwidth of the kernel on the standardised feature{categories}; grey is 0."
        f" Features in the order of their largest weight in a first batch{held_out}.",
        alt=f"Heat maps of feature weights on {data_set}. Active features: {', '.join(counts)} of {total}.",
        figure=figure,
    )


def relevance_figure(finals: list[Final], n_relevant: int) -> ReportFigure:
    """Weights of relevant and of irrelevant features, where the truth is known."""
    figure, axes = panels(len(finals), 3, (5.5, 3.2) if len(finals) == 1 else (3.1, 2.3), sharex="all", sharey="all")
    kept, exact = [], 0
    for panel, final in zip(axes, finals, strict=True):
        w = batch_weights(final)
        number = np.arange(1, w.shape[1] + 1)
        relevant = number <= n_relevant
        for chosen, label, colour, marker in (
            (relevant, "relevant feature", ESTIMATOR_COLOURS[0], "o"),
            (~relevant, "irrelevant feature", ESTIMATOR_COLOURS[2], "X"),
        ):
            for batch in w:
                panel.scatter(number[chosen], batch[chosen], s=28, color=colour, marker=marker, alpha=0.8, label=label)
        panel.axvline(n_relevant + 0.5, color="black", linewidth=0.8, linestyle=":")
        panel.set_xticks(number)
        panel.set_title(_narrow(final))
        active = np.any(w > 0, axis=0, keepdims=True)[0]
        exact += np.array_equal(active, relevant)
        kept.append(
            f"{final.label}: {np.count_nonzero(active[:n_relevant])} of {n_relevant} relevant and"
            f" {np.count_nonzero(active[n_relevant:])} of {len(active) - n_relevant} irrelevant features active"
        )
    shared_labels(figure, "feature", UNITS)
    legend(figure)
    data_set = finals[0].data_set
    return ReportFigure(
        title=f"{data_set}: weights of relevant and irrelevant features",
        finding=f"{exact} of {len(finals)} models{' uses' if len(finals) == 1 else ' use'} all relevant features and no"
        " other.",
        caption=f"A point per batch; only the first {n_relevant} features influence the class. {kept[0]}.",
        alt=f"Feature weights on {data_set}. {'; '.join(kept)}.",
        figure=figure,
    )


def pixel_weights_figure(finals: list[Final]) -> ReportFigure:
    """Feature weights as images: a row per model, an image per batch."""
    weights = [batch_weights(f) for f in finals]
    most = max(1, *(len(w) for w in weights))
    images = [[batch.reshape(SIDE, SIDE) for batch in w] + [None] * (most - len(w)) for w in weights]
    whole = mosaic(images)
    figure, axes = canvas(max(5.0, 2.0 + 0.9 * most), 0.8 + 0.9 * len(finals))
    axes.imshow(np.where(np.isnan(whole), np.nan, 0.0), cmap=ListedColormap([UNUSED]), interpolation="nearest")
    largest = max(w.max(initial=0.0) for w in weights) or 1.0
    used = np.where(whole > 0, whole, np.nan)
    image = axes.imshow(used, cmap="viridis_r", norm=Normalize(0.0, largest), interpolation="nearest")
    figure.colorbar(image, ax=axes, aspect=30, label=UNITS)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    axes.set_xticks(_centres(most), [str(number) for number in range(1, most + 1)])
    axes.set_yticks(_centres(len(finals)), [_narrow(f) for f in finals])
    axes.set(xlabel="batch", ylabel="experiment")
    data_set = finals[0].data_set
    return ReportFigure(
        title=f"{data_set}: feature weights as images",
        finding=f"Of {SIDE * SIDE} pixels, the number that a model uses {ranges(_used(finals, weights), '{}')}.",
        caption="Weight v of each pixel in each batch, at its place in the image; light grey is 0.",
        alt=f"Images of the pixel weights on {data_set}, one for each batch of {len(finals)} models.",
        figure=figure,
    )


def prototypes_figure(final: Final) -> ReportFigure | None:
    """The heaviest prototypes of each class as images, with their weights; None without any."""
    model, names = final.model, final.data.class_names
    prototypes = weighted(model.fitted).prototypes()
    if not len(prototypes.labels):
        return None
    several = len(np.unique(prototypes.batch)) > 1
    images: list[list[np.ndarray | None]] = [[None] * HEAVIEST for _ in names]
    texts = []
    for k in range(len(names)):
        for rank, (weight, number, pixels) in enumerate(heaviest(prototypes, k)):
            images[k][rank] = (pixels * model.scale + model.centre).reshape(SIDE, SIDE)
            texts.append((rank, k, f"{weight:.3g}" + (f" ({number})" if several else "")))
    figure, axes = canvas(6.0, 0.55 + 0.72 * len(names))
    gap = 4
    axes.imshow(mosaic(images, gap), cmap="gray_r", interpolation="nearest")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    columns, rows = _centres(HEAVIEST, gap), _centres(len(names), gap)
    for rank, k, text in texts:
        axes.text(columns[rank], rows[k] + SIDE / 2 + 0.2, text, size=8, ha="center", va="top")
    axes.set_xticks(columns, [str(i + 1) for i in range(HEAVIEST)])
    axes.set_yticks(rows, [plain(name) for name in names])
    axes.set_ylim(rows[-1] + SIDE / 2 + gap, -0.5)
    axes.set(xlabel="rank by weight within the class", ylabel="class")
    total, counts = len(prototypes.labels), np.bincount(prototypes.labels, minlength=len(names))
    return ReportFigure(
        title=f"{final.data_set}: the heaviest prototypes of each class",
        finding=f"Class {names[counts.argmax()]} has the most prototypes, {counts.max()} of {total}, and class"
        f" {names[counts.argmin()]} the fewest, {counts.min()}.",
        caption=f"Up to {HEAVIEST} of {total} prototypes in all, with their weight w below"
        + (" and the batch in brackets." if several else "."),
        alt=f"Images of the heaviest prototypes of {final.label} on {final.data_set}, in {len(names)} rows by class.",
        figure=figure,
    )


def batch_weights(final: Final) -> np.ndarray:
    """Feature weights of every batch, shape (B, D); zero in a batch without prototypes."""
    return weighted(final.model.fitted).feature_weights()


def heaviest(prototypes: Prototypes, k: int) -> list[tuple[float, int, np.ndarray]]:
    """Weight, number of the batch and features of the heaviest prototypes of class `k`."""
    own = np.flatnonzero(prototypes.labels == k)
    chosen = own[np.argsort(-prototypes.weights[own], kind="stable")][:HEAVIEST]
    return [(float(prototypes.weights[i]), int(prototypes.batch[i]), prototypes.X[i]) for i in chosen]


def mosaic(images: list[list[np.ndarray | None]], gap: int = 1) -> np.ndarray:
    """Images in rows and columns as one, NaN between them and where there is none."""
    whole = np.full((len(images) * (SIDE + gap) - gap, len(images[0]) * (SIDE + gap) - gap), np.nan)
    for i, row in enumerate(images):
        for j, image in enumerate(row):
            if image is not None:
                top, left = i * (SIDE + gap), j * (SIDE + gap)
                whole[top : top + SIDE, left : left + SIDE] = image
    return whole


def _centres(number, gap=1):
    return [i * (SIDE + gap) + SIDE / 2 - 0.5 for i in range(number)]


def _used(finals, weights):
    """How many features each model uses."""
    return {model(f): np.count_nonzero((w > 0).any(axis=0)) for f, w in zip(finals, weights, strict=True)}


def _narrow(final):
    return final.label.replace(" ", "\n").replace("=", "\n= ")


@of_data_set(CATEGORY)
def _plan(available):
    settings, runs = available.settings, available.weighted
    if not runs:
        return
    # Of mixed data, models have features or columns, by their method.
    is_mixed = available.data is not None and available.data.is_mixed
    of_columns = [run for run in runs if is_mixed and get(run.method).takes_mixed]
    if of_features := [run for run in runs if run not in of_columns]:
        yield FigureSpec("feature_weights", of_features, weights_figure)
    if of_columns:
        yield FigureSpec("column_weights", of_columns, weights_figure)
    if (generated := generators.of(settings)) is not None and (relevant := generated.relevant) is not None:
        yield FigureSpec("relevance", runs, partial(relevance_figure, n_relevant=relevant))
    if settings.get("image") == [SIDE, SIDE]:
        yield FigureSpec("pixel_weights", runs, pixel_weights_figure)
        for run in (run for run in available.compared if is_weighted(run)):
            yield FigureSpec("pixel_prototypes", [run], unpacked(prototypes_figure))
