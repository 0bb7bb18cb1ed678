"""The classifier written straight from its formulas, in float64: slow, readable, and the measure of the fast code.

Nothing here is used by the package itself. N x J x D arrays are allowed.
"""

import numpy as np


def kernel(X: np.ndarray, prototypes: np.ndarray, feature_weights: np.ndarray) -> np.ndarray:
    """G_v(x - x_j) = exp(-1/2 sum_d (v_d (x_d - x_jd))^2), shape (N, J)."""
    difference = (X[:, None, :] - prototypes[None, :, :]) * feature_weights  # (N, J, D)
    return np.exp(-0.5 * (difference**2).sum(axis=2))


def class_scores(
    X: np.ndarray,
    scores: np.ndarray,
    prototypes: np.ndarray,
    labels: np.ndarray,
    feature_weights: np.ndarray,
    prototype_weights: np.ndarray,
) -> np.ndarray:
    """q_k(x) of the earlier batches (`scores`, (N, K)) plus the sum over this batch's prototypes of class k, (N, K)."""
    G = kernel(X, prototypes, feature_weights)
    added = [(G * prototype_weights)[:, labels == k].sum(axis=1) for k in range(scores.shape[1])]
    return scores + np.stack(added, axis=1)


def penalty(values: np.ndarray, strength: float, l2_share: float) -> float:
    """lambda * sum(alpha / 2 * value^2 + (1 - alpha) * value)."""
    return float(strength * (l2_share / 2.0 * values**2 + (1.0 - l2_share) * values).sum())


def objective(
    X: np.ndarray,
    y: np.ndarray,
    scores: np.ndarray,
    candidates: np.ndarray,
    feature_weights: np.ndarray,
    prototype_weights: np.ndarray,
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
    scores : ndarray, shape (N, K)
        q of the earlier batches.
    candidates : ndarray of int, shape (J,)
        Indices of the candidates; all other samples are references.
    feature_weights, prototype_weights : ndarrays, shapes (D,) and (J,)
    """
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    reference = np.setdiff1d(np.arange(len(y)), candidates)
    q = class_scores(X[reference], scores[reference], X[candidates], y[candidates], feature_weights, prototype_weights)
    log_p = np.log(q[np.arange(len(reference)), y[reference]] / q.sum(axis=1))
    loss = 0.0
    for k in range(scores.shape[1]):
        of_class = y[reference] == k
        n_k, n_reference_k = weight[y == k].sum(), weight[reference][of_class].sum()
        loss -= n_k / n_reference_k * (weight[reference] * log_p)[of_class].sum()
    return float(
        loss / weight.sum()
        + penalty(feature_weights, lambda_v, alpha_v)
        + penalty(prototype_weights, lambda_w, alpha_w)
    )


def gradient(
    X: np.ndarray,
    y: np.ndarray,
    scores: np.ndarray,
    candidates: np.ndarray,
    feature_weights: np.ndarray,
    prototype_weights: np.ndarray,
    *,
    lambda_v: float,
    lambda_w: float,
    alpha_v: float,
    alpha_w: float,
    sample_weight: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """df/dv, shape (D,), and df/dw, shape (J,); parameters as in `objective`."""
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    reference = np.setdiff1d(np.arange(len(y)), candidates)
    Z, labels = X[reference], y[reference]
    G = kernel(Z, X[candidates], feature_weights)
    q = class_scores(Z, scores[reference], X[candidates], y[candidates], feature_weights, prototype_weights)
    rows = np.arange(len(reference))
    class_factor = [weight[y == k].sum() / weight[reference][labels == k].sum() for k in range(scores.shape[1])]
    r = weight[reference] * np.array(class_factor)[labels] / weight.sum()
    a = np.repeat((r / q.sum(axis=1))[:, None], scores.shape[1], axis=1)  # (N_ref, K)
    a[rows, labels] -= r / q[rows, labels]
    aG = a[:, y[candidates]] * G  # (N_ref, J)
    squared = (Z[:, None, :] - X[candidates][None, :, :]) ** 2  # (N_ref, J, D)
    dv = -feature_weights * np.einsum("nj,j,njd->d", aG, prototype_weights, squared)
    dw = aG.sum(axis=0)
    return (
        dv + lambda_v * (alpha_v * feature_weights + 1.0 - alpha_v),
        dw + lambda_w * (alpha_w * prototype_weights + 1.0 - alpha_w),
    )
