"""The open track: methods in wide spaces, leave-one-out references next to the split, all samples as candidates."""

from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from proset_study.methods.labels import method_name
from proset_study.report.analysis.losses import ROPE, by_method, losses_by_method, overlaps
from proset_study.report.analysis.paired import LEVEL, VERDICTS, differences, on_each_data_set
from proset_study.report.analysis.verdict import LEAVE_ONE_OUT
from proset_study.report.article.methods import stored_ranks
from proset_study.report.article.study import RESULTS
from proset_study.report.article.topics import SUBJECT, Content, Reported, overlay, topic
from proset_study.report.article.wording import count, decimals, difference, general, ratio, whole
from proset_study.report.rows import pick, rows
from proset_study.report.wording import listed
from proset_study.store.stored import Missing
from proset_study.study import layout

TRACK, TRACKED = "reports/open_track", "open_track"  # the report, and the comparison of all methods in it
OF_TRACK = overlay("open_track")
SPLIT, AVERAGED = SUBJECT, "proset_averaged"
FEW, MANY = 100, 1000  # prototypes
SHOWN_RANKS = 3  # besides the best one


@topic(TRACK, *(layout.ALL_SCORES, "findings/ranks.csv", layout.EDGES), needs=(TRACKED,))
def open_track(stored: Reported) -> Content:
    """The methods in spaces in which no optimum is at an edge."""
    svm = stored.experiments(TRACKED, "svm")
    searched = losses_by_method(stored, svm, "log-loss").get("svm", {})
    ranks, near, critical = stored_ranks(stored, TRACKED)
    best, *behind = ranks
    at_edge = [
        row for row in stored.read(layout.EDGES, parameter="C", end="largest", optimal=1) if row["experiment"] in svm
    ]
    texts = {
        "methods": count(len(ranks)),
        "best": method_name(best),
        "best_rank": decimals(ranks[best], 1),
        "other_ranks": listed([f"{method_name(m)} {decimals(ranks[m], 1)}" for m in behind[:SHOWN_RANKS]]),
        "critical_difference": decimals(critical, 1),
        "level": count(len(near)),
        "svm_edges": ratio(len(at_edge), sum(map(len, searched.values()))),
    }
    return Content(texts)


@dataclass(frozen=True)
class Compared:
    """Test log-loss of two forms of the classifier on a data set, over the replicates that both have."""

    data_set: str
    mean: float  # of the second
    prototypes: list[float]  # medians
    difference: str  # of the second minus the first, with its interval
    verdict: str  # on the second


@topic(TRACK, layout.ALL_SCORES, needs=(TRACKED, "open_candidates"))
def leave_one_out(stored: Reported) -> Content:
    """Leave-one-out references against the split, and all samples as candidates against drawn ones."""
    split, drawn = (stored.experiments(TRACKED, method) for method in (SPLIT, LEAVE_ONE_OUT))
    if not (every := all_candidates(stored)):
        raise Missing("leave-one-out references with all samples as candidates")
    (candidates,) = {stored.study.config["experiments"][e]["parameters"]["n_candidates"] for e in drawn}
    found, found_every = _compare(stored, split, drawn), _compare(stored, split, every)
    samples = {r.dataset: r.number for r in pick(stored.rows_of(drawn), quantity="train_samples")}
    more = {c.data_set: c for c in _compare(stored, drawn, every) if samples[c.data_set] > candidates}
    all_samples = [["data set", "log-loss", "minus the split", "minus drawn candidates", "prototypes, median"]]
    for c in found_every:
        to_drawn = more[c.data_set].difference if c.data_set in more else ""
        all_samples.append([c.data_set, decimals(c.mean), c.difference, to_drawn, whole(c.prototypes[1])])
    factors = [c.prototypes[1] / c.prototypes[0] for c in found]
    most = max(found_every, key=lambda c: c.prototypes[1] / samples[c.data_set])
    texts = {
        "track": stored.study.track,
        "candidates": whole(candidates),
        "data_sets": count(len(found)),
        "prototypes": decimals(median(factors), 1),
        "prototypes_range": f"{decimals(min(factors), 1)} to {decimals(max(factors), 1)}",
        **_verdicts("", found),
        **_verdicts("every_", found_every),
        **_verdicts("drawn_", more.values()),
        "drawn_data_sets": count(len(more)),
        "most_where": most.data_set,
        "most_prototypes": whole(most.prototypes[1]),
        "most_samples": whole(samples[most.data_set]),
    }
    return Content(texts, {"all_samples": all_samples})


