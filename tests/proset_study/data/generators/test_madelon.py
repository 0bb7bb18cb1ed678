import numpy as np

from proset_study.data.generators.madelon import Madelon


def test_one_half_of_the_corners_is_of_either_class_and_combinations_are_linear():
    madelon = Madelon(informative=4, redundant=3, irrelevant=2, separation=12.0)
    X = madelon.points(4000, np.random.default_rng(0))
    corners, labels, combinations = madelon._problem()
    np.testing.assert_allclose(X[:, 4:7], X[:, :4] @ combinations)
    assert X.shape == (4000, 9)
    assert sorted(map(tuple, corners / 12 + 0.5)) == list(np.ndindex(2, 2, 2, 2))
    assert np.bincount(labels).tolist() == [8, 8]
    nearest = ((X[:, None, :4] - corners) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_allclose(madelon.probabilities(X), np.eye(2)[labels[nearest]], atol=1e-3)


def test_the_problem_is_that_of_its_seed():
    X = Madelon().points(500, np.random.default_rng(0))
    assert (Madelon().probabilities(X) == Madelon().probabilities(X)).all()
    assert np.abs(Madelon(problem_seed=1).probabilities(X) - Madelon().probabilities(X)).max() > 0.5
