"""Penalised negative log-likelihood of one batch with its gradient, as a function of one flat parameter vector.

Conventions
-----------
The flat vector is theta = [v, w]: D feature weights, then one weight per candidate; all of them >= 0.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from proset import library
from proset.kernel import loss_and_contractions
from proset.solver import Solution, minimize


@dataclass(frozen=True)
class Penalty:
    """lambda * (alpha / 2 * x^2 + (1 - alpha) * x) for both groups of weights; alpha is the share of l2."""

    lambda_v: float
    lambda_w: float
    alpha_v: float
    alpha_w: float

    def value_and_gradient(self, v: np.ndarray, w: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Penalty of non-negative weights, d/dv of shape (D,) and d/dw of shape (J,)."""
        value = self.lambda_v * (self.alpha_v / 2.0 * (v @ v) + (1.0 - self.alpha_v) * v.sum())
        value += self.lambda_w * (self.alpha_w / 2.0 * (w @ w) + (1.0 - self.alpha_w) * w.sum())
        return (
            float(value),
            self.lambda_v * (self.alpha_v * v + 1.0 - self.alpha_v),
            self.lambda_w * (self.alpha_w * w + 1.0 - self.alpha_w),
        )


@dataclass(frozen=True)
class Objective:
    """f(theta) of one batch for fixed candidates and references.

    Attributes
    ----------
    X : ndarray, shape (N_ref, D)
        Reference samples.
    labels : ndarray of int, shape (N_ref,)
    row_weights : ndarray, shape (N_ref,)
        r_n = N_k / (N_k - J_k) / N for the class k of n, times its sample weight.
    scores : ndarray, shape (N_ref, K)
        q of the earlier batches.
    candidates : ndarray, shape (J, D)
        Sorted by class.
    blocks : ndarray of int, shape (K + 1,)
        Boundaries of the classes among the candidates.
    penalty : Penalty
    is_sorted : bool
        Whether references, and candidates of a class, come in an order that keeps neighbours together
        (`proset.arithmetic.neighbours_together`).
    n_threads : int
        They change nothing but the time.
    """

    X: np.ndarray
    labels: np.ndarray
    row_weights: np.ndarray
    scores: np.ndarray
    candidates: np.ndarray
    blocks: np.ndarray
    penalty: Penalty
    is_sorted: bool = False
    n_threads: int = 1

    def __call__(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient, shape (D + J,), from one pass over the kernel."""
        if library.library():
            return library.objective(self._problem, theta)
        v, w = self.unpack(theta)
        loss, dv, dw = loss_and_contractions(
            self.X, self.labels, self.row_weights, self.scores, self.candidates, self.blocks, v, w
        )
        penalty, penalty_dv, penalty_dw = self.penalty.value_and_gradient(v, w)
        return loss + penalty, self.pack(dv + penalty_dv, dw + penalty_dw)

    def minimum(self, max_iter: int, tol: float) -> Solution:
        """The local minimum that `proset.solver.minimize` finds from `start`, by the library if it is there."""
        if library.library():
            return Solution(*library.fit(self._problem, self.start(), self.scale(), max_iter, tol))
        return minimize(self, self.start(), self.scale(), max_iter=max_iter, tol=tol)

    @cached_property
    def _problem(self) -> library.Problem:
        arrays = (self.X, self.labels, self.row_weights, self.scores, self.candidates, self.blocks)
        sizes = (*self.X.shape, self.scores.shape[1], self.is_sorted, self.n_threads)
        penalty = self.penalty
        weights = (penalty.lambda_v, penalty.lambda_w, penalty.alpha_v, penalty.alpha_w)
        return library.problem(arrays, sizes, weights)

    def start(self) -> np.ndarray:
        """v_d = 10 / D, w_j = 1."""
        n_features = self.X.shape[1]
        return self.pack(np.full(n_features, 10.0 / n_features), np.ones(len(self.candidates)))

    def scale(self) -> np.ndarray:
        """Typical sizes of the variables: feature weights are about 1 to 10, prototype weights up to some hundreds."""
        return self.pack(np.ones(self.X.shape[1]), np.full(len(self.candidates), 100.0))

    def unpack(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Split theta into v, shape (D,), and w, shape (J,)."""
        n_features = self.X.shape[1]
        return theta[:n_features], theta[n_features:]

    @staticmethod
    def pack(v: np.ndarray, w: np.ndarray) -> np.ndarray:
        """The inverse of `unpack`."""
        return np.concatenate([v, w])
