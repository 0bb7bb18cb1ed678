"""What goes beyond the published study, besides leave-one-out references: open track, curves, estimates of errors."""

import re
from collections import Counter
from pathlib import Path
from statistics import fmean

from proset_study import methods
from proset_study.methods.labels import method_name
from proset_study.report.analysis.losses import losses_by_method, overlaps
from proset_study.report.analysis.manifest import cost_by_method
from proset_study.report.analysis.paired import LEVEL, VERDICTS, on_each_data_set
from proset_study.report.analysis.response_curves import curves_of, points, response_section
from proset_study.report.article.leave_one_out import LEAVE_ONE_OUT, SPLIT, TRACK, TRACKED, all_candidates
from proset_study.report.article.methods import stored_ranks
from proset_study.report.article.records import Reported
from proset_study.report.article.study import DRAWS, STUDY, headline
from proset_study.report.article.topics import Content, overlay, topic
from proset_study.report.article.wording import count, decimals, percent, ratio
from proset_study.report.evaluations.error_estimates import LABELS, NEVER, OF_THE_SELECTED, advice, pooled
from proset_study.report.figures.response_curves import response_figure
from proset_study.report.figures.style import context
from proset_study.report.wording import MINUS, listed
from proset_study.study import layout

CURVES, ESTIMATES = "reports/response_curves", "reports/error_estimates"
REPORTS = (STUDY, DRAWS, TRACK, CURVES, ESTIMATES)
CPU = ("fit_cpu_s", "score_cpu_s")  # of a cost in a manifest
SHOWN_RANKS = 3  # besides the best one
SHOWN = (  # estimates of the error
    *NEVER,
    "bootstrap_632_plus",
    "holdout_20",
    "stratified_10",
    *OF_THE_SELECTED,
)


@topic(
    *(f"{CURVES}/{name}" for name in (layout.MANIFEST, f"{layout.FINDINGS}/response_curves.csv")),
    command=overlay("response_curves"),
)
def response_curves(project: Path) -> Content:
    """Excess error as one property of generated data is varied."""
    stored = Reported(project / CURVES)
    found = stored.read(f"{layout.FINDINGS}/response_curves.csv")
    found = [{**row, "replicate": int(row["replicate"])} for row in found]
    curves = curves_of(found, points(stored.study.config["data_sets"]))
    (section, *_) = response_section(curves)
    first = section["words"][-1]  # of proset and what is derived from it, what is farthest from the published one
    lines = [[line["title"], line["range"], line["words"]] for line in first["lines"]]
    texts = {
        "method": first["method"],
        "methods": listed(section["methods"]),
        "properties": count(len(curves[0].points)),
        "data_sets": str(len({row["dataset"] for row in found})),
        "replicates": count(len({row["replicate"] for row in found})),
    }
    with context():
        figure = response_figure(curves[0]).figure
    return Content(texts, {"words": [["property", "range", "by excess error"], *lines]}, {"curves": figure})


@topic(
    *(f"{TRACK}/{name}" for name in (layout.HEADLINE, layout.MANIFEST, layout.ALL_SCORES)),
    *(f"{TRACK}/{name}" for name in (f"{layout.FINDINGS}/ranks.csv", layout.EDGES)),
    command=overlay("open_track"),
)
def open_track(project: Path) -> Content:
    """The methods in spaces in which no optimum is at an edge."""
    found, stored = headline(project / TRACK), Reported(project / TRACK)
    experiments = stored.experiments(TRACKED)
    losses, overlap = losses_by_method(stored, experiments, "log-loss"), overlaps(stored, experiments)
    losses = {method: of_method for method, of_method in losses.items() if methods.get(method).probabilistic}
    rivals = [m for m in losses if m not in (SPLIT, LEAVE_ONE_OUT, "class_prior")]
    forms = {method_name(method): losses[method] for method in (SPLIT, LEAVE_ONE_OUT)}
    if every := all_candidates(stored):
        (forms["the same, all candidates"],) = losses_by_method(stored, every, "log-loss").values()
    sides = [[form, *(_sides(ours, losses[rival], overlap) for rival in rivals)] for form, ours in forms.items()]
    hours, cost = _cost(stored.manifest)
    texts = {"hours": hours, "data_sets": count(len(losses[SPLIT])), **_ranks(stored)}
    largest = [row for row in stored.read(layout.EDGES) if _is_largest(row, stored.experiments(TRACKED, "svm"), "C")]
    texts["svm_edges"] = ratio(len(largest), sum(map(len, losses.get("svm", {}).values())))
    tables = {"scores": found.table, "cost": cost, "rivals": [["method", *map(method_name, rivals)], *sides]}
    return Content(texts, tables)


