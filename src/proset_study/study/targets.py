"""What is asked for on the command line: names that can be asked for, and what was made of those that were."""

import difflib
import os
import re
from collections.abc import Iterable
from pathlib import Path

from proset_study.study import layout
from proset_study.study.config.checks import TARGETS
from proset_study.study.config.study import Study

STANDING = "standing_"  # how the names of its studies begin
SHOWN = 5  # files that are named at the end of a run


def check_targets(targets: Iterable[str], study: Study) -> None:
    """Refuse names that are no target of the study, with a ValueError that lists those; files are left to Snakemake.

    A study may not be named like the folders of the target `standing` either.
    """
    if study.name.startswith(STANDING):
        raise ValueError(
            f"study: {study.name!r} is not allowed, names that begin with {STANDING} are those of standing"
        )
    names = {
        "experiments": list(study.experiments),
        "comparisons": study.comparisons,
        "data sets": study.data_sets,
        "replicates": [f"replicate_{replicate}" for replicate in study.replicates],
    }
    known = [name for group in names.values() for name in group]
    for target in targets:
        _check_that_a_rule_makes(target, study)
        if target in known or target in TARGETS or set(target) & {"/", "."} or Path(target).exists():
            continue
        lower = {name.lower(): name for name in known}
        near = difflib.get_close_matches(target.lower(), lower, 1)
        hint = f"did you mean {lower[near[0]]}? " if near else ""
        held_out = target in study.config["experiments"] or target in study.config["data_sets"]
        reason = "is left out by this config" if held_out else "is not a target of this study"
        listed = "; ".join(f"{group}: {', '.join(members)}" for group, members in names.items() if members)
        raise ValueError(f"{target!r} {reason}; {hint}targets are {', '.join(TARGETS)}; {listed}")


def _check_that_a_rule_makes(target: str, study: Study) -> None:
    """Refuse a file that one job makes with all others of its data set, of which Snakemake knows nothing.

    It would take a file of a former config for up to date, and make a new one while that job makes it, too.
    """
    if (found := re.match(r"results/(\w+)/replicate_(\d+)/(\w+)/(.+)", os.path.normpath(target))) is None:
        return
    name, replicate, data_set, file = found.groups()
    if name != study.name or file == Path(layout.ALL_RUNS).name:
        return
    if (place := layout.Place(study, int(replicate), data_set)).is_in_one_job:
        raise ValueError(
            f"{target!r} is made with all that is run on {data_set}; ask for {place.name(layout.ALL_RUNS)}"
        )


def ask_for_standing(targets: Iterable[str]) -> bool:
    """Whether the target `standing`, or a file of one, is asked for.

    >>> ask_for_standing(["standing"]), ask_for_standing(["results/standing_knn/wine.csv"]), ask_for_standing(["E3"])
    (True, True, False)
    """
    return any(target == "standing" or f"/{STANDING}" in target for target in targets)


def need_pages(targets: Iterable[str], study: Study) -> bool:
    """Whether something is asked for that takes the packages of a report: more than results, tables and downloads."""
    targets, comparisons = list(targets), study.config.get("comparisons", {})
    if study.is_large or not targets:  # results of a large study are Parquet
        return True
    tables = (name for name in study.tables if not comparisons.get(name, {}).get("evaluations"))  # else the front page
    without = {*tables, *(f"replicate_{replicate}" for replicate in study.replicates), "downloads"}
    folders = ("results/", f"reports/{study.name}/tables/")
    return not all(target in without or target.startswith(folders) for target in targets)


def made(targets: Iterable[str], folders: Iterable[str]) -> str:
    """What to look at after a run, in words: the front page of a report in `folders`, or files that are there."""
    targets = list(dict.fromkeys(targets))
    for folder in folders:
        if (front := f"{folder}/index.html") in targets or folder in targets:
            return front
    there = [target for target in targets if Path(target).exists()]
    there.sort(key=lambda name: not name.endswith((".html", ".md")))  # what a person reads comes first
    more = f" and {len(there) - SHOWN:,} more" if len(there) > SHOWN else ""
    return ", ".join(there[:SHOWN]) + more
