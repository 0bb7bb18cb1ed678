"""Fits in which every sample is a reference, all or many are candidates, and no reference sees itself.

With the symbols of `proset.objective`, one batch on the distinct samples x_1, ..., x_N with weights s_n:

    q_k(x_n)  = previous_q_k(x_n) + sum_{j: y_j = k, j != n} w_j G_nj
    r_n       = s_n / N                     N: sum of the s_n

Loss, penalty and gradient are the same but for these two lines: the term of x_n's own prototype is left out of q and so
of df/dw_n, and every class has its weight without a factor. previous_q leaves it out, too.

Samples that agree in class and all features are one sample, whose weight is their sum: a copy would tell a reference
its own class just as its own prototype would. So a weight of 2 is the same as the same row twice. Samples of other
classes at the same place do see each other.

All samples as candidates are a working set that grows. It starts with a draw; after each minimum the gradient says for
every other sample, at weight zero, whether it would enter. Those with df/dw_j < 0 join, and the search goes on from
where it was. If none is left, by more than the solver's tolerance, the minimum over the working set is one over all
samples: that is the certificate.
"""

from dataclasses import dataclass
from functools import cached_property
from math import fsum

import numpy as np

from proset import arithmetic
from proset.candidates import draw_candidates
from proset.model import Model, batch_generator, fitted_batch
from proset.objective import Objective, Penalty
from proset.solver import Solution

START = 1000  # candidates of the first working set
MAX_ROUNDS = 30  # of the working set; most fits take three to six


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
    q, batches = np.tile(prior, (len(samples.y), 1)), []
    for b in range(n_batches):
        drawn = _draw(q, samples.y, min(n_candidates or START, len(samples.y)), batch_generator(seed, b))
        search = _Search(samples, samples.weight / total, q, penalty, n_threads)
        candidates, solution = search.minimum(drawn, n_candidates is None, max_iter, tol)
        rows = samples.row[candidates]
        batches.append(fitted_batch(X, y, rows, np.sort(rows), solution))
        q = q + search.sums(candidates, solution.x)
    return Model(prior, samples.centre, tuple(batches))


def _draw(q: np.ndarray, y: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    return np.arange(len(y)) if number == len(y) else draw_candidates(q, y, number, 1.0, rng)


@dataclass(frozen=True)
class _Search:
    """The search for the minimum of one batch."""

    samples: Samples
    row_weights: np.ndarray
    previous_q: np.ndarray
    penalty: Penalty
    n_threads: int

    def objective(self, candidates: np.ndarray) -> Objective:
        samples, rows = self.samples, self.samples.references
        return Objective(
            X=samples.X[rows],
            labels=samples.y[rows],
            row_weights=self.row_weights[rows],
            previous_q=self.previous_q[rows],
            candidates=samples.X[candidates],
            class_offsets=self._class_offsets(candidates),
            penalty=self.penalty,
            own=self._places(candidates)[rows],
            is_sorted=samples.is_sorted,
            n_threads=self.n_threads,
        )

    def minimum(self, candidates: np.ndarray, grows: bool, max_iter: int, tol: float) -> tuple[np.ndarray, Solution]:
        """Candidates, sorted, and the minimum over their weights; over all samples if the set `grows`."""
        n, objective = len(self.samples.y), self.objective(candidates)
        start, n_iter, n_evaluations = objective.start(), 0, 0
        for _ in range(MAX_ROUNDS):
            solution = objective.minimum(max_iter, tol, start)
            n_iter, n_evaluations = n_iter + solution.n_iter, n_evaluations + solution.n_evaluations
            entering = self._entering(candidates, solution.x, tol) if grows and len(candidates) < n else candidates[:0]
            if not len(entering):
                break
            v, weights = self._weights(candidates, solution.x)
            candidates = np.union1d(candidates, entering)
            objective = self.objective(candidates)
            start = objective.pack(v, weights[candidates])
        converged = solution.converged and not len(entering)
        message = solution.message if not len(entering) else f"limit of {MAX_ROUNDS} rounds of candidates reached"
        return candidates, Solution(solution.x, solution.fun, n_iter, n_evaluations, converged, message)

    def _entering(self, candidates: np.ndarray, theta: np.ndarray, tol: float) -> np.ndarray:
        """Samples outside whose weight would leave zero, as far as the solver tells a derivative from 0."""
        _, gradient = self._everything(self._everything.pack(*self._weights(candidates, theta)))
        _, of_weights = self._everything.unpack(gradient * self._everything.scale())
        return np.setdiff1d(np.flatnonzero(of_weights < -tol), candidates, assume_unique=True)

    @cached_property
    def _everything(self) -> Objective:
        """The objective with all samples as candidates."""
        return self.objective(np.arange(len(self.samples.y)))

    def _weights(self, candidates: np.ndarray, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights of the features, and of all samples as prototypes: 0 outside the candidates."""
        X = self.samples.X
        weights = np.zeros(len(X))
        weights[candidates] = theta[X.shape[1] :]
        return theta[: X.shape[1]], weights

    def sums(self, candidates: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """What the batch adds to q of every sample without its own prototype, shape (N, K)."""
        v, weights = self._weights(candidates, theta)
        X, kept = self.samples.X, np.flatnonzero(weights > 0.0)
        arrays = (X, X[kept], np.zeros(len(v)), self._class_offsets(kept), v, weights[kept], self._places(kept))
        return arithmetic.class_sums(*arrays, n_threads=self.n_threads)

    def _class_offsets(self, candidates: np.ndarray) -> np.ndarray:
        return np.searchsorted(self.samples.y[candidates], np.arange(self.previous_q.shape[1] + 1))

    def _places(self, candidates: np.ndarray) -> np.ndarray:
        """Where each sample is among the candidates, -1 if it is none."""
        places = np.full(len(self.samples.y), -1)
        places[candidates] = np.arange(len(candidates))
        return places
