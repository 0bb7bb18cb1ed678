"""Penalised negative log-likelihood of one batch with its gradient, as a function of one flat parameter vector.

Conventions
-----------
The flat vector is theta = [v, w]: D feature weights, then one weight per candidate; all of them >= 0.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from proset.kernel import largest_values, loss_and_contractions


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
    """

    X: np.ndarray
    labels: np.ndarray
    row_weights: np.ndarray
    scores: np.ndarray
    candidates: np.ndarray
    blocks: np.ndarray
    penalty: Penalty

    def __call__(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient, shape (D + J,), from one pass over the kernel."""
        v, w = self.unpack(theta)
        loss, dv, dw = loss_and_contractions(
            self.X, self.labels, self.row_weights, self.scores, self.candidates, self.blocks, v, w, self.largest
        )
        penalty, penalty_dv, penalty_dw = self.penalty.value_and_gradient(v, w)
        return loss + penalty, self.pack(dv + penalty_dv, dw + penalty_dw)

    @cached_property
    def largest(self) -> np.ndarray:
        """Largest absolute value of each feature, shape (D,)."""
        return largest_values(self.X, self.candidates)

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
