"""How searches are cut into jobs: blocks of folds and trials that take about as long, by the cost of a fit.

A job has trials of one fold, or several folds where all trials of one take less than `SECONDS`; where a fit takes
longer, it has one trial. The records of fits have keys of their own, so that another cut computes none of them again.
"""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from proset_study.data.sizes import fraction_tested, size_of
from proset_study.study.config.study import Study

SECONDS = 12.0  # of a job, as estimated; fits of E1 to E12 take two fifths of the estimate


class Block(NamedTuple):
    """What a job of stage 1 fits: some trials on some folds."""

    first_fold: int
    last_fold: int
    first_trial: int
    last_trial: int


class Folds(NamedTuple):
    """What a job of stage 2 fits: some folds."""

    first_fold: int
    last_fold: int


@cache
def seconds_of_fit(study: Study, run: str, data_set: str, stage: str, is_final: bool = False) -> float:
    """Rough CPU seconds of one fit by the settings of "stage1" or "stage2", on a fold or on the training part."""
    from proset_study import methods  # here, because it imports NumPy, which most commands that plan do without

    data, folds = study.config["data_sets"][data_set], study.config["folds"]
    size, test = size_of(data), fraction_tested(data, study.config["test_fraction"])
    fitted, scored = (1 - test, test) if is_final else ((1 - test) * (1 - 1 / folds), (1 - test) / folds)
    settings = study.runs[run].stage(stage, data_set)
    cost = methods.get(study.runs[run].method).cost
    return cost(size, settings, round(fitted * size.rows), round(scored * size.rows))


@cache
def blocks_of(study: Study, stage: str, run: str, data_set: str) -> tuple[Block | Folds, ...]:
    """Blocks of a stage, by fold and trial; `trials_per_job` and `folds_per_job` of the config come first."""
    method, seconds = study.runs[run].method, seconds_of_fit(study, run, data_set, stage)
    fits, trials = whole(study, stage, run, data_set), 1
    folds = study.config.get("folds_per_job", {}).get(method)
    if isinstance(fits, Block):
        n_trials = fits.last_trial + 1
        trials = study.config.get("trials_per_job", {}).get(method) or _number(seconds * (folds or 1), n_trials)
        seconds *= min(trials, n_trials)
    return cut(fits, folds or _number(seconds, fits.last_fold + 1), trials)


def whole(study: Study, stage: str, run: str, data_set: str) -> Block | Folds:
    """All fits of a stage."""
    last_fold = study.config["folds"] - 1
    if stage == "stage2":
        return Folds(0, last_fold)
    return Block(0, last_fold, 0, study.n_trials(run, data_set) - 1)


def cut(fits: Block | Folds, folds: int, trials: int = 0) -> tuple[Block | Folds, ...]:
    """All fits of a stage in blocks of `folds` folds and, in stage 1, `trials` trials; by fold and trial."""
    if isinstance(fits, Folds):
        return tuple(Folds(*ends) for ends in _ranges(fits.last_fold + 1, folds))
    return tuple(
        Block(*ends, *numbers)
        for ends in _ranges(fits.last_fold + 1, folds)
        for numbers in _ranges(fits.last_trial + 1, trials)
    )


def sizes(block: Block | Folds) -> dict[str, int]:
    """The arguments of `cut` that the first block of a stage tells."""
    folds = {"folds": block.last_fold + 1}
    return folds if isinstance(block, Folds) else folds | {"trials": block.last_trial + 1}


def numbers_of(wildcards: Mapping[str, str]) -> dict[str, int]:
    """The numbers of a block among the wildcards of its job."""
    return {name: int(wildcards[name]) for name in Block._fields if name in wildcards}


def _number(seconds: float, most: int) -> int:
    """How many that take `seconds` each fill a job."""
    return max(1, min(most, int(SECONDS / seconds))) if seconds > 0 else most


def _ranges(number: int, size: int) -> list[tuple[int, int]]:
    return [(first, min(first + size, number) - 1) for first in range(0, number, size)]
