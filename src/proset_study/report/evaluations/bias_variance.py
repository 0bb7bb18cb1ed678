"""Squared bias and variance of the chosen models on generated data."""

import numpy as np
from matplotlib.figure import Figure

from proset.plot.style import COLOURS, GREY
from proset_study.report.evaluations.base import (
    NAMES,
    EvaluationReport,
    model_name,
    names_of,
    number,
    record_of,
    short_name,
)
from proset_study.report.figures.style import ReportFigure, legend
from proset_study.store.stored import Final

COLUMNS = (
    *(*NAMES, "n_fit", "draws", "n_scored"),
    *("brier", "brier_deviation", "noise", "bias2", "variance", "error", "error_deviation"),
)
_PARTS = {"bias2": ("squared bias", COLOURS[0]), "variance": ("variance", COLOURS[1]), "noise": ("noise", GREY)}


def variance_rows(finals: list[Final]) -> list[dict]:
    """Parts of the Brier score, with `COLUMNS` as keys."""
    return [
        {**names_of(final), **{key: record_of(final, "bias_variance")[key] for key in COLUMNS[len(NAMES) :]}}
        for final in finals
    ]


def bias_variance_figure(rows: list[dict]) -> ReportFigure:
    """Squared bias and variance, stacked; `variance_rows` of one replicate."""
    figure = Figure(figsize=(8.0, 1.4 + 0.3 * len(rows)), layout="constrained")
    axes = figure.subplots()
    start = np.zeros(len(rows))
    for key, (label, colour) in _PARTS.items():
        part = np.maximum([row[key] for row in rows], 0.0)  # by chance the estimate of the bias can be below 0
        if part.any():
            axes.barh(range(len(rows)), part, left=start, color=colour, label=label)
        start += part
    axes.set_yticks(range(len(rows)), [short_name(row) for row in rows])
    axes.set(xlabel="expected Brier score (sum of squares over the classes)", ylabel="data set and method")
    axes.set_ylim(len(rows) - 0.5, -0.5)
    legend(figure, 2.0)
    draws, n_test = rows[0]["draws"], rows[0]["n_scored"]
    texts = [f"{short_name(row)} {row['bias2']:.3f} and {row['variance']:.3f}" for row in rows]
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


REPORT = EvaluationReport(
    columns=COLUMNS,
    rows=variance_rows,
    title="Bias and variance",
    text="Expected Brier score (sum of squares over the classes) = noise + squared bias + variance, over training sets"
    " drawn anew.",
    cells={
        "data set": lambda row: row["dataset"],
        "experiment": model_name,
        "training samples": lambda row: str(row["n_fit"]),
        "draws": lambda row: str(row["draws"]),
        "Brier score": number("brier", 4),
        "noise": number("noise", 4),
        "squared bias": number("bias2", 4),
        "variance": number("variance", 4),
        "error rate": number("error"),
        "±": number("error_deviation"),
    },
    figure=lambda finals: bias_variance_figure(variance_rows(finals)),
)
