"""How good the final models are on test data: calibration, ranking, and what familiarity tells."""

import numpy as np

from proset.plot.style import GREY, plain
from proset.rates import wilson
from proset_study.methods.labels import method_name
from proset_study.report.figures.registry import FigureSpec, of_data_set
from proset_study.report.figures.style import (
    ESTIMATOR_COLOURS,
    ReportFigure,
    canvas,
    legend,
    method_style,
    panels,
    shared_labels,
)
from proset_study.report.rows import groups
from proset_study.report.wording import model, ranges
from proset_study.store.metrics import bin_of, calibration_error, claimed, n_bins
from proset_study.store.stored import Final


def reliability_figure(finals: list[Final]) -> ReportFigure:
    """Observed proportion against predicted probability, with the number of test samples in each bin below."""
    figure, (above, below) = canvas(5.5, 5.6, 2, 1, sharex=True, height_ratios=(3, 1))
    above.plot([0, 1], [0, 1], color=GREY, linestyle=":", linewidth=1.0, label="calibrated")
    errors: dict[str, float] = {}
    bins = n_bins(len(finals[0].y))
    for final in finals:
        style = method_style(final.run.method)
        mean, proportion, low, high, counts = reliability(*claimed(final.probabilities, final.y), final.weight, bins)
        errors[model(final)] = calibration_error(final.probabilities, final.y, final.weight)
        look = {"capsize": 2, "elinewidth": 0.8, "label": model(final), "linestyle": "none", **style}
        above.errorbar(mean, proportion, [proportion - low, high - proportion], **look)
        below.stairs(counts, np.linspace(0.0, 1.0, bins + 1), color=style["color"], linewidth=1.4)
    first, names = finals[0], finals[0].data.class_names
    binary = len(names) == 2
    event = f"class {plain(names[1])}" if binary else "the most probable class"
    above.set(ylabel="proportion of test samples of that class", xlim=(-0.02, 1.02))
    above.set_ylim(-0.03, 1.03)
    below.set(xlabel=f"mean predicted probability of {event} in the bin", ylabel="test samples", yscale="log")
    below.set_ylim(bottom=0.7)
    legend(figure, 1.3)
    by_method = groups(finals, lambda f: method_name(f.run.method))
    shown = ", ".join(f"{name} ({', '.join(f.label for f in group)})" for name, group in by_method.items())
    texts = [f"{name} {error:.3f}" for name, error in errors.items()]
    kind = f"probability of class {names[1]}" if binary else "probability of the most probable class"
    return ReportFigure(
        title=f"{first.data_set}: calibration of the final models",
        finding=f"On this split the mean distance from the diagonal {ranges(errors)}.",
        caption=f"{bins} bins of equal width by the {kind}. Lines: 95 % Wilson intervals.",
        alt=f"Calibration curves on {first.data_set} of {shown}; mean distance from the"
        f" diagonal (expected calibration error): {', '.join(texts)}.",
        figure=figure,
    )


