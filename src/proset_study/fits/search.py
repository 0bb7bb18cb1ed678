"""The two-stage search, written once for all methods: draw parameters, cross-validate, pick by the rule.

I. M. Sobol, On the distribution of points in a cube and the approximate evaluation of integrals, USSR Computational
Mathematics and Mathematical Physics 7 (1967), 86-112.
J. Bergstra and Y. Bengio, Random search for hyper-parameter optimization, Journal of Machine Learning Research 13
(2012), 281-305.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from traceback import format_exc

import numpy as np

from proset import drawing
from proset.losses import error_rate, log_loss
from proset_study import methods
from proset_study.base.records import Resources, fingerprint, read_json, write_json
from proset_study.base.seeds import generator, seed_sequence
from proset_study.data.dataset import DataSet
from proset_study.data.splits import FoldData, select_fold
from proset_study.fits.resampling import bootstrap_data
from proset_study.methods.base import Method


@dataclass(frozen=True)
class Case:
    """What names a search and keys its random numbers; `arithmetic` is kept in the records, and keys nothing."""

    seed: int
    replicate: int
    data_set: str
    run: str
    method: str
    arithmetic: str = ""

    def names(self) -> dict[str, str | int]:
        """Names for the record."""
        names = ("replicate", "data_set", "run", "method", "arithmetic")
        return {name: getattr(self, name) for name in names}

    def fit_seed(self, *key: str | int) -> np.random.SeedSequence:
        """Seed of one fit; experiments and methods are left out, so that they are compared on the same draws."""
        return seed_sequence(self.seed, "fit", self.data_set, self.replicate, *key)


def draw_parameters(space: dict[str, dict], case: Case, trial: int) -> dict[str, float]:
    """Parameters of one trial, see `proset.drawing`; they do not depend on how many trials there are."""
    rng = generator(case.seed, "parameters", case.method, case.data_set, case.replicate, trial)
    return drawing.draw_parameters(space, rng, trial)


def parameters_of(settings: dict, fixed: dict[str, float], case: Case, trial: int) -> dict[str, float]:
    """Parameters of one trial by the design of stage 1, "random" or "sobol", and the `fixed` ones.

    Point i of a scrambled Sobol sequence is trial i. A parameter that is fixed or has a grid takes no coordinate of it,
    so that the points fill the space of the others.
    """
    space = settings["space"]
    if settings.get("design", "random") == "random":
        return {**draw_parameters(space, case, trial), **fixed}
    from scipy.stats.qmc import Sobol

    grids = {name: distribution for name, distribution in space.items() if "log_grid" in distribution}
    searched = [name for name in sorted(space) if name not in grids and name not in fixed]
    scrambling = generator(case.seed, "parameters", case.method, case.data_set, case.replicate)
    sequence = Sobol(len(searched), rng=scrambling)
    if trial > 0:  # SciPy cannot go forward by no point
        sequence.fast_forward(trial)
    point = dict(zip(searched, sequence.random()[0].tolist(), strict=True))
    placed = {name: drawing.parameter_at(space[name], quantile) for name, quantile in point.items()}
    return {**draw_parameters(grids, case, trial), **placed, **fixed}


def run_trials(
    data: DataSet,
    folds: np.ndarray,
    fold: int,
    trials: range,
    settings: dict,
    case: Case,
    record_folder: Path,
    depends_on: list[object],
) -> list[dict]:
    """Stage 1 on one held-out fold: fit and score each trial at one size; a record of each.

    A finished trial is written to the folder at once; a record that exists and depends on the same things
    (`depends_on`, see `records.fingerprint`) is not computed again. With "bootstrap" in `settings`, fold b is draw b. A
    RuntimeError names the trials that failed after all have been tried.
    """
    method = methods.get(case.method)
    loaded = cache(lambda: _load(method, data, folds, fold, settings, case))

    def compute(trial, parameters):
        scored = _fit_and_score(
            loaded(),
            {**settings["parameters"], **parameters},
            settings["complexity"],
            case.fit_seed("stage1", fold, trial),
            staged=False,
        )
        return {**case.names(), "stage": 1, "fold": fold, "trial": trial, **scored, "parameters": parameters}

    fixed = method.fixed(data.n_features)
    parameters = {trial: parameters_of(settings, fixed, case, trial) for trial in trials}
    keys = {trial: fingerprint(settings, trial, *depends_on) for trial in trials}
    return _each("trial", parameters, keys, compute, record_folder)


def run_paths(
    data: DataSet,
    folds: np.ndarray,
    held_out: range,
    settings: dict,
    chosen: dict,
    case: Case,
    record_folder: Path,
    depends_on: list[object],
) -> list[dict]:
    """Stage 2 on the folds `held_out`: one fit up to the largest size, scored at every size; else as `run_trials`."""
    method = methods.get(case.method)

    def compute(fold, parameters):
        loaded, seed = _load(method, data, folds, fold, settings, case), case.fit_seed("stage2", fold)
        return {
            **case.names(),
            "stage": 2,
            "fold": fold,
            "parameters": parameters,
            "min_complexity": method.min_complexity,
            **_fit_and_score(loaded, parameters, settings["complexity"], seed, staged=True),
        }

    fixed = method.fixed(data.n_features)
    parameters = {fold: {**settings["parameters"], **chosen, **fixed} for fold in held_out}
    keys = {fold: fingerprint(settings, chosen, fold, *depends_on) for fold in held_out}
    return _each("fold", parameters, keys, compute, record_folder)


def _each(
    unit: str, parameters: dict[int, dict], keys: dict[int, str], compute: Callable[[int, dict], dict], folder: Path
) -> list[dict]:
    """A record for every number: the one in the folder if its fingerprint is right, else it is computed and kept."""
    records, failures, fault = [], [], ""
    for number, key in keys.items():
        path = folder / f"{number}.json"
        record = _finished(path, key)
        if record is None:
            try:
                record = {**compute(number, parameters[number]), "fingerprint": key}
                write_json(path, record)  # refuses numbers that are not finite
            except (ImportError, OSError):  # the same in every trial
                raise
            except Exception as error:  # libraries have errors of their own
                failures.append(f"{unit} {number} with {parameters[number]}: {type(error).__name__}: {error}")
                if not isinstance(error, ArithmeticError | ValueError | MemoryError):  # unexpected: say where, once
                    fault = fault or f"\n{format_exc()}"
                continue
        records.append(record)
    if failures:
        raise RuntimeError(f"{len(failures)} of {len(keys)} {unit}s failed\n" + "\n".join(failures) + fault)
    return records


def _load(method, data, folds, fold, settings, case):
    if settings.get("resampling") == "bootstrap":
        rng = generator(case.seed, "resampling", case.data_set, case.replicate, fold)
        fold_data = bootstrap_data(data, folds, rng, method)
    else:
        fold_data = select_fold(data, folds, fold, method.scaled, method.takes_mixed)
    return fold_data, method(fold_data)


def _finished(path, key):
    with suppress(FileNotFoundError, ValueError):  # cut short by a crash
        record = read_json(path)
        return record if record.get("fingerprint") == key else None
    return None


def _fit_and_score(loaded: tuple[FoldData, Method], parameters, complexity, seed, staged):
    fold_data, method = loaded
    resources = Resources()
    with resources.measure("fit"):
        fitted = method.fit(parameters, complexity, seed)
    with resources.measure("score"):
        stages = fitted.staged_predict_proba(fold_data.X_score) if staged else [fitted.predict_proba(fold_data.X_score)]
        truth = fold_data.y_score, fold_data.weight_score
        scores = [(log_loss(p, *truth), error_rate(p, *truth)) for p in stages]
    losses, errors = map(list, zip(*scores, strict=True))
    return {
        "log_loss": losses if staged else losses[0],
        "error": errors if staged else errors[0],
        "n_fit": len(fold_data.y),
        "n_scored": len(fold_data.y_score),
        "n_features": fold_data.n_features,
        "summary": fitted.summary(),
        **({"staged_summary": fitted.staged_summary()} if staged else {}),
        "resources": resources.record(),
    }
