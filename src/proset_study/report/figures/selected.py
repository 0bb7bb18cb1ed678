"""Prototypes that several methods select, next to each other: by class, by error along the path, and as images."""

from functools import partial

import numpy as np
from scipy.spatial.distance import pdist

from proset.losses import error_rate
from proset.plot.style import choice_style, log_axis, plain
from proset_study.data.metrics import EUCLIDEAN
from proset_study.fits.resampling import training_rows
from proset_study.fits.search import Case
from proset_study.methods import get
from proset_study.methods.base import Fitted
from proset_study.methods.k_means import KMeans
from proset_study.methods.labels import method_name
from proset_study.methods.nearest_prototype import PER_CLASS, FittedPrototypes, NearestPrototype
from proset_study.methods.prototypes import PrototypeModel
from proset_study.methods.set_cover import FittedSetCover, SetCover
from proset_study.report.analysis.prototype_places import NEIGHBOURS, of_prototypes, of_samples
from proset_study.report.figures.registry import FigureSpec, by_metric, is_of, of_data_set, unpacked
from proset_study.report.figures.style import (
    ESTIMATOR_COLOURS,
    OTHER_COLOURS,
    ReportFigure,
    canvas,
    legend,
    method_style,
    panels,
)
from proset_study.report.wording import model, ranges, span
from proset_study.store.stored import Final

CATEGORY = "Prototypes"
LINES = ("-", "--", ":", "-.")  # of one method by several metrics
IMAGES = 10  # of a class at most
LONGEST = 60  # letters of a label
LARGEST = 2000  # training samples; above, fits take too long for a report


def name_of(final: Final) -> str:
    """Method and metric of a final model, as in figures."""
    return f"{method_name(final.run.method)}{_by(final)}"


def _by(final):
    return "" if final.metric == EUCLIDEAN else f", {final.metric}"


def class_counts_figure(finals: list[Final]) -> ReportFigure:
    """Prototypes of every class by all methods, as in table 1 of the source on set cover."""
    data, names = finals[0].data, finals[0].data.class_names
    counts = [np.bincount(data.y[training_rows(data, finals[0].folds)], minlength=len(names))]
    labels = ["training samples"]
    for final in finals:
        assert isinstance(final.model.fitted, PrototypeModel)
        counts.append(np.bincount(final.model.fitted.prototypes().labels, minlength=len(names)))
        labels.append(f"{final.run.experiment}: {name_of(final)}")
    table = np.array(counts)
    shares = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    figure, axes = canvas(min(10.0, 3.4 + 0.62 * (len(names) + 1)), 0.7 + 0.27 * len(table))
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=max(0.3, shares.max()) * 1.4, aspect="auto")
    for i, row in enumerate(table):
        for k, number in enumerate([*row, row.sum()]):
            axes.text(k, i, f"{number:,}", ha="center", va="center", size=8)
    axes.set_xlim(-0.5, len(names) + 0.5)
    axes.set_xticks(
        range(len(names) + 1), [*(plain(n, 12) for n in names), "all"], rotation=0 if len(names) <= 12 else 90
    )
    axes.set_yticks(range(len(labels)), [plain(label, LONGEST) for label in labels])
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    name = finals[0].data_set
    numbers = {model(f): row.sum() for f, row in zip(finals, table[1:], strict=True)}
    return ReportFigure(
        title=f"{name}: prototypes by class",
        finding=f"The number of prototypes, from {table[0].sum():,} training samples, {ranges(numbers, '{:,}')}.",
        caption="Cells have numbers of prototypes; a darker cell is a larger proportion of its row. Methods that choose"
        " freely give more prototypes to classes that vary more.",
        alt=f"Prototypes by class on {name}. "
        + "; ".join(f"{label}: {', '.join(map(str, row))}" for label, row in zip(labels, table.tolist(), strict=True))
        + ".",
        figure=figure,
    )


