"""Which training samples become candidates for prototypes: bins, their counts, the draw (steps 1 and 2 of a batch)."""

from bisect import bisect_left
from math import ceil

import numpy as np


def check_class_sizes(class_counts: np.ndarray, max_fraction: float, class_names: np.ndarray) -> None:
    """Refuse classes that are too small to give both a candidate and a reference sample.

    Parameters
    ----------
    class_counts : ndarray of int, shape (K,)
    max_fraction : float in (0, 1)
        Largest proportion of a bin that may become candidates (eta).
    class_names : ndarray, shape (K,)
        For the message.

    Raises
    ------
    ValueError
        Names the first class with too few samples, its count, and the count that is needed.
    """
    for name, count in zip(class_names, class_counts, strict=True):
        if not _large_enough(count, max_fraction):
            enough = bisect_left(range(2**60), True, key=lambda n: _large_enough(n, max_fraction))
            raise ValueError(
                f"class {name} has {count} samples; max_fraction={max_fraction} needs at least {enough} "
                "samples per class, so that both candidates and reference samples can be drawn from it"
            )


def _large_enough(count: int, max_fraction: float) -> bool:
    half = ceil(count / 2)  # the larger of the two bins of a class has at least this many samples
    return bool(0 < _nearest(np.asarray(max_fraction * half)) < half)


def correct_samples(q: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Samples whose true class is strictly more probable than every other.

    Parameters
    ----------
    q : ndarray of float, shape (N, K)
        Unnormalised class probabilities.
    y : ndarray of int, shape (N,)

    Returns
    -------
    ndarray of bool, shape (N,)

    Examples
    --------
    >>> correct_samples(np.array([[0.6, 0.4], [0.5, 0.5]]), np.array([0, 0])).tolist()
    [True, False]
    """
    rows = np.arange(len(y))
    others = q.copy()
    others[rows, y] = -np.inf
    correct: np.ndarray = q[rows, y] > others.max(axis=1)
    return correct


def bin_counts(bin_sizes: np.ndarray, n_candidates: int, max_fraction: float) -> np.ndarray:
    """Number of candidates to draw from each bin.

    The smallest bins are served first; a bin too small for its equal part of what remains gives `max_fraction` of
    its samples, and the rest goes to the larger ones.

    Parameters
    ----------
    bin_sizes : ndarray of int, shape (2 K,)
    n_candidates : int
        Candidates wanted in total (M); fewer are drawn if the bins are small.
    max_fraction : float in (0, 1)

    Returns
    -------
    ndarray of int, shape (2 K,)

    Examples
    --------
    >>> bin_counts(np.array([10, 100, 200]), n_candidates=65, max_fraction=0.5).tolist()
    [5, 30, 30]
    """
    counts = np.zeros(len(bin_sizes))
    order = np.argsort(bin_sizes, kind="stable")
    remaining = float(n_candidates)
    for i, b in enumerate(order):
        equal_part = remaining / (len(order) - i)
        if equal_part <= max_fraction * bin_sizes[b]:
            counts[order[i:]] = equal_part
            break
        counts[b] = max_fraction * bin_sizes[b]
        remaining -= counts[b]
    return _nearest(counts).astype(np.intp)


def _nearest(count: np.ndarray) -> np.ndarray:
    return np.floor(count + 0.5)  # half up: a bin of one sample may give it


def draw_candidates(
    q: np.ndarray, y: np.ndarray, n_candidates: int, max_fraction: float, rng: np.random.Generator
) -> np.ndarray:
    """Draw the candidates of one batch, uniformly and without replacement inside each bin.

    Parameters
    ----------
    q : ndarray of float, shape (N, K)
        Unnormalised class probabilities before this batch.
    y : ndarray of int, shape (N,)
    n_candidates : int
    max_fraction : float in (0, 1)
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int, shape (J,)
        Indices of the candidates, sorted by class and then by index.
    """
    n_classes = q.shape[1]
    bin_of = 2 * y + correct_samples(q, y)
    bins = [np.flatnonzero(bin_of == b) for b in range(2 * n_classes)]
    counts = bin_counts(np.array([len(b) for b in bins]), n_candidates, max_fraction)
    drawn = [rng.choice(b, size=c, replace=False) for b, c in zip(bins, counts, strict=True) if c > 0]
    candidates = np.sort(np.concatenate(drawn)) if drawn else np.empty(0, dtype=np.intp)
    return candidates[np.argsort(y[candidates], kind="stable")]
