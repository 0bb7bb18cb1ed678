"""Methods over data sets: average ranks, tests of pairs, a Bayesian comparison, and how little they can say."""

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from statistics import fmean, median

import numpy as np

from proset_study import methods
from proset_study.base.seeds import generator
from proset_study.report.analysis import statistics
from proset_study.report.analysis.hierarchical import MIN_DATA_SETS as MIN_HIERARCHICAL
from proset_study.report.analysis.hierarchical import hierarchical
from proset_study.report.analysis.losses import OF_ALL, ROPE, SCORES, generated, losses_by_method, overlaps
from proset_study.report.analysis.paired import mean_difference
from proset_study.store.results import write_rows
from proset_study.store.stored import Stored

MIN_DATA_SETS = 6  # with fewer no pair can be called different: statistics.smallest_p(5) is above 0.05
LIMITS = {  # that the text of the report names
    "alpha": statistics.ALPHA,
    "power": statistics.POWER,
    "rope": ROPE,
    "data_sets": MIN_DATA_SETS,
    "smallest_p": statistics.smallest_p(MIN_DATA_SETS - 1),
}
GROUPS = ("all", "real", "generated")  # data sets; a generator is one source, however many there are of it
RANK_COLUMNS = ("comparison", "score", "group", "method", "data_sets", "average_rank", "best", "critical_difference")
PAIR_COLUMNS = (
    *("comparison", "score", "group", "first", "second", "data_sets", "first_wins", "ties", "second_wins"),
    *("median_difference", "wilcoxon_p", "holm_p", "holm_p_control"),
    *("first_better", "equivalent", "second_better"),
    *("mean_difference", "low", "high", "equivalence_p"),
    *("hierarchical_first", "hierarchical_equivalent", "hierarchical_second"),
)
TEST_COLUMNS = (
    *("comparison", "score", "group", "methods", "data_sets", "replicates", "excluded", "not_run", "sources"),
    *("chi2", "chi2_p", "f", "f_p", "critical_difference"),
    *("pairs", "smallest_p", "smallest_holm_p", "smallest_holm_p_control", "smallest_p_sources"),
    *("detectable_shift", "detectable_shift_holm", "detectable_shift_control"),
    *("alike_within", "alike_between", "effective", "too_few"),
)


@dataclass(frozen=True)
class OverDataSets:
    """One score of the methods of one comparison.

    Attributes
    ----------
    comparison, title, score : str
    group : str
        One of `GROUPS`.
    methods : list of str
        In the order of the comparison; the first one is the control.
    data_sets : list of str
        On which all of them have results.
    losses : ndarray, shape (data sets, methods)
    test : dict
        With `TEST_COLUMNS` as keys. "too_few" is "yes" if there are less than `MIN_DATA_SETS`: then nothing is ranked
        or tested. Numbers that need more methods or more sources than there are are None.
    ranks, pairs : list of dict
        With `RANK_COLUMNS` (best first) and `PAIR_COLUMNS` as keys. With too few data sets there are no ranks, and
        pairs only where replicates allow the hierarchical comparison; they have it and no other test.
    """

    comparison: str
    title: str
    score: str
    group: str
    methods: list[str]
    data_sets: list[str]
    losses: np.ndarray
    test: dict
    ranks: list[dict]
    pairs: list[dict]


@cache
def over_data_sets(stored: Stored) -> list[OverDataSets]:
    """What the comparisons of the config that put several methods next to each other say over their data sets.

    A method is joined over experiments as in `losses_by_method`. Data sets that lack one of the methods are left out.
    The score of a data set is the mean over the replicates that all methods share on it.

    Returns
    -------
    list of OverDataSets
        For each comparison the scores of the methods that predict probabilities, then the balanced error of all; each
        for all data sets and, where there are both, for real and for generated ones.
    """
    return [found for name in stored.study.comparisons for score in SCORES for found in _compare(stored, name, score)]


