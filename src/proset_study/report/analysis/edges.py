"""Searches whose optimum or selection is the smallest or largest value tried, and why their space is wide enough."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from scipy.stats import binom

from proset_study import methods
from proset_study.fits.selection import NOT_SEARCHED
from proset_study.methods.base import largest_complexity
from proset_study.report.rows import groups, pick
from proset_study.report.wording import format_number
from proset_study.store.results import ROLES
from proset_study.store.stored import Final, Stored
from proset_study.study.config.runs import Run
from proset_study.study.config.study import Study

ENDS = {"smallest": min, "largest": max}
CHANCE = 0.01  # below this probability, chance explains no edge of a random search
ON_ALL = ("experiment", "variant", "parameter", "end")  # columns of an `Edge` that name it on all data sets


@dataclass(frozen=True)
class Edge:
    """A parameter of a search whose optimum or selection is at one end of the values tried.

    `optimal` and `selected` are 1 if they are at this end, else 0; `share` is the proportion of the trials that have
    the value, None on a path or a grid.
    """

    replicate: int
    experiment: str
    dataset: str
    variant: str
    parameter: str
    end: str
    value: float
    optimal: int
    selected: int
    share: float | None


@dataclass(frozen=True)
class Explained:
    """An edge added up over the replicates: in how many of `searches`, and why; empty if nothing explains it."""

    edge: Edge  # of the first replicate that has it
    searches: int
    optimal: int
    selected: int
    explanation: str


@cache
def edges(stored: Stored) -> list[Edge]:
    """Edges of every replicate."""
    return [edge for final in stored.one_by_one() for edge in _edges_of(final)]


def explained(study: Study, rows: list[Edge]) -> list[Explained]:
    """The same, added up over the replicates, each with what explains it.

    An end is explained by `edges` of the experiment in the config; by what a parameter is, if no value can be beyond;
    or by chance, if it is that of a random search: the best of n trials has the smallest value once in n searches.
    Chance has to explain the number of edges on the data set, and that on all data sets of the experiment together: one
    that a few searches on each data set have is more than chance, though no data set shows it alone.
    """
    found, everywhere = [], groups(rows, *ON_ALL)
    for (*place, _), group in groups(rows, *ON_ALL, "dataset").items():
        edge = group[0]
        (run,) = pick(study.runs.values(), experiment=edge.experiment, variant=edge.variant)
        searched = [study.data_sets_of(run, replicate) for replicate in study.replicates]
        n_searches = sum(edge.dataset in names for names in searched)
        n_everywhere = sum(len(names) for names in searched)
        chance = _is_chance(group, n_searches) and _is_chance(everywhere[*place], n_everywhere)
        explanation = _explanation(run, edge, _share(group) if chance else 0.0)
        counts = (sum(row.optimal for row in group), sum(row.selected for row in group))
        found.append(Explained(edge, n_searches, *counts, explanation))
    return found


def _share(rows: list[Edge]) -> float:
    return sum(row.share or 0.0 for row in rows) / len(rows)


def _is_chance(rows: list[Edge], n_searches: int) -> bool:
    number = max(sum(row.optimal for row in rows), sum(row.selected for row in rows))
    return bool(binom.sf(number - 1, n_searches, _share(rows)) >= CHANCE)


def in_words(found: Explained) -> str:
    """One of `explained` as a line."""
    edge = found.edge
    where = f"{edge.experiment} {edge.variant}".strip() + f" on {edge.dataset}"
    numbers = {"optimal": found.optimal, "selected": found.selected}
    counts = ", ".join(f"{role} in {number} of {found.searches} searches" for role, number in numbers.items() if number)
    value = format_number(edge.parameter, edge.value)
    line = f"{where}: the {edge.end} {edge.parameter} ({value}) is {counts}"
    return f"{line}: {found.explanation}" if found.explanation else line


def _edges_of(final: Final) -> Iterator[Edge]:
    dimensions = []
    if final.run.size_rule not in NOT_SEARCHED:
        dimensions.append((methods.get(final.run.method).complexity, final.stage2, final.stage2["settings"], False))
    if final.stage1 and final.stage1_folder == final.folder:  # else taken over from another experiment, counted there
        space = final.settings("stage1")["space"]
        for name in sorted(final.stage1["parameters"].keys() & space.keys()):
            is_random = "log_grid" not in space[name]
            dimensions.append((name, final.stage1, [s[name] for s in final.stage1["settings"]], is_random))
    for name, selection, tried, is_random in dimensions:
        for end, extreme in ENDS.items():
            value = extreme(tried)
            optimal, selected = (int(tried[selection[role]] == value) for role in ROLES)
            if min(tried) < max(tried) and (optimal or selected):
                share = tried.count(value) / len(tried) if is_random else None
                names = (final.replicate, final.run.experiment, final.data_set, final.run.variant)
                yield Edge(*names, name, end, value, optimal, selected, share)


def _explanation(run: Run, edge: Edge, share: float) -> str:
    """`share` of the trials have the value; 0 if chance does not explain the edge."""
    name, end = edge.parameter, edge.end
    if given := run.settings.get("edges", {}).get(name, {}).get(end):
        return given
    method = methods.get(run.method)
    if name == method.complexity:
        bounds: list[float] = [method.min_complexity, largest_complexity(method)]
        tried: list[float] = [method.min_complexity, run.stage("stage2", edge.dataset)["complexity"]]
    else:
        bounds = [method.parameters[name].low, method.parameters[name].high]
        ((low, high, *_),) = run.stage("stage1", edge.dataset)["space"][name].values()
        tried = [low, high]
    place = [*ENDS].index(end)
    if tried[place] == bounds[place]:
        return f"there is nothing beyond {format_number(name, bounds[place])}"
    if share:
        return f"chance, {share:.1%} of the random trials are there"
    return ""
