"""Estimates of the error by the bootstrap, next to cross-validation and the test part."""

from math import sqrt
from statistics import fmean, stdev

import numpy as np

from proset.losses import error_rate
from proset_study.report.evaluations.base import (
    MODEL,
    NAMES,
    SCORES,
    EvaluationReport,
    has_score,
    names_of,
    number,
    record_of,
    short_name,
)
from proset_study.report.figures.style import ESTIMATOR_COLOURS, ReportFigure, canvas, legend
from proset_study.store.stored import Final

COLUMNS = (
    *(*NAMES, "samples", "score", "cross_validation", "cross_validation_standard_error"),
    *("training", "leave_one_out", "standard_error", "no_information", "632", "632_plus", "test"),
)
ESTIMATES = {  # label, marker, filled, standard error
    "cross_validation": ("cross-validation", "s", True, "cross_validation_standard_error"),
    "leave_one_out": ("leave-one-out bootstrap", "o", True, "standard_error"),
    "632_plus": (".632+ bootstrap", "^", False, None),
    "test": ("test set", "x", True, None),
}


def bootstrap_rows(finals: list[Final]) -> list[dict]:
    """Estimates of the loss of the chosen model next to its test loss, with `COLUMNS` as keys."""
    rows = []
    for final in finals:
        record, chosen = record_of(final, "bootstrap"), final.stage2["selected"]
        test = {"log_loss": final.scores["log_loss"], "error": error_rate(final.probabilities, final.y, final.weight)}
        for score in SCORES:
            folds = [path[score][chosen] for path in final.paths]
            row = {**names_of(final), "samples": record["samples"], "score": score, **record[score]}
            row["cross_validation"] = fmean(folds)
            row["cross_validation_standard_error"] = stdev(folds) / sqrt(len(folds))
            rows.append({**row, "test": test[score]})
    return rows


def bootstrap_figure(rows: list[dict]) -> ReportFigure:
    """Estimates from the training part next to the test part; `bootstrap_rows` of one replicate."""
    names = list(dict.fromkeys(short_name(row) for row in rows))
    shown_by_score = {s: [row for row in rows if row["score"] == s and has_score(row["method"], s)] for s in SCORES}
    scores = [score for score, shown in shown_by_score.items() if shown]
    figure, (axes,) = canvas(9.0, 1.4 + 0.36 * len(names), 1, len(scores), sharey=True, squeeze=False)
    for panel, score in zip(axes, scores, strict=True):
        shown = shown_by_score[score]
        for i, (key, (estimate, marker, filled, error)) in enumerate(ESTIMATES.items()):
            y = np.array([names.index(short_name(row)) for row in shown]) + 0.18 * (i - 1.5)
            bars = None if error is None else [row[error] or 0.0 for row in shown]
            look = {"linestyle": "", "marker": marker, "color": ESTIMATOR_COLOURS[i], "elinewidth": 0.8}
            face = ESTIMATOR_COLOURS[i] if filled else "none"
            panel.errorbar([row[key] for row in shown], y, xerr=bars, markerfacecolor=face, label=estimate, **look)
        panel.set(xlabel=SCORES[score], xlim=(0.0, None))
    axes[0].set_yticks(range(len(names)), names)
    axes[0].set(ylabel="data set and final model", ylim=(len(names) - 0.5, -0.5))
    legend(figure, 2.0)
    errors = [row for row in rows if row["score"] == "error"]
    above = {key: sum(row[key] > row["test"] for row in errors) for key in ESTIMATES}
    texts = [f"{short_name(row)} {row['leave_one_out']:.3f} and {row['test']:.3f}" for row in errors]
    return ReportFigure(
        title="The error of the chosen models: cross-validation, bootstrap, test set",
        finding=f"The leave-one-out bootstrap is above the test error for {above['leave_one_out']} of {len(errors)}"
        f" models, cross-validation for {above['cross_validation']}; one split cannot tell which is better.",
        caption="Lines are one standard error. Cross-validation and bootstrap use the training set only. The parameters"
        " were selected on it, which favours the estimates.",
        alt=f"Estimates of the error; leave-one-out bootstrap and test set: {'; '.join(texts)}.",
        figure=figure,
    )


def _with_error(key, error):
    return lambda row: f"{number(key)(row)} ± {number(error)(row)}"


REPORT = EvaluationReport(
    category="Estimates of the error",
    columns=COLUMNS,
    rows=bootstrap_rows,
    title="Leave-one-out bootstrap",
    text="Estimates of the expected loss of the selected models from the training set, next to the test score of the"
    " first fit; ± is a standard error.",
    cells={
        **MODEL,
        "loss": lambda row: {"log_loss": "log-loss", "error": "error rate"}[row["score"]],
        "on the fitted samples": number("training"),
        "cross-validation": _with_error("cross_validation", "cross_validation_standard_error"),
        "leave-one-out bootstrap": _with_error("leave_one_out", "standard_error"),
        ".632": number("632"),
        ".632+": number("632_plus"),
        "test set": number("test"),
    },
    figure=lambda finals: bootstrap_figure(bootstrap_rows(finals)),
    reads_searches=True,
)
