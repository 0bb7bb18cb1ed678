"""The classifier straight from the formulas of `proset.objective`, in float64: slow, the measure of the fast code.

Symbols are those of that module's docstring. N x J x D arrays are allowed.
"""

import numpy as np


def kernel(X: np.ndarray, prototypes: np.ndarray, v: np.ndarray) -> np.ndarray:
    """G_nj = exp(-1/2 sum_d (v_d (x_nd - x_jd))^2), shape (N, J)."""
    difference = (X[:, None, :] - prototypes[None, :, :]) * v  # (N, J, D)
    return np.exp(-0.5 * (difference**2).sum(axis=2))


def unnormalised(
    X: np.ndarray, previous_q: np.ndarray, prototypes: np.ndarray, labels: np.ndarray, v: np.ndarray, w: np.ndarray
) -> np.ndarray:
    """q_k(x_n) = previous_q_k(x_n) + sum_{j: y_j = k} w_j G_nj, shape (N, K)."""
    G = kernel(X, prototypes, v)
    added = [(G * w)[:, labels == k].sum(axis=1) for k in range(previous_q.shape[1])]
    return previous_q + np.stack(added, axis=1)


def penalty(x: np.ndarray, lambda_: float, alpha: float) -> float:
    """lambda sum_i (alpha / 2 x_i^2 + (1 - alpha) x_i)."""
    return float(lambda_ * (alpha / 2.0 * x**2 + (1.0 - alpha) * x).sum())


def row_weights(y: np.ndarray, references: np.ndarray, n_classes: int, s: np.ndarray) -> np.ndarray:
    """r_n = s_n N_k / (N_k - J_k) / N for the class k of n, shape (N_ref,); s are the sample weights."""
    N_k = np.array([s[y == k].sum() for k in range(n_classes)])
    N_k_minus_J_k = np.array([s[references][y[references] == k].sum() for k in range(n_classes)])
    return s[references] * (N_k / N_k_minus_J_k)[y[references]] / s.sum()


def objective(
    X: np.ndarray,
    y: np.ndarray,
    previous_q: np.ndarray,
    candidates: np.ndarray,
    v: np.ndarray,
    w: np.ndarray,
    *,
    lambda_v: float,
    lambda_w: float,
    alpha_v: float,
    alpha_w: float,
    sample_weight: np.ndarray | None = None,
) -> float:
    """f(v, w) of one batch.

    Parameters
    ----------
    X : ndarray, shape (N, D); y : ndarray of int, shape (N,)
        All training samples.
    previous_q : ndarray, shape (N, K)
        Unnormalised class probabilities before this batch.
    candidates : ndarray of int, shape (J,)
        Indices of the candidates; all other samples are references.
    v, w : ndarrays, shapes (D,) and (J,)
    """
    s = np.ones(len(y)) if sample_weight is None else sample_weight
    n = np.setdiff1d(np.arange(len(y)), candidates)  # the references
    q = unnormalised(X[n], previous_q[n], X[candidates], y[candidates], v, w)
    P = q / q.sum(axis=1, keepdims=True)
    r = row_weights(y, n, previous_q.shape[1], s)
    loss = -(r * np.log(P[np.arange(len(n)), y[n]])).sum()
    return float(loss + penalty(v, lambda_v, alpha_v) + penalty(w, lambda_w, alpha_w))


def gradient(
    X: np.ndarray,
    y: np.ndarray,
    previous_q: np.ndarray,
    candidates: np.ndarray,
    v: np.ndarray,
    w: np.ndarray,
    *,
    lambda_v: float,
    lambda_w: float,
    alpha_v: float,
    alpha_w: float,
    sample_weight: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """df/dv, shape (D,), and df/dw, shape (J,); parameters as in `objective`."""
    s = np.ones(len(y)) if sample_weight is None else sample_weight
    n = np.setdiff1d(np.arange(len(y)), candidates)
    q = unnormalised(X[n], previous_q[n], X[candidates], y[candidates], v, w)
    r = row_weights(y, n, previous_q.shape[1], s)
    is_true_class = y[n][:, None] == np.arange(previous_q.shape[1])
    a = r[:, None] * (1.0 / q.sum(axis=1, keepdims=True) - is_true_class / q)  # (N_ref, K)
    aG = a[:, y[candidates]] * kernel(X[n], X[candidates], v)  # (N_ref, J)
    squared = (X[n][:, None, :] - X[candidates][None, :, :]) ** 2  # (N_ref, J, D)
    dv = -v * np.einsum("nj,j,njd->d", aG, w, squared)
    dw = aG.sum(axis=0)
    return dv + lambda_v * (alpha_v * v + 1.0 - alpha_v), dw + lambda_w * (alpha_w * w + 1.0 - alpha_w)


def leave_one_out_objective(
    X: np.ndarray, y: np.ndarray, previous_q: np.ndarray, v: np.ndarray, w: np.ndarray, s: np.ndarray, penalties
) -> float:
    """f(v, w) of one batch with leave-one-out references, all samples candidates; see `proset.leave_one_out`."""
    G = kernel(X, X, v)
    np.fill_diagonal(G, 0.0)
    added = [(G * w)[:, y == k].sum(axis=1) for k in range(previous_q.shape[1])]
    q = previous_q + np.stack(added, axis=1)
    P = q / q.sum(axis=1, keepdims=True)
    loss = -(s / s.sum() * np.log(P[np.arange(len(y)), y])).sum()
    p = penalties
    return float(loss + penalty(v, p.lambda_v, p.alpha_v) + penalty(w, p.lambda_w, p.alpha_w))
