"""Learning curves, estimates of the error by the bootstrap, bias and variance."""

import numpy as np
from matplotlib.figure import Figure

from proset_study import methods
from proset_study.report.evaluation import curve_rows
from proset_study.report.figures.style import (
    COLOURS,
    GREY,
    ReportFigure,
    legend,
    log_axis,
    method_name,
    method_style,
    panels,
    plain,
    slug,
)
from proset_study.store.stored import Final

SCORES = {"log_loss": "log-loss (nats)", "error": "error rate"}
_ESTIMATES = {  # label, marker, filled, standard error
    "cross_validation": ("cross-validation", "s", True, "cross_validation_standard_error"),
    "leave_one_out": ("leave-one-out bootstrap", "o", True, "standard_error"),
    "632_plus": (".632+ bootstrap", "^", False, None),
    "test": ("test part", "x", True, None),
}
_PARTS = {"bias2": ("squared bias", COLOURS[0]), "variance": ("variance", COLOURS[1]), "noise": ("noise", GREY)}


def learning_curve_figure(finals: list[Final]) -> ReportFigure:
    """Test scores against the size of the training part, with error bars; final models with a learning curve."""
    scores = [score for score in SCORES if any(_has(f.run.method, score) for f in finals)]
    figure, axes = panels(len(scores), 2, (4.6, 3.4))
    texts, unfit = [], []
    for final in finals:
        rows = curve_rows([final])
        fitted = [row for row in rows if row["fits"]]
        if len(fitted) < len(rows):
            unfit.append(f"{final.label} below {fitted[0]['n_fit']}" if fitted else final.label)
        for panel, score in zip(axes, scores, strict=True):
            if not _has(final.run.method, score):
                continue
            deviation = [row[f"{score}_deviation"] or 0.0 for row in fitted]
            panel.errorbar(
                [row["n_fit"] for row in fitted],
                [row[score] for row in fitted],
                deviation,
                capsize=2,
                elinewidth=0.8,
                label=f"{method_name(final.run.method)} ({final.label})",
                **method_style(final.run.method),
            )
        if fitted:
            ends = " to ".join(f"{row['error']:.3f} ({row['n_fit']} samples)" for row in (fitted[0], fitted[-1]))
            texts.append(f"{final.label} {ends}")
    for panel, score in zip(axes, scores, strict=True):
        panel.set(xlabel="training samples", ylabel=f"test {SCORES[score]}")
        log_axis(panel, "x", dense=True)
        if score == "error":
            panel.set_ylim(bottom=0.0)
    legend(figure, 2.0)
    first = finals[0]
    repeats = 1 + max(point["repeat"] for point in first.evaluation("learning_curve")["points"])
    parts = "parts of it, stratified by class" if first.data.group is None else "parts of whole groups, not stratified"
    note = f" Too few samples for a fit: {', '.join(unfit)}." if unfit else ""
    return ReportFigure(
        name=slug(first.data_set, "learning_curve"),
        category="Learning curves",
        title=f"{first.data_set}: test scores against the size of the training part",
        caption="Final models refitted, with the parameters that were chosen for the whole training part, on nested"
        f" {parts}; mean and standard deviation over {repeats} draws of each size. Large draws overlap, so bars to the"
        " right are shorter than those of new training sets would be. The whole training part is the final model"
        f" itself. Scores of the {len(first.y)} test samples, which had no say in the selection." + note,
        alt=f"Learning curves on {first.data_set}; test error of the smallest and the whole training part:"
        f" {', '.join(texts)}.",
        figure=figure,
    )