def test_path_figure(finals: list[Final], seed: int) -> ReportFigure:
    """Test error along the whole path against the number of prototypes, as in figure 4 of the source."""
    figure, (axes,) = panels(1, 1, (7.0, 4.4))
    found, seen = [], dict.fromkeys((final.run.method for final in finals), 0)
    for final in finals:
        fitted, part = whole_path(final, seed), final.part
        prototypes = np.array(fitted.staged_summary()["prototypes"])
        errors = np.array(
            [error_rate(p, part.y_score, part.weight_score) for p in fitted.staged_predict_proba(part.X_score)]
        )
        shown = prototypes > 0
        line = LINES[seen[final.run.method] % len(LINES)] if shown.sum() > 1 else "none"
        seen[final.run.method] += 1
        look = {**_path_style(final.run.method, list(seen)), "linestyle": line, "linewidth": 1.1}
        axes.plot(prototypes[shown], errors[shown], label=name_of(final), **look)
        chosen = final.stage2["settings"].index(final.fit["complexity"])
        if shown.sum() > 1:
            axes.scatter(prototypes[chosen], errors[chosen], **choice_style())
        best = int(np.where(shown, errors, np.inf).argmin())
        found.append((100 * errors[best], prototypes[best], name_of(final), 100 * errors[chosen]))
    log_axis(axes, "x", dense=True)
    axes.set(xlabel="prototypes", ylabel="test error", ylim=(0, None))
    legend(figure, widest=2.2)
    name = finals[0].data_set
    least, number, winner, at_choice = min(found)
    texts = [f"{called} {error:.1f} % with {n:,}" for error, n, called, _ in found]
    return ReportFigure(
        title=f"{name}: test error along the path",
        finding=f"On this split the lowest error is {least:.1f} %, of {winner} with {number:,} prototypes; its chosen"
        f" size has {at_choice:.1f} %.",
        caption="Error of the final models at every size on their paths; diamonds: the chosen sizes, where paths of"
        " expensive fits end. The lowest error is too optimistic, since the test set selected it.",
        alt=f"Test error on {name} against the number of prototypes; lowest: {'; '.join(texts)}.",
        figure=figure,
    )


def whole_path(final: Final, seed: int) -> Fitted:
    """The final model, or with few samples and prototypes that are cheap to find, the same along its whole path.

    A longer path begins with a shorter one, so that the sizes up to the chosen one are those of the final model. `seed`
    is that of the study.
    """
    method, longest = get(final.run.method), final.stage2["settings"][-1]
    is_whole = longest == final.fit["complexity"]
    if is_whole or final.fit["n_fit"] > LARGEST or not issubclass(method, (NearestPrototype, SetCover)):
        return final.model.fitted
    case = Case(seed, final.replicate, final.data_set, final.run.name, final.run.method)
    return method(final.part).fit(final.fit["parameters"], longest, case.fit_seed("final"))


def _path_style(method, methods):
    """Style of a path: `method_style`, with colours for the first grey ones."""
    look, own = method_style(method), [m for m in methods if method_style(m)["color"] in OTHER_COLOURS]
    is_grey, place = method in own, own.index(method) if method in own else 0
    return {**look, "color": ESTIMATOR_COLOURS[place]} if is_grey and place < len(ESTIMATOR_COLOURS) else look


def centres_figure(centres: Final, cover: Final, shape: tuple[int, int], seed: int) -> ReportFigure:
    """Centres of k-means and about as many prototypes of a set cover as images, as in figure 5 of the source."""
    averaged, chosen = centres.model.fitted, whole_path(cover, seed)
    assert isinstance(averaged, FittedPrototypes)
    assert isinstance(chosen, FittedSetCover)
    size = min(int(averaged.size[-1]), PER_CLASS.index(IMAGES) + 1)
    there = averaged.size == size
    means, labels = averaged.X[there] * centres.model.scale + centres.model.centre, averaged.labels[there]
    numbers = np.array([len(c.index) for c in chosen.covers])
    picked = chosen.covers[int(np.abs(numbers - len(labels)).argmin())]
    samples = cover.data.X[training_rows(cover.data, cover.folds)]
    rows = {
        f"k-means, {len(labels)} centres": (means, labels),
        f"{name_of(cover)}, {len(picked.index)} prototypes": (samples[picked.index], picked.labels),
    }
    classes, limits = centres.data.class_names, {"vmin": centres.data.X.min(), "vmax": centres.data.X.max()}
    most = max(np.bincount(found).max() for _, found in rows.values())
    figure, axes = panels(2, 1, (0.42 * max(most, 8) + 1.0, 0.36 * len(classes) + 0.5), margin=0.2)
    for panel, (title, (images, found)) in zip(axes, rows.items(), strict=True):
        for k in range(len(classes)):
            for place, image in enumerate(images[found == k]):
                extent = (place * 1.1, place * 1.1 + 1.0, k * 1.1 + 1.0, k * 1.1)
                panel.imshow(image.reshape(shape), cmap="gray_r", extent=extent, **limits)
        panel.set(xlim=(-0.1, 1.1 * most), ylim=(1.1 * len(classes), -0.1), title=title, xticks=[], aspect="equal")
        panel.set_yticks(1.1 * np.arange(len(classes)) + 0.5, [plain(n, 12) for n in classes])
        panel.tick_params(length=0)
        panel.spines[:].set_visible(False)
    name = centres.data_set
    sharp, varied = zip(*((_sharpness(X.reshape(-1, *shape)), _variety(X, k)) for X, k in rows.values()), strict=True)
    return ReportFigure(
        title=f"{name}: centres of k-means next to prototypes",
        finding=f"Neighbouring pixels differ by {sharp[0]:.3g} in the {len(labels)} centres and by {sharp[1]:.3g} in"
        f" the {len(picked.index)} prototypes, two images of a class by {varied[0]:.3g} and {varied[1]:.3g}.",
        caption="A row per class. Centres are means of many samples, prototypes are samples; the radius is the one on"
        " the path of the set cover that gives the nearest number. Differences are root mean squares, those of pixels"
        " are sharpness, those of images variety.",
        alt=f"Images of {' and of '.join(rows)} on {name}, by class.",
        figure=figure,
    )