def write_over_data_sets(folder: Path, stored: Stored) -> None:
    """Write ranks.csv, pairs.csv and over_data_sets.csv, which has the tests of all methods and their power."""
    found = over_data_sets(stored)
    write_rows(folder / "ranks.csv", [row for c in found for row in c.ranks], RANK_COLUMNS)
    write_rows(folder / "pairs.csv", [row for c in found for row in c.pairs], PAIR_COLUMNS)
    write_rows(folder / "over_data_sets.csv", [c.test for c in found], TEST_COLUMNS)


def _compare(stored, name, score):
    config, by_experiment = stored.study.config, stored.study.experiments
    shown = [e for e in config["comparisons"][name]["experiments"] if e in by_experiment]
    named = dict.fromkeys(config["experiments"][e]["method"] for e in shown)
    asked = [m for m in named if score == OF_ALL or methods.get(m).probabilistic]
    values = losses_by_method(stored, shown, score)
    there = [m for m in asked if m in values]
    if len(there) < 2:
        return
    planned = {d for e in shown for run in by_experiment[e] for d in run.data_sets}
    shared = {  # replicates
        d: sorted(set.intersection(*(set(values[m].get(d, {})) for m in there)))
        for d in stored.study.data_sets
        if d in planned
    }
    drawn = {d: generated(stored, d) for d in shared}
    for group in GROUPS if len(set(drawn.values())) > 1 else GROUPS[:1]:
        members = {d: shared[d] for d in shared if group == "all" or drawn[d] == (group == "generated")}
        names = {"comparison": name, "score": score, "group": group}
        excluded = {d: [m for m in there if d not in values[m]] for d in members if not members[d]}
        left_out = {
            "excluded": "; ".join(f"{d} (not {', '.join(ms)})" if ms else d for d, ms in excluded.items()),
            "not_run": ", ".join(m for m in asked if m not in there),
        }
        losses = {
            d: np.array([[values[m][d][r] for r in replicates] for m in there])
            for d, replicates in members.items()
            if replicates
        }
        yield _of_group(stored, names, there, losses, left_out, overlaps(stored, shown))


def _of_group(stored, names, there, by_replicate, left_out, overlap):
    """One group of data sets; `by_replicate` has the losses of each, shape (methods, replicates)."""
    config, common = stored.study.config, list(by_replicate)
    counts = [losses.shape[1] for losses in by_replicate.values()]
    sources = [_source(config["data_sets"][d]) for d in common]
    test = {
        **dict.fromkeys(TEST_COLUMNS),
        **names,
        "methods": len(there),
        "data_sets": len(common),
        "replicates": _range(counts),
        **left_out,
        "sources": len(set(sources)),
        "too_few": "yes" if len(common) < MIN_DATA_SETS else "no",
    }
    key = [value for value in names.values() if value != "all"]  # draws are as before there were groups
    rng = generator(config["seed"], "over data sets", *key)
    means = [[fmean(row) for row in losses.tolist()] for losses in by_replicate.values()]
    losses = np.round(np.array(means).reshape(len(common), len(there)), statistics.DECIMALS)
    ranks, pairs = [], []
    if test["too_few"] == "no":
        test |= _test(losses, sources, config["seed"])
        ranks = _ranks(names, there, losses, test["critical_difference"])
        pairs = _pairs(names, there, losses, rng)
    if len(common) >= MIN_HIERARCHICAL and min(counts) > 1:
        pairs = pairs or [_pair(names, there, losses, i, j) for i, j in combinations(range(len(there)), 2)]
        _add_hierarchical(pairs, there, list(by_replicate.values()), np.array([overlap[d] for d in common]), rng)
    name, score, group = names.values()
    title = config["comparisons"][name]["title"]
    return OverDataSets(name, title, score, group, there, common, losses, test, ranks, pairs)


