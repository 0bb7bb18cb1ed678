"""The arithmetic that fits and predicts here: its name and version, and its functions, compiled or by NumPy.

Equal names mean equal bits: the same data, parameters and seed give the same model on every machine.
"""

from dataclasses import replace

import numpy as np

from proset import kernel, library
from proset.columns import Columns

VERSION = "3"  # raised whenever a change of code changes the bits of a fit or a prediction
SORTED_FEATURES = 4  # up to so many, the library leaves out pairs of neighbourhoods that are too far apart


def name() -> str:
    """ "compiled-<version>", or "numpy-<version>" where the library could not be loaded: two different arithmetics."""
    return f"{'compiled' if library.library() else 'numpy'}-{VERSION}"


def level() -> str:
    """Instructions in use: "avx512", "avx2", "neon" or "portable", which give the same bits; or "numpy"."""
    loaded = library.library()
    return loaded.level if loaded else "numpy"


def log(x: np.ndarray) -> np.ndarray:
    """Natural logarithm of positive normal numbers, shape as `x`; compiled, it has the same bits on every processor."""
    return library.log(x) if library.library() else np.log(x)


def means(X: np.ndarray) -> np.ndarray:
    """Means of the columns of X (N, D)."""
    return library.means(X) if library.library() else X.mean(axis=0)


def centre(X: np.ndarray, columns: Columns | None = None) -> np.ndarray:
    """Means of the numbers that are there, 0 for categories, shape (D,): what numbers are counted from."""
    if columns is None:
        return means(X)
    there = columns.are_numbers & ~np.isnan(X)
    found: np.ndarray = means(np.where(there, X, 0.0)) * (len(X) / np.maximum(there.sum(axis=0), 1))
    return found


def row_sums(X: np.ndarray) -> np.ndarray:
    """Sums of the rows of X (N, K)."""
    return library.row_sums(X) if library.library() else X.sum(axis=1)


def neighbours_together(X: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Some rows of X (N, D), in an order that keeps neighbours together, as far as the library makes use of it."""
    return library.sort_neighbours(X, rows) if library.library() else rows


def class_sums(
    X: np.ndarray,
    prototypes: np.ndarray,
    centre: np.ndarray,
    class_offsets: np.ndarray,
    v: np.ndarray,
    w: np.ndarray,
    own: np.ndarray | None = None,
    own_kernel: np.ndarray | None = None,
    columns: Columns | None = None,
    n_threads: int = 1,
) -> np.ndarray:
    """Weighted kernel sums of each class, shape (N, K); see `proset.kernel.class_sums`.

    The kernel sees differences only; numbers are counted from the centre, (D,), to keep them small. The sums of a row
    do not depend on the other rows: those with gaps where the training data have none are computed apart.
    """
    arrays = prototypes, centre, class_offsets, v, w
    if columns is not None and np.isnan(X.sum()):
        new = (np.isnan(X) & ~columns.has_gaps).any(axis=1)
        if new.any():
            sums = np.empty((len(X), len(class_offsets) - 1))
            for rows, of_rows in ((~new, columns), (new, replace(columns, has_gaps=columns.are_numbers))):
                places, kernels = (None if each is None else each[rows] for each in (own, own_kernel))
                sums[rows] = _class_sums(X[rows], *arrays, places, kernels, of_rows, n_threads)
            return sums
    return _class_sums(X, *arrays, own, own_kernel, columns, n_threads)


def _class_sums(
    X: np.ndarray,
    prototypes: np.ndarray,
    centre: np.ndarray,
    class_offsets: np.ndarray,
    v: np.ndarray,
    w: np.ndarray,
    own: np.ndarray | None,
    own_kernel: np.ndarray | None,
    columns: Columns | None,
    n_threads: int,
) -> np.ndarray:
    columns = columns and columns.unless_plain()
    if library.library():
        return library.class_sums(X, prototypes, centre, class_offsets, v, w, own, own_kernel, columns, n_threads)
    return kernel.class_sums(X - centre, prototypes - centre, class_offsets, v, w, own, own_kernel, columns)
