"""Methods over data sets: average ranks, tests of pairs, a Bayesian comparison, and how little they can say."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from math import inf
from pathlib import Path
from statistics import fmean, median

import numpy as np

from proset_study import methods
from proset_study.base.seeds import generator
from proset_study.report.analysis import statistics
from proset_study.report.analysis.hierarchical import MIN_HIERARCHICAL, hierarchical
from proset_study.report.analysis.losses import ROPE, generated, losses_by_method, overlaps
from proset_study.report.analysis.paired import mean_difference, shared_replicates
from proset_study.report.rows import groups
from proset_study.report.wording import span
from proset_study.store.metrics import LOSSES
from proset_study.store.results import read_rows
from proset_study.store.stored import Stored

MIN_DATA_SETS = 6  # with fewer no pair can be called different: statistics.smallest_p(5) is above 0.05
Names = tuple[str, str, str]  # comparison, score, group
GROUPS = ("all", "real", "generated")  # data sets; a generator is one source, however many there are of it


@dataclass(frozen=True)
class Named:
    """Which comparison, by which of `LOSSES`, on which of `GROUPS`."""

    comparison: str
    score: str
    group: str


@dataclass(frozen=True)
class Rank(Named):
    """The average rank of one method, and on how many data sets it is best."""

    method: str
    data_sets: int
    average_rank: float
    best: int
    critical_difference: float | None


@dataclass(frozen=True)
class Pair(Named):
    """Two methods over the data sets; numbers of tests that were not made are None."""

    first: str
    second: str
    data_sets: int
    first_wins: int
    ties: int
    second_wins: int
    median_difference: float
    wilcoxon_p: float | None = None
    holm_p: float | None = None
    holm_p_control: float | None = None
    first_better: float | None = None
    equivalent: float | None = None
    second_better: float | None = None
    mean_difference: float = 0.0
    low: float = 0.0
    high: float = 0.0
    equivalence_p: float = 1.0
    hierarchical_first: float | None = None
    hierarchical_equivalent: float | None = None
    hierarchical_second: float | None = None


@dataclass(frozen=True)
class Omnibus(Named):
    """All methods together, and what tests of that number of data sets can find.

    `too_few` is "yes" if there are less than `MIN_DATA_SETS`: then nothing is ranked or tested. Numbers that need more
    methods or more sources of data are None.
    """

    methods: int
    data_sets: int
    replicates: str
    excluded: str
    not_run: str
    sources: int
    chi2: float | None = None
    chi2_p: float | None = None
    f: float | None = None
    f_p: float | None = None
    critical_difference: float | None = None
    pairs: int | None = None
    smallest_p: float | None = None
    smallest_holm_p: float | None = None
    smallest_holm_p_control: float | None = None
    smallest_p_sources: float | None = None
    detectable_shift: float | None = None
    detectable_shift_holm: float | None = None
    detectable_shift_control: float | None = None
    alike_within: float | None = None
    alike_between: float | None = None
    effective: float | None = None
    too_few: str = "no"


@dataclass(frozen=True)
class OverDataSets(Named):
    """The methods of a comparison, the control first, on the data sets on which all of them have results.

    `losses` has the shape (data sets, methods). With too few data sets there are no ranks, and pairs only where
    replicates allow the hierarchical comparison.
    """

    title: str
    methods: list[str]
    data_sets: list[str]
    losses: np.ndarray
    test: Omnibus
    ranks: list[Rank]
    pairs: list[Pair]


@cache
def over_data_sets(stored: Stored) -> list[OverDataSets]:
    """All comparisons of several methods by all `LOSSES`; where there are both, on real and generated data sets, too.

    The control, with which others are compared, is the first method of a comparison, or the subject that the config
    names, if the comparison has it. If that predicts no probabilities, losses that need them compare nothing.
    A method is joined over experiments as in `losses_by_method`. Data sets that lack one of the methods are left out.
    The loss on a data set is the mean over the replicates that all methods share. The tests of a report that has them
    are read from it, since they take minutes.
    """
    return [found for name in stored.study.comparisons for loss in LOSSES for found in _compare(stored, name, loss)]


def _compare(stored: Stored, name: str, loss: str) -> Iterator[OverDataSets]:
    config, by_experiment = stored.study.config, stored.study.experiments
    shown = [e for e in config["comparisons"][name]["experiments"] if e in by_experiment]
    named = dict.fromkeys(config["experiments"][e]["method"] for e in shown)
    asked = [m for m in named if LOSSES[loss].fits(methods.get(m))]
    if (subject := config.get("subject")) in named:
        asked = [subject, *(m for m in asked if m != subject)] if subject in asked else []
    values = losses_by_method(stored, shown, loss)
    compared = [m for m in asked if m in values]
    if len(compared) < 2:
        return
    planned = {d for e in shown for run in by_experiment[e] for d in run.data_sets}
    shared = {  # replicates
        d: shared_replicates({m: values[m].get(d, {}) for m in compared})
        for d in stored.study.data_sets
        if d in planned
    }
    drawn = {d: generated(stored, d) for d in shared}
    not_run = ", ".join(m for m in asked if m not in compared)
    overlap = overlaps(stored, shown)
    for group in GROUPS if len(set(drawn.values())) > 1 else GROUPS[:1]:
        members = {d: shared[d] for d in shared if group == "all" or drawn[d] == (group == "generated")}
        lacking = {d: [m for m in compared if d not in values[m]] for d in members if not members[d]}
        excluded = "; ".join(f"{d} (not {', '.join(ms)})" if ms else d for d, ms in lacking.items())
        losses = {
            d: np.array([[values[m][d][r] for r in replicates] for m in compared])
            for d, replicates in members.items()
            if replicates
        }
        yield _of_group(stored, (name, loss, group), compared, losses, (excluded, not_run), overlap)


def _of_group(stored, names: Names, compared, by_replicate, left_out: tuple[str, str], overlap):
    """One group of data sets; `by_replicate` has the losses of each, shape (methods, replicates)."""
    config, common = stored.study.config, list(by_replicate)
    counts = [losses.shape[1] for losses in by_replicate.values()]
    sources = [origin_of(config["data_sets"][d]) for d in common]
    replicates = span(counts) if counts else "0"
    test = Omnibus(*names, len(compared), len(common), replicates, *left_out, len(set(sources)))
    key = [value for value in names if value != "all"]  # draws are as before there were groups
    rng = generator(config["seed"], "over data sets", *key)
    means = [[fmean(row) for row in losses.tolist()] for losses in by_replicate.values()]
    losses = np.round(np.array(means).reshape(len(common), len(compared)), statistics.DECIMALS)
    title = config["comparisons"][names[0]]["title"]
    if stored.findings and (known := _tested(stored.findings).get(names)):
        return OverDataSets(*names, title, compared, common, losses, *known)
    ranks: list[Rank] = []
    pairs: list[Pair] = []
    if len(common) < MIN_DATA_SETS:
        test = replace(test, too_few="yes")
    else:
        test = replace(test, **_tests(losses, sources, config["seed"]))
        ranks = _ranks(names, compared, losses, test.critical_difference)
        pairs = _pairs(names, compared, losses, rng)
    if len(common) >= MIN_HIERARCHICAL and min(counts) > 1 and max(overlap[d] for d in common) < inf:
        pairs = pairs or [_pair(names, compared, losses, *both) for both in combinations(range(len(compared)), 2)]
        pairs = _with_hierarchical(pairs, list(by_replicate.values()), np.array([overlap[d] for d in common]), rng)
    return OverDataSets(*names, title, compared, common, losses, test, ranks, pairs)


@cache
def _tested(folder: Path) -> dict[Names, tuple[Omnibus, list[Rank], list[Pair]]]:
    """The tests that are in the findings of a report, by comparison, score and group."""
    names = ("comparison", "score", "group")
    tests = groups(read_rows(folder / "over_data_sets.csv", Omnibus), *names)
    ranks = groups(read_rows(folder / "ranks.csv", Rank), *names)
    pairs = groups(read_rows(folder / "pairs.csv", Pair), *names)
    return {key: (test, ranks.get(key, []), pairs.get(key, [])) for key, (test,) in tests.items()}


def origin_of(settings):
    """The generator, the data set of scikit-learn or OpenML, or the file: columns or an angle make no other source."""
    return next(str(settings[kind]) for kind in ("generator", "sklearn", "openml", "file") if kind in settings)


@cache
def _detectable_shift(n, alpha, seed):
    return statistics.detectable_shift(n, alpha, generator(seed, "detectable shift", n))


def _tests(losses, sources, seed):
    """The tests of all methods together, and what tests of these numbers of data sets and pairs can find."""
    n, k = losses.shape
    pairs, smallest = k * (k - 1) // 2, statistics.smallest_p(n)
    numbers = {
        "pairs": pairs,
        "smallest_p": smallest,
        "smallest_holm_p": min(1.0, pairs * smallest),
        "smallest_holm_p_control": min(1.0, (k - 1) * smallest),
        "smallest_p_sources": statistics.smallest_p(len(set(sources))),
    }
    for key, number in (("", 1), ("_holm", pairs), ("_control", k - 1)):  # Holm's first step divides by all of them
        numbers[f"detectable_shift{key}"] = _detectable_shift(n, statistics.ALPHA / number, seed)
    if k > 2:
        numbers |= statistics.friedman(losses)
        numbers["critical_difference"] = statistics.critical_difference(n, k)
        if 1 < len(set(sources)) < n:
            numbers |= statistics.likeness(statistics.rank(losses), sources)
    return numbers


def _ranks(names: Names, compared, losses, critical):
    averages = statistics.rank(losses).mean(axis=0)
    best = (losses == losses.min(axis=1, keepdims=True)).sum(axis=0)
    order = np.argsort(averages, kind="stable")
    return [Rank(*names, compared[i], len(losses), float(averages[i]), int(best[i]), critical) for i in order]


def _pair(names: Names, compared, losses, i, j):
    differences = losses[:, i] - losses[:, j]
    mean = mean_difference(differences.tolist())
    low, high = mean.interval(1 - 2 * statistics.ALPHA)  # inside the region if two one-sided tests reject
    return Pair(
        *(*names, compared[i], compared[j], len(losses)),
        first_wins=int((differences < 0).sum()),
        ties=int((differences == 0).sum()),
        second_wins=int((differences > 0).sum()),
        median_difference=median(differences.tolist()),
        mean_difference=mean.value,
        low=low,
        high=high,
        equivalence_p=mean.equivalence(ROPE),
    )


def _pairs(names, compared, losses, rng):
    """All pairs with their tests over data sets."""
    weights = statistics.dirichlet_weights(len(losses), rng)
    pairs, p_values = [], []
    for i, j in combinations(range(len(compared)), 2):
        differences = losses[:, i] - losses[:, j]
        below, inside, above = statistics.bayesian_signed_rank(differences, ROPE, weights)
        p_values.append(statistics.signed_rank(differences))
        pair = _pair(names, compared, losses, i, j)
        pairs.append(replace(pair, first_better=below, equivalent=inside, second_better=above))
    n_control = len(compared) - 1  # pairs of the first method, which are the first ones
    of_control = [*statistics.holm(p_values[:n_control]), *[None] * (len(pairs) - n_control)]
    corrected = zip(pairs, p_values, statistics.holm(p_values), of_control, strict=True)
    return [replace(pair, wilcoxon_p=p, holm_p=q, holm_p_control=control) for pair, p, q, control in corrected]


def _with_hierarchical(pairs, by_replicate, overlap, rng):
    """The hierarchical comparison of the first method with the others; it takes too long for all pairs of many."""
    found = hierarchical([losses[0] - losses[1:] for losses in by_replicate], overlap, ROPE, rng).tolist()
    compared = [
        replace(pair, hierarchical_first=below, hierarchical_equivalent=inside, hierarchical_second=above)
        for pair, (below, inside, above) in zip(pairs, found, strict=False)
    ]
    return [*compared, *pairs[len(compared) :]]
