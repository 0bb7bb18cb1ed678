"""Whether fits that are repeated from their seeds give what their records say."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from proset_study import methods
from proset_study.fits import evaluations
from proset_study.fits.final import fit_final, refit_final
from proset_study.fits.search import Case, run_paths, run_trials
from proset_study.release.verify.differences import brief, same
from proset_study.release.verify.records import Unpacked
from proset_study.store.stored import Final
from proset_study.study.fingerprints import arithmetic_of, uses_kernel

NOT_COMPARED = ("resources", "fingerprint", "arithmetic")  # what a fit costs differs from time to time
TOLERANCE = 1e-6  # of numbers that other libraries give on another class of processors, relative and of 1
OTHERWISE = "the libraries behind them ran on another class of processors, or were not pinned"


def refits(
    stored: Unpacked, repeatable: bool, n_refits: int, rng: np.random.Generator, scratch: Path, say: Callable
) -> Iterator[str]:
    """Fit some records of each kind again; fits of proset are repeatable if the arithmetic is that of the report."""
    ambiguous = {f.run.method for f in stored.all_finals() if not (methods.get(f.run.method).unique or _is_exact(f))}
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
            repeated[exact := _is_exact(group[i])] += 1
            for difference in refit(stored, group[i], rng, scratch, 0.0 if exact else TOLERANCE):
                yield f"{stored.name_of(group[i])}, {kind} {difference}"
    for kind in evaluations.KINDS:  # one of each kind, because they are many fits each
        if evaluated := taken(stored.evaluated(kind)):
            final = evaluated[rng.integers(len(evaluated))]
            repeated[exact := _is_exact(final)] += 1
            for difference in _evaluation(stored, final, kind, 0.0 if exact else TOLERANCE):
                yield f"{stored.name_of(final)}, {kind} {difference}"
    if repeated[True]:
        say(f"{repeated[True]} fits and evaluations are repeated and compared exactly")
    if repeated[False]:
        how = f"are repeated and compared to a difference of {TOLERANCE:g}: {OTHERWISE}"
        say(f"{repeated[False]} fits and evaluations of other methods {how}")


def _is_exact(final):
    """Whether a repeated fit must give the same bits as the recorded one."""
    return final.fit.get("arithmetic") == arithmetic_of(final.run.method)


def _trial(stored, final: Final, rng, scratch, tolerance):
    recorded = final.trials[rng.integers(len(final.trials))]
    fold, trial = recorded["fold"], recorded["trial"]
    settings = final.settings("stage1")
    kept = scratch / f"trials of {final.replicate} {final.data_set} {final.run.name} {fold}"
    (again,) = run_trials(
        final.data, final.folds, fold, range(trial, trial + 1), settings, _case(stored, final), kept, []
    )
    yield from _differences(f"{trial} of fold {fold}", recorded, again, tolerance)


def _fold(stored, final: Final, rng, scratch, tolerance):
    recorded = final.paths[rng.integers(len(final.paths))]
    fold, settings = recorded["fold"], final.settings("stage2")
    kept, folds = scratch / f"folds of {final.replicate} {final.data_set} {final.run.name}", range(fold, fold + 1)
    (again,) = run_paths(
        final.data, final.folds, folds, settings, final.selected_parameters, _case(stored, final), kept, []
    )
    yield from _differences(f"{fold}", recorded, again, tolerance)


def _final(stored, final: Final, rng, scratch, tolerance):
    """The model itself, and one of its refits with other seeds."""
    parameters = {**final.settings("stage2")["parameters"], **final.selected_parameters}
    again, _, probabilities = fit_final(
        final.data, final.folds, parameters, final.stage2["complexity"], _case(stored, final), scratch / "model.npz"
    )
    recorded = {key: value for key, value in final.fit.items() if key != "refits"}
    yield from _differences("", recorded, again, tolerance)
    yield from _other_predictions("", probabilities, final.probabilities, tolerance)
    if refits := final.fit.get("refits"):
        seed = int(rng.integers(1, len(refits) + 1))
        (again,), (probabilities,) = refit_final(
            final.data, final.folds, final.fit, _case(stored, final), range(seed, seed + 1)
        )
        yield from _differences(f"with fit seed {seed}", refits[seed - 1], again, tolerance)
        recorded = final.probabilities_of_fits[seed]
        yield from _other_predictions(f" with fit seed {seed}", probabilities, recorded, tolerance)


def _other_predictions(which, probabilities, recorded, tolerance):
    if not np.allclose(probabilities, recorded, rtol=tolerance, atol=tolerance):
        yield f"predicts differently{which}, by up to {np.abs(probabilities - recorded).max():.1e}"


def _evaluation(stored, final: Final, kind, tolerance):
    study, case = stored.study, _case(stored, final)
    settings, source = study.evaluation_settings(kind), study.config["data_sets"][final.data_set]
    again = evaluations.get(kind).evaluate(final.data, final.folds, final.fit, settings, case, source)
    yield from _differences("", final.evaluation(kind), again, tolerance)


def _differences(which, recorded, again, tolerance):
    """What differs; a record without a name of its arithmetic is an older one, which lacks what came later."""
    for key in sorted({*recorded, *(again if "arithmetic" in recorded else ())} - set(NOT_COMPARED)):
        absolute = 0.0 if key == "parameters" else tolerance
        if key not in recorded or key not in again or not same(recorded[key], again[key], tolerance, absolute):
            found = f"{key} is {brief(recorded.get(key))}, fitted again {brief(again.get(key))}"
            yield f"{which}: {found}".lstrip(": ")


def _case(stored, final):
    return Case(stored.study.config["seed"], final.replicate, final.data_set, final.run.name, final.run.method)
