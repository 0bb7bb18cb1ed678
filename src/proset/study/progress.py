"""What a run is going to do, in words, before it starts."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from proset.study.config import Study
from proset.study.evaluations import KINDS
from proset.study.sizes import size_of

# CPU seconds of one fit, fitted to records of the whole study: overhead of a fit, and per sample for proset (times
# candidates) and for XGBoost (times rounds and classes).
SECONDS = {"proset": (0.03, 1.5e-7), "xgboost": (0.01, 1e-7), "knn": (0.05, 2e-5)}
OTHER_SECONDS = (0.05, 1e-4)
# CPU seconds of one fit of further methods beyond the overhead, by samples n, features d, classes k and steps.
FURTHER_SECONDS: dict[str, Callable[[float, int, int, int], float]] = {
    "logistic_regression": lambda n, d, k, steps: 5e-7 * n * d * k * steps,
    "decision_tree": lambda n, d, k, steps: 1e-6 * n * d,
    "bagging": lambda n, d, k, steps: 1e-6 * n * d * steps,
    "random_forest": lambda n, d, k, steps: 1e-6 * n * d * steps,
    "adaboost": lambda n, d, k, steps: 5e-7 * n * d * steps,
    "svm": lambda n, d, k, steps: 1.5e-7 * n**2,
    "hist_gradient_boosting": lambda n, d, k, steps: (1e-3 + 1e-8 * n * d) * k * steps,
    "explainable_boosting": lambda n, d, k, steps: 2e-6 * n * d * k,  # of about 100 rounds
}
# Features that double the time per sample, beyond those of the study's data; see benchmarks/results.md.
WIDE = {"proset": 100, "xgboost": 10}
OTHER_WIDE = 10
STUDY_FEATURES = 64
JOB_SECONDS = 0.35  # start of Python and imports, orchestration
LIBRARY_SECONDS = 1.0  # import of scikit-learn, in jobs of further methods


@dataclass(frozen=True)
class Fits:
    """What one job fits.

    Attributes
    ----------
    method : str
    number : int
    seconds : float
        Rough CPU seconds of all of them.
    """

    method: str
    number: int
    seconds: float


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
    numbers: Counter = Counter()
    seconds, n_jobs = 0.0, 0
    for rule, wildcards in jobs:
        n_jobs += 1
        seconds += JOB_SECONDS
        if (fits := fits_of(rule, wildcards, study)) is not None:
            numbers[fits.method] += fits.number
            seconds += fits.seconds + LIBRARY_SECONDS * (fits.method in FURTHER_SECONDS)
    parts = ", ".join(f"{n:,} fits of {method}" for method, n in sorted(numbers.items())) or "no fits"
    return f"{n_jobs:,} jobs with {parts}: about {duration(seconds / max(1, cores))} on {cores} core(s)"


def fits_of(rule: str, wildcards: dict[str, str], study: Study) -> Fits | None:
    """What a job fits, and roughly how long that takes; None for rules that fit nothing.

    Parameters
    ----------
    rule : str
    wildcards : dict
    study : Study
    """
    if rule not in ("stage1", "stage2", "fit", *KINDS):
        return None
    run, data_set = study.runs[wildcards["run"]], wildcards["data_set"]
    stage = run.stage("stage1" if rule == "stage1" else "stage2", data_set)
    if rule in KINDS:
        number = _refits(**study.config["evaluations"][rule])
    else:
        number = int(wildcards["last"]) - int(wildcards["first"]) + 1 if "last" in wildcards else 1
    return Fits(run.method, number, number * fit_seconds(run.method, study.config["data_sets"][data_set], stage))


def _refits(of, fractions=(), repeats=0, samples=0, draws=0, test_samples=0):
    """Fits of one evaluation, at most: of a learning curve, a bootstrap, or bias and variance."""
    return len(fractions) * repeats or (samples + 1 if samples else draws)


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
    size = size_of(data)
    samples = 0.56 * size.rows
    overhead, each = SECONDS.get(method, OTHER_SECONDS)
    if method in FURTHER_SECONDS:
        return overhead + FURTHER_SECONDS[method](samples, size.features, size.classes, stage["steps"])
    each *= 1 + max(0, size.features - STUDY_FEATURES) / WIDE.get(method, OTHER_WIDE)
    if method == "proset":
        candidates = min(stage["parameters"].get("n_candidates", 1000), 0.5 * samples)
        return stage["steps"] * (overhead + each * (samples - candidates) * candidates)
    if method == "xgboost":
        return overhead + each * samples * size.classes * stage["steps"]
    return overhead + each * samples


def duration(seconds: float) -> str:
    """Seconds in words."""
    if seconds < 90:
        return f"{max(1, round(seconds))} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
