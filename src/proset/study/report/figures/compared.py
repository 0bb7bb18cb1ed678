"""Which of a study's runs a figure puts beside each other."""

from proset.study.config import Run, Study
from proset.study.methods import METHODS


def runs_of(study: Study, data_set: str) -> list[Run]:
    """All runs that the config has for a data set, also those that `only` leaves out, in its order."""
    experiments = study.config["experiments"]
    return [run for run in study.runs.values() if data_set in experiments[run.experiment]["data_sets"]]


def compared_runs(study: Study, data_set: str) -> list[Run]:
    """One run per method: the first that the config's comparisons of several methods name, else its first one."""
    experiments = study.config["experiments"]
    named = [
        experiment
        for comparison in study.config.get("comparisons", {}).values()
        if len({experiments[e]["method"] for e in comparison["experiments"]}) > 1
        for experiment in comparison["experiments"]
    ]
    by_method: dict[str, Run] = {}
    for run in sorted(runs_of(study, data_set), key=lambda r: r.experiment not in named):
        by_method.setdefault(run.method, run)
    return sorted(by_method.values(), key=lambda r: METHODS.index(r.method))


def optimal_pairs(study: Study, data_set: str) -> list[tuple[Run, Run]]:
    """Each run that takes the optimum of another one's stage 1, after that other run."""
    return [
        (source, run)
        for run in runs_of(study, data_set)
        if run.rule == "optimal" and (source := study.stage1_run(run)) not in (None, run)
    ]
