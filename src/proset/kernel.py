"""The hot path: Gaussian kernel values in tiles, their class sums, and the contractions the gradient needs.

Pure functions on arrays. Prototypes are sorted by class, so that each class is a contiguous block of columns:
`blocks` holds the K + 1 block boundaries. A tile of kernel values is at most `TILE_ENTRIES` numbers; no array grows
with the product of the numbers of rows and prototypes.

Two ways to the exponent:

- *expanded*, float32: (x - c)^2 = x^2 - 2 x c + c^2 as one matrix product of augmented rows. Its rounding error in the
  exponent is at most about eps * max |v x|^2, which `expanded_is_accurate` keeps below `MAX_EXPONENT_ERROR`.
- *direct*, float64: one feature after the other. Slower, right at any scale of the features.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

TILE_ENTRIES = 1 << 18  # 1 MB of float32: stays in the cache while it is exponentiated and contracted
MIN_EXPONENT = -60.0  # smaller kernel values are cut to exp(-60) ~ 1e-26: denormal numbers are 4 times slower
MAX_EXPONENT_ERROR = 1e-3


def expanded_is_accurate(X: np.ndarray, prototypes: np.ndarray, feature_weights: np.ndarray) -> bool:
    """Whether the float32 expansion keeps the error of every exponent below `MAX_EXPONENT_ERROR`.

    `X` is (N, D), `prototypes` (J, D), both centred; `feature_weights` is (D,).
    """
    largest = np.maximum(np.abs(X).max(axis=0, initial=0.0), np.abs(prototypes).max(axis=0, initial=0.0))
    with np.errstate(over="ignore"):
        bound = np.finfo(np.float32).eps * ((feature_weights * largest) ** 2).sum()
    return bool(bound < MAX_EXPONENT_ERROR)


def class_sums(
    X: np.ndarray,
    prototypes: np.ndarray,
    blocks: np.ndarray,
    feature_weights: np.ndarray,
    prototype_weights: np.ndarray,
) -> np.ndarray:
    """Weighted kernel sums of each class, sum_{j in class k} w_j G_v(x - x_j).

    Parameters
    ----------
    X : ndarray, shape (N, D)
    prototypes : ndarray, shape (J, D)
        Sorted by class.
    blocks : ndarray of int, shape (K + 1,)
    feature_weights : ndarray, shape (D,)
    prototype_weights : ndarray, shape (J,)

    Returns
    -------
    ndarray of float64, shape (N, K)
    """
    sums = np.zeros((len(X), len(blocks) - 1))
    used = feature_weights > 0
    X, prototypes, feature_weights = X[:, used], prototypes[:, used], feature_weights[used]
    for rows, G in kernel_tiles(X, prototypes, feature_weights):
        weights = prototype_weights.astype(G.dtype)
        for k, block in enumerate(_slices(blocks)):
            sums[rows, k] = G[:, block] @ weights[block]
    return sums


def loss_and_contractions(
    X: np.ndarray,
    labels: np.ndarray,
    row_weights: np.ndarray,
    scores: np.ndarray,
    prototypes: np.ndarray,
    blocks: np.ndarray,
    feature_weights: np.ndarray,
    prototype_weights: np.ndarray,
) -> tuple[float, np.ndarray, np.ndarray]:
    """Weighted negative log-likelihood of the references and its derivatives, from one pass over the kernel.

    Parameters
    ----------
    X : ndarray, shape (N, D)
        Reference samples.
    labels : ndarray of int, shape (N,)
    row_weights : ndarray, shape (N,)
        r_n, the factor of each sample's log-likelihood.
    scores : ndarray of float64, shape (N, K)
        q of the earlier batches.
    prototypes : ndarray, shape (J, D)
        Candidates, sorted by class.
    blocks : ndarray of int, shape (K + 1,)
    feature_weights : ndarray, shape (D,)
    prototype_weights : ndarray, shape (J,)

    Returns
    -------
    loss : float
    d_feature_weights : ndarray of float64, shape (D,)
    d_prototype_weights : ndarray of float64, shape (J,)

    Notes
    -----
    With a_nk = r_n (1 / sum_l q_l(x_n) - [y_n = k] / q_k(x_n)):

        dloss/dw_j = sum_n a_{n,k(j)} G_nj
        dloss/dv_d = -v_d sum_{n,j} a_{n,k(j)} w_j G_nj (x_nd - x_jd)^2
    """
    loss = 0.0
    d_prototypes = np.zeros(len(prototypes))
    d_features = np.zeros(X.shape[1])
    used = np.flatnonzero(feature_weights > 0)  # df/dv_d has the factor v_d: features at zero need no contraction
    Z, C, v = X[:, used], prototypes[:, used], feature_weights[used]
    expanded = expanded_is_accurate(Z, C, v)
    contracted = np.zeros(len(used))
    for rows, G in kernel_tiles(Z, C, v, expanded):
        w = prototype_weights.astype(G.dtype)
        sums = [G[:, b] @ _moments(w[b], C[b].astype(G.dtype), expanded) for b in _slices(blocks)]
        q = scores[rows] + np.stack([s[:, 0] for s in sums], axis=1)
        own = q[np.arange(len(q)), labels[rows]]
        total = q.sum(axis=1)
        loss -= float(row_weights[rows] @ np.log(own / total))
        a = np.repeat((row_weights[rows] / total)[:, None], q.shape[1], axis=1)
        a[np.arange(len(q)), labels[rows]] -= row_weights[rows] / own
        z = Z[rows]
        for k, b in enumerate(_slices(blocks)):
            d_prototypes[b] += a[:, k].astype(G.dtype) @ G[:, b]
            if expanded:  # x^2 - 2 x c of the square; c^2 is added once, below
                contracted += (a[:, k] * sums[k][:, 0]) @ z**2 - 2.0 * (a[:, [k]] * sums[k][:, 1:] * z).sum(axis=0)
            else:
                aGw = a[:, [k]] * G[:, b] * w[b]
                for d in range(len(used)):
                    contracted[d] += (aGw * (z[:, d, None] - C[b, d]) ** 2).sum()
    if expanded:
        contracted += (d_prototypes * prototype_weights) @ C**2
    d_features[used] = -v * contracted
    return loss, d_features, d_prototypes


def kernel_tiles(
    X: np.ndarray, prototypes: np.ndarray, feature_weights: np.ndarray, expanded: bool | None = None
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield (rows, G) with G = exp(-1/2 |v (x - c)|^2) for successive slices of rows; G is overwritten by the next.

    Parameters
    ----------
    X : ndarray, shape (N, D); prototypes : ndarray, shape (J, D); feature_weights : ndarray, shape (D,)
    expanded : bool, optional
        Default: whether the expansion is accurate enough for these arrays.
    """
    if expanded is None:
        expanded = expanded_is_accurate(X, prototypes, feature_weights)
    fill, dtype = _expanded(X, prototypes, feature_weights) if expanded else _direct(X, prototypes, feature_weights)
    n_rows = max(1, min(len(X), TILE_ENTRIES // max(1, len(prototypes))))
    buffer = np.empty((n_rows, len(prototypes)), dtype=dtype)
    for start in range(0, len(X), n_rows):
        rows = slice(start, min(start + n_rows, len(X)))
        G = buffer[: rows.stop - rows.start]
        fill(rows, G)
        if expanded:
            np.clip(G, MIN_EXPONENT, 0.0, out=G)
        np.exp(G, out=G)
        yield rows, G


def _expanded(X, prototypes, feature_weights):
    scaled = (prototypes * feature_weights).astype(np.float32)  # (J, D)
    right = np.vstack([scaled.T, np.ones(len(scaled)), -0.5 * (scaled**2).sum(axis=1)]).astype(np.float32)  # (D + 2, J)

    def fill(rows, G):
        z = (X[rows] * feature_weights).astype(np.float32)
        left = np.column_stack([z, -0.5 * (z**2).sum(axis=1), np.ones(len(z), dtype=np.float32)])  # (rows, D + 2)
        np.matmul(left, right, out=G)

    return fill, np.float32


def _direct(X, prototypes, feature_weights):
    def fill(rows, G):
        G[:] = 0.0
        with np.errstate(over="ignore"):  # an infinite distance is a kernel value of 0
            for d, v in enumerate(feature_weights):
                G -= 0.5 * (v * (X[rows, d, None] - prototypes[:, d])) ** 2

    return fill, np.float64


def _moments(w, C, expanded):
    """Columns to multiply a kernel block with: [w] or, for the expansion's gradient, [w, w c]."""
    return np.column_stack([w, w[:, None] * C]) if expanded else w[:, None]


def _slices(blocks):
    return [slice(start, stop) for start, stop in pairwise(blocks)]
