"""Leave-one-out references next to the split, and all samples as candidates next to drawn ones."""

from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from proset_study.report.analysis.losses import ROPE, by_method, losses_by_method, overlaps
from proset_study.report.analysis.paired import LEVEL, VERDICTS, on_each_data_set
from proset_study.report.article.records import Reported, rows
from proset_study.report.article.study import RESULTS
from proset_study.report.article.topics import Content, overlay, topic
from proset_study.report.article.wording import count, decimals, difference
from proset_study.report.wording import (
    listed,
)
from proset_study.store.stored import Missing
from proset_study.study import layout

TRACK, TRACKED = "reports/open_track", "open_track"  # the report, and the comparison of all methods in it
SPLIT, LEAVE_ONE_OUT = "proset", "proset_leave_one_out"
FEW, MANY = 100, 1000  # prototypes


@dataclass(frozen=True)
class Compared:
    """Test log-loss of two forms of the classifier on a data set, over the replicates that both have."""

    data_set: str
    replicates: int
    means: list[float]  # of the first, of the second
    prototypes: list[float]  # medians
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
    split, drawn = (stored.experiments(TRACKED, method) for method in (SPLIT, LEAVE_ONE_OUT))
    if not (every := all_candidates(stored)):
        raise Missing("leave-one-out references with all samples as candidates")
    (candidates,) = {stored.study.config["experiments"][e]["parameters"]["n_candidates"] for e in drawn}
    found, found_every = _compare(stored, split, drawn), _compare(stored, split, every)
    samples = {r.dataset: r.value for r in stored.rows_of(drawn) if r.quantity == "train_samples"}
    more = {c.data_set: c for c in _compare(stored, drawn, every) if samples[c.data_set] > candidates}
    tables = {
        "differences": [
            ["data set", "replicates", "split", "leave-one-out", "difference", "prototypes, median", "leave-one-out is"]
        ],
        "all_samples": [["data set", "log-loss", "minus the split", "minus drawn candidates", "prototypes, median"]],
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
    most = max(found_every, key=lambda c: c.prototypes[1] / samples[c.data_set])
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
        "most_where": most.data_set,
        "most_prototypes": f"{most.prototypes[1]:,.0f}",
        "most_samples": f"{samples[most.data_set]:,.0f}",
        **_at_most(rows(project / RESULTS / "at_most.csv")),
    }
    return Content(texts, tables)


def all_candidates(stored: Reported) -> list[str]:
    """Experiments of leave-one-out references with all samples as candidates; none if the study has no such thing."""
    if "open_candidates" not in stored.study.config["comparisons"]:
        return []
    drawn = stored.experiments(TRACKED, LEAVE_ONE_OUT)
    return [e for e in stored.experiments("open_candidates") if e not in drawn]


def _at_most(found):
    """On how many data sets each form has the lower loss in cross-validation with few and with many prototypes.

    Lower by more than `ROPE`, in the mean over the replicates in which both have a trial of that size.
    """
    losses: dict[tuple, dict[str, dict[int, float]]] = {}
    for row in found:
        by_references = losses.setdefault((row["prototypes"], row["data_set"]), {})
        by_references.setdefault(row["references"], {})[row["replicate"]] = row["log_loss"]
    texts = {"margin": f"{ROPE:g}"}
    for name, size in (("few", FEW), ("many", MANY)):
        both = [(of["split"], of["leave-one-out"]) for (n, _), of in losses.items() if n == size and len(of) == 2]
        differences = [[split[r] - other[r] for r in split.keys() & other.keys()] for split, other in both]
        means = [fmean(values) for values in differences if values]
        lower = {"split": sum(mean < -ROPE for mean in means), "leave_one_out": sum(mean > ROPE for mean in means)}
        texts |= {name: f"{size:,}", f"{name}_data_sets": count(len(means))}
        texts |= {f"{name}_{form}": count(number) for form, number in lower.items()}
    return texts


def _compare(stored, first, second):
    """Two forms, each by its experiments, on every data set that they share at least two replicates of."""
    overlap = overlaps(stored, first)
    losses = [_of_one(losses_by_method(stored, form, "log-loss")) for form in (first, second)]
    sizes = [_of_one(by_method(stored, form, "prototypes")) for form in (first, second)]
    ours, theirs = losses
    found = []
    for data_set, mean in on_each_data_set(theirs, ours, overlap).items():
        shared = sorted(ours[data_set].keys() & theirs[data_set].keys())
        means = [fmean(of_form[data_set][r] for r in shared) for of_form in losses]
        kept = [median(of_form[data_set][r] for r in shared) for of_form in sizes]
        words = difference(mean.value, *mean.interval(LEVEL))
        found.append(Compared(data_set, len(shared), means, kept, words, mean.side(LEVEL, VERDICTS)))
    return found


def _of_one(losses):
    (found,) = losses.values()
    return found


def _verdicts(prefix, found):
    """How often the second form is ahead, behind and neither."""
    ahead, behind, undecided = ([c.data_set for c in found if c.verdict == verdict] for verdict in VERDICTS)
    return {
        f"{prefix}ahead": count(len(ahead)),
        f"{prefix}behind": count(len(behind)) + (f" ({listed(behind)})" if behind else ""),
        f"{prefix}undecided": count(len(undecided)),
    }
