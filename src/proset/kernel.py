"""The hot path: Gaussian kernel values in tiles, their class sums, and the contractions the gradient needs.

Pure functions on arrays. Prototypes are sorted by class, so that each class is a contiguous block of columns:
`blocks` holds the K + 1 block boundaries. Kernel values exist for one tile of rows at a time; no array grows with the
product of the numbers of rows and prototypes.

There are three ways to the exponent, chosen by the scale of the features (see `choose_form`):

- DIFFERENCE, float32, compiled (kernel.c): the sum of (v (x - c))^2. Accurate; for few features.
- PRODUCT, float32, compiled, or NumPy where the library cannot be loaded: x^2 - 2 x c + c^2 as a matrix product.
- DIRECT, float64, NumPy: one feature after the other. Slow, and right at any scale of the features.
"""

import ctypes
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np

DIFFERENCE, PRODUCT, DIRECT = "difference", "product", "direct"
MAX_DIFFERENCE_FEATURES = 8  # up to so many, differences cost no more than products (12: a third more)
MAX_EXPONENT_ERROR = 1e-3
MIN_EXPONENT = -60.0  # smaller kernel values are cut to 0: denormal numbers are 4 times slower
TILE_BYTES = 300_000  # of kernel values: they stay in the second-level cache while they are contracted
MAX_TILE_ROWS = 128  # float32 sums run over the rows of a tile: not too many
_EPS = float(np.finfo(np.float32).eps)


def choose_form(feature_weights: np.ndarray, largest: np.ndarray) -> str:
    """The fastest form that keeps the error of every exponent that matters below `MAX_EXPONENT_ERROR`.

    With s = |v x| at its largest, rounding x and c to float32 moves an exponent e = |v (x - c)|^2 / 2 <= 60 by at most
    2 eps s sqrt(2 e) < 22 eps s in the difference form, and by about eps s^2 in the product form, whose terms cancel.

    Parameters
    ----------
    feature_weights : ndarray, shape (D,)
        All positive.
    largest : ndarray, shape (D,)
        Largest absolute value of each feature in rows and prototypes.

    Returns
    -------
    {"difference", "product", "direct"}
    """
    with np.errstate(over="ignore"):
        size = float(np.sqrt(((feature_weights * largest) ** 2).sum()))
    if is_compiled() and len(feature_weights) <= MAX_DIFFERENCE_FEATURES and 22 * _EPS * size < MAX_EXPONENT_ERROR:
        return DIFFERENCE
    return PRODUCT if _EPS * size**2 < MAX_EXPONENT_ERROR else DIRECT


def largest_values(X: np.ndarray, prototypes: np.ndarray) -> np.ndarray:
    """Largest absolute value of each feature in rows and prototypes, shape (D,)."""
    both = (np.maximum(A.max(axis=0, initial=0.0), -A.min(axis=0, initial=0.0)) for A in (X, prototypes))
    return np.maximum(*both)


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
    used = np.flatnonzero(feature_weights > 0)
    form = choose_form(feature_weights[used], largest_values(X, prototypes)[used])
    if form != DIRECT and is_compiled():
        arguments = _Arguments(X, prototypes, blocks, feature_weights, used, prototype_weights, store=0)
        _library().proset_sums(
            *arguments.rows, *arguments.prototypes, *arguments.scratch, _pointer(sums), int(form == PRODUCT)
        )
        return sums
    Z, C, v = X[:, used], prototypes[:, used], feature_weights[used]
    for rows, G in _tiles(Z, C, v, form):
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
    largest: np.ndarray,
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
    largest : ndarray, shape (D,)
        `largest_values` of `X` and `prototypes`.

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
    used = np.flatnonzero(feature_weights > 0)  # df/dv_d has the factor v_d: features at zero need no contraction
    v = feature_weights[used]
    form = choose_form(v, largest[used])
    d_features = np.zeros(X.shape[1])
    d_prototypes = np.zeros(len(prototypes))
    if form != DIRECT and is_compiled():
        odds, contracted = np.empty(len(X)), np.empty(len(used))
        labels, scores, enlarged = _integers(labels), _floats(scores), row_weights * _LARGE
        arguments = _Arguments(X, prototypes, blocks, feature_weights, used, prototype_weights, store=1)
        _library().proset_loss(
            *arguments.rows,
            *(_pointer(a) for a in (labels, enlarged, scores)),
            *arguments.prototypes,
            *arguments.scratch,
            *(_pointer(a) for a in (odds, contracted, d_prototypes)),
            int(form == PRODUCT),
        )
        d_features[used] = -contracted / (_HALF_LOG2_E * _LARGE * v)  # scaled: (v (x - c))^2 log2(e) / 2
        return float(row_weights @ np.log1p(odds)), d_features, d_prototypes / _LARGE
    loss, contracted = _loss_in_numpy(
        X[:, used], labels, row_weights, scores, prototypes[:, used], blocks, v, prototype_weights, form, d_prototypes
    )
    d_features[used] = -v * contracted
    return loss, d_features, d_prototypes


def is_compiled() -> bool:
    """Whether the compiled library is used; results of the NumPy path differ from its in the last digits of float32."""
    return _library() is not None


# --- compiled ---------------------------------------------------------------------------------------------------

_HALF_LOG2_E = 0.5 / np.log(2.0)
_LARGE = 2.0**40  # residuals times the smallest kernel values would be denormal numbers, which are slow
_POINTER, _INTEGER, _FLAG = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int
_ROWS = [_POINTER, _INTEGER, _INTEGER]
_PROTOTYPES = [_POINTER, _POINTER, _INTEGER, _POINTER, _POINTER, _INTEGER, _POINTER]
_SCRATCH = [_POINTER, _INTEGER]


