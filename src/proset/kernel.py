"""Gaussian kernel values in tiles, their class sums, and loss and gradient of a batch, in NumPy.

This is what the compiled library computes (compiled/kernel.h), for machines without it: slower, with other last digits.

Pure functions on arrays. Prototypes are sorted by class, so that each class is a contiguous block of columns:
`class_offsets` holds the K + 1 boundaries of these blocks. Kernel values exist for one tile of rows at a time; no array
grows with the product of the numbers of rows and prototypes.

There are two algorithms for the distance in the exponent: a matrix product, x^2 - 2 x c + c^2, in float32, and where
its terms would cancel too much, one feature after the other in float64.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from proset.columns import Columns

MAX_EXPONENT_ERROR = 1e-3
MIN_EXPONENT = -50.0 * np.log(2.0)  # kernel values below 2^-50 are lost next to the class prior: they are cut to 0
TILE_BYTES = 300_000  # of kernel values: they stay in the second-level cache while they are contracted
_EPS = float(np.finfo(np.float32).eps)
_Fill = Callable[[slice, np.ndarray], None]  # writes the exponents of some rows


def product_is_accurate(feature_weights: np.ndarray, X: np.ndarray, prototypes: np.ndarray) -> bool:
    """Whether the matrix product in float32 keeps the error of every exponent below `MAX_EXPONENT_ERROR`.

    With s the largest norm of a scaled row or prototype, the terms, of size s^2, cancel: the error is about eps s^2.
    """
    max_abs = np.maximum(np.abs(X).max(axis=0, initial=0.0), np.abs(prototypes).max(axis=0, initial=0.0))
    with np.errstate(over="ignore"):
        return bool(_EPS * ((feature_weights * max_abs) ** 2).sum() < MAX_EXPONENT_ERROR)


def class_sums(
    X: np.ndarray,
    prototypes: np.ndarray,
    class_offsets: np.ndarray,
    feature_weights: np.ndarray,
    prototype_weights: np.ndarray,
    own: np.ndarray | None = None,
    own_kernel: np.ndarray | None = None,
    columns: Columns | None = None,
) -> np.ndarray:
    """Weighted kernel sums of each class, sum_{j in class k} w_j G_v(x - x_j).

    Parameters
    ----------
    X : ndarray, shape (N, D)
    prototypes : ndarray, shape (J, D)
        Sorted by class.
    class_offsets : ndarray of int, shape (K + 1,)
    feature_weights : ndarray, shape (D,)
    prototype_weights : ndarray, shape (J,)
    own : ndarray of int, shape (N,), optional
        The prototype that a row is itself, -1 for none.
    own_kernel : ndarray, shape (N,), optional
        Its kernel value for that row, in the place of 1; by default 0.
    columns : Columns, optional
        By default all are numbers, of which none is missing.

    Returns
    -------
    ndarray of float64, shape (N, K)
    """
    sums = np.zeros((len(X), len(class_offsets) - 1))
    used = np.flatnonzero(feature_weights > 0)
    columns = None if columns is None else columns.take(used)
    for rows, G in _tiles(X[:, used], prototypes[:, used], feature_weights[used], own, own_kernel, columns):
        weights = prototype_weights.astype(G.dtype)
        for k, block in enumerate(_slices(class_offsets)):
            sums[rows, k] = G[:, block] @ weights[block]
    return sums


def loss_and_gradient(
    X: np.ndarray,
    labels: np.ndarray,
    row_weights: np.ndarray,
    previous_q: np.ndarray,
    prototypes: np.ndarray,
    class_offsets: np.ndarray,
    feature_weights: np.ndarray,
    prototype_weights: np.ndarray,
    own: np.ndarray | None = None,
    own_kernel: np.ndarray | None = None,
    columns: Columns | None = None,
) -> tuple[float, np.ndarray, np.ndarray]:
    """Weighted negative log-likelihood of the references and its gradient, from one pass over the kernel.

    Parameters
    ----------
    X : ndarray, shape (N, D)
        Reference samples.
    labels : ndarray of int, shape (N,)
    row_weights : ndarray, shape (N,)
        r_n, the factor of each sample's log-likelihood.
    previous_q : ndarray of float64, shape (N, K)
        Unnormalised class probabilities q before this batch.
    prototypes : ndarray, shape (J, D)
        Candidates, sorted by class.
    class_offsets : ndarray of int, shape (K + 1,)
    feature_weights : ndarray, shape (D,)
    prototype_weights : ndarray, shape (J,)
    own, own_kernel, columns : optional
        As in `class_sums`.

    Returns
    -------
    loss : float
    dv : ndarray of float64, shape (D,)
    dw : ndarray of float64, shape (J,)

    Notes
    -----
    The formulas are in `proset.objective`; `a` is what it calls so.
    """
    used = np.flatnonzero(feature_weights > 0)  # df/dv_d has the factor v_d: features at zero need no contraction
    X, prototypes, v = X[:, used], prototypes[:, used], feature_weights[used]
    columns = None if columns is None else columns.take(used)
    loss, contracted = 0.0, np.zeros(len(v))  # contracted: sum_{n,j} a_nk(j) w_j G_nj (x_nd - x_jd)^2
    dv, dw = np.zeros(len(feature_weights)), np.zeros(len(prototypes))
    for rows, G in _tiles(X, prototypes, v, own, own_kernel, columns):
        w, C = prototype_weights.astype(G.dtype), prototypes.astype(G.dtype)
        is_product = G.dtype == np.float32
        moments = np.column_stack([w, w[:, None] * C]) if is_product else w[:, None]
        sums = [G[:, b] @ moments[b] for b in _slices(class_offsets)]
        q = previous_q[rows] + np.stack([s[:, 0] for s in sums], axis=1)
        q_true, total = q[np.arange(len(q)), labels[rows]], q.sum(axis=1)
        loss -= float(row_weights[rows] @ np.log(q_true / total))
        a = np.repeat((row_weights[rows] / total)[:, None], q.shape[1], axis=1)
        a[np.arange(len(q)), labels[rows]] -= row_weights[rows] / q_true
        z = X[rows]
        for k, b in enumerate(_slices(class_offsets)):
            from_tile = a[:, k].astype(G.dtype) @ G[:, b]
            dw[b] += from_tile
            if is_product:  # x^2 - 2 x c + c^2 of the square
                contracted += (a[:, k] * sums[k][:, 0]) @ z**2 - 2.0 * (a[:, [k]] * sums[k][:, 1:] * z).sum(axis=0)
                contracted += (from_tile * prototype_weights[b]) @ prototypes[b] ** 2
            else:
                aGw = a[:, [k]] * G[:, b] * w[b]
                for d in range(len(v)):
                    if columns is None:
                        contracted[d] += (aGw * (z[:, d, None] - prototypes[b, d]) ** 2).sum()
                    else:
                        contracted[d] += (aGw * columns.slope(d, z[:, d, None], prototypes[b, d], v[d])).sum()
    dv[used] = -v * contracted
    return loss, dv, dw


def loss_increases(
    X: np.ndarray,
    labels: np.ndarray,
    row_weights: np.ndarray,
    previous_q: np.ndarray,
    prototypes: np.ndarray,
    class_offsets: np.ndarray,
    feature_weights: np.ndarray,
    prototype_weights: np.ndarray,
    own: np.ndarray | None = None,
    own_kernel: np.ndarray | None = None,
    columns: Columns | None = None,
) -> np.ndarray:
    """By how much the loss rises without each of the prototypes, shape (J,); arguments as of `loss_and_gradient`."""
    used, found = np.flatnonzero(feature_weights > 0), np.zeros(len(prototypes))
    classes = np.repeat(np.arange(len(class_offsets) - 1), np.diff(class_offsets))
    columns = None if columns is None else columns.take(used)
    for rows, G in _tiles(X[:, used], prototypes[:, used], feature_weights[used], own, own_kernel, columns):
        added, n = G.astype(float) * prototype_weights, np.arange(len(G))
        q = previous_q[rows] + np.stack([added[:, b].sum(axis=1) for b in _slices(class_offsets)], axis=1)
        total, q_true, least = q.sum(axis=1), q[n, labels[rows]], previous_q[rows][n, labels[rows]]
        is_own = labels[rows, None] == classes
        above = np.maximum(total[:, None] - added, least[:, None])
        below = np.maximum(q_true[:, None] - added * is_own, least[:, None])
        found += row_weights[rows] @ np.log(above / below * (q_true / total)[:, None])
    return found


def _tiles(
    X: np.ndarray,
    prototypes: np.ndarray,
    v: np.ndarray,
    own: np.ndarray | None,
    own_kernel: np.ndarray | None,
    columns: Columns | None,
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield (rows, G) with G = exp(-1/2 |v (x - c)|^2), but for a row's own prototype, for successive rows.

    The next slice overwrites G.
    """
    is_product = columns is None and product_is_accurate(v, X, prototypes)
    fill, dtype = (
        (_product(X, prototypes, v), np.float32) if is_product else (_direct(X, prototypes, v, columns), float)
    )
    n_rows = max(1, min(len(X), TILE_BYTES // (np.dtype(dtype).itemsize * max(1, len(prototypes)))))
    buffer = np.empty((n_rows, len(prototypes)), dtype=dtype)
    for start in range(0, len(X), n_rows):
        rows = slice(start, min(start + n_rows, len(X)))
        G = buffer[: rows.stop - rows.start]
        fill(rows, G)
        cut = G < MIN_EXPONENT
        np.clip(G, MIN_EXPONENT, 0.0, out=G)
        np.exp(G, out=G)
        G[cut] = 0.0
        if own is not None:
            (there,) = np.nonzero(own[rows] >= 0)
            G[there, own[rows][there]] = 0.0 if own_kernel is None else own_kernel[rows][there]
        yield rows, G


def _product(X: np.ndarray, prototypes: np.ndarray, v: np.ndarray) -> _Fill:
    scaled = (prototypes * v).astype(np.float32)  # (J, D)
    right = np.vstack([scaled.T, np.ones(len(scaled)), -0.5 * (scaled**2).sum(axis=1)]).astype(np.float32)  # (D + 2, J)

    def fill(rows: slice, G: np.ndarray) -> None:
        z = (X[rows] * v).astype(np.float32)
        left = np.column_stack([z, -0.5 * (z**2).sum(axis=1), np.ones(len(z), dtype=np.float32)])  # (rows, D + 2)
        np.matmul(left, right, out=G)

    return fill


def _direct(X: np.ndarray, prototypes: np.ndarray, v: np.ndarray, columns: Columns | None) -> _Fill:
    def fill(rows: slice, G: np.ndarray) -> None:
        G[:] = 0.0
        with np.errstate(over="ignore"):  # an infinite distance is a kernel value of 0
            for d in range(len(v)):
                x, c = X[rows, d, None], prototypes[:, d]
                G -= 0.5 * ((v[d] * (x - c)) ** 2 if columns is None else columns.exponent(d, x, c, v[d]))

    return fill


def _slices(class_offsets: np.ndarray) -> list[slice]:
    return [slice(start, stop) for start, stop in pairwise(class_offsets)]
