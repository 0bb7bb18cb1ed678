"""Learning curves: test scores by the size of what the chosen model is fitted to."""

from statistics import fmean, stdev

from proset.plot.style import log_axis
from proset_study.report.evaluations.base import NAMES, SCORES, EvaluationReport, has_score, names_of, number, record_of
from proset_study.report.figures.style import ReportFigure, legend, method_style, panels
from proset_study.report.rows import groups
from proset_study.report.wording import leader, model
from proset_study.store.stored import Final

COLUMNS = (
    *(*NAMES, "fraction", "n_fit", "fits", "not_fitted"),
    *("log_loss", "log_loss_deviation", "error", "error_deviation"),
)


def curve_rows(finals: list[Final]) -> list[dict]:
    """Mean and standard deviation of the test scores over the draws of each size, with `COLUMNS` as keys."""
    rows = []
    for final in finals:
        points = record_of(final, "learning_curve")["points"]
        for fraction, drawn in groups(points, "fraction").items():
            fitted = [point for point in drawn if "not_fitted" not in point]
            row = {**names_of(final), "fraction": fraction, "n_fit": drawn[0]["n_fit"]}
            row |= {"fits": len(fitted), "not_fitted": len(drawn) - len(fitted)}
            for score in SCORES:
                values = [point[score] for point in fitted]
                row[score] = fmean(values) if values else None
                row[f"{score}_deviation"] = stdev(values) if len(values) > 1 else None
            rows.append(row)
    return rows


def learning_curve_figure(finals: list[Final]) -> ReportFigure:
    """Test scores against the size of the training part, with error bars; final models with a learning curve."""
    scores = [score for score in SCORES if any(has_score(f.run.method, score) for f in finals)]
    figure, axes = panels(len(scores), 2, (4.6, 3.4))
    errors: dict[int, dict[str, float]] = {}
    texts, unfit = [], []
    for final in finals:
        rows = curve_rows([final])
        fitted = [row for row in rows if row["fits"]]
        for row in fitted:
            errors.setdefault(row["n_fit"], {})[model(final)] = row["error"]
        if len(fitted) < len(rows):
            unfit.append(f"{final.label} below {fitted[0]['n_fit']}" if fitted else final.label)
        for panel, score in zip(axes, scores, strict=True):
            if not has_score(final.run.method, score):
                continue
            deviation = [row[f"{score}_deviation"] or 0.0 for row in fitted]
            look = {"capsize": 2, "elinewidth": 0.8, "label": model(final), **method_style(final.run.method)}
            panel.errorbar([row["n_fit"] for row in fitted], [row[score] for row in fitted], deviation, **look)
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
    sizes = sorted(errors)
    lowest = [f"{leader(errors[n])} with {n:,} samples" for n in dict.fromkeys([*sizes[:1], *sizes[-1:]])]
    repeats = 1 + max(point["repeat"] for point in record_of(first, "learning_curve")["points"])
    parts = "parts of the training samples" if first.data.group is None else "parts of whole groups"
    note = f" Too few samples for a fit: {', '.join(unfit)}." if unfit else ""
    return ReportFigure(
        title=f"{first.data_set}: test scores against the size of the training set",
        finding=f"On this split the lowest test error is {' and '.join(lowest)}."
        if lowest
        else "No part of this split has enough samples for a fit.",
        caption=f"Final models refitted on nested {parts}; means and standard deviations over {repeats} draws of each"
        " size. Large draws overlap." + note,
        alt=f"Learning curves on {first.data_set}; test error with the smallest part and the whole of the training set:"
        f" {', '.join(texts)}.",
        figure=figure,
    )


REPORT = EvaluationReport(
    category="Learning curves",
    columns=COLUMNS,
    rows=curve_rows,
    title="Learning curves in numbers",
    text="Test scores of models refitted on parts of the training set; ± is a standard deviation over the draws.",
    cells={
        "experiment": lambda row: f"{row['experiment']} {row['variant']}".strip(),
        "part": lambda row: str(row["fraction"]),
        "training samples": lambda row: str(row["n_fit"]),
        "fits": lambda row: str(row["fits"]),
        "too few samples to fit": lambda row: str(row["not_fitted"] or ""),
        "test log-loss": number("log_loss"),
        "± log-loss": number("log_loss_deviation"),
        "test error rate": number("error"),
        "± error rate": number("error_deviation"),
    },
    figure=learning_curve_figure,
    by_data_set=True,
)
