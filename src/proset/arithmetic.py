"""The arithmetic that fits and predicts here: its name and version, and its functions, compiled or by NumPy.

Equal names mean equal bits: the same data, parameters and seed give the same model on every machine.
"""

import numpy as np

from proset import kernel, library

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
    n_threads: int = 1,
) -> np.ndarray:
    """Weighted kernel sums of each class, shape (N, K); see `proset.kernel.class_sums`.

    The kernel sees differences only; features are counted from the centre, (D,), to keep them small. The sums of a row
    do not depend on the other rows.
    """
    if library.library():
        return library.class_sums(X, prototypes, centre, class_offsets, v, w, own, own_kernel, n_threads)
    return kernel.class_sums(X - centre, prototypes - centre, class_offsets, v, w, own, own_kernel)
