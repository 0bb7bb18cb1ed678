"""Fits in which every sample is a reference, all or many are candidates, and no reference sees itself.

With the symbols of `proset.objective`, one batch on the distinct samples x_1, ..., x_N with weights s_n:

    q_k(x_n)  = previous_q_k(x_n) + sum_{j: y_j = k, j != n} w_j G_nj
    r_n       = s_n / N                     N: sum of the s_n

Loss, penalty and gradient are the same but for these two lines: the term of x_n's own prototype is left out of q and so
of df/dw_n, and every class has its weight without a factor. previous_q leaves it out, too.

Samples that agree in class and all features are one sample, whose weight is their sum: a copy would tell a reference
its own class just as its own prototype would. So a weight of 2 is the same as the same row twice. Samples of other
classes at the same place do see each other.

The candidates, all samples or a draw, are a working set that grows. The search starts with some of them, drawn; the
weights of the others are held at zero until the solver's second phase looks at their derivatives, and those with
df/dw_j < 0 are let go (`proset.solver`). Where it ends, all derivatives are looked at once more, and the search goes on
as long as one outside is steeper than the tolerance and than the steepest inside. So the minimum is one over all
candidates: none outside the working set would enter sooner than those inside would still move. That is the certificate.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import fsum

import numpy as np

from proset import arithmetic
from proset.candidates import draw_candidates
from proset.model import Model, Stage, batch_generator, fitted_batch
from proset.objective import Objective, Penalty
from proset.solver import Solution

START = 1000  # candidates of the first working set


@dataclass(frozen=True)
class Samples:
    """Distinct training samples, sorted by class.

    Attributes
    ----------
    X : ndarray, shape (N, D)
        Features, counted from `centre`.
    y : ndarray of int, shape (N,)
    weight : ndarray, shape (N,)
        s_n.
    row : ndarray of int, shape (N,)
        The first row of the training data with each sample.
    references : ndarray of int, shape (N,)
        All of them in the order in which they are references.
    centre : ndarray, shape (D,)
    is_sorted : bool
        See `proset.objective.Objective`.
    """

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    row: np.ndarray
    references: np.ndarray
    centre: np.ndarray
    is_sorted: bool

    @classmethod
    def of(cls, X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> "Samples":
        """The distinct samples of training data; their order does not depend on that of the rows."""
        keyed = np.column_stack([y, X + 0.0])  # -0.0 is 0.0
        _, row, inverse = np.unique(keyed, axis=0, return_index=True, return_inverse=True)
        weight = np.bincount(inverse.ravel(), weights=weight)
        centre = arithmetic.means(X[row])
        is_sorted = X.shape[1] <= arithmetic.SORTED_FEATURES
        references = np.arange(len(row))
        if is_sorted:
            of_class = np.split(references, np.flatnonzero(np.diff(y[row])) + 1)
            order = np.concatenate([arithmetic.neighbours_together(X[row], rows) for rows in of_class])
            row, weight = row[order], weight[order]
            references = arithmetic.neighbours_together(X[row], references)
        return cls(X[row] - centre, y[row], weight, row, references, centre, is_sorted)


def fit(
    X: np.ndarray,
    y: np.ndarray,
    n_classes: int,
    *,
    n_batches: int,
    n_candidates: int | None,
    penalty: Penalty,
    max_iter: int,
    tol: float,
    seed: np.random.SeedSequence,
    sample_weight: np.ndarray | None = None,
    n_threads: int = 1,
    start: Stage | None = None,
    after_batch: Callable[[Stage], None] | None = None,
) -> Model:
    """Fit a model with leave-one-out references; None for `n_candidates` means all samples. Else as `proset.model.fit`.

    Raises
    ------
    FloatingPointError
        If the objective is not finite at the solution.
    """
    samples = Samples.of(X, y, np.ones(len(y)) if sample_weight is None else sample_weight)
    total = fsum(samples.weight)
    prior = np.bincount(samples.y, weights=samples.weight, minlength=n_classes) / total
    model, q = start or (Model(prior, samples.centre, ()), np.tile(prior, (len(samples.y), 1)))
    for b in range(len(model.batches), n_batches):
        rng = batch_generator(seed, b)
        candidates = _draw(q, samples.y, n_candidates or len(samples.y), rng)
        first = _draw(q[candidates], samples.y[candidates], START, rng)
        objective = _objective(samples, samples.weight / total, q, candidates, penalty, n_threads)
        solution = _minimum(objective, np.isin(np.arange(len(candidates)), first), max_iter, tol)
        rows = samples.row[candidates]
        model = replace(model, batches=(*model.batches, fitted_batch(X, y, rows, np.sort(rows), solution)))
        q = q + _sums(samples, candidates, objective.unpack(solution.x), n_classes, n_threads)
        if after_batch is not None:
            after_batch((model, q))
    return model


def _draw(q: np.ndarray, y: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    return np.arange(len(y)) if number >= len(y) else draw_candidates(q, y, number, 1.0, rng)


def _objective(
    samples: Samples, row_weights: np.ndarray, q: np.ndarray, candidates: np.ndarray, penalty: Penalty, n_threads: int
) -> Objective:
    rows = samples.references
    return Objective(
        X=samples.X[rows],
        labels=samples.y[rows],
        row_weights=row_weights[rows],
        previous_q=q[rows],
        candidates=samples.X[candidates],
        class_offsets=_class_offsets(samples, candidates, q.shape[1]),
        penalty=penalty,
        own=_places(samples, candidates)[rows],
        is_sorted=samples.is_sorted,
        n_threads=n_threads,
    )


def _minimum(objective: Objective, first: np.ndarray, max_iter: int, tol: float) -> Solution:
    """The minimum over the weights of all candidates, from a start with those of the mask `first` only."""
    v, w = objective.unpack(objective.start())
    solution = objective.minimum(max_iter, tol, objective.pack(v, np.where(first, w, 0.0)))
    while solution.converged:
        slopes = objective(solution.x)[1] * objective.scale()
        inside, outside = slopes[solution.x > 0], slopes[solution.x == 0]
        if -outside.min(initial=0.0) <= np.abs(inside).max(initial=tol):
            break
        further = objective.minimum(max_iter - solution.n_iter, tol, solution.x, path=0)
        n_iter, n_evaluations = solution.n_iter + further.n_iter, solution.n_evaluations + 1 + further.n_evaluations
        message = further.message if n_iter < max_iter else f"limit of {max_iter} iterations reached"
        solution = replace(further, n_iter=n_iter, n_evaluations=n_evaluations, message=message)
    return solution


def _sums(
    samples: Samples,
    candidates: np.ndarray,
    weights: tuple[np.ndarray, np.ndarray],
    n_classes: int,
    n_threads: int,
) -> np.ndarray:
    """What a batch adds to q of every sample without its own prototype, shape (N, K)."""
    v, w = weights
    X, kept = samples.X, candidates[w > 0.0]
    arrays = (X, X[kept], np.zeros(len(v)), _class_offsets(samples, kept, n_classes), v, w[w > 0.0])
    return arithmetic.class_sums(*arrays, own=_places(samples, kept), n_threads=n_threads)


def _class_offsets(samples: Samples, candidates: np.ndarray, n_classes: int) -> np.ndarray:
    return np.searchsorted(samples.y[candidates], np.arange(n_classes + 1))


def _places(samples: Samples, candidates: np.ndarray) -> np.ndarray:
    """Where each sample is among the candidates, -1 if it is none."""
    places = np.full(len(samples.y), -1)
    places[candidates] = np.arange(len(candidates))
    return places
