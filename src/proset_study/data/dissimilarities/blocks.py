"""A square matrix of dissimilarities from blocks of it."""

from collections.abc import Callable

import numpy as np

ROWS = 256  # of a block: half a MiB of numbers


def square(block: Callable[[slice, slice], np.ndarray], out: np.ndarray) -> None:
    """Fill a symmetric matrix, shape (N, N), with a diagonal of zeros; half of it is computed.

    `block` gives the dissimilarities between two slices of the items, as `distances` of the other modules here do.

    >>> x, out = np.array([0.0, 1.0, 3.0]), np.empty((3, 3), dtype=np.float32)
    >>> square(lambda rows, columns: np.abs(x[rows, None] - x[columns]), out)
    >>> out.tolist()
    [[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]]
    """
    parts = [slice(first, min(first + ROWS, len(out))) for first in range(0, len(out), ROWS)]
    for i, rows in enumerate(parts):
        for columns in parts[i:]:
            out[rows, columns] = block(rows, columns)
            out[columns, rows] = out[rows, columns].T
        own = np.tril_indices(rows.stop - rows.start, -1)
        out[rows, rows][own] = out[rows, rows].T[own]
    np.fill_diagonal(out, 0.0)