@topic("", f"{RESULTS}/at_most.csv", command=OF_TRACK)
def at_most(project: Path) -> Content:
    """On how many data sets each form has the lower loss in cross-validation with few and with many prototypes.

    Lower by more than `ROPE`, in the mean over the replicates in which both have a trial of that size.
    """
    losses: dict[tuple, dict[str, dict[int, float]]] = {}
    for row in rows(project / RESULTS / "at_most.csv"):
        by_references = losses.setdefault((row["prototypes"], row["data_set"]), {})
        by_references.setdefault(row["references"], {})[row["replicate"]] = row["log_loss"]
    texts: dict[str, str] = {"margin": general(ROPE)}
    for name, size in (("few", FEW), ("many", MANY)):
        both = [(of["split"], of["leave-one-out"]) for (n, _), of in losses.items() if n == size and len(of) == 2]
        means = [fmean(values) for split, other in both if (values := differences(split, other))]
        lower = {"split": sum(mean < -ROPE for mean in means), "leave_one_out": sum(mean > ROPE for mean in means)}
        texts |= {name: whole(size), f"{name}_data_sets": count(len(means))}
        texts |= {f"{name}_{form}": count(number) for form, number in lower.items()}
    return Content(texts)


@topic(TRACK, "findings/pairs.csv", needs=(TRACKED,))
def references(stored: Reported) -> Content:
    """Leave-one-out references against the mean of several draws, over data sets."""
    wanted = {"comparison": TRACKED, "score": "log-loss", "group": "all", "first": LEAVE_ONE_OUT, "second": AVERAGED}
    (averaged,) = stored.read("findings/pairs.csv", **wanted)
    texts = {
        "averaged_better": ratio(averaged["second_wins"], averaged["data_sets"]),
        "against_averaged": difference(averaged["mean_difference"], averaged["low"], averaged["high"]),
    }
    return Content(texts)


def all_candidates(stored: Reported) -> list[str]:
    """Experiments of leave-one-out references with all samples as candidates; none if the study has no such thing."""
    if "open_candidates" not in stored.study.config["comparisons"]:
        return []
    drawn = stored.experiments(TRACKED, LEAVE_ONE_OUT)
    return [e for e in stored.experiments("open_candidates") if e not in drawn]


def _compare(stored, first, second):
    """Two forms, each by its experiments, on every data set that they share at least two replicates of."""
    overlap = overlaps(stored, first)
    losses = [found for form in (first, second) for found in losses_by_method(stored, form, "log-loss").values()]
    sizes = [found for form in (first, second) for found in by_method(stored, form, "prototypes").values()]
    ours, theirs = losses
    found = []
    for data_set, mean in on_each_data_set(theirs, ours, overlap).items():
        shared = sorted(ours[data_set].keys() & theirs[data_set].keys())
        mean_loss = fmean(theirs[data_set][r] for r in shared)
        kept = [median(of_form[data_set][r] for r in shared) for of_form in sizes]
        words = difference(mean.value, *mean.interval(LEVEL))
        found.append(Compared(data_set, mean_loss, kept, words, mean.side(LEVEL, VERDICTS)))
    return found


def _verdicts(prefix, found):
    """How often the second form is ahead, behind and neither."""
    ahead, behind, open_ = ([c.data_set for c in found if c.verdict == verdict] for verdict in VERDICTS)
    return {
        f"{prefix}ahead": count(len(ahead)),
        f"{prefix}behind": count(len(behind)) + (f" ({listed(behind)})" if behind else ""),
        f"{prefix}open": count(len(open_)),
    }
