"""What pages over very many data sets show: sums over these first, single data sets by search, and no page of each."""

from collections.abc import Sequence
from statistics import median
from typing import TypeVar

import numpy as np

from proset_study.methods.labels import method_name
from proset_study.report.analysis.edges import ON_ALL, Edge
from proset_study.report.analysis.runs import main_score
from proset_study.report.analysis.variance import noise
from proset_study.report.analysis.verdict import Verdict
from proset_study.report.pages.evidence import ledger_of
from proset_study.report.pages.explore import SHOWN
from proset_study.report.rows import groups
from proset_study.report.tables.grids import Cell, Grid, count, headed, number
from proset_study.report.wording import counted, fixed, listed, lowest
from proset_study.store.stored import Stored

T = TypeVar("T")
SPREAD = [  # columns of what a score varies by
    *headed("between splits", "between seeds", "one fit", spanner="standard deviation"),
    *headed("standard error of the mean"),
]


def headline(found: Verdict) -> Grid:
    """The methods of the verdict over all data sets."""
    columns = headed("method", text=True) + headed("data sets", "lowest on")
    columns += headed("median", "lower quartile", "upper quartile")
    rows = []
    for method in found.methods:
        own = {d: scores[method] for d, scores in found.scores.items() if method in scores}
        if own:
            means = [score.mean for score in own.values()]
            n_lowest = sum(method in lowest(found.means[d]) for d in own)
            quartiles = np.quantile(means, (0.5, 0.25, 0.75)).tolist()
            rows.append([Cell(method_name(method)), *map(count, (len(own), n_lowest)), *map(number, quartiles)])
    caption = f"Mean test {found.score} over the replicates: median and quartiles over the data sets"
    return Grid("headline-table", caption, columns, rows)


def noise_of_methods(stored: Stored) -> Grid:
    """The medians over the data sets of what a score varies by."""
    columns = headed("method", text=True) + headed("data sets", "mean") + SPREAD
    names = ("mean", "between_splits", "between_seeds", "one_fit", "standard_error")
    rows = []
    for method, own in groups(noise(stored), "method").items():
        known = ([v for row in own if (v := getattr(row, name)) is not None] for name in names)
        medians = [median(values) if values else None for values in known]
        rows.append([Cell(method_name(method)), count(len(own)), *map(number, medians)])
    caption = f"Variation of the test {main_score(stored.study)}, medians over the data sets"
    return Grid("noise-table", caption, columns, rows)


def data_sets(stored: Stored, found: Verdict) -> dict:
    """Every data set with its size and the scores of the methods of the verdict, to search."""
    names = [method_name(method) for method in found.methods]
    headings = ["data set", "training samples", "test samples", "features", "classes", *names, "lowest"]
    lines = []
    for data_set in stored.study.data_sets:
        finals = stored.finals(data_set=data_set)
        if not finals:
            continue
        data, n_test, scores = finals[0].data, len(finals[0].y), found.scores.get(data_set, {})
        sizes = (len(data.y) - n_test, n_test, data.n_features, len(data.class_names))
        means = [fixed(scores[m].mean) if m in scores else "" for m in found.methods]
        best = [method_name(method) for method in lowest(found.means.get(data_set, {}))]
        lines.append([data_set, *(f"{size:,}" for size in sizes), *means, listed(best)])
    return ledger_of(headings, lines, ("lowest",), "")


def edges_in_words(found: list[Edge]) -> list[str]:
    """Ends of a search that are optimal or selected, a line for each of an experiment over all data sets."""
    lines = []
    for (experiment, variant, parameter, end), own in groups(found, *ON_ALL).items():
        where = f"{experiment} {variant}".strip()
        roles = (f"{role} in {sum(getattr(edge, role) for edge in own):,}" for role in ("optimal", "selected"))
        n_data_sets = counted(len({edge.dataset for edge in own}), "data set")
        lines.append(f"{where}: the {end} {parameter} is {', '.join(roles)} searches, on {n_data_sets}")
    return lines


def by_run(names: list[str]) -> list[str]:
    """Fits, each named by replicate, data set and run, as a line for each run."""
    found = groups(names, lambda name: name.partition(",")[0].rpartition("/")[2])
    return [f"{run}: {counted(len(own), 'fit')}" for run, own in found.items()]


def first(items: Sequence[T], n: int = SHOWN) -> tuple[list[T], int]:
    """The first of a list, and how many more there are."""
    return list(items[:n]), max(0, len(items) - n)
