"""Penalised negative log-likelihood of one batch with its gradient, as a function of one flat parameter vector.

A batch has J candidates x_1, ..., x_J with classes y_1, ..., y_J, drawn from the N training samples; all other samples
are its references. It is fitted while the batches before it stay as they are.

Model
-----
With feature weights v and prototype weights w, for a reference x_n and the classes k = 1, ..., K:

    G_nj       = exp(-1/2 sum_d (v_d (x_nd - x_jd))^2)           Gaussian kernel
    q_k(x_n)   = previous_q_k(x_n) + sum_{j: y_j = k} w_j G_nj   unnormalised class probabilities
    P(k|x_n)   = q_k(x_n) / sum_l q_l(x_n)                       class probabilities

Here previous_q is q with the batches before this one; without any it is the class prior N_k / N, with the N_k training
samples of class k. After the fit, candidates with w_j > 0 are the prototypes of the batch.

G is that of numbers; categories and missing values have other exponents, with the same weights (`proset.columns`).

Objective
---------
    f(v, w)    = loss + penalty(v) + penalty(w)
    loss       = -sum_n r_n log P(y_n|x_n)
    r_n        = s_n N_k / (N_k - J_k) / N                       k = y_n, of which there are J_k candidates
    penalty(x) = lambda sum_i (alpha / 2 x_i^2 + (1 - alpha) x_i)

The factor N_k / (N_k - J_k) gives each class the weight that it has among all samples. s_n is the sample weight, by
default 1; N, N_k and N_k - J_k are sums of sample weights, the last one over the references of class k. v has the
penalty lambda_v, alpha_v, and w has lambda_w, alpha_w.

Gradient
--------
With a_nk = d loss / d q_k(x_n):

    a_nk       = r_n (1 / sum_l q_l(x_n) - [y_n = k] / q_k(x_n))
    df/dw_j    = sum_n a_{n,y_j} G_nj + lambda_w (alpha_w w_j + 1 - alpha_w)
    df/dv_d    = -v_d sum_{n,j} a_{n,y_j} w_j G_nj (x_nd - x_jd)^2 + lambda_v (alpha_v v_d + 1 - alpha_v)

Conventions
-----------
- The flat vector is theta = [v, w], of length D + J. All weights are >= 0, so that |x| = x and f is smooth.
- alpha is the mixing ratio of the penalty, the proportion of l2: the other way round from scikit-learn's `l1_ratio`,
  and with the factor 1/2 for l2.
- lambda does not grow with N: the loss is a mean over samples, in nats.
- d loss / dv_d has the factor v_d: once a feature is at zero, the loss does not draw it away again.
- f is not convex; which minimum is found depends on start and solver (`proset.solver`).
- Classes are 0, ..., K - 1 in the code. Candidates are sorted by class: those of class k have the indices from
  class_offsets[k] to class_offsets[k + 1] - 1.

References
----------
N. Ruf, proset technical report (2021), chapter on the classifier.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from proset import library
from proset.columns import Columns
from proset.solver import PATH_ITERATIONS, Solution


@dataclass(frozen=True)
class Penalty:
    """Elastic net penalty of both groups of weights, lambda sum_i (alpha / 2 x_i^2 + (1 - alpha) x_i).

    Attributes
    ----------
    lambda_v, lambda_w : float >= 0
        Strength.
    alpha_v, alpha_w : float in [0, 1]
        Mixing ratio: the proportion of l2.

    Examples
    --------
    >>> penalty = Penalty(lambda_v=0.1, lambda_w=0.2, alpha_v=0.5, alpha_w=1.0)
    >>> value, dv, dw = penalty.value_and_gradient(np.array([2.0]), np.array([1.0, 3.0]))
    >>> round(value, 6)  # 0.1 (0.5 / 2 * 4 + 0.5 * 2) + 0.2 (1 / 2 * (1 + 9))
    1.2
    >>> dv.round(6).tolist(), dw.round(6).tolist()
    ([0.15], [0.2, 0.6])
    """

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
        References x_n.
    labels : ndarray of int, shape (N_ref,)
        Their classes y_n.
    row_weights : ndarray, shape (N_ref,)
        r_n.
    previous_q : ndarray, shape (N_ref, K)
        Unnormalised class probabilities before this batch.
    candidates : ndarray, shape (J, D)
        x_j, sorted by class.
    class_offsets : ndarray of int, shape (K + 1,)
        Where the candidates of each class begin; the last one is J.
    penalty : Penalty
    own : ndarray of int, shape (N_ref,), optional
        The candidate that each reference is itself, -1 for none.
    own_kernel : ndarray, shape (N_ref,), optional
        The kernel value that it has for this reference, in [0, 1); by default 0: the reference does not see itself.
    columns : Columns, optional
        By default all features are numbers, of which none is missing.
    is_sorted : bool
        Whether references, and candidates of a class, come in an order that keeps neighbours together
        (`proset.arithmetic.sort_neighbours`).
    n_threads : int
        The result does not depend on them.

    Examples
    --------
    Two classes on a line, a reference and a candidate of each at 0 and at 2:

    >>> X = np.array([[0.0], [2.0]])
    >>> f = Objective(
    ...     X=X,
    ...     labels=np.array([0, 1]),
    ...     row_weights=np.array([0.5, 0.5]),
    ...     previous_q=np.full((2, 2), 0.5),
    ...     candidates=X,
    ...     class_offsets=np.array([0, 1, 2]),
    ...     penalty=Penalty(lambda_v=0.0, lambda_w=0.0, alpha_v=1.0, alpha_w=1.0),
    ... )
    >>> value, gradient = f(np.array([1.0, 1.0, 1.0]))  # v = 1, w = (1, 1)
    >>> q_true, q_other = 0.5 + 1.0, 0.5 + np.exp(-2.0)
    >>> bool(np.isclose(value, -np.log(q_true / (q_true + q_other)), rtol=1e-5))
    True
    >>> gradient.shape
    (3,)
    """

    X: np.ndarray
    labels: np.ndarray
    row_weights: np.ndarray
    previous_q: np.ndarray
    candidates: np.ndarray
    class_offsets: np.ndarray
    penalty: Penalty
    own: np.ndarray | None = None
    own_kernel: np.ndarray | None = None
    columns: Columns | None = None
    is_sorted: bool = False
    n_threads: int = 1

    def __call__(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient, shape (D + J,), from one pass over the kernel.

        Raises
        ------
        MemoryError
        """
        return library.objective(self._problem, theta)

    def increases(self, theta: np.ndarray) -> np.ndarray:
        """Increase in f if a prototype is removed, for each of them, shape (J,), from one pass over the kernel.

        With Q_n = sum_l q_l(x_n), and c_nj = w_j G_nj what prototype j of class k_j adds at reference n:

            sum_n r_n [log(Q_n - c_nj) - log(q_{y_n}(x_n) - c_nj [k_j = y_n])] - loss
            - lambda_w (alpha_w / 2 w_j^2 + (1 - alpha_w) w_j)
        """
        return library.increases(self._problem, theta)

    def minimum(
        self, max_iter: int, tol: float, start: np.ndarray | None = None, path: int = PATH_ITERATIONS
    ) -> Solution:
        """The local minimum that the solver (`proset.solver`) finds from a start, by default `self.start()`.

        Raises
        ------
        FloatingPointError
            If the objective is not finite there.
        """
        theta = self.start() if start is None else start
        solution = library.fit(self._problem, theta, self.scale(), path, max_iter, tol)
        if not np.isfinite(solution.fun):
            raise FloatingPointError(f"the objective is {solution.fun} after {solution.n_evaluations} evaluations")
        return solution

    @cached_property
    def _problem(self) -> library.Problem:
        own = self.own, library.own_distance(self.own_kernel)
        of_columns = library.of_columns(self.columns)
        arrays = (self.X, self.labels, *own, self.row_weights, self.previous_q, self.candidates, self.class_offsets)
        sizes = (*self.X.shape, self.previous_q.shape[1], self.is_sorted, self.n_threads)
        penalty = self.penalty
        weights = (penalty.lambda_v, penalty.lambda_w, penalty.alpha_v, penalty.alpha_w)
        return library.problem((*arrays, *of_columns), sizes, weights)

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
