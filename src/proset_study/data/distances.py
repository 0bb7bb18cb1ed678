"""Dissimilarities of samples in a fit: by a metric of SciPy from features, or those of a matrix; their ranks."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from proset_study.base.records import damaged
from proset_study.data.metrics import EUCLIDEAN, PRECOMPUTED

CHUNK = 2**22  # distances that are held at once: 32 MiB
SCIPY = {"manhattan": "cityblock"}  # what has another name there


def distances(X: np.ndarray, points: np.ndarray, metric: str) -> np.ndarray:
    """Dissimilarities of samples from points, shape (n, m); ValueError if one is not a number.

    Samples are as `FoldData.X`, points as `FoldData.points`, or some of both; the metric is that of the fold.

    >>> distances(np.array([[0.0, 3.0]]), np.array([[4.0, 0.0]]), "manhattan").tolist()
    [[7.0]]
    >>> distances(np.array([[0.0, 3.0]]), np.array([[1]]), "precomputed").tolist()
    [[3.0]]
    """
    from scipy.spatial.distance import cdist

    if metric == PRECOMPUTED:
        return X[:, points[:, 0].astype(int)]
    found: np.ndarray = cdist(X, points, SCIPY.get(metric, metric))
    if metric != EUCLIDEAN and np.isnan(found).any():
        raise ValueError(f"metric: {metric!r} is not allowed, of some samples it is not a number; name another one")
    return found


def distances_by_rows(X: np.ndarray, points: np.ndarray, metric: str) -> Iterator[tuple[slice, np.ndarray]]:
    """`distances` of some rows after the other, at most `CHUNK` at once."""
    size = max(1, CHUNK // len(points))
    for start in range(0, len(X), size):
        rows = slice(start, start + size)
        yield rows, distances(X[rows], points, metric)


def ranks(dissimilarities: np.ndarray, fitted: np.ndarray) -> np.ndarray:
    """How many fitted samples are as near to a sample or nearer, by sample (columns), shape (n, m) of float32.

    Entry i, j: how many of column j of `fitted`, shape (m, m), are at most `dissimilarities[i, j]`.

    J. Bien and R. Tibshirani, Prototype selection for interpretable classification, Annals of Applied Statistics 5
    (2011), 2403-2424, section 4.1.

    >>> x = np.array([0.0, 1.0, 5.0])
    >>> ranks(np.abs(np.array([[2.0]]) - x), np.abs(x[:, None] - x)).tolist()
    [[2.0, 2.0, 1.0]]
    """
    found = np.empty(dissimilarities.shape, dtype=np.float32)
    for j, column in enumerate(np.sort(fitted, axis=0).T):
        found[:, j] = np.searchsorted(column, dissimilarities[:, j], side="right")
    return found


def read_matrix(path: Path, n_samples: int) -> np.ndarray:
    """Map dissimilarities into memory; ValueError if the file is damaged or of another number of samples."""
    try:
        matrix: np.ndarray = np.lib.format.open_memmap(path, mode="r")
    except ValueError as error:
        raise damaged(path, error) from error
    if matrix.shape != (n_samples, n_samples):
        raise damaged(path, f"its shape is {matrix.shape}, not {(n_samples, n_samples)}")
    return matrix
