"""Prototypes that are duplicates of each other become one."""

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from proset.duplicates import DUPLICATE_TOLERANCE, merge_duplicates


@pytest.mark.parametrize("seed", range(20))
def test_duplicates_are_the_connected_components_of_candidates_within_the_tolerance(seed):
    """Groups as SciPy finds them; chains of steps below the tolerance, of both labels, some without weight."""
    rng = np.random.default_rng(seed)
    steps = rng.integers(0, 6, (60, 2))
    scaled, labels = 0.6 * DUPLICATE_TOLERANCE * steps + rng.integers(0, 2, (60, 1)), np.repeat([0, 1], 30)
    weights, sample_index = rng.exponential(size=60) * (rng.random(60) > 0.3), rng.permutation(500)[:60]
    near = (cdist(scaled, scaled, "chebyshev") <= DUPLICATE_TOLERANCE) & (labels[:, None] == labels)
    positive = np.flatnonzero(weights > 0)
    _, group = connected_components(near[np.ix_(positive, positive)])
    groups = [positive[group == g] for g in range(group.max() + 1)]
    expected = {min(members, key=lambda i: sample_index[i]): weights[members].sum() for members in groups}
    kept, merged = merge_duplicates(scaled, labels, weights, sample_index)
    assert dict(zip(kept.tolist(), merged.tolist(), strict=True)) == pytest.approx(expected)
    assert kept.tolist() == sorted(kept.tolist(), key=lambda i: (labels[i], sample_index[i]))
    assert len(kept) < len(positive)
