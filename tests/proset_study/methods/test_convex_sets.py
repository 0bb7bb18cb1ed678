import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from tests.proset_study.methods.small import fit

from proset_study.methods.convex_sets import distances_to_hull

SQUARE = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0], [1.0, 1.5]])  # the last one is inside


def test_distances_from_a_square():
    points = np.array([[1.0, 1.0], [3.0, 1.0], [3.0, 3.0], [-1.0, 2.5], [2.0, 0.0], [2.0, 1.0], [1e6, 1.0]])
    distance, vertex = distances_to_hull(points, SQUARE)
    np.testing.assert_allclose(distance, [0, 1, np.sqrt(2), np.sqrt(1.25), 0, 0, 1e6 - 2], atol=1e-9)
    np.testing.assert_allclose(vertex[:2], [0.5, np.sqrt(2)])
    assert distance[[0, 4, 5]].tolist() == [0, 0, 0]


def test_distances_are_those_of_another_solver(rng):
    """In more dimensions than there are vertices, and in fewer."""
    for m, n_features in ((4, 6), (12, 3)):
        vertices, points = rng.normal(size=(m, n_features)), 2 * rng.normal(size=(5, n_features))
        for x, found in zip(points, distances_to_hull(points, vertices)[0], strict=True):
            solved = minimize(
                lambda weights, x=x, vertices=vertices: ((x - weights @ vertices) ** 2).sum(),
                np.full(m, 1 / m),
                bounds=[(0, 1)] * m,
                constraints={"type": "eq", "fun": lambda weights: weights.sum() - 1},
                options={"ftol": 1e-14, "maxiter": 500},
            )
            assert found == pytest.approx(np.sqrt(max(solved.fun, 0.0)), abs=1e-5)


def test_the_nearest_hull_and_within_several_the_nearest_sample():
    X = np.concatenate([SQUARE, SQUARE[:4] + np.array([1.5, 0.0])])
    fitted = fit("convex_sets", X, [0] * 5 + [1] * 4, 1)
    assert fitted.summary() == {"active_features": 2, "convex_sets": 2}
    # Left of all, right of all; in both, nearer to (1, 1.5) of class 0, and to (1.5, 0) of class 1.
    points = np.array([[-1.0, 1.0], [5.0, 1.0], [1.6, 1.4], [1.6, 0.2]])
    assert fitted.predict_proba(points).argmax(axis=1).tolist() == [0, 1, 0, 1]


def test_the_path_ends_in_the_nearest_neighbour():
    X, y = load_iris(return_X_y=True)
    fitted = fit("convex_sets", X[::2], y[::2], 9)  # 30 groups of 25 samples
    theirs = KNeighborsClassifier(1).fit(X[::2], y[::2]).predict(X[1::2])
    np.testing.assert_array_equal(fitted.predict_proba(X[1::2]).argmax(axis=1), theirs)
    sets = fitted.staged_summary()["convex_sets"]
    assert sets[:4] == [3, 6, 9, 15]
    errors = [np.mean(p.argmax(axis=1) != y[1::2]) for p in fitted.staged_predict_proba(X[1::2])]
    assert max(errors) < 0.12
