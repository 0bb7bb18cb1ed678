"""The classifier straight from the formulas of `proset.objective`, in float64: slow, the measure of the compiled code.

Symbols are those of that module's docstring.
"""

import numpy as np

from proset.columns import Columns


def kernel(X, prototypes, v, own=None, own_kernel=None, columns: Columns | None = None) -> np.ndarray:
    """G_nj, shape (N, J): exp(-1/2 sum_d e_d), and `own_kernel`, by default 0, for the prototype that a row is itself.

    e_d is (v_d (x_nd - x_jd))^2 for numbers, see `proset.columns` for others. `own` is -1 for rows that are none.
    """
    exponent = np.zeros((len(X), len(prototypes)))
    for d in range(len(v)):
        x, c = X[:, d, None], prototypes[:, d]
        exponent += (v[d] * (x - c)) ** 2 if columns is None else columns.exponent(d, x, c, v[d])
    G = np.exp(-0.5 * exponent)
    if own is not None:
        n = np.flatnonzero(own >= 0)
        G[n, own[n]] = 0.0 if own_kernel is None else own_kernel[n]
    return G


def slope(d: int, x: np.ndarray, c: np.ndarray, v: float, columns: Columns | None) -> np.ndarray:
    """The derivative of e_d by v_d, divided by 2 v_d."""
    if columns is None:
        return (x - c) ** 2
    if columns.levels[d]:
        return np.where(x != c, columns.category[d] ** 2, 0.0)
    one_missing = columns.spread[d] ** 2 / (1.0 + (v * columns.spread[d]) ** 2)
    missing_x, missing_c = np.isnan(x), np.isnan(c)
    return np.where(missing_x != missing_c, one_missing, np.where(missing_x | missing_c, 0.0, (x - c) ** 2))


def unnormalised(X, previous_q, prototypes, labels, v, w) -> np.ndarray:
    """q_k(x_n) = previous_q_k(x_n) + sum_{j: y_j = k} w_j G_nj, shape (N, K)."""
    return _added(previous_q, kernel(X, prototypes, v), labels, w)


def _added(previous_q: np.ndarray, G: np.ndarray, labels: np.ndarray, w: np.ndarray) -> np.ndarray:
    added = [(G * w)[:, labels == k].sum(axis=1) for k in range(previous_q.shape[1])]
    return previous_q + np.stack(added, axis=1)


def _loss(q: np.ndarray, y: np.ndarray, r: np.ndarray) -> float:
    return float(-(r * np.log(q[np.arange(len(y)), y] / q.sum(axis=1))).sum())


def loss_and_gradient(X, y, r, previous_q, prototypes, labels, v, w, own=None, own_kernel=None, columns=None):
    """The loss of references X of classes y with weights r, and its derivatives by v, (D,), and w, (J,)."""
    G = kernel(X, prototypes, v, own, own_kernel, columns)
    q = _added(previous_q, G, labels, w)
    is_true_class = y[:, None] == np.arange(q.shape[1])
    a = r[:, None] * (1.0 / q.sum(axis=1, keepdims=True) - is_true_class / q)  # (N, K)
    aG = a[:, labels] * G  # (N, J)
    slopes = (slope(d, X[:, d, None], prototypes[:, d], v[d], columns) for d in range(len(v)))
    return _loss(q, y, r), -v * np.array([(aG * w * of_feature).sum() for of_feature in slopes]), aG.sum(axis=0)


def loss_increases(
    X, y, r, previous_q, prototypes, labels, v, w, own=None, own_kernel=None, columns=None
) -> np.ndarray:
    """By how much the loss rises without each of the prototypes, shape (J,); arguments as of `loss_and_gradient`."""
    G = kernel(X, prototypes, v, own, own_kernel, columns)
    losses = [
        _loss(_added(previous_q, G, labels, np.where(np.arange(len(w)) == j, 0.0, w)), y, r) for j in range(len(w))
    ]
    return np.array(losses) - _loss(_added(previous_q, G, labels, w), y, r)


def penalty(x: np.ndarray, lambda_: float, alpha: float) -> float:
    """lambda sum_i (alpha / 2 x_i^2 + (1 - alpha) x_i)."""
    return float(lambda_ * (alpha / 2.0 * x**2 + (1.0 - alpha) * x).sum())


def row_weights(y: np.ndarray, references: np.ndarray, n_classes: int, s: np.ndarray) -> np.ndarray:
    """r_n = s_n N_k / (N_k - J_k) / N for the class k of n, shape (N_ref,); s are the sample weights."""
    N_k = np.array([s[y == k].sum() for k in range(n_classes)])
    N_k_minus_J_k = np.array([s[references][y[references] == k].sum() for k in range(n_classes)])
    return s[references] * (N_k / N_k_minus_J_k)[y[references]] / s.sum()


def objective(X, y, previous_q, candidates, v, w, *, sample_weight=None, lambda_v, lambda_w, alpha_v, alpha_w) -> float:
    """f(v, w) of one batch, of all training samples X, shape (N, D), and their classes y.

    `previous_q`, shape (N, K), are unnormalised class probabilities before this batch. `candidates`, shape (J,), are
    indices; all other samples are references.
    """
    loss, _, _ = loss_and_gradient(*_arguments(X, y, previous_q, candidates, sample_weight), v, w)
    return loss + penalty(v, lambda_v, alpha_v) + penalty(w, lambda_w, alpha_w)


def gradient(X, y, previous_q, candidates, v, w, *, sample_weight=None, lambda_v, lambda_w, alpha_v, alpha_w):
    """df/dv, shape (D,), and df/dw, shape (J,); parameters as in `objective`."""
    _, dv, dw = loss_and_gradient(*_arguments(X, y, previous_q, candidates, sample_weight), v, w)
    return dv + lambda_v * (alpha_v * v + 1.0 - alpha_v), dw + lambda_w * (alpha_w * w + 1.0 - alpha_w)


def _arguments(X, y, previous_q, candidates, sample_weight):
    s = np.ones(len(y)) if sample_weight is None else sample_weight
    n = np.setdiff1d(np.arange(len(y)), candidates)  # the references
    r = row_weights(y, n, previous_q.shape[1], s)
    return X[n], y[n], r, previous_q[n], X[candidates], y[candidates]