@cache
def _library() -> ctypes.CDLL | None:
    """The compiled kernel, or None where it was not built or the CPU lacks its instructions."""
    path = Path(__file__).with_name("_kernel.dll" if sys.platform == "win32" else "_kernel.so")
    try:
        library = ctypes.CDLL(str(path))
    except OSError:
        return None
    if not library.proset_supported():
        return None
    library.proset_work_size.argtypes = [_INTEGER, _INTEGER, _INTEGER, _POINTER, _FLAG]
    library.proset_work_size.restype = _INTEGER
    library.proset_loss.argtypes = [*_ROWS, *[_POINTER] * 3, *_PROTOTYPES, *_SCRATCH, *[_POINTER] * 3, _FLAG]
    library.proset_loss.restype = None
    library.proset_sums.argtypes = [*_ROWS, *_PROTOTYPES, *_SCRATCH, _POINTER, _FLAG]
    library.proset_sums.restype = None
    return library


class _Arguments:
    """Arrays in the types kernel.c reads, kept alive for the call, and what it gets to see of them."""

    def __init__(self, X, prototypes, blocks, feature_weights, used, prototype_weights, store):
        X, prototypes, weights = _floats(X), _floats(prototypes), _floats(prototype_weights)
        starts, used = _integers(blocks), _integers(used)
        scale = feature_weights[used] * np.sqrt(_HALF_LOG2_E)
        row_bytes = 4 * (len(used) + (len(prototypes) + 16 * len(starts) if store else 0))
        n_rows = max(8, min(TILE_BYTES // max(1, row_bytes), MAX_TILE_ROWS)) // 4 * 4  # taken 4 at a time
        size = _library().proset_work_size(n_rows, len(used), len(starts) - 1, _pointer(starts), store)
        scratch = np.empty(size + 64, dtype=np.uint8)
        self._alive = (X, prototypes, weights, starts, used, scale, scratch)
        self.rows = (_pointer(X), len(X), X.shape[1])
        self.prototypes = (
            *(_pointer(prototypes), _pointer(starts), len(starts) - 1),
            *(_pointer(used), _pointer(scale), len(used), _pointer(weights)),
        )
        self.scratch = (scratch.ctypes.data + -scratch.ctypes.data % 64, n_rows)


def _floats(array):
    return np.ascontiguousarray(array, dtype=np.float64)


def _integers(array):
    return np.ascontiguousarray(array, dtype=np.int64)


def _pointer(array):
    return array.ctypes.data


# --- NumPy ------------------------------------------------------------------------------------------------------


def _loss_in_numpy(X, labels, row_weights, scores, prototypes, blocks, v, prototype_weights, form, d_prototypes):
    """Loss and sum_{n,j} a w G (x - c)^2 of the used features; adds to `d_prototypes`."""
    loss, contracted = 0.0, np.zeros(len(v))
    for rows, G in _tiles(X, prototypes, v, form):
        w, C = prototype_weights.astype(G.dtype), prototypes.astype(G.dtype)
        moments = np.column_stack([w, w[:, None] * C]) if form == PRODUCT else w[:, None]
        sums = [G[:, b] @ moments[b] for b in _slices(blocks)]
        q = scores[rows] + np.stack([s[:, 0] for s in sums], axis=1)
        own, total = q[np.arange(len(q)), labels[rows]], q.sum(axis=1)
        loss -= float(row_weights[rows] @ np.log(own / total))
        a = np.repeat((row_weights[rows] / total)[:, None], q.shape[1], axis=1)
        a[np.arange(len(q)), labels[rows]] -= row_weights[rows] / own
        z = X[rows]
        for k, b in enumerate(_slices(blocks)):
            d_prototypes[b] += a[:, k].astype(G.dtype) @ G[:, b]
            if form == PRODUCT:  # x^2 - 2 x c of the square; c^2 is added once, below
                contracted += (a[:, k] * sums[k][:, 0]) @ z**2 - 2.0 * (a[:, [k]] * sums[k][:, 1:] * z).sum(axis=0)
            else:
                aGw = a[:, [k]] * G[:, b] * w[b]
                for d in range(len(v)):
                    contracted[d] += (aGw * (z[:, d, None] - prototypes[b, d]) ** 2).sum()
    if form == PRODUCT:
        contracted += (d_prototypes * prototype_weights) @ prototypes**2
    return loss, contracted


def _tiles(X, prototypes, v, form) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield (rows, G) with G = exp(-1/2 |v (x - c)|^2) for successive slices of rows; the next one overwrites G."""
    fill, dtype = (_product(X, prototypes, v), np.float32) if form == PRODUCT else (_direct(X, prototypes, v), float)
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
        yield rows, G


def _product(X, prototypes, v):
    scaled = (prototypes * v).astype(np.float32)  # (J, D)
    right = np.vstack([scaled.T, np.ones(len(scaled)), -0.5 * (scaled**2).sum(axis=1)]).astype(np.float32)  # (D + 2, J)

    def fill(rows, G):
        z = (X[rows] * v).astype(np.float32)
        left = np.column_stack([z, -0.5 * (z**2).sum(axis=1), np.ones(len(z), dtype=np.float32)])  # (rows, D + 2)
        np.matmul(left, right, out=G)

    return fill


def _direct(X, prototypes, v):
    def fill(rows, G):
        G[:] = 0.0
        with np.errstate(over="ignore"):  # an infinite distance is a kernel value of 0
            for d in range(len(v)):
                G -= 0.5 * (v[d] * (X[rows, d, None] - prototypes[:, d])) ** 2

    return fill


def _slices(blocks):
    return [slice(start, stop) for start, stop in pairwise(blocks)]
