"""Time of a fit and the objective it reaches, against SciPy's L-BFGS-B with the published settings.

Both start from the same point with the same candidates; objectives are judged in float64, by the slow reference of the
tests.
"""

import time

import numpy as np
from benchmarks.cases import all_cases, first_batch, first_fold
from scipy.optimize import minimize as scipy_minimize
from tests.reference import classifier as reference

from proset import arithmetic
from proset.losses import log_loss
from proset.solver import MAX_ITER, TOL
from proset_study.data.splits import FoldData

COLUMNS = (
    *("data_set", "setting", "seed", "seconds", "evaluations", "objective", "features", "converged"),
    *("published_path_seconds", "published_path_evaluations", "published_path_objective", "published_path_features"),
    *("difference", "log_loss", "published_path_log_loss"),
)


def run(data_sets: list[str] | None = None, seeds: range = range(5)) -> list[dict]:
    """Rows with `COLUMNS`; "difference" is our objective minus that of the published path, log-losses are of the fold
    held out.
    """
    rows = []
    for case in all_cases(data_sets):
        fold = first_fold(case.data_set)
        for seed in seeds:
            objective = first_batch(fold, case.penalty, seed)
            start = time.perf_counter()
            ours = objective.minimum(MAX_ITER, TOL)
            seconds = time.perf_counter() - start
            theirs = published_path(objective)
            path_seconds = time.perf_counter() - start - seconds
            values = [in_float64(objective, x) for x in (ours.x, theirs.x)]
            features = [int((objective.unpack(x)[0] > 0).sum()) for x in (ours.x, theirs.x)]
            losses = [held_out_log_loss(objective, x, fold) for x in (ours.x, theirs.x)]
            row = (
                case.data_set,
                case.setting,
                seed,
                seconds,
                ours.n_evaluations,
                values[0],
                features[0],
                ours.converged,
            )
            path = (path_seconds, theirs.nfev, values[1], features[1], values[0] - values[1], *losses)
            rows.append(dict(zip(COLUMNS, (*row, *path), strict=True)))
    return rows


def held_out_log_loss(objective, theta: np.ndarray, fold: FoldData) -> float:
    """Log-loss of a solution on the fold held out."""
    v, w = objective.unpack(theta)
    q = np.bincount(fold.y) / len(fold.y)
    q = q + arithmetic.class_sums(fold.X_score, objective.candidates, 0.0 * v, objective.class_offsets, v, w)
    return log_loss(q / q.sum(axis=1, keepdims=True), fold.y_score)


def published_path(objective):
    """SciPy's result with m = 10, factr = 1e7, pgtol = 1e-5, on our kernel (so that it ends in reasonable time)."""
    start = objective.start()
    options = {"maxcor": 10, "ftol": 1e7 * np.finfo(float).eps, "gtol": 1e-5, "maxiter": 15_000, "maxfun": 15_000}
    bounds = [(0.0, None)] * len(start)
    return scipy_minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)


def in_float64(objective, theta: np.ndarray) -> float:
    """The objective in double precision, by the slow reference."""
    v, w = objective.unpack(theta)
    classes = np.repeat(np.arange(len(objective.class_offsets) - 1), np.diff(objective.class_offsets))
    references = (objective.X, objective.labels, objective.row_weights, objective.previous_q)
    loss, _, _ = reference.loss_and_gradient(*references, objective.candidates, classes, v, w)
    return loss + objective.penalty.value_and_gradient(v, w)[0]
