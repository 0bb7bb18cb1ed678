"""Which runs and methods of a study pages, tables and figures put next to each other, and by which score."""

from collections.abc import Iterable

from proset_study.methods import METHODS, get
from proset_study.store.metrics import LOSSES, OF_ALL
from proset_study.store.stored import Final, Stored
from proset_study.study.config.runs import Run
from proset_study.study.config.study import Study


def runs_of(study: Study, data_set: str) -> list[Run]:
    """All runs that the config has for a data set, also those that `only` leaves out, in its order."""
    experiments = study.config["experiments"]
    return [run for run in study.runs.values() if data_set in experiments[run.experiment]["data_sets"]]


def finals_of(stored: Stored, runs: Iterable[Run], data_set: str, replicate: int | None = None) -> list[Final]:
    """Final models of some runs that are there; of the first replicate by default."""
    there = {f.run.name: f for f in stored.finals(replicate, data_set)}
    return [there[run.name] for run in runs if run.name in there]


def has_path(run: Run, data_set: str) -> bool:
    """Whether stage 2 of a run tries more than one complexity."""
    return run.stage("stage2", data_set)["complexity"] > get(run.method).min_complexity


def main_score(study: Study) -> str:
    """The one of `LOSSES` that the methods are compared by: log-loss, if the subject predicts probabilities."""
    return "log-loss" if get(study.subject).probabilistic else OF_ALL


def derived_from(subject: str, methods: Iterable[str]) -> list[str]:
    """Methods of a list that are the subject, or inherit from it."""
    return [method for method in methods if issubclass(get(method), get(subject))]


def compared_runs(study: Study, data_set: str) -> list[Run]:
    """One run per method, in the order of `METHODS`: of the config's first comparison of methods on the data set.

    Without such a comparison every method's first run counts. The subject comes first, also if only another comparison
    has it. Methods without probabilities are left out if log-loss is what is compared.
    """
    score = LOSSES[main_score(study)]
    runs = [run for run in runs_of(study, data_set) if score.fits(get(run.method))]
    own = [run for run in runs if run.method == study.subject]
    for comparison in _comparisons_of_methods(study):
        if named := [run for run in runs if run.experiment in comparison]:
            return _first_of_each_method([*named, *own], study.subject)
    return _first_of_each_method(runs, study.subject)


def prototype_runs(study: Study, data_set: str) -> list[Run]:
    """One run per method of comparisons whose methods all count their prototypes; empty if there are not two."""
    experiments = study.config["experiments"]
    named = [
        e
        for comparison in _comparisons_of_methods(study)
        if all("prototypes" in get(experiments[e]["method"]).quantities for e in comparison)
        for e in comparison
    ]
    runs = _first_of_each_method((run for run in runs_of(study, data_set) if run.experiment in named), study.subject)
    return runs if len(runs) > 1 else []


def optimal_pairs(study: Study, data_set: str) -> list[tuple[Run, Run]]:
    """Each run that takes the optimum of another one's stage 1, after that other run."""
    return [
        (source, run)
        for run in runs_of(study, data_set)
        if run.selection_rule == "best" and (source := study.stage1_run(run)) not in (None, run)
    ]


def _comparisons_of_methods(study: Study) -> list[list[str]]:
    """Experiments of each comparison that has several methods."""
    experiments = study.config["experiments"]
    compared = [comparison["experiments"] for comparison in study.config.get("comparisons", {}).values()]
    return [names for names in compared if len({experiments[e]["method"] for e in names}) > 1]


def _first_of_each_method(runs: Iterable[Run], subject: str) -> list[Run]:
    by_method: dict[str, Run] = {}
    for run in runs:
        by_method.setdefault(run.method, run)
    return sorted(by_method.values(), key=lambda r: (r.method != subject, METHODS.index(r.method)))
