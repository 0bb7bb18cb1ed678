"""Whether fits that are repeated from their seeds give what their records say."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from proset_study import methods
from proset_study.fits import evaluations
from proset_study.fits.final import refit_final
from proset_study.fits.search import run_paths, run_trials
from proset_study.release.verify.models import case_of, fit_again, is_exact, other_predictions, record_differences
from proset_study.release.verify.records import Unpacked
from proset_study.store.stored import Final
from proset_study.study.fingerprints import uses_kernel

TOLERANCE = 1e-6  # of numbers that other libraries give on another class of processors, relative and of 1
OTHERWISE = "the libraries behind them ran on another class of processors, or were not pinned"


def refits(
    stored: Unpacked, repeatable: bool, n_refits: int, rng: np.random.Generator, scratch: Path, say: Callable
) -> Iterator[str]:
    """Fit some records of each kind again; fits of proset are repeatable if the arithmetic is that of the report."""
    ambiguous = {f.run.method for f in stored.all_finals() if not (methods.get(f.run.method).unique or is_exact(f))}
    if ambiguous:
        why = f"of several models that are equally good the last bits choose, and {OTHERWISE}"
        say(f"fits of {', '.join(sorted(ambiguous))} are not repeated: {why}")

    def taken(finals):
        return [f for f in finals if f.run.method not in ambiguous and (repeatable or not uses_kernel(f.run.method))]

    searched, finals = taken(stored.searched_finals()), taken(stored.all_finals())
    trials = [f for f in searched if stored.study.stage1_run(f.run) is f.run]
    repeated = {True: 0, False: 0}
    for kind, group, refit in (("trial", trials, _trial), ("fold", searched, _fold), ("final model", finals, _final)):
        for i in rng.choice(len(group), min(n_refits, len(group)), replace=False) if group else ():
            repeated[exact := is_exact(group[i])] += 1
            for difference in refit(group[i], rng, scratch, 0.0 if exact else TOLERANCE):
                yield f"{stored.name_of(group[i])}, {kind} {difference}"
    for kind in evaluations.KINDS:  # one of each kind, because they are many fits each
        if evaluated := taken(stored.evaluated(kind)):
            final = evaluated[rng.integers(len(evaluated))]
            repeated[exact := is_exact(final)] += 1
            for difference in _evaluation(final, kind, 0.0 if exact else TOLERANCE):
                yield f"{stored.name_of(final)}, {kind} {difference}"
    if repeated[True]:
        say(f"{repeated[True]} fits and evaluations are repeated and compared exactly")
    if repeated[False]:
        how = f"are repeated and compared to a difference of {TOLERANCE:g}: {OTHERWISE}"
        say(f"{repeated[False]} fits and evaluations of other methods {how}")


def _trial(final: Final, rng, scratch, tolerance):
    recorded = final.trials[rng.integers(len(final.trials))]
    fold, trial = recorded["fold"], recorded["trial"]
    settings = final.settings("stage1")
    kept = scratch / f"trials of {final.replicate} {final.data_set} {final.run.name} {fold}"
    (again,) = run_trials(final.data, final.folds, fold, range(trial, trial + 1), settings, case_of(final), kept, [])
    yield from record_differences(f"{trial} of fold {fold}", recorded, again, tolerance)


def _fold(final: Final, rng, scratch, tolerance):
    recorded = final.paths[rng.integers(len(final.paths))]
    fold, settings = recorded["fold"], final.settings("stage2")
    kept, folds = scratch / f"folds of {final.replicate} {final.data_set} {final.run.name}", range(fold, fold + 1)
    (again,) = run_paths(final.data, final.folds, folds, settings, final.selected_parameters, case_of(final), kept, [])
    yield from record_differences(f"{fold}", recorded, again, tolerance)


def _final(final: Final, rng, scratch, tolerance):
    """The model itself, and one of its refits with other seeds."""
    yield from fit_again(final, scratch / "model.npz", tolerance)
    if refits := final.fit.get("refits"):
        seed = int(rng.integers(1, len(refits) + 1))
        (again,), (probabilities,) = refit_final(
            final.data, final.folds, final.fit, case_of(final), range(seed, seed + 1)
        )
        yield from record_differences(f"with fit seed {seed}", refits[seed - 1], again, tolerance)
        recorded = final.probabilities_of_fits[seed]
        yield from other_predictions(f" with fit seed {seed}", probabilities, recorded, tolerance)


def _evaluation(final: Final, kind, tolerance):
    study, case = final.study, case_of(final)
    settings, source = study.evaluation_settings(kind), study.config["data_sets"][final.data_set]
    again = evaluations.get(kind).evaluate(final.data, final.folds, final.fit, settings, case, source)
    yield from record_differences("", final.evaluation(kind) or {}, again, tolerance)
