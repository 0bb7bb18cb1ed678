"""The scores of all reports as data of the explorer: one row for each final model and data set."""

from pathlib import Path
from statistics import fmean
from typing import Any

from proset_study.methods import get
from proset_study.methods.labels import method_name
from proset_study.report.analysis.losses import generated
from proset_study.report.article.topics import Reported
from proset_study.report.rows import groups
from proset_study.report.wording import quantity_label
from proset_study.store.metrics import SCORES
from proset_study.store.results import FINAL, by_fit_seed
from proset_study.study import layout

MEASURES = ("log_loss", "brier_score", "balanced_accuracy", "roc_auc", "prototypes", "active_features", "seconds")
FIRST = ("open_track", "digits")  # report and data set that are shown first, as in `compare.js`
DIGITS = 4
SECONDS = "CPU seconds of a fit"


def comparison_data(reports: list[Path]) -> dict[str, Any]:
    """What the explorer reads: names, and rows of places in them with values by measure and replicate."""
    data: dict[str, Any] = {"reports": [report.name for report in reports]}
    entries: dict[str, dict[str, tuple[int, Any]]] = {key: {} for key in ("data_sets", "methods", "experiments")}

    def place(key: str, name: str, entry: Any) -> int:
        return entries[key].setdefault(name, (len(entries[key]), entry))[0]

    lines = []
    for i, folder in enumerate(reports):
        stored = Reported(folder)
        for (experiment, method, data_set, variant), values in _values(stored).items():
            kind = "generated" if generated(stored, data_set) else "real"
            title = stored.study.config["experiments"][experiment]["title"]
            names = (
                place("data_sets", data_set, [data_set, kind]),
                place("methods", method, method_name(method)),
                place("experiments", experiment, [experiment, title]),
            )
            lines.append([i, *names, variant, values])
    data |= {key: [entry for _, entry in known.values()] for key, known in entries.items()}
    larger_is_better = {name for name, score in SCORES.items() if score.larger_is_better}
    data["measures"] = [[m, SECONDS if m == "seconds" else quantity_label(m), m in larger_is_better] for m in MEASURES]
    return {**data, "rows": lines}


def first_rows(data: dict[str, Any]) -> list[list[str]]:
    """What the explorer shows first, for paper and without scripts: a heading, and rows with the lowest value first."""
    measure = MEASURES.index("log_loss")
    report, data_set = FIRST
    found = []
    for i, d, m, e, _, values in data["rows"]:
        if (data["reports"][i], data["data_sets"][d][0]) == (report, data_set) and values[measure]:
            numbers = list(values[measure].values())
            found.append((fmean(numbers), data["methods"][m], str(len(numbers)), data["experiments"][e][1]))
    heading = [f"method, {data_set}", quantity_label("log_loss"), "replicates", "experiment"]
    return [heading, *([name, f"{value:.3f}", *others] for value, name, *others in sorted(found))]


def _values(stored: Reported) -> dict[tuple[str, str, str, str], list[dict[int, float]]]:
    """Values of each model by replicate, in the order of `MEASURES`; means over fit seeds.

    Rules that predict labels only have no scores of probabilities.
    """
    found: dict[tuple[str, str, str, str], list[dict[int, float]]] = {}
    wanted = set(MEASURES)
    finals = [r for r in stored.rows if r.section == FINAL and r.quantity in wanted and not r.role]
    for row, values in by_fit_seed(finals):
        if row.quantity in SCORES and not SCORES[row.quantity].fits(get(row.method)):
            continue
        key = (row.experiment, row.method, row.dataset, row.variant)
        measures = found.setdefault(key, [{} for _ in MEASURES])
        measures[MEASURES.index(row.quantity)][row.replicate] = _short(fmean(values))
    for key, costs in groups(stored.read(layout.COSTS), "experiment", "method", "dataset", "variant").items():
        name = (*key[:3], key[3] or "")
        if name in found:
            found[name][-1] = {int(c["replicate"]): _short(c["fit_cpu_s"]) for c in costs if c["fit_cpu_s"] is not None}
    return found


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
