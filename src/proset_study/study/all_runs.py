"""Which data sets of a replicate are one job, with all that is run on them, and what that job depends on.

A study of very many small data sets would have more jobs of searches than Snakemake plans in a minute. There one job
goes through data, split, searches, final models and evaluations, by the same functions and into the same files; each
fit and each final model has a key of its own, so that only what is stale is computed.
"""

import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from proset_study.base.environment import COPIES
from proset_study.base.records import fingerprint
from proset_study.data.matrix import module_of
from proset_study.data.sources import source_of
from proset_study.fits import evaluations
from proset_study.fits.evaluations import KINDS
from proset_study.study import blocks
from proset_study.study.config.study import Study
from proset_study.study.fingerprints import key

MOST_JOBS = 10_000  # of single searches that are planned; with more, data sets with little work are one job each
SECONDS = 900.0  # of such a job at most, as estimated


@cache
def seconds_of_run(study: Study, run: str, data_set: str) -> float:
    """Rough CPU seconds of the searches and final fits of a run on a data set."""
    seconds = study.final_fits(run) * blocks.seconds_of_fit(study, run, data_set, "stage2", is_final=True)
    searches = _searches(study, run, data_set)
    return seconds + sum(n * blocks.seconds_of_fit(study, run, data_set, stage) for stage, n in searches.items())


def n_fits_of_run(study: Study, run: str, data_set: str) -> int:
    """Number of fits of the searches of a run itself, and of its final models, on a data set."""
    return study.final_fits(run) + sum(_searches(study, run, data_set).values())


def _searches(study: Study, run: str, data_set: str) -> dict[str, int]:
    """Fits of the searches of a run itself, by stage."""
    folds, settings = study.config["folds"], study.runs[run]
    own = study.stage1_run(settings) is settings
    return {"stage2": folds, **({"stage1": folds * study.n_trials(run, data_set)} if own else {})}


@cache
def n_jobs_of_run(study: Study, run: str, data_set: str) -> int:
    """Number of jobs of a run on a data set where searches are jobs."""
    numbers = [len(blocks.blocks_of(study, stage, run, data_set)) for stage in _searches(study, run, data_set)]
    return 3 + sum(number + (number > 1) for number in numbers)


@cache
def in_one_job(study: Study, data: str, done: str) -> frozenset[tuple[int, str]]:
    """Replicate and data set of each that is one job.

    What was begun in one way stays so, because Snakemake knows nothing of the files that another job made: `data` and
    `done` are templates of the data and of what such a job writes next to them. On a shared storage there is none,
    because there each file must be declared.
    """
    if COPIES in os.environ:
        return frozenset()
    cases: dict[tuple[int, str], list[str]] = {}
    for replicate, run, data_set in study.final_models(study.replicates):
        cases.setdefault((replicate, data_set), []).append(run.name)
    wanted = study.config.get("jobs")
    if wanted is None:
        n_jobs = sum(n_jobs_of_run(study, run, data_set) for (_, data_set), runs in cases.items() for run in runs)
        wanted = "data_sets" if n_jobs > MOST_JOBS else "searches"

    def is_one(replicate, data_set, runs):
        names = {"study": study.name, "replicate": replicate, "data_set": data_set}
        if Path(data.format(**names)).exists():
            return Path(done.format(**names)).exists()
        return wanted == "data_sets" and sum(seconds_of_run(study, run, data_set) for run in runs) <= SECONDS

    return frozenset(case for case, runs in cases.items() if is_one(*case, runs))


def runs_on(study: Study, replicate: int, data_set: str) -> list[str]:
    """The runs of a replicate on a data set, in the order of the config: what another takes from comes first."""
    runs = study.runs_on(data_set)
    if replicate not in study.config["replicates"]:
        runs = [run for run in runs if data_set in study.data_sets_of(run, replicate)]
    return [run.name for run in sorted(runs, key=lambda run: study.stage1_run(run) not in (run, None))]


def kinds_of(study: Study, replicate: int, data_set: str, run: str) -> list[str]:
    """The evaluations that the config wants of a final model."""
    experiment = study.runs[run].experiment
    return [kind for kind in KINDS if data_set in study.to_evaluate(kind, replicate).get(experiment, [])]


@cache
def data_key(study: Study, data_set: str) -> str:
    """Changes with what a data set, its dissimilarities and its split depend on, besides its replicate and its file."""
    settings, config = study.data_settings(data_set), study.config
    metrics = {metric: study.metric_settings(metric, data_set) for metric in study.stored_metrics(data_set)}
    codes = [key("data", source=source_of(settings)), key("split_in_time" if "time" in settings else "split")]
    codes += [key("dissimilarities", module=module_of(of_metric)) for of_metric in metrics.values()]
    return fingerprint(settings, metrics, config["seed"], config["folds"], config["test_fraction"], codes)


@cache
def run_key(study: Study, run: str, data_set: str) -> str:
    """Changes with what the final model of a run and its searches depend on, besides data and split."""
    settings, method = study.runs[run], study.runs[run].method
    source = study.stage1_run(settings)
    searched = study.stage1_settings(source.name, data_set) if source else {}
    rules = [settings.selection_rule, settings.size_rule, settings.criterion, study.fixed_parameters(run, data_set)]
    numbers = [study.n_trials(run, data_set), study.final_fits(run), study.config["seed"], study.config["folds"]]
    codes = [key(job, method=method) for job in ("search", "select", "fit")]
    if source is not None and source.method != method:  # E4 is of the method of E3, but a mean of models need not be
        codes += [key(job, method=source.method) for job in ("search", "select")]
    return fingerprint(method, searched, study.stage2_settings(run, data_set), rules, numbers, codes)


def stored_run_key(study: Study, run: str, data_set: str, data: Iterable[Path]) -> str:
    """Changes with `run_key` and the files of the data: of a run that is finished, `layout.RUN_DONE` has it."""
    return fingerprint(run_key(study, run, data_set), *data)


def stored_evaluation_key(study: Study, run: str, data_set: str, kind: str, key_of_run: str) -> str:
    """Changes with `evaluation_key` and the `stored_run_key`; `layout.EVALUATION_DONE` has it."""
    return fingerprint(evaluation_key(study, run, data_set, kind), key_of_run)


@cache
def evaluation_key(study: Study, run: str, data_set: str, kind: str) -> str:
    """Changes with what an evaluation depends on, besides the final model."""
    settings, codes = study.data_settings(data_set), [key("evaluation", kind=kind, method=study.runs[run].method)]
    if evaluations.get(kind).generated:  # the true probabilities are in no file
        codes.append(key("data", source=source_of(settings)))
    return fingerprint(study.evaluation_settings(kind), settings, study.config["seed"], *codes)


def key_of_all(study: Study, replicate: int, data_set: str) -> str:
    """Changes with everything that the job depends on, but its files."""
    runs = tuple((run, *kinds_of(study, replicate, data_set, run)) for run in runs_on(study, replicate, data_set))
    return _key_of_all(study, data_set, runs)


@cache
def _key_of_all(study, data_set, runs):
    keys = [run_key(study, run, data_set) for run, *_ in runs]
    kinds = [evaluation_key(study, run, data_set, kind) for run, *kinds in runs for kind in kinds]
    return fingerprint(data_key(study, data_set), keys, kinds)
