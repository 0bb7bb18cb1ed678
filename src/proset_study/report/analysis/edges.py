"""Searches whose optimum or selection is the smallest or largest value tried, and why their space is wide enough."""

from pathlib import Path

from proset_study import methods
from proset_study.methods.base import largest_complexity
from proset_study.report.wording import format_number
from proset_study.store.results import read_rows, write_rows
from proset_study.store.stored import Final, Stored
from proset_study.study.config.study import Run, Study

ENDS = {"smallest": min, "largest": max}
ALPHA = 0.01  # below this probability, chance explains no edge of a random search
COLUMNS = (
    *("replicate", "experiment", "dataset", "variant", "parameter", "end", "value"),
    *("optimal", "selected", "share"),  # share of the trials that have the value; None on a path or grid
)


def edges(stored: Stored) -> list[dict]:
    """Edges of every replicate.

    Returns
    -------
    list of dict
        With `COLUMNS` as keys: "optimal" and "selected" are 1 if it is at this end, else 0.
    """
    return [row for final in stored.all_finals() for row in _edges_of(final)]


def write_edges(path: Path, stored: Stored) -> None:
    """Write `edges` as CSV."""
    write_rows(path, edges(stored), COLUMNS)


def read_edges(path: Path) -> list[dict]:
    """What `write_edges` wrote."""
    rows = [{**row, "share": float(row["share"]) if row["share"] else None} for row in read_rows(path)]
    return [{**row, **{role: int(row[role]) for role in ("optimal", "selected")}} for row in rows]


def explained(study: Study, rows: list[dict]) -> list[dict]:
    """The same, added up over the replicates, each with what explains it.

    An end is explained by `edges` of the experiment in the config; by what a parameter is, if no value can be beyond;
    or by chance, if it is that of a random search: the best of n trials has the smallest value once in n searches.
    Chance has to explain the number of edges on the data set, and that on all data sets of the experiment together: one
    that a few searches on each data set have is more than chance, though no data set shows it alone.

    Parameters
    ----------
    study : Study
    rows : list of dict
        What `edges` gives.

    Returns
    -------
    list of dict
        "experiment", "variant", "dataset", "parameter", "end", "value" (as text, of the first replicate), "searches"
        (how many there are), "optimal" and "selected" (in how many of them), "explanation" (empty if there is none).
    """
    keys = ("experiment", "variant", "dataset", "parameter", "end")
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    found = []
    for key, group in groups.items():
        edge = dict(zip(keys, key, strict=True))
        (run,) = (r for r in study.runs.values() if (r.experiment, r.variant) == (edge["experiment"], edge["variant"]))
        elsewhere = [row for other, more in groups.items() if _everywhere(other) == _everywhere(key) for row in more]
        searched = [study.data_sets_of(run, replicate) for replicate in study.replicates]
        edge["value"] = format_number(edge["parameter"], group[0]["value"])
        edge["searches"] = sum(edge["dataset"] in names for names in searched)
        edge |= {role: sum(row[role] for row in group) for role in ("optimal", "selected")}
        chance = _is_chance(group, edge["searches"]) and _is_chance(elsewhere, sum(len(names) for names in searched))
        found.append({**edge, "explanation": _explanation(run, edge, _share(group) if chance else 0.0)})
    return found


def _everywhere(key: tuple) -> tuple:
    """The key without the data set."""
    return *key[:2], *key[3:5]


def _share(rows: list[dict]) -> float:
    return sum(row["share"] or 0.0 for row in rows) / len(rows)


def _is_chance(rows: list[dict], n_searches: int) -> bool:
    from scipy.stats import binom

    number = max(sum(row[role] for row in rows) for role in ("optimal", "selected"))
    return bool(binom.sf(number - 1, n_searches, _share(rows)) >= ALPHA)


def in_words(edge: dict) -> str:
    """One of `explained` as a line."""
    where = f"{edge['experiment']} {edge['variant']}".strip() + f" on {edge['dataset']}"
    counts = ", ".join(
        f"{role} in {edge[role]} of {edge['searches']}" for role in ("optimal", "selected") if edge[role]
    )
    line = f"{where}: the {edge['end']} {edge['parameter']} ({edge['value']}) is {counts}"
    return f"{line}: {edge['explanation']}" if edge["explanation"] else line


def _edges_of(final: Final):
    dimensions = []
    if final.run.size_rule != "largest":
        dimensions.append((methods.get(final.run.method).complexity, final.stage2, final.stage2["settings"], False))
    if final.stage1 and final.stage1_folder == final.folder:  # else taken over from another experiment, counted there
        space = final.settings("stage1")["space"]
        for name in sorted(final.stage1["parameters"].keys() & space.keys()):
            is_random = "log_grid" not in space[name]
            dimensions.append((name, final.stage1, [s[name] for s in final.stage1["settings"]], is_random))
    for name, selection, tried, is_random in dimensions:
        for end, extreme in ENDS.items():
            value = extreme(tried)
            at_end = {role: int(tried[selection[role]] == value) for role in ("optimal", "selected")}
            if min(tried) < max(tried) and any(at_end.values()):
                share = tried.count(value) / len(tried) if is_random else None
                names = (final.replicate, final.run.experiment, final.data_set, final.run.variant, name, end, value)
                yield dict(zip(COLUMNS, (*names, *at_end.values(), share), strict=True))


def _explanation(run: Run, edge: dict, share: float) -> str:
    """`share` of the trials are there; 0 if that is none of chance."""
    name, end = edge["parameter"], edge["end"]
    if given := run.settings.get("edges", {}).get(name, {}).get(end):
        return given
    method = methods.get(run.method)
    if name == method.complexity:
        bounds: dict[str, float] = {"smallest": method.min_complexity, "largest": largest_complexity(method)}
        tried: dict[str, float] = {
            "smallest": method.min_complexity,
            "largest": run.stage("stage2", edge["dataset"])["complexity"],
        }
    else:
        bounds = {"smallest": method.parameters[name].low, "largest": method.parameters[name].high}
        ((low, high, *_),) = run.stage("stage1", edge["dataset"])["space"][name].values()
        tried = {"smallest": low, "largest": high}
    if tried[end] == bounds[end]:
        return f"there is nothing beyond {format_number(name, bounds[end])}"
    if share:
        return f"chance, {share:.1%} of the random trials are there"
    return ""