def roc_figure(finals: list[Final]) -> ReportFigure:
    """ROC curves; of more than two classes the unweighted mean of one against the rest."""
    curves = [roc(f.probabilities, f.y, f.weight) for f in finals]
    close = min(area for _, _, area in curves) > 0.95
    figure, (axes,) = panels(1, 1, (5.5, 4.6))
    for final, (false, true, area) in zip(finals, curves, strict=True):
        colour = method_style(final.run.method)["color"]
        axes.plot(false, true, color=colour, label=f"{model(final)}, AUC {area:.3f}")
    axes.plot([0, 1], [0, 1], color=GREY, linestyle=":", linewidth=1.0, label="chance")
    axes.set(xlabel="false positive rate", ylabel="true positive rate", xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
    if close:
        axes.set(xlim=(-0.002, 0.2), ylim=(0.8, 1.002), title="the upper left corner")
    legend(figure, 2.5)
    first, names = finals[0], finals[0].data.class_names
    what = (
        f"ROC curves for class {names[1]}."
        if len(names) == 2
        else "Unweighted mean of the curves of each class against the rest; tables give the mean over all pairs of"
        " classes (Hand and Till) instead."
    )
    areas = {model(f): area for f, (_, _, area) in zip(finals, curves, strict=True)}
    texts = [f"{name} {area:.3f}" for name, area in areas.items()]
    return ReportFigure(
        title=f"{first.data_set}: ROC curves of the final models",
        finding=f"On this split the area under the curve {ranges(areas)}.",
        caption=what,
        alt=f"ROC curves on {first.data_set}; areas: {', '.join(texts)}.",
        figure=figure,
    )


def coverage_figure(finals: list[Final]) -> ReportFigure:
    """Accuracy among the most familiar test samples, against their proportion; next to it the same by confidence."""
    figure, axes = panels(len(finals), 3, (5.5, 3.4) if len(finals) == 1 else (3.1, 2.3), sharex="all", sharey="all")
    shares, lowest = [], 1.0
    for panel, final in zip(axes, finals, strict=True):
        correct = final.probabilities.argmax(axis=1) == final.y
        proportion, accuracy, number = coverage(final.familiarity, correct, final.weight)
        familiar = accuracy[np.searchsorted(proportion, 0.5)]  # of the smallest set with at least half of the samples
        lowest = min(lowest, accuracy[proportion > 0.1].min())
        proportion, accuracy, number = _thinned(proportion, accuracy, number)
        low, high = np.transpose([*map(wilson, accuracy, number)])
        panel.fill_between(
            proportion, low, high, step="pre", color=ESTIMATOR_COLOURS[0], alpha=0.2, linewidth=0, rasterized=True
        )
        panel.step(proportion, accuracy, color=ESTIMATOR_COLOURS[0], label="most familiar samples kept")
        proportion, accuracy, _ = _thinned(*coverage(final.probabilities.max(axis=1), correct, final.weight))
        panel.step(
            proportion, accuracy, color=ESTIMATOR_COLOURS[2], linestyle="--", label="most confident samples kept"
        )
        overall = np.average(correct, weights=final.weight)
        panel.axhline(overall, color=GREY, linestyle=":", linewidth=1.0, label="all samples")
        panel.set_title(final.label)
        shares.append((familiar, overall))
    room = max(1 - lowest, 0.1)
    axes[0].set(xlim=(0, 1), ylim=(1 - 1.1 * room, 1 + 0.05 * room))
    shared_labels(figure, "proportion of test samples kept", "accuracy among them")
    legend(figure)
    first, higher = finals[0], sum(familiar > overall for familiar, overall in shares)
    texts = [f"{familiar:.3f} against {overall:.3f}" for familiar, overall in shares]
    return ReportFigure(
        title=f"{first.data_set}: accuracy when the least familiar samples are set aside",
        finding=f"On this split accuracy is higher among the more familiar half for {higher} of {len(finals)} models:"
        f" {texts[0]} for {model(first)}.",
        caption="Test samples sorted by familiarity, the prototype weight near them, with a 95 % Wilson interval;"
        " dashed: by their largest predicted probability.",
        alt=f"Accuracy against coverage on {first.data_set}; among the more familiar half against all test samples:"
        f" {', '.join(f'{f.label} {text}' for f, text in zip(finals, texts, strict=True))}.",
        figure=figure,
    )


def reliability(
    probability: np.ndarray, event: np.ndarray, weight: np.ndarray, bins: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Calibration in bins of equal width; all arguments of shape (m,).

    Mean probability, proportion of events and both ends of its 95 % interval for each bin that is not empty, and the
    number of samples of positive weight in every bin.
    """
    position = bin_of(probability, bins)
    total, squares = (np.bincount(position, weights=w, minlength=bins) for w in (weight, weight**2))
    filled = total > 0
    mean, proportion = (
        np.bincount(position, weights=weight * values, minlength=bins)[filled] / total[filled]
        for values in (probability, event)
    )
    low, high = np.transpose([*map(wilson, proportion, total[filled] ** 2 / squares[filled])])  # n is Kish's number
    return mean, proportion, low, high, np.bincount(position[weight > 0], minlength=bins)


def roc(probabilities: np.ndarray, y: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """False positive rate, true positive rate, and the area under the curve.

    Classes that the test part lacks are left out of the mean.
    """
    from sklearn.metrics import auc, roc_curve

    if probabilities.shape[1] == 2:
        false, true, _ = roc_curve(y, probabilities[:, 1], sample_weight=weight)
        return false, true, float(auc(false, true))
    curves = [
        roc_curve(y == k, probabilities[:, k], sample_weight=weight)[:2]
        for k in range(probabilities.shape[1])
        if 0 < np.count_nonzero(y == k) < len(y)
    ]
    grid = np.linspace(0.0, 1.0, 1001)
    mean = np.mean([np.interp(grid, false, true) for false, true in curves], axis=0)
    areas = [auc(false, true) for false, true in curves]
    return np.append(0.0, grid), np.append(0.0, mean), float(np.mean(areas))


def coverage(score: np.ndarray, correct: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Proportion kept, accuracy among those kept, and their (effective) number, from the highest score downwards.

    Samples with the same score are kept or set aside together.
    """
    score, correct, weight = (values[weight > 0] for values in (score, correct, weight))
    order = np.argsort(-score, kind="stable")
    kept = np.append(np.diff(score[order]) < 0, True)
    total, right, squares = (np.cumsum(v[order])[kept] for v in (weight, weight * correct, weight**2))
    return total / total[-1], right / total, total**2 / squares


def _thinned(*curve):
    """A curve with as many points as can be seen."""
    shown = np.unique(np.linspace(0, len(curve[0]) - 1, 120).round().astype(int))
    return tuple(values[shown] for values in curve)


@of_data_set("Calibration and ranking")
def _plan(available):
    yield FigureSpec("reliability", available.compared, reliability_figure)
    yield FigureSpec("roc", available.compared, roc_figure)


@of_data_set("Familiarity")
def _plan_familiarity(available):
    if available.weighted:
        yield FigureSpec("coverage", available.weighted, coverage_figure)
