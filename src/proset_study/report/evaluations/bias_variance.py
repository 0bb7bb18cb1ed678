"""Squared bias and variance of the chosen models on generated data."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from proset.plot.style import GREY, plain
from proset_study.methods.labels import method_name
from proset_study.report.evaluations.base import MODEL, NAMES, EvaluationReport, names_of, number, record_of, short_name
from proset_study.report.figures.style import ESTIMATOR_COLOURS, ReportFigure, row_axis
from proset_study.report.rows import groups
from proset_study.store.stored import Final

COLUMNS = (
    *(*NAMES, "n_fit", "draws", "n_scored"),
    *("brier", "brier_deviation", "noise", "bias2", "variance", "error", "error_deviation"),
)
_PARTS = {
    "bias2": ("squared bias", ESTIMATOR_COLOURS[0]),
    "variance": ("variance", ESTIMATOR_COLOURS[2]),
    "noise": ("noise", GREY),
}


def variance_rows(finals: list[Final]) -> list[dict]:
    """Parts of the Brier score, with `COLUMNS` as keys."""
    return [
        {**names_of(final), **{key: record_of(final, "bias_variance")[key] for key in COLUMNS[len(NAMES) :]}}
        for final in finals
    ]


def bias_variance_figure(rows: list[dict]) -> ReportFigure:
    """Squared bias and variance, stacked; `variance_rows` of one replicate."""
    by_data_set = groups(sorted(rows, key=lambda row: row["brier"]), "dataset")
    columns: tuple[list[str], list[str]] = ([], [])
    lengths = [0, 0]
    for data_set in sorted(by_data_set, key=lambda d: -len(by_data_set[d])):
        shorter = lengths.index(min(lengths))
        columns[shorter].append(data_set)
        lengths[shorter] += len(by_data_set[data_set]) + 3
    used = [column for column in columns if column]
    figure = Figure(figsize=(5.0 * len(used), 0.9 + 0.19 * max(lengths)), layout="constrained")
    largest = 1.05 * max(row["brier"] for row in rows)
    for part, column in zip(figure.subfigures(1, len(used), squeeze=False)[0], used, strict=True):
        heights = [len(by_data_set[data_set]) + 1 for data_set in column]
        panels = part.subplots(len(column), 1, squeeze=False, sharex=True, height_ratios=heights)[:, 0]
        for axes, data_set in zip(panels, column, strict=True):
            start = np.zeros(len(by_data_set[data_set]))
            for key, (_, colour) in _PARTS.items():
                # by chance the estimate of the bias can be below 0
                widths = np.maximum([row[key] for row in by_data_set[data_set]], 0.0)
                axes.barh(range(len(widths)), widths, left=start, color=colour)
                start += widths
            row_axis(axes, [method_name(row["method"]) for row in by_data_set[data_set]])
            axes.set(title=plain(data_set), xlim=(0.0, largest))
        panels[-1].set_xlabel("expected Brier score (sum of squares over the classes)")
    handles = [Patch(color=colour, label=label) for label, colour in _PARTS.values()]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    draws, n_test = rows[0]["draws"], rows[0]["n_scored"]
    texts = [f"{short_name(row)} {row['bias2']:.3f} and {row['variance']:.3f}" for row in rows]
    varying = sum(row["variance"] > row["bias2"] for row in rows)
    noisy = ", ".join(dict.fromkeys(row["dataset"] for row in rows if row["noise"]))
    note = f"; {f'except on {noisy}, ' if noisy else ''}labels follow from the features, so there is no noise"
    return ReportFigure(
        title="Bias and variance of the chosen models on generated data",
        finding=f"The variance is larger than the squared bias for {varying} of {len(rows)} models.",
        caption=f"Each model is refitted to {draws} new training sets and scored on {n_test:,} test samples; the lowest"
        f" expected score is first{'' if all(row['noise'] for row in rows) else note}.",
        alt=f"Squared bias and variance: {'; '.join(texts)}.",
        figure=figure,
    )


REPORT = EvaluationReport(
    category="Bias and variance",
    columns=COLUMNS,
    rows=variance_rows,
    title="Bias and variance",
    text="Expected Brier score (sum of squares over the classes) = noise + squared bias + variance, over new"
    " training sets.",
    cells={
        **MODEL,
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
