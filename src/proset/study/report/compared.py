"""Which of a study's runs a figure puts beside each other."""

from proset.study.config import Run, Study
from proset.study.methods import METHODS


def runs_of(study: Study, data_set: str) -> list[Run]:
    """All runs that the config has for a data set, also those that `only` leaves out, in its order."""
    experiments = study.config["experiments"]
    return [run for run in study.runs.values() if data_set in experiments[run.experiment]["data_sets"]]


def compared_runs(study: Study, data_set: str) -> list[Run]:
    """One run per method, in the order of `METHODS`: of the config's first comparison of methods on the data set.

    Without such a comparison every method's first run counts.
    """
    experiments, runs = study.config["experiments"], runs_of(study, data_set)
    for comparison in study.config.get("comparisons", {}).values():
        named = [run for run in runs if run.experiment in comparison["experiments"]]
        if named and len({experiments[e]["method"] for e in comparison["experiments"]}) > 1:
            runs = named
            break
    by_method: dict[str, Run] = {}
    for run in runs:
        by_method.setdefault(run.method, run)
    return sorted(by_method.values(), key=lambda r: METHODS.index(r.method))


def optimal_pairs(study: Study, data_set: str) -> list[tuple[Run, Run]]:
    """Each run that takes the optimum of another one's stage 1, after that other run."""
    return [
        (source, run)
        for run in runs_of(study, data_set)
        if run.rule == "optimal" and (source := study.stage1_run(run)) not in (None, run)
    ]
