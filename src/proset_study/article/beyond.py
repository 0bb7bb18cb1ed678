"""What goes beyond the published study: other references, response curves, an open track, estimates of the error."""

import re
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from proset_study import layout
from proset_study.article.records import Reported
from proset_study.article.study import headline
from proset_study.article.topics import Content, overlay, topic
from proset_study.article.wording import count, decimals, difference, percent, ratio
from proset_study.methods.labels import label
from proset_study.report.evaluations.error_estimates import LABELS, advice, pooled
from proset_study.report.figures.response_curves import response_figure
from proset_study.report.figures.style import context
from proset_study.report.grids import MINUS, listed
from proset_study.report.losses import losses_by_method, overlaps
from proset_study.report.manifest import cost_by_method
from proset_study.report.paired import mean_difference
from proset_study.report.response_curves import curves_of, points, prototype_methods, response_section
from proset_study.report.standing import LEVEL, VERDICTS

TRACK, CURVES, ESTIMATES = "reports/open_track", "reports/response_curves", "reports/error_estimates"
SPLIT, LEAVE_ONE_OUT = "proset", "proset_leave_one_out"
SHOWN = (  # estimates of the error: of no use, bootstraps, held out, folds, after a selection
    *("training", "bootstrap_naive", "bootstrap_632", "bootstrap_632_plus", "holdout_20"),
    *("stratified_5", "stratified_10", "repeated", "validation", "not_nested", "nested"),
)


@dataclass(frozen=True)
class Compared:
    """Test log-loss of two forms of the classifier on a data set, over the replicates that both have."""

    data_set: str
    replicates: int
    means: tuple[float, float]
    prototypes: tuple[float, float]
    difference: float  # of the second minus the first
    low: float
    high: float
    verdict: str  # on the second


@topic(f"{TRACK}/{layout.MANIFEST}", f"{TRACK}/{layout.ALL_SCORES}", command=overlay("open_track"))
def leave_one_out(project: Path) -> Content:
    """The classifier with leave-one-out references against the published one, after the same search."""
    stored = Reported(project / TRACK)
    split, drawn, _ = _forms(stored)
    found = _compare(stored, split, drawn)
    table = [["data set", "replicates", "split", "leave-one-out", "difference", "prototypes", "leave-one-out is"]]
    for c in found:
        sizes = "{:,.0f} and {:,.0f}".format(*c.prototypes)
        words = difference(c.difference, c.low, c.high)
        table.append([c.data_set, str(c.replicates), *map(decimals, c.means), words, sizes, c.verdict])
    factors = [c.prototypes[1] / c.prototypes[0] for c in found]
    (candidates,) = {stored.study.config["experiments"][e]["parameters"]["n_candidates"] for e in drawn}
    texts = {
        "track": stored.study.track,
        "candidates": f"{candidates:,} candidates a batch",
        "data_sets": count(len(found)),
        "prototypes": decimals(median(factors), 1),
        "prototypes_range": f"{decimals(min(factors), 1)} to {decimals(max(factors), 1)}",
        **_verdicts(found),
    }
    return Content(texts, {"differences": table})


@topic(f"{TRACK}/{layout.MANIFEST}", f"{TRACK}/{layout.ALL_SCORES}", command=overlay("open_track"))
def all_candidates(project: Path) -> Content:
    """Leave-one-out references with all samples as candidates, the default, at penalties found with fewer of them."""
    stored = Reported(project / TRACK)
    split, drawn, every = _forms(stored)
    rivals = {"split": _compare(stored, split, every), "drawn": _compare(stored, drawn, every)}
    table = [["data set", "replicates", "log-loss", "minus the split", "minus fewer candidates", "prototypes"]]
    for pair in zip(*rivals.values(), strict=True):
        words = [difference(c.difference, c.low, c.high) for c in pair]
        of_one = pair[0]
        sizes = f"{of_one.prototypes[1]:,.0f}"
        table.append([of_one.data_set, str(of_one.replicates), decimals(of_one.means[1]), *words, sizes])
    texts = {f"{name}_{key}": text for name, found in rivals.items() for key, text in _verdicts(found).items()}
    return Content(texts, {"differences": table})


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
        "answer": _lower_than(curves[0]),
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


def _lower_than(curves):
    """On how many problems the last of the prototype methods has the lower mean excess than each other method."""
    *_, first = prototype_methods(curves)
    means = {case: fmean(by_replicate.values()) for case, by_replicate in curves.excess.items()}
    counts = []
    for other in (method for method in curves.methods if method != first):
        shared = [d for d in curves.bayes if (first, d) in means and (other, d) in means]
        n_lower = sum(means[first, d] < means[other, d] for d in shared)
        counts.append(f"{label(other)} on {ratio(n_lower, len(shared))}")
    return listed(counts)


def _forms(stored):
    """Experiments with split references, with leave-one-out references and drawn candidates, and with all of them."""
    drawn, every = [], []
    for experiment in stored.experiments("open_candidates", LEAVE_ONE_OUT):
        settings = stored.study.config["experiments"][experiment]["parameters"]
        (drawn if "n_candidates" in settings else every).append(experiment)
    return stored.experiments("open_candidates", SPLIT), drawn, every


def _compare(stored, *forms):
    """Two forms, each with its experiments, on every data set that they share at least two replicates of."""
    overlap = overlaps(stored, forms[0])
    first, second = (_of_one(losses_by_method(stored, form, "log-loss")) for form in forms)
    sizes = [_of_one(numbers(stored, form, "prototypes")) for form in forms]
    found = []
    for data_set in stored.study.data_sets:
        shared = sorted(first.get(data_set, {}).keys() & second.get(data_set, {}).keys())
        if len(shared) < 2:
            continue
        means = tuple(fmean(losses[data_set][r] for r in shared) for losses in (first, second))
        kept = tuple(fmean(size[data_set][r] for r in shared) for size in sizes)
        mean = mean_difference([second[data_set][r] - first[data_set][r] for r in shared], overlap[data_set])
        low, high = mean.interval(LEVEL)
        verdict = VERDICTS[0 if high < 0 else 1 if low > 0 else 2]
        found.append(Compared(data_set, len(shared), means, kept, mean.value, low, high, verdict))
    return found


def _of_one(by_method):
    (found,) = by_method.values()
    return found


def _verdicts(found):
    """How often the second form is ahead, behind and neither."""
    ahead, behind, undecided = ([c.data_set for c in found if c.verdict == verdict] for verdict in VERDICTS)
    return {
        "ahead": count(len(ahead)),
        "behind": count(len(behind)) + (f" ({listed(behind)})" if behind else ""),
        "undecided": count(len(undecided)),
    }


def numbers(stored, experiments, quantity):
    """A quantity of the final models by method, data set and replicate; of a method's experiments the first counts."""
    found: dict = {}
    for row in stored.rows_of(experiments):
        if (row["section"], row["quantity"], row["variant"]) == ("final", quantity, ""):
            by_replicate = found.setdefault(row["method"], {}).setdefault(row["dataset"], {})
            by_replicate.setdefault(int(row["replicate"]), row["value"])
    return found
