"""What goes beyond the published study: other references, response curves, an open track, estimates of the error."""

import re
from pathlib import Path
from statistics import fmean, median

from matplotlib.figure import Figure

from proset_study import layout
from proset_study.article.records import Reported
from proset_study.article.study import STUDY, headline
from proset_study.article.topics import Content, overlay, topic
from proset_study.article.wording import count, decimals, difference
from proset_study.methods.labels import label
from proset_study.report.evaluations.error_estimates import advice
from proset_study.report.figures.response_curves import response_figure
from proset_study.report.figures.style import context
from proset_study.report.grids import MINUS, listed
from proset_study.report.losses import losses_by_method, overlaps
from proset_study.report.manifest import cost_by_method
from proset_study.report.paired import mean_difference
from proset_study.report.response_curves import curves_of, points, response_section
from proset_study.report.standing import LEVEL, VERDICTS
from proset_study.store.stored import Missing

TRACK, CURVES, ESTIMATES = "reports/open_track", "reports/response_curves", "reports/error_estimates"
SPLIT, LEAVE_ONE_OUT = "proset", "proset_leave_one_out"
BOTH = ((TRACK, "open_track"), (STUDY, "E19"))  # reports, and the comparisons that have both


@topic(f"{STUDY}/{layout.MANIFEST}", f"{STUDY}/{layout.ALL_SCORES}", command=overlay("open_track"))
def leave_one_out(project: Path) -> Content:
    """The classifier with leave-one-out references against the published one, from the first report that has both."""
    for folder, comparison in BOTH:
        if (project / folder / layout.MANIFEST).is_file():
            stored = Reported(project / folder)
            named = stored.study.config.get("comparisons", {}).get(comparison, {"experiments": []})["experiments"]
            losses = losses_by_method(stored, named, "log-loss")
            shared = {
                d: sorted(set(losses[SPLIT].get(d, ())) & set(losses[LEAVE_ONE_OUT].get(d, ())))
                for d in stored.study.data_sets
            }
            if any(len(replicates) > 1 for replicates in shared.values()):
                return _both(stored, named, losses, shared)
    raise Missing("replicates of both ways to choose references")


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


@topic(f"{TRACK}/{layout.HEADLINE}", f"{TRACK}/{layout.MANIFEST}", command=overlay("open_track"))
def open_track(project: Path) -> Content:
    """The methods in spaces in which no optimum is at an edge."""
    found, manifest = headline(project / TRACK), Reported(project / TRACK).manifest
    spent = cost_by_method(manifest)
    seconds = {method: cost["fit_cpu_s"] + cost["score_cpu_s"] for method, cost in spent.items()}
    replicates = {method: sum(method in cost for cost in manifest["cost"].values()) for method in spent}
    table = [["method", "replicates", "fits", "CPU seconds of a replicate"]]
    for method in sorted(seconds, key=lambda m: -seconds[m] / replicates[m]):
        a_replicate = f"{seconds[method] / replicates[method]:,.0f}"
        table.append([label(method), str(replicates[method]), f"{spent[method]['fits']:,}", a_replicate])
    texts = {"sentence": found.sentences["Ahead?"], "hours": decimals(sum(seconds.values()) / 3600, 1)}
    return Content(texts, {"scores": found.table, "cost": table})


@topic(
    *(f"{ESTIMATES}/{name}" for name in (layout.MANIFEST, "evaluation/error_estimates.csv")),
    command=overlay("error_estimates"),
)
def error_estimates(project: Path) -> Content:
    """Which estimate of the error to use when."""
    found = Reported(project / ESTIMATES).read("evaluation/error_estimates.csv")
    sentences = " ".join(advice([{**row, "n_fit": int(row["n_fit"])} for row in found]))
    return Content({"advice": re.sub(r"(?<!\w)-(?=\d)", MINUS, sentences)})


def _both(stored, experiments, losses, shared):
    """Table, figure and verdicts over the replicates that both ways have on each data set."""
    overlap = overlaps(stored, experiments)
    sizes = numbers(stored, experiments, "prototypes")
    table = [["data set", "replicates", "split", "leave-one-out", "difference", "prototypes", "leave-one-out is"]]
    verdicts: dict[str, list[str]] = {verdict: [] for verdict in VERDICTS}
    drawn, factors = [], []
    for data_set, replicates in ((d, found) for d, found in shared.items() if len(found) > 1):
        theirs, ours = (losses[method][data_set] for method in (SPLIT, LEAVE_ONE_OUT))
        mean = mean_difference([ours[r] - theirs[r] for r in replicates], overlap[data_set])
        low, high = mean.interval(LEVEL)
        verdict = VERDICTS[0 if high < 0 else 1 if low > 0 else 2]
        verdicts[verdict].append(data_set)
        drawn.append((data_set, mean.value, low, high))
        kept = [fmean(sizes[m][data_set].values()) for m in (SPLIT, LEAVE_ONE_OUT)]
        factors.append(kept[1] / kept[0])
        scores = [decimals(fmean(found[r] for r in replicates)) for found in (theirs, ours)]
        words = difference(mean.value, low, high)
        table.append([data_set, str(len(replicates)), *scores, words, "{:,.0f} and {:,.0f}".format(*kept), verdict])
    ahead, behind, undecided = verdicts.values()
    settings = [stored.study.config["experiments"][e] for e in experiments]
    (candidates,) = {s.get("parameters", {}).get("n_candidates") for s in settings if s["method"] == LEAVE_ONE_OUT}
    texts = {
        "track": stored.study.track,
        "candidates": f"{candidates:,} candidates a batch" if candidates else "all samples as candidates",
        "data_sets": count(len(drawn)),
        "ahead": count(len(ahead)),
        "behind": count(len(behind)) + (f" ({listed(behind)})" if behind else ""),
        "undecided": count(len(undecided)),
        "prototypes": decimals(median(factors), 1),
    }
    return Content(texts, {"differences": table}, {"differences": _differences(drawn)})


def numbers(stored, experiments, quantity):
    """A quantity of the final models by method, data set and replicate; of a method's experiments the first counts."""
    found: dict = {}
    for row in stored.rows_of(experiments):
        if (row["section"], row["quantity"], row["variant"]) == ("final", quantity, ""):
            by_replicate = found.setdefault(row["method"], {}).setdefault(row["dataset"], {})
            by_replicate.setdefault(int(row["replicate"]), row["value"])
    return found


def _differences(drawn):
    """Mean differences of test log-loss with intervals, leave-one-out minus split."""
    with context():
        figure = Figure(figsize=(5.8, 0.7 + 0.16 * len(drawn)), layout="constrained")
        axes = figure.subplots()
        for i, (_, value, low, high) in enumerate(drawn):
            axes.hlines(i, low, high, color="#004488")
            axes.plot(value, i, "o", color="#004488")
        axes.axvline(0.0, color="black", linewidth=0.8)
        axes.set_yticks(range(len(drawn)), [data_set for data_set, *_ in drawn])
        axes.invert_yaxis()
        axes.set_xlabel("difference of test log-loss (nats; left of 0: leave-one-out references are better)")
    return figure
