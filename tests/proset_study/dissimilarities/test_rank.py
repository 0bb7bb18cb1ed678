import numpy as np

from proset.cover import ball_bits, rank_radii
from proset_study.dissimilarities.rank import ranks


def test_ranks_are_counts(rng):
    """From the definition, with ties."""
    to_fit, others = rng.integers(0, 6, (20, 7)).astype(float), rng.integers(-1, 7, (9, 7)).astype(float)
    for distances in (to_fit, others):
        expected = [[(to_fit[:, j] <= d).sum() for j, d in enumerate(row)] for row in distances]
        np.testing.assert_array_equal(ranks(distances, to_fit), expected)


def test_balls_are_those_of_the_nearest_samples(rng):
    """As `SetCoverClassifier(n_neighbors=...)` has them: a radius of q + 1 takes in the q nearest."""
    X = rng.normal(size=(40, 3))
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    radii = rank_radii(lambda columns: distances[:, columns], 40, 40, 6)
    (bits,) = ball_bits(lambda rows: distances[rows], 40, 40, [radii])
    inside = np.unpackbits(bits, axis=1, count=40).astype(bool)
    np.testing.assert_array_equal(ranks(distances, distances) < 7, inside)
