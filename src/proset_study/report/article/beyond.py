"""What goes beyond the published study, besides the open track: response curves, estimates of errors, all costs."""

import re
from pathlib import Path
from statistics import fmean

from matplotlib.figure import Figure

from proset_study.report.analysis.manifest import cost_by_method
from proset_study.report.analysis.response_curves import curves_of, points, response_section
from proset_study.report.article.open_track import CPU, OF_TRACK, TRACK
from proset_study.report.article.records import Reported, groups, pick
from proset_study.report.article.study import DRAWS, STUDY
from proset_study.report.article.topics import Content, figure, overlay, topic
from proset_study.report.article.wording import count, decimals, percent, whole
from proset_study.report.evaluations.error_estimates import LABELS, NEVER, OF_THE_SELECTED, advice, pooled
from proset_study.report.figures.response_curves import response_figure
from proset_study.report.wording import MINUS, listed
from proset_study.study import layout

CURVES, ESTIMATES = "reports/response_curves", "reports/error_estimates"
REPORTS = (STUDY, DRAWS, TRACK, CURVES, ESTIMATES)
SHOWN = (*NEVER, "bootstrap_632_plus", "holdout_20", "stratified_10", *OF_THE_SELECTED)  # estimates of the error


@topic(CURVES, "findings/response_curves.csv", command=overlay("response_curves"))
def response_curves(stored: Reported) -> Content:
    """Excess error as one property of generated data is varied."""
    curves, (section, *_) = _curves(stored), response_section(_curves(stored))
    first = section["words"][-1]  # of proset and what is derived from it, what is farthest from the published one
    found = stored.read("findings/response_curves.csv")
    table = [["property", "range", "by excess error"]]
    table += [[line["title"], line["range"], line["words"]] for line in first["lines"]]
    texts = {
        "method": first["method"],
        "methods": listed(section["methods"]),
        "properties": count(len(curves[0].points)),
        "data_sets": whole(len(groups(found, "dataset"))),
        "replicates": count(len(groups(found, "replicate"))),
    }
    return Content(texts, {"words": table})


@figure("response_curves.curves")
def excess(stored: Reported) -> Figure:
    """Excess error against each property."""
    return response_figure(_curves(stored)[0]).figure


@topic(ESTIMATES, "evaluation/error_estimates.csv", command=overlay("error_estimates"))
def error_estimates(stored: Reported) -> Content:
    """Which estimate of the error to use when."""
    found = [{**row, "n_fit": int(row["n_fit"])} for row in stored.read("evaluation/error_estimates.csv")]
    sizes = sorted(groups(found, "n_fit"))
    ends = sizes[0], sizes[-1]
    means = pooled(found)
    table = [["estimate", *(f"{key}, {size:,} samples" for size in ends for key in ("bias", "RMSE")), "coverage"]]
    for estimate in SHOWN:
        scores = [row for size in ends for row in pick(means, n_fit=size, estimate=estimate)]
        cells = [text for row in scores for text in (decimals(row["bias"], sign=True), decimals(row["rmse"]))]
        coverage = percent(fmean(row["coverage"] for row in pick(means, estimate=estimate)))
        table.append([LABELS[estimate], *cells, coverage])
    texts = {
        "advice": re.sub(r"(?<!\w)-(?=\d)", MINUS, " ".join(advice(found))),
        "families": count(len({row["dataset"].rpartition("_")[0] for row in found})),
        "methods": count(len(groups(found, "method"))),
        "sizes": listed([f"{size:,}" for size in sizes]),
    }
    return Content(texts, {"ends": table})


@topic("", *(f"{report}/{layout.MANIFEST}" for report in REPORTS), command=OF_TRACK)
def computation(project: Path) -> Content:
    """What all reports were computed from and on, and how much time they took."""
    table, fits, seconds = [["report", "replicates", "fits", "CPU hours", "commit", "processor"]], 0.0, 0.0
    for report in REPORTS:
        manifest = Reported(project / report).manifest
        spent = cost_by_method(manifest).values()
        n_fits, cpu = (sum(cost[key] for cost in spent for key in keys) for keys in (("fits",), CPU))
        numbers = [whole(len(manifest["cost"])), whole(n_fits), decimals(cpu / 3600, 1)]
        name = Path(report).name.replace("_", " ")
        table.append([name, *numbers, manifest["commit"], manifest["machine"]["processor"]])
        fits, seconds = fits + n_fits, seconds + cpu
    return Content({"fits": whole(fits), "hours": decimals(seconds / 3600, 1)}, {"reports": table})


def _curves(stored):
    found = stored.read("findings/response_curves.csv")
    found = [{**row, "replicate": int(row["replicate"])} for row in found]
    return curves_of(found, points(stored.study.config["data_sets"]))
