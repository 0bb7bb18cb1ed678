"""Bias and variance along the size of models, or along a parameter that is varied."""

import numpy as np

from proset.plot.style import COLOURS, GREY, log_axis
from proset_study.methods import get
from proset_study.methods.labels import method_name
from proset_study.report.evaluations.base import MODEL, NAMES, EvaluationReport, names_of, number, record_of
from proset_study.report.figures.style import ReportFigure, axis_name, legend, panels
from proset_study.report.rows import groups
from proset_study.report.wording import span
from proset_study.store.stored import Final

COLUMNS = (*NAMES, "n_fit", "n_scored", "draws", "loss", "along", "value", "expected", "noise", "bias2", "variance")
LOSSES = {"squared": "squared loss (sum over the classes)", "zero_one": "zero-one loss"}
_LINES = {
    "expected": ("expected loss", "black", "-"),
    "bias2": ("squared bias", COLOURS[0], "--"),
    "variance": ("variance", COLOURS[1], "-."),
    "noise": ("noise", GREY, ":"),
}
_ACROSS = 4  # columns next to each other, so that their titles do not overlap


def curve_rows(finals: list[Final]) -> list[dict]:
    """The parts of both losses at every size, or at every value of the varied parameter, with `COLUMNS` as keys."""
    rows = []
    for final in finals:
        record = record_of(final, "complexity_curve")
        head = {**names_of(final), **{key: record[key] for key in ("n_fit", "n_scored", "draws")}}
        for point in record["points"]:
            along, value = get(final.run.method).complexity, point["size"]
            if final.run.variant:
                (along,) = final.run.settings["vary"]
                value = record["parameters"][along]
            for loss in LOSSES:
                parts = {key: point[loss][key] for key in ("noise", "bias2", "variance")}
                row = {"loss": loss, "along": along, "value": value, "expected": point[loss]["brier"], **parts}
                rows.append({**head, **row})
    return rows


def curves_figure(finals: list[Final]) -> ReportFigure:
    """Parts of the expected loss along the size; for each experiment a column of two panels, one for each loss."""
    columns = groups(curve_rows(finals), "experiment", "dataset")
    across = min(_ACROSS, len(columns))
    rows_of_columns = -(-len(columns) // across)
    figure, axes = panels(2 * rows_of_columns * across, across, (2.5, 2.2))
    pairs: np.ndarray = np.array(axes).reshape(rows_of_columns, 2, across).swapaxes(1, 2).reshape(-1, 2)
    for unused in pairs[len(columns) :].ravel():
        unused.remove()
    texts, lowest, inside = [], [], 0
    for column, ((_, data_set), rows) in enumerate(columns.items()):
        for i, (loss, name) in enumerate(LOSSES.items()):
            panel = pairs[column, i]
            shown = sorted((row for row in rows if row["loss"] == loss), key=lambda row: row["value"])
            values = [row["value"] for row in shown]
            for key, (label, colour, line) in _LINES.items():
                panel.plot(values, [row[key] for row in shown], line, color=colour, label=label)
            panel.set(xlabel=axis_name(rows[0]["along"]), ylabel=name if column % across == 0 else "")
            panel.set_ylim(bottom=min(0.0, *(row["bias2"] for row in shown)))
            if values[0] > 0 and values[-1] >= 10 * values[0]:
                log_axis(panel, "x")
            if i == 0:
                panel.set_title(f"{method_name(rows[0]['method'])}, {data_set}")
                first, last = shown[0], shown[-1]
                lowest.append(min(shown, key=lambda row: row["expected"]))
                inside += lowest[-1] not in (first, last)
                ends = [f"{first[key]:.3f} to {last[key]:.3f}" for key in ("bias2", "variance")]
                texts.append(f"{method_name(rows[0]['method'])} along {rows[0]['along']} {' and '.join(ends)}")
    legend(figure, 1.6)
    record = record_of(finals[0], "complexity_curve")
    sizes = span([record_of(final, "complexity_curve")["n_fit"] for final in finals], ",")
    return ReportFigure(
        title="Bias and variance along the size of models",
        finding=f"The expected squared loss is lowest inside the range in {inside} of {len(columns)} columns; for"
        f" {method_name(lowest[0]['method'])} on {lowest[0]['dataset']} it is lowest at {lowest[0]['along']} ="
        f" {lowest[0]['value']:g}.",
        caption=f"Models are fitted to {record['draws']} new training sets of {sizes} samples and scored at"
        f" {record['n_scored']:,} points. Expected loss = noise + squared bias + variance; top: squared loss, bottom:"
        " zero-one loss (Kohavi and Wolpert 1996).",
        alt=f"Squared bias and variance for squared loss from one end to the other: {'; '.join(texts)}.",
        figure=figure,
    )


REPORT = EvaluationReport(
    category="Bias and variance",
    columns=COLUMNS,
    rows=curve_rows,
    title="Bias and variance along the size of models",
    text="Expected loss = noise + squared bias + variance over new training sets; zero-one loss follows Kohavi and"
    " Wolpert's definition.",
    cells={
        **MODEL,
        "loss": lambda row: row["loss"].replace("_", "-"),
        "along": lambda row: axis_name(row["along"]),
        "value": lambda row: f"{row['value']:g}",
        "expected": number("expected", 4),
        "noise": number("noise", 4),
        "squared bias": number("bias2", 4),
        "variance": number("variance", 4),
    },
    figure=curves_figure,
)
