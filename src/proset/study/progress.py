"""What a run is going to do, in words, before it starts."""

from collections import Counter
from collections.abc import Iterable

from proset.study.config import Study
from proset.study.datasets import generated_size

# CPU seconds of one fit, fitted to records of the whole study: overhead of a fit, and per sample for proset (times
# candidates) and for XGBoost (times rounds and classes).
SECONDS = {"proset": (0.03, 1.5e-7), "xgboost": (0.01, 1e-7), "knn": (0.05, 2e-5)}
OTHER_SECONDS = (0.05, 1e-4)
JOB_SECONDS = 0.35  # start of Python and imports, orchestration
SAMPLES = {"iris": 150, "wine": 178, "breast_cancer": 569, "digits": 1797}
CLASSES = {"iris": 3, "wine": 3, "breast_cancer": 2, "digits": 10}
UNKNOWN_SAMPLES = 1000  # of the user's own file, which is not read for an estimate


def describe(jobs: Iterable[tuple[str, dict[str, str]]], study: Study, cores: int) -> str:
    """One line: how many jobs and fits, and roughly how long they take.

    Parameters
    ----------
    jobs : iterable of (rule, wildcards)
        What Snakemake is going to run.
    study : Study
    cores : int

    Returns
    -------
    str
    """
    fits: Counter = Counter()
    seconds, n_jobs = 0.0, 0
    for rule, wildcards in jobs:
        n_jobs += 1
        seconds += JOB_SECONDS
        if rule not in ("stage1", "stage2", "fit"):
            continue
        run, data_set = study.runs[wildcards["run"]], wildcards["data_set"]
        stage = run.stage("stage1" if rule == "stage1" else "stage2", data_set)
        trials = int(wildcards["last"]) - int(wildcards["first"]) + 1 if "last" in wildcards else 1
        fits[run.method] += trials
        seconds += trials * fit_seconds(run.method, study.config["data_sets"][data_set], stage)
    parts = ", ".join(f"{n:,} fits of {method}" for method, n in sorted(fits.items())) or "no fits"
    return f"{n_jobs:,} jobs with {parts}: about {duration(seconds / max(1, cores))} on {cores} core(s)"


def fit_seconds(method: str, data: dict, stage: dict) -> float:
    """Rough CPU seconds of one fit.

    Parameters
    ----------
    method : str
    data : dict
        The config's entry of the data set.
    stage : dict
        Settings of the stage.
    """
    samples, classes = 0.56 * n_samples(data), CLASSES.get(data.get("sklearn"), 2)
    overhead, each = SECONDS.get(method, OTHER_SECONDS)
    if method == "proset":
        candidates = min(stage["parameters"].get("n_candidates", 1000), 0.5 * samples)
        return stage["steps"] * (overhead + each * (samples - candidates) * candidates)
    if method == "xgboost":
        return overhead + each * samples * classes * stage["steps"]
    return overhead + each * samples


def n_samples(data: dict) -> int:
    """Samples of a data set, from its entry in the config."""
    if "generator" in data:
        return generated_size(data)[0]
    return SAMPLES.get(data.get("sklearn"), UNKNOWN_SAMPLES)


def duration(seconds: float) -> str:
    """Seconds in words."""
    if seconds < 90:
        return f"{max(1, round(seconds))} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