@topic(
    *(f"{ESTIMATES}/{name}" for name in (layout.MANIFEST, "evaluation/error_estimates.csv")),
    command=overlay("error_estimates"),
)
def error_estimates(project: Path) -> Content:
    """Which estimate of the error to use when."""
    stored = Reported(project / ESTIMATES)
    found = [{**row, "n_fit": int(row["n_fit"])} for row in stored.read("evaluation/error_estimates.csv")]
    sizes = sorted({row["n_fit"] for row in found})
    ends = sizes[0], sizes[-1]
    means = {(row["n_fit"], row["estimate"]): row for row in pooled(found)}
    table = [["estimate", *(f"{key}, {size:,} samples" for size in ends for key in ("bias", "RMSE")), "coverage"]]
    for estimate in SHOWN:
        scores = [means[size, estimate] for size in ends]
        held = fmean(row["coverage"] for (_, name), row in means.items() if name == estimate)
        cells = [text for row in scores for text in (decimals(row["bias"], sign=True), decimals(row["rmse"]))]
        table.append([LABELS[estimate], *cells, percent(held)])
    families = {row["dataset"].rpartition("_")[0] for row in found}
    texts = {
        "advice": re.sub(r"(?<!\w)-(?=\d)", MINUS, " ".join(advice(found))),
        "families": count(len(families)),
        "methods": count(len({row["method"] for row in found})),
        "sizes": listed([f"{size:,}" for size in sizes]),
    }
    return Content(texts, {"ends": table})


@topic(*(f"{report}/{layout.MANIFEST}" for report in REPORTS), command=overlay("open_track"))
def computation(project: Path) -> Content:
    """What all reports were computed from and on, and what they took."""
    table, fits, seconds = [["report", "replicates", "fits", "CPU hours", "commit", "processor"]], 0.0, 0.0
    for report in REPORTS:
        manifest = Reported(project / report).manifest
        spent = cost_by_method(manifest).values()
        n_fits, cpu = (sum(cost[key] for cost in spent for key in keys) for keys in (("fits",), CPU))
        numbers = [str(len(manifest["cost"])), f"{n_fits:,.0f}", decimals(cpu / 3600, 1)]
        name = Path(report).name.replace("_", " ")
        table.append([name, *numbers, manifest["commit"], manifest["machine"]["processor"]])
        fits, seconds = fits + n_fits, seconds + cpu
    return Content({"fits": f"{fits:,.0f}", "hours": decimals(seconds / 3600, 1)}, {"reports": table})


def _is_largest(row, experiments, parameter):
    """Whether the optimum of a search is the largest value that was tried."""
    edge = row["experiment"] in experiments and (row["parameter"], row["end"]) == (parameter, "largest")
    return edge and row["optimal"] == 1


def _cost(manifest):
    """Hours of CPU time, and a row per method, the most expensive first."""
    spent = cost_by_method(manifest)
    seconds = {method: sum(cost[key] for key in CPU) for method, cost in spent.items()}
    replicates = {method: sum(method in cost for cost in manifest["cost"].values()) for method in spent}
    table = [["method", "replicates", "fits", "CPU seconds of a replicate"]]
    for method in sorted(seconds, key=lambda m: -seconds[m] / replicates[m]):
        a_replicate = f"{seconds[method] / replicates[method]:,.0f}"
        table.append([method_name(method), str(replicates[method]), f"{spent[method]['fits']:,}", a_replicate])
    return decimals(sum(seconds.values()) / 3600, 1), table


def _ranks(stored):
    """The best average ranks, and how many methods cannot be told from the first."""
    ranks, near, critical = stored_ranks(stored, TRACKED)
    best, *others = ranks
    return {
        "methods": count(len(ranks)),
        "best": method_name(best),
        "best_rank": decimals(ranks[best], 1),
        "other_ranks": listed(
            [f"{method_name(method)} {decimals(ranks[method], 1)}" for method in others[:SHOWN_RANKS]]
        ),
        "critical_difference": decimals(critical, 1),
        "level": count(len(near)),
    }


def _sides(ours, theirs, overlap):
    """On how many data sets the first is ahead, behind, and neither."""
    found = Counter(mean.side(LEVEL, VERDICTS) for mean in on_each_data_set(ours, theirs, overlap).values())
    return " / ".join(str(found[verdict]) for verdict in VERDICTS)
