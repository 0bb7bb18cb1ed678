"""The arithmetic that fits and predicts here: its name and version, and its functions, those of the compiled library.

Equal names mean equal bits: the same data, parameters and seed give the same model on every machine.
"""

from dataclasses import replace

import numpy as np

from proset import library
from proset.columns import Columns
from proset.library import log, means, row_sums, sort_neighbours

__all__ = ["centre", "class_sums", "level", "log", "means", "name", "row_sums", "sort_neighbours"]
VERSION = "3"  # raised whenever a change of code changes the bits of a fit or a prediction
SORTED_FEATURES = 4  # up to that many, the library leaves out pairs of neighbourhoods that are too far apart


def name() -> str:
    """ "compiled-<version>"."""
    return f"compiled-{VERSION}"


def level() -> str:
    """Instructions in use: "avx512", "avx2", "neon" or "portable", which give the same bits."""
    return library.library().level


def centre(X: np.ndarray, columns: Columns | None = None) -> np.ndarray:
    """Means of the numbers that are there, 0 for categories, shape (D,): what numbers are counted from."""
    if columns is None:
        return means(X)
    there = columns.are_numbers & ~np.isnan(X)
    found: np.ndarray = means(np.where(there, X, 0.0)) * (len(X) / np.maximum(there.sum(axis=0), 1))
    return found


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
    """Weighted kernel sums of each class, sum_{j in class k} w_j G_v(x - x_j).

    The kernel sees differences only; numbers are counted from the centre to keep them small. The sums of a row do not
    depend on the other rows: those with gaps where the training data have none are computed apart.

    Parameters
    ----------
    X : ndarray, shape (N, D)
    prototypes : ndarray, shape (J, D)
        Sorted by class.
    centre : ndarray, shape (D,)
    class_offsets : ndarray of int, shape (K + 1,)
        Where the prototypes of each class begin; the last one is J.
    v : ndarray, shape (D,)
        Feature weights.
    w : ndarray, shape (J,)
        Prototype weights.
    own : ndarray of int, shape (N,), optional
        The prototype that a row is itself, -1 for none.
    own_kernel : ndarray, shape (N,), optional
        Its kernel value for that row, in the place of 1; by default 0.
    columns : Columns, optional
        By default all are numbers, of which none is missing.
    n_threads : int
        The result does not depend on them.

    Returns
    -------
    ndarray of float64, shape (N, K)
    """
    arrays = prototypes, centre, class_offsets, v, w
    if columns is not None and np.isnan(X.sum()):
        new = (np.isnan(X) & ~columns.has_gaps).any(axis=1)
        if new.any():
            sums = np.empty((len(X), len(class_offsets) - 1))
            for rows, of_rows in ((~new, columns), (new, replace(columns, has_gaps=columns.are_numbers))):
                places, kernels = (None if each is None else each[rows] for each in (own, own_kernel))
                sums[rows] = library.class_sums(X[rows], *arrays, places, kernels, of_rows, n_threads)
            return sums
    return library.class_sums(X, *arrays, own, own_kernel, columns and columns.unless_plain(), n_threads)