def _source(settings):
    """The generator, the data set of scikit-learn or OpenML, or the file: columns or an angle make no other source."""
    return next(str(settings[kind]) for kind in ("generator", "sklearn", "openml", "file") if kind in settings)


def _range(counts):
    return " to ".join(str(n) for n in dict.fromkeys((min(counts), max(counts)))) if counts else "0"


@cache
def _detectable_shift(n, alpha, seed):
    return statistics.detectable_shift(n, alpha, generator(seed, "detectable shift", n))


def _test(losses, sources, seed):
    """The tests of all methods together, and what tests of so many data sets and pairs can find."""
    n, k = losses.shape
    pairs, smallest = k * (k - 1) // 2, statistics.smallest_p(n)
    found = {
        "pairs": pairs,
        "smallest_p": smallest,
        "smallest_holm_p": min(1.0, pairs * smallest),
        "smallest_holm_p_control": min(1.0, (k - 1) * smallest),
        "smallest_p_sources": statistics.smallest_p(len(set(sources))),
    }
    for key, number in (("", 1), ("_holm", pairs), ("_control", k - 1)):  # Holm's first step divides by all of them
        found[f"detectable_shift{key}"] = _detectable_shift(n, statistics.ALPHA / number, seed)
    if k > 2:
        found |= statistics.friedman(losses)
        found["critical_difference"] = statistics.critical_difference(n, k)
        if 1 < len(set(sources)) < n:
            found |= statistics.rank_correlation(statistics.rank(losses), sources)
    return found


def _ranks(names, there, losses, critical):
    averages = statistics.rank(losses).mean(axis=0)
    best = (losses == losses.min(axis=1, keepdims=True)).sum(axis=0)
    return [
        dict(zip(RANK_COLUMNS, (*names.values(), there[i], len(losses), averages[i], best[i], critical), strict=True))
        for i in np.argsort(averages, kind="stable")
    ]


def _pair(names, there, losses, i, j):
    differences = losses[:, i] - losses[:, j]
    mean = mean_difference(differences.tolist())
    low, high = mean.interval(1 - 2 * statistics.ALPHA)  # inside the region if two one-sided tests reject
    return {
        **dict.fromkeys(PAIR_COLUMNS),
        **names,
        "first": there[i],
        "second": there[j],
        "data_sets": len(losses),
        "first_wins": int((differences < 0).sum()),
        "ties": int((differences == 0).sum()),
        "second_wins": int((differences > 0).sum()),
        "median_difference": median(differences.tolist()),
        **{"mean_difference": mean.value, "low": low, "high": high, "equivalence_p": mean.equivalence(ROPE)},
    }


def _pairs(names, there, losses, rng):
    """All pairs with their tests over data sets."""
    weights = statistics.dirichlet_weights(len(losses), rng)
    rows = []
    for i, j in combinations(range(len(there)), 2):
        differences = losses[:, i] - losses[:, j]
        below, inside, above = statistics.bayesian_signed_rank(differences, ROPE, weights)
        row = {**_pair(names, there, losses, i, j), "wilcoxon_p": statistics.signed_rank(differences)}
        rows.append({**row, "first_better": below, "equivalent": inside, "second_better": above})
    control = [row for row in rows if row["first"] == there[0]]
    for key, group in (("holm_p", rows), ("holm_p_control", control)):
        for row, p in zip(group, statistics.holm([row["wilcoxon_p"] for row in group]), strict=True):
            row[key] = p
    return rows


def _add_hierarchical(pairs, there, by_replicate, overlap, rng):
    """The hierarchical comparison of the first method with the others; it takes too long for all pairs of many."""
    rows = [row for row in pairs if row["first"] == there[0]]
    found = hierarchical([losses[0] - losses[1:] for losses in by_replicate], overlap, ROPE, rng)
    for row, (below, inside, above) in zip(rows, found.tolist(), strict=True):
        row |= {"hierarchical_first": below, "hierarchical_equivalent": inside, "hierarchical_second": above}
