"""Prototypes that agree in class and scaled features are one."""

import numpy as np

DUPLICATE_TOLERANCE = 1e-6  # prototypes closer than this in every scaled active feature are one


def merge_duplicates(
    scaled: np.ndarray, labels: np.ndarray, weights: np.ndarray, sample_index: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Drop candidates without weight and make one prototype of those that agree in label and scaled features.

    Groups are the connected components of "within `DUPLICATE_TOLERANCE` in the maximum norm".

    Parameters
    ----------
    scaled : ndarray, shape (J, D)
        Candidates times feature weights.
    labels : ndarray of int, shape (J,)
        Sorted.
    weights : ndarray, shape (J,)
    sample_index : ndarray of int, shape (J,)
        The member that comes first in the training data represents its group.

    Returns
    -------
    kept : ndarray of int
        Positions among the J, in increasing order of (label, sample index).
    merged_weights : ndarray
        Sum of the weights of each group.

    Examples
    --------
    >>> scaled, labels, weights = np.array([[0.5], [0.0], [0.5]]), np.zeros(3, dtype=int), np.array([1.0, 2.0, 3.0])
    >>> kept, merged_weights = merge_duplicates(scaled, labels, weights, sample_index=np.array([7, 8, 9]))
    >>> kept.tolist(), merged_weights.tolist()
    ([0, 1], [4.0, 2.0])
    """
    positive = np.flatnonzero(weights > 0)
    # By hand: importing connected_components from SciPy takes longer than most fits.
    parent = {int(i): int(i) for i in positive}

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    # Sorted by the sum of the scaled features, members of a pair are at most D * tolerance apart: few pairs to check.
    total = scaled[positive].sum(axis=1)
    order = np.argsort(total, kind="stable")
    ordered, total = positive[order], total[order]
    window = scaled.shape[1] * DUPLICATE_TOLERANCE * (1 + 1e-9) + 4 * np.finfo(float).eps * np.abs(scaled).sum(
        axis=1
    ).max(initial=0.0)
    for offset in range(1, len(ordered)):
        near = np.flatnonzero(total[offset:] - total[:-offset] <= window)
        if not len(near):
            break
        left, right = ordered[near], ordered[near + offset]
        same = (labels[left] == labels[right]) & (
            np.abs(scaled[left] - scaled[right]).max(axis=1, initial=0.0) <= DUPLICATE_TOLERANCE
        )
        for i, j in zip(left[same], right[same], strict=True):
            first, second = sorted((root(int(i)), root(int(j))), key=lambda p: sample_index[p])
            parent[second] = first
    merged: dict[int, float] = {}
    for i in positive:
        merged[root(int(i))] = merged.get(root(int(i)), 0.0) + float(weights[i])
    kept = np.array(sorted(merged, key=lambda p: (labels[p], sample_index[p])), dtype=np.intp)
    return kept, np.array([merged[int(p)] for p in kept])