def _sharpness(images: np.ndarray) -> float:
    """Root mean square of the differences of neighbouring pixels; images of shape (m, rows, columns)."""
    steps = [np.diff(images, axis=axis).ravel() for axis in (1, 2)]
    return float(np.sqrt((np.concatenate(steps) ** 2).mean()))


def _variety(images: np.ndarray, labels: np.ndarray) -> float:
    """Root mean square of the differences of the pixels of two images of a class, over all pairs; 0 without any."""
    pairs = np.concatenate([pdist(images[labels == k], "sqeuclidean") / images.shape[1] for k in set(labels)])
    return float(np.sqrt(pairs.mean())) if len(pairs) else 0.0


def places_figure(finals: list[Final]) -> ReportFigure | None:
    """How many prototypes of each method lie inside their class, near its boundary, and among others; None without."""
    metrics = [final.metric for final in finals]
    firsts = [final for i, final in enumerate(finals) if final.metric not in metrics[:i]]
    samples = {f"all training samples{_by(final)}": of_samples(final) for final in firsts}
    prototypes = {f"{final.run.experiment}: {name_of(final)}": of_prototypes(final) for final in finals}
    prototypes = {label: shares for label, shares in prototypes.items() if len(shares)}
    if not prototypes:
        return None
    found = {**samples, **prototypes}
    figure, axes = canvas(8.0, 1.2 + 0.27 * len(found))
    left, place = np.zeros(len(found)), -np.arange(len(found))
    parts = {
        "inside: no neighbour of another class": [100 * (s == 0).mean() for s in found.values()],
        "near the boundary: up to half": [100 * ((s > 0) & (s <= 0.5)).mean() for s in found.values()],
        "among others: more than half": [100 * (s > 0.5).mean() for s in found.values()],
    }
    for (label, widths), colour in zip(parts.items(), ("#C6DBEF", "#6BAED6", "#08519C"), strict=True):
        axes.barh(place, widths, left=left, height=0.75, color=colour, label=label)
        left += widths
    axes.set_yticks(place, [plain(label, LONGEST) for label in found])
    axes.set(xlabel="proportion of the prototypes, %", xlim=(0, 100))
    legend(figure, widest=2.6)
    name = finals[0].data_set
    around, everywhere = ({label: 100 * s.mean() for label, s in of.items()} for of in (prototypes, samples))
    texts = [f"{label} {share:.0f} %" for label, share in (everywhere | around).items()]
    first, share = next(iter(everywhere.items()))
    shares = span(around.values(), ".0f")
    return ReportFigure(
        title=f"{name}: where the prototypes lie",
        finding=f"Of the {NEIGHBOURS} nearest neighbours of prototypes {shares} % are of another class, of those of"
        f" {first} {share:.0f} %.",
        caption=f"By the classes of the {NEIGHBOURS} training samples nearest to each prototype. The source says that"
        " condensing keeps samples near the boundary, and set cover those of homogeneous regions.",
        alt=f"Neighbours of other classes around samples and prototypes on {name}: {'; '.join(texts)}.",
        figure=figure,
    )


@of_data_set(CATEGORY)
def _plan(available):
    seed = available.stored.study.config["seed"]
    counting = [run for run in available.every if "prototypes" in get(run.method).quantities and by_metric(run)]
    if len({run.method for run in counting}) > 1:
        yield FigureSpec("prototypes_by_class", counting, class_counts_figure)
        yield FigureSpec("prototypes_test_path", counting, partial(test_path_figure, seed=seed))
        yield FigureSpec("prototypes_places", counting, places_figure)
    centres = next((run for run in available.runs if is_of(run, KMeans)), None)
    covers = [run for run in available.every if is_of(run, SetCover) and by_metric(run)]
    if centres and "image" in available.settings:
        draw = unpacked(centres_figure, shape=tuple(available.settings["image"]), seed=seed)
        for run in covers:
            yield FigureSpec(f"centres_and_prototypes {run.name}", [centres, run], draw, needs_all=True)
