"""What a run is going to do, in words, before it starts."""

from collections import Counter
from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

from proset_study.base.records import fingerprint, read_json
from proset_study.fits import evaluations
from proset_study.study import all_runs, blocks, fingerprints, layout
from proset_study.study.config.study import Study

JOB_SECONDS = 0.25  # start, orchestration; where no process forks, as on clusters, imports take a second more
RULES = (  # that are asked for by name; one that ends as another does comes first
    *("openml", "data", "dissimilarities", "split", "stage1", "select_parameters", "stage2", "select_complexity"),
    *("fit", "evaluate", "standing_on", "all_runs", "data_set_page", "report", "partial"),
)
FIRST = 1e9  # every data set is checked before the first search


class Fits(NamedTuple):
    """What one job fits."""

    method: str
    number: int
    seconds: float  # rough CPU seconds of all of them


def describe(jobs: Iterable[tuple[str, dict[str, str]]], study: Study, cores: int) -> str:
    """How many jobs, given by rule and wildcards, and fits, and roughly how long they take; one line."""
    jobs = list(jobs)
    planned = {(rule, *_place(wildcards)) for rule, wildcards in jobs}
    numbers: Counter = Counter()
    seconds, n_stored = 0.0, 0
    for rule, wildcards in jobs:
        seconds += JOB_SECONDS
        for fits in fits_of(rule, wildcards, study):
            stored = _stored(rule, wildcards, study, planned)
            numbers[fits.method] += fits.number - stored
            n_stored += stored
            seconds += fits.seconds * (fits.number - stored) / fits.number
    parts = ", ".join(f"{n:,} fits of {method}" for method, n in sorted(numbers.items()) if n) or "no fits"
    kept = f" ({n_stored:,} more are stored)" if n_stored else ""
    return f"{len(jobs):,} jobs with {parts}{kept}: about {duration(seconds / max(1, cores))} on {cores} core(s)"


def own_name(rule: str) -> str:
    """The name that a rule of ours has here; a workflow that imports it may put something before it.

    >>> own_name("proset_stage1"), own_name("data_set_page")
    ('stage1', 'data_set_page')
    """
    return next((name for name in RULES if rule == name or rule.endswith(f"_{name}")), rule)


def fits_of(rule: str, wildcards: dict[str, str], study: Study) -> list[Fits]:
    """What a job fits, and roughly how long that takes; several for jobs of several runs, none if nothing is fitted."""
    if rule == "all_runs":
        replicate, data_set = int(wildcards["replicate"]), wildcards["data_set"]
        fits = []
        for run in all_runs.runs_on(study, replicate, data_set):
            fits.append(_of_run(run, data_set, study))
            for kind in all_runs.kinds_of(study, replicate, data_set, run):
                fits += fits_of("evaluate", {"run": run, "data_set": data_set, "kind": kind}, study)
        return fits
    if rule == "standing_on":
        (run,) = study.runs
        return [_of_run(run, wildcards["data_set"], study, len(study.replicates))]
    if rule not in ("stage1", "stage2", "fit", "evaluate"):
        return []
    run, data_set = wildcards["run"], wildcards["data_set"]
    if rule == "evaluate":
        number = evaluations.get(wildcards["kind"]).n_fits(study.config["evaluations"][wildcards["kind"]])
    elif rule == "fit":
        number = study.final_fits(run)
    elif layout.Place(study, *_place({"replicate": 0, **wildcards})).parts(rule, blocks.numbers_of(wildcards)):
        return []
    else:
        number = len(_numbers(rule, wildcards))
    stage, is_final = "stage1" if rule == "stage1" else "stage2", rule in ("fit", "evaluate")
    seconds = number * blocks.seconds_of_fit(study, run, data_set, stage, is_final)
    return [Fits(study.runs[run].method, number, seconds)]


def seconds_to_model(rule: str, wildcards: dict[str, str], study: Study) -> float:
    """Rough seconds from the start of a job to the final model that it is for: the longest way is gone first."""
    if rule in ("data", "dissimilarities", "split"):
        return FIRST
    own = sum(fits.seconds for fits in fits_of(rule, wildcards, study))
    after = {"stage1": ("stage2", "fit"), "select_parameters": ("stage2", "fit"), "stage2": ("fit",)}
    after["select_complexity"] = after["stage2"]
    for later in after.get(rule, ()):
        names = {"run": wildcards["run"], "data_set": wildcards["data_set"]}
        if later == "stage2":
            first = blocks.blocks_of(study, "stage2", names["run"], names["data_set"])[0]
            names |= {name: str(number) for name, number in first._asdict().items()}
        own += sum(fits.seconds for fits in fits_of(later, names, study))
    return own


def _numbers(rule, wildcards):
    """Fold and trial of each fit of a search; in stage 2 every fold is a fit."""
    folds = range(int(wildcards["first_fold"]), int(wildcards["last_fold"]) + 1)
    if rule == "stage2":
        return [(fold, None) for fold in folds]
    trials = range(int(wildcards["first_trial"]), int(wildcards["last_trial"]) + 1)
    return list(product(folds, trials))


def _of_run(run: str, data_set: str, study: Study, n_replicates: int = 1) -> Fits:
    """Searches and final fits of a run."""
    number, seconds = all_runs.n_fits_of_run(study, run, data_set), all_runs.seconds_of_run(study, run, data_set)
    return Fits(study.runs[run].method, n_replicates * number, n_replicates * seconds)


def _place(wildcards):
    return tuple(wildcards.get(name) for name in ("replicate", "data_set", "run"))


def _stored(rule, wildcards, study, planned):
    """Fits of a job whose records are there from an earlier run, as far as one of them is still right."""
    if rule not in ("stage1", "stage2"):
        return 0
    replicate, data_set, run = _place(wildcards)
    above = [(made, replicate, data_set, None) for made in ("data", "split", "dissimilarities")]
    if rule == "stage2":
        above.append(("select_parameters", replicate, data_set, run))
    if planned & {*above}:
        return 0
    place, template = layout.Place(study, replicate, data_set, run), layout.TRIAL if rule == "stage1" else layout.PATH
    files = {(fold, trial): place.file(template, fold=fold, trial=trial) for fold, trial in _numbers(rule, wildcards)}
    numbers = [number for number, file in files.items() if file.exists()]
    if not numbers:
        return 0
    fold, trial = numbers[0]
    origin = place.origin(fingerprints.key("search", method=study.runs[run].method))
    try:
        if rule == "stage1":
            key = fingerprint(study.stage1_settings(run, data_set), trial, *origin, fold)
        else:
            chosen = read_json(place.parameter_files()[0])["parameters"] if place.parameter_files() else {}
            key = fingerprint(study.stage2_settings(run, data_set), chosen, fold, *origin)
        return len(numbers) if read_json(files[numbers[0]])["fingerprint"] == key else 0
    except (OSError, ValueError, LookupError, TypeError):  # a file that is damaged is computed again
        return 0


def duration(seconds: float) -> str:
    """Seconds in words."""
    if seconds < 90:
        return f"{max(1, round(seconds))} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
