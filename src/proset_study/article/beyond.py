"""What goes beyond the published study: other references, response curves, an open track, estimates of the error."""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from proset_study import layout, methods
from proset_study.article.records import Reported, rows
from proset_study.article.study import RESULTS, headline
from proset_study.article.topics import Content, overlay, topic
from proset_study.article.wording import count, decimals, difference, percent, ratio
from proset_study.methods.labels import label
from proset_study.report.evaluations.error_estimates import LABELS, NEVER, OF_THE_SELECTED, advice, pooled
from proset_study.report.figures.response_curves import response_figure
from proset_study.report.figures.style import context
from proset_study.report.grids import MINUS, listed
from proset_study.report.losses import losses_by_method, overlaps
from proset_study.report.manifest import cost_by_method
from proset_study.report.paired import on_each_data_set
from proset_study.report.response_curves import curves_of, points, prototype_methods, response_section
from proset_study.report.standing import LEVEL, VERDICTS
from proset_study.report.verdict import average_ranks
from proset_study.store.results import by_fit_seed
from proset_study.store.stored import Missing

TRACK, CURVES, ESTIMATES = "reports/open_track", "reports/response_curves", "reports/error_estimates"
SPLIT, LEAVE_ONE_OUT = "proset", "proset_leave_one_out"
FEW, MANY = 100, 1000  # prototypes
SHOWN = (  # estimates of the error
    *(*NEVER, "bootstrap_632_plus", "holdout_20"),
    *("stratified_10", "repeated", *OF_THE_SELECTED),
)


@dataclass(frozen=True)
class Compared:
    """Test log-loss of two forms of the classifier on a data set, over the replicates that both have."""

    data_set: str
    replicates: int
    means: list[float]  # of the first, of the second
    prototypes: list[float]
    difference: str  # of the second minus the first, with its interval
    verdict: str  # on the second


@topic(
    *(f"{TRACK}/{name}" for name in (layout.MANIFEST, layout.ALL_SCORES)),
    f"{RESULTS}/at_most.csv",
    command=overlay("open_track"),
)
def leave_one_out(project: Path) -> Content:
    """Leave-one-out references against the split, and all samples as candidates against drawn ones."""
    stored = Reported(project / TRACK)
    if "open_candidates" not in stored.study.config["comparisons"]:
        raise Missing("leave-one-out references with all samples as candidates")
    split, drawn = (stored.experiments("open_track", method) for method in (SPLIT, LEAVE_ONE_OUT))
    every = [e for e in stored.experiments("open_candidates") if e not in drawn]
    (candidates,) = {stored.study.config["experiments"][e]["parameters"]["n_candidates"] for e in drawn}
    found, found_every = _compare(stored, split, drawn), _compare(stored, split, every)
    samples = {r["dataset"]: r["value"] for r in stored.rows_of(drawn) if r["quantity"] == "train_samples"}
    more = {c.data_set: c for c in _compare(stored, drawn, every) if samples[c.data_set] > candidates}
    tables = {
        "differences": [
            ["data set", "replicates", "split", "leave-one-out", "difference", "prototypes", "leave-one-out is"]
        ],
        "all_samples": [["data set", "log-loss", "minus the split", "minus drawn candidates", "prototypes"]],
    }
    for c in found:
        sizes = "{:,.0f} and {:,.0f}".format(*c.prototypes)
        row = [c.data_set, str(c.replicates), *map(decimals, c.means), c.difference, sizes, c.verdict]
        tables["differences"].append(row)
    for c in found_every:
        to_drawn = more[c.data_set].difference if c.data_set in more else ""
        row = [c.data_set, decimals(c.means[1]), c.difference, to_drawn, f"{c.prototypes[1]:,.0f}"]
        tables["all_samples"].append(row)
    factors = [c.prototypes[1] / c.prototypes[0] for c in found]
    texts = {
        "track": stored.study.track,
        "candidates": f"{candidates:,}",
        "data_sets": count(len(found)),
        "prototypes": decimals(median(factors), 1),
        "prototypes_range": f"{decimals(min(factors), 1)} to {decimals(max(factors), 1)}",
        **_verdicts("", found),
        **_verdicts("every_", found_every),
        **_verdicts("drawn_", more.values()),
        "drawn_data_sets": count(len(more)),
        **_at_most(rows(project / RESULTS / "at_most.csv")),
    }
    return Content(texts, tables)


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
        "lower_excess": _lower_excess(curves[0], prototype_methods(curves[0])[-1]),
        "properties": count(len(curves[0].points)),
        "data_sets": str(len({row["dataset"] for row in found})),
        "replicates": count(len({row["replicate"] for row in found})),
    }
    with context():
        figure = response_figure(curves[0]).figure
    return Content(texts, {"words": [["property", "range", "by excess error"], *lines]}, {"curves": figure})