def bootstrap_figure(rows: list[dict]) -> ReportFigure:
    """Estimates from the training part beside the test part; rows of `evaluation.bootstrap_rows` of one replicate."""
    names = list(dict.fromkeys(_name(row) for row in rows))
    figure = Figure(figsize=(9.0, 1.4 + 0.36 * len(names)), layout="constrained")
    shown_by_score = {s: [row for row in rows if row["score"] == s and _has(row["method"], s)] for s in SCORES}
    scores = [score for score, shown in shown_by_score.items() if shown]
    axes = figure.subplots(1, len(scores), sharey=True, squeeze=False)[0]
    for panel, score in zip(axes, scores, strict=True):
        shown = shown_by_score[score]
        for i, (key, (estimate, marker, filled, error)) in enumerate(_ESTIMATES.items()):
            y = np.array([names.index(_name(row)) for row in shown]) + 0.18 * (i - 1.5)
            panel.errorbar(
                [row[key] for row in shown],
                y,
                xerr=None if error is None else [row[error] or 0.0 for row in shown],
                linestyle="",
                marker=marker,
                color=COLOURS[i],
                markerfacecolor=COLOURS[i] if filled else "none",
                elinewidth=0.8,
                label=estimate,
            )
        panel.set(xlabel=SCORES[score], xlim=(0.0, None))
    axes[0].set_yticks(range(len(names)), names)
    axes[0].set(ylabel="data set and final model", ylim=(len(names) - 0.5, -0.5))
    legend(figure, 2.0)
    texts = [
        f"{_name(row)} {row['leave_one_out']:.3f} and {row['test']:.3f}" for row in rows if row["score"] == "error"
    ]
    return ReportFigure(
        name="bootstrap",
        category="Estimates of the error",
        title="The error of the chosen models: cross-validation, bootstrap, test part",
        caption="Cross-validation (mean of the folds and its standard error), leave-one-out bootstrap"
        f" ({rows[0]['samples']} samples; standard error over the training samples) and its .632+ correction see the"
        " training part only, on which the parameters were chosen: that favours all three. A bootstrap sample has 63 %"
        " of the training part, which the correction makes up for. The test part is one sample more.",
        alt=f"Estimates of the error; leave-one-out bootstrap and test part: {'; '.join(texts)}.",
        figure=figure,
    )


def bias_variance_figure(rows: list[dict]) -> ReportFigure:
    """Squared bias and variance, stacked; rows of `evaluation.variance_rows` of one replicate."""
    figure = Figure(figsize=(8.0, 1.4 + 0.3 * len(rows)), layout="constrained")
    axes = figure.subplots()
    start = np.zeros(len(rows))
    for key, (label, colour) in _PARTS.items():
        part = np.maximum([row[key] for row in rows], 0.0)  # by chance the estimate of the bias can be below 0
        if part.any():
            axes.barh(range(len(rows)), part, left=start, color=colour, label=label)
        start += part
    axes.set_yticks(range(len(rows)), [_name(row) for row in rows])
    axes.set(xlabel="expected Brier score (sum of squares over the classes)", ylabel="data set and method")
    axes.set_ylim(len(rows) - 0.5, -0.5)
    legend(figure, 2.0)
    draws, n_test = rows[0]["draws"], rows[0]["n_scored"]
    texts = [f"{_name(row)} {row['bias2']:.3f} and {row['variance']:.3f}" for row in rows]
    noisy = ", ".join(dict.fromkeys(row["dataset"] for row in rows if row["noise"]))
    note = f"; {f'except on {noisy}, ' if noisy else ''}labels follow from the features, so there is no noise"
    return ReportFigure(
        name="bias_variance",
        category="Bias and variance",
        title="Bias and variance of the chosen models on generated data",
        caption=f"Each model is refitted, parameters unchanged, on {draws} training sets drawn anew, of the size of the"
        f" training part, and predicts the same {n_test:,} test points. Expected Brier score = noise + squared bias +"
        f" variance{'' if all(row['noise'] for row in rows) else note}.",
        alt=f"Squared bias and variance: {'; '.join(texts)}.",
        figure=figure,
    )


def _has(method, score):
    """Methods that only predict labels have no log-loss worth a look."""
    return score != "log_loss" or methods.get(method).probabilistic


def _name(row):
    label = f"{row['experiment']} {row['variant']}".strip()
    named = "" if label == row["method"] else f" ({label})"  # some experiments are named after their method
    return plain(f"{row['dataset']}, {method_name(row['method'])}{named}", 48)
