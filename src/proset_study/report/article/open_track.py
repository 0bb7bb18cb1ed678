"""The open track: methods in wide spaces, and the forms of the classifier next to each other."""

from dataclasses import dataclass
from math import isclose
from statistics import fmean, median

from proset_study import methods
from proset_study.report.analysis.losses import by_method, losses_by_method, overlaps
from proset_study.report.analysis.paired import LEVEL, VERDICTS, on_each_data_set
from proset_study.report.analysis.verdict import LEAVE_ONE_OUT
from proset_study.report.article.methods import place_of, ranks_in_words, signed_ranks_in_words
from proset_study.report.article.topics import SUBJECT, Content, Reported, command_of, topic
from proset_study.report.article.wording import count, decimals, difference, ordinal, whole
from proset_study.report.wording import best_ranked, listed
from proset_study.store.stored import Missing
from proset_study.study import layout

TRACK, TRACKED, FORMS = "reports/open_track", "open_track", "open_forms"  # the report, and comparisons in it
INSTALLED = "proset_few"  # the form of `ProsetClassifier()`; where it is tuned, its number of prototypes is, too
OF_TRACK = command_of("open_track")
SHOWN_RANKS = 3  # besides the best one


@topic(TRACK, "findings/ranks.csv", "findings/pairs.csv", needs=(TRACKED,), subject=INSTALLED)
def open_track(stored: Reported) -> Content:
    """The methods in spaces in which no optimum is at an edge."""
    ranks, near, critical = stored.ranks(TRACKED)
    real, _, _ = stored.ranks(TRACKED, "real")
    if INSTALLED not in real:
        raise Missing("average ranks over real data sets")
    best = min(ranks.values())
    behind = [method for method, rank in ranks.items() if not isclose(rank, best)]
    texts = {
        "replicates": count(len(stored.replicates)),
        "methods": count(sum(not methods.get(method).is_baseline for method in ranks)),
        "first": best_ranked(ranks, "has", "have"),
        "best_rank": decimals(best, 1),
        "other_ranks": ranks_in_words(ranks, behind[:SHOWN_RANKS]),
        "real_place": ordinal(place_of(INSTALLED, real)[0]),
        "real_first": best_ranked(real, "is", "are"),
        "critical_difference": decimals(critical, 1),
        "level": count(len(near)),
        "over_data_sets": signed_ranks_in_words(INSTALLED, stored.pairs_with_rivals(TRACKED, INSTALLED)),
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


@topic(TRACK, layout.ALL_SCORES, needs=(FORMS,), subject=INSTALLED)
def leave_one_out(stored: Reported) -> Content:
    """Two forms with leave-one-out references, without and with the removal of prototypes, against the split."""
    split, drawn, few = (stored.experiments(FORMS, method) for method in (SUBJECT, LEAVE_ONE_OUT, INSTALLED))
    (candidates,) = {stored.study.config["experiments"][e]["parameters"]["n_candidates"] for e in drawn}
    found, found_few = _compare(stored, split, drawn), _compare(stored, split, few)
    heading = ["data set", "log-loss, few prototypes", "few minus split", "leave-one-out minus split"]
    forms = [[*heading, "prototypes, median"]]
    searched = {c.data_set: c.difference for c in found}
    for c in found_few:
        forms.append([c.data_set, decimals(c.mean), c.difference, searched[c.data_set], whole(c.prototypes[1])])
    texts = {
        "replicates": count(len(stored.replicates)),
        "track": stored.study.track,
        "candidates": whole(candidates),
        "data_sets": count(len(found)),
        **_texts("", found),
        **_texts("few_", found_few),
    }
    return Content(texts, {"forms": forms})


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


def _texts(prefix, found):
    """How often the second form is ahead, behind and neither; how many times the prototypes of the first it has."""
    ahead, behind, open_ = ([c.data_set for c in found if c.verdict == verdict] for verdict in VERDICTS)
    factors = [c.prototypes[1] / c.prototypes[0] for c in found if c.prototypes[0]]
    return {
        f"{prefix}ahead": count(len(ahead)),
        f"{prefix}behind": count(len(behind)) + (f" ({listed(behind)})" if behind else ""),
        f"{prefix}open": count(len(open_)),
        f"{prefix}prototypes": decimals(median(factors), 2),
        f"{prefix}prototypes_range": f"{decimals(min(factors), 2)} to {decimals(max(factors), 2)}",
    }