@topic(
    *(f"{TRACK}/{name}" for name in (layout.HEADLINE, layout.MANIFEST, layout.ALL_SCORES)),
    command=overlay("open_track"),
)
def open_track(project: Path) -> Content:
    """The methods in spaces in which no optimum is at an edge."""
    found, stored = headline(project / TRACK), Reported(project / TRACK)
    manifest = stored.manifest
    spent = cost_by_method(manifest)
    seconds = {method: cost["fit_cpu_s"] + cost["score_cpu_s"] for method, cost in spent.items()}
    replicates = {method: sum(method in cost for cost in manifest["cost"].values()) for method in spent}
    table = [["method", "replicates", "fits", "CPU seconds of a replicate"]]
    for method in sorted(seconds, key=lambda m: -seconds[m] / replicates[m]):
        a_replicate = f"{seconds[method] / replicates[method]:,.0f}"
        table.append([label(method), str(replicates[method]), f"{spent[method]['fits']:,}", a_replicate])
    experiments = stored.experiments("open_track")
    losses, overlap = losses_by_method(stored, experiments, "log-loss"), overlaps(stored, experiments)
    losses = {method: of_method for method, of_method in losses.items() if methods.get(method).probabilistic}
    ranks = average_ranks(losses)
    best = next(iter(ranks))
    texts = {
        "hours": decimals(sum(seconds.values()) / 3600, 1),
        "data_sets": count(len(losses[SPLIT])),
        "methods": count(len(ranks)),
        "best": label(best),
        **{f"{name}_rank": decimals(ranks[m], 1) for name, m in (("best", best), ("split", SPLIT))},
    }
    rivals = [m for m in losses if m not in (SPLIT, LEAVE_ONE_OUT)]
    sides = [["method", *map(label, rivals)]]
    for ours in (SPLIT, LEAVE_ONE_OUT):
        cells = []
        for rival in rivals:
            means = on_each_data_set(losses[ours], losses[rival], overlap).values()
            found_sides = Counter(mean.side(LEVEL, VERDICTS) for mean in means)
            cells.append(" / ".join(str(found_sides[verdict]) for verdict in VERDICTS))
        sides.append([label(ours), *cells])
    return Content(texts, {"scores": found.table, "cost": table, "rivals": sides})


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


def _lower_excess(curves, first):
    """On how many problems a method has the lower mean excess than each other one, over the replicates of both."""
    counts = []
    for other in (method for method in curves.methods if method != first):
        differences = []
        for data_set in curves.bayes:
            ours, theirs = (curves.excess.get((method, data_set), {}) for method in (first, other))
            if shared := ours.keys() & theirs.keys():
                differences.append(fmean(ours[r] - theirs[r] for r in sorted(shared)))
        counts.append(f"{label(other)} on {ratio(sum(d < 0 for d in differences), len(differences))}")
    return listed(counts)


def _at_most(found):
    """On how many data sets the split has the lower loss in cross-validation with few and with many prototypes.

    Means are over the replicates in which both have a trial of that size.
    """
    losses: dict[tuple, dict[str, dict[int, float]]] = {}
    for row in found:
        by_references = losses.setdefault((row["prototypes"], row["data_set"]), {})
        by_references.setdefault(row["references"], {})[row["replicate"]] = row["log_loss"]
    texts: dict[str, str] = {}
    for name, size in (("few", FEW), ("many", MANY)):
        both = [(of["split"], of["leave-one-out"]) for (n, _), of in losses.items() if n == size and len(of) == 2]
        differences = [[split[r] - other[r] for r in split.keys() & other.keys()] for split, other in both]
        lower = [fmean(values) < 0 for values in differences if values]
        texts |= {name: f"{size:,}", f"{name}_split": ratio(sum(lower), len(lower))}
    return texts


def _compare(stored, first, second):
    """Two forms, each by its experiments, on every data set that they share at least two replicates of."""
    overlap = overlaps(stored, first)
    losses = [_of_one(losses_by_method(stored, form, "log-loss")) for form in (first, second)]
    sizes = [_of_one(numbers(stored, form, "prototypes")) for form in (first, second)]
    ours, theirs = losses
    found = []
    for data_set, mean in on_each_data_set(theirs, ours, overlap).items():
        shared = sorted(ours[data_set].keys() & theirs[data_set].keys())
        means, kept = ([fmean(of_form[data_set][r] for r in shared) for of_form in both] for both in (losses, sizes))
        words = difference(mean.value, *mean.interval(LEVEL))
        found.append(Compared(data_set, len(shared), means, kept, words, mean.side(LEVEL, VERDICTS)))
    return found


def _of_one(by_method):
    (found,) = by_method.values()
    return found


def _verdicts(prefix, found):
    """How often the second form is ahead, behind and neither."""
    ahead, behind, undecided = ([c.data_set for c in found if c.verdict == verdict] for verdict in VERDICTS)
    return {
        f"{prefix}ahead": count(len(ahead)),
        f"{prefix}behind": count(len(behind)) + (f" ({listed(behind)})" if behind else ""),
        f"{prefix}undecided": count(len(undecided)),
    }


def numbers(stored, experiments, quantity):
    """A quantity by method, data set and replicate, mean over fit seeds; of a method's experiments the first counts."""
    found: dict = {}
    wanted = [r for r in stored.rows_of(experiments) if (r["quantity"], r["variant"]) == (quantity, "")]
    for row, values in by_fit_seed([r for r in wanted if r["section"] not in ("stage1", "stage2")]):
        found.setdefault(row["method"], {}).setdefault(row["dataset"], {}).setdefault(
            int(row["replicate"]), fmean(values)
        )
    return found
