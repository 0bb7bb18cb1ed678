from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial.distance import cdist
from tests.proset_study.methods.small import SEED, fit, make_part

from proset_study import methods
from proset_study.methods.set_covering_machine import MAX_SAMPLES, Balls


def slow(X, positive, penalty, most):
    """From the definition: every feature is looked at in every step; (centre, its samples where it is true)."""
    covered, wrong, found = np.zeros(len(X), dtype=bool), np.zeros(len(X), dtype=bool), []
    while len(found) < most:
        best, chosen = 0.0, None
        for centre in range(len(X)):
            distances = cdist(X, X[[centre]])[:, 0]
            for radius in np.unique(distances)[:-1]:
                true = distances <= radius if positive[centre] else distances > radius
                use = (true & positive & ~covered).sum() - penalty * (true & ~positive & ~wrong).sum()
                if use > best + 1e-9:
                    best, chosen = use, (centre, true)
        if chosen is None:
            break
        covered, wrong = covered | chosen[1] & positive, wrong | chosen[1] & ~positive
        found.append(chosen)
    return found


@pytest.mark.parametrize(("penalty", "grid"), list(product([0.5, 1.0, 3.0], [True, False])))
def test_features_are_those_of_the_definition(penalty, grid, rng):
    X = rng.integers(0, 5, (30, 2)).astype(float) if grid else rng.normal(size=(30, 2))
    positive = np.hypot(*(X - X.mean(axis=0)).T) + rng.normal(scale=0.3, size=30) < 1.2
    found = Balls.of(make_part(X, positive.astype(int))).greedy(positive, penalty, 6)
    expected = slow(X, positive, penalty, 6)
    assert [centre for centre, _ in found] == [centre for centre, _ in expected]
    for (centre, radius), (_, true) in zip(found, expected, strict=True):
        inside = np.linalg.norm(X - X[centre], axis=1) < radius
        np.testing.assert_array_equal(inside if positive[centre] else ~inside, true)


def test_a_machine_by_hand():
    """Ball of the first class around 1 to 2.5: half way to 4. The others get one at 5, and outside of it is class 0."""
    X, y = [[0.0], [1.0], [2.0], [4.0], [5.0], [6.0]], [0, 0, 0, 1, 1, 1]
    fitted = fit("set_covering_machine", X, y, 3, penalty=1.0)
    assert fitted.staged_summary()["prototypes"] == [2, 2, 2]  # one feature each is enough
    assert fitted.points[:, 0].tolist() == [0.0, 0.0]
    assert fitted.radius.tolist() == [3.0, 3.0]
    assert fitted.labels.tolist() == [0, 0]
    assert fitted.classes.tolist() == [0, 1]  # inside of the ball, and outside of it
    assert fitted.predict_proba(np.array([[-1.0], [2.9], [3.1], [99.0]])).argmax(axis=1).tolist() == [0, 0, 1, 1]


def test_without_useful_features_the_most_frequent_class_is_predicted():
    X, y = np.zeros((5, 1)), [0, 1, 1, 1, 0]
    fitted = fit("set_covering_machine", X, y, 2, penalty=1.0)
    assert fitted.summary()["prototypes"] == 0
    assert fitted.predict_proba(np.array([[0.0], [3.0]])).argmax(axis=1).tolist() == [1, 1]


def test_where_no_ball_is_worth_its_cost_the_most_frequent_class_is_predicted():
    X, y = [[0.0], [1.0], [5.0]], [0, 0, 1]
    fitted = fit("set_covering_machine_lp", X, y, 3, cost=100.0)
    assert fitted.staged_summary()["prototypes"] == [0, 0, 0]
    again = methods.get("set_covering_machine_lp").load(fitted.arrays())
    assert again.predict_proba(np.array([[0.0], [5.0]])).argmax(axis=1).tolist() == [0, 0]


@pytest.mark.parametrize("name", ["set_covering_machine", "set_covering_machine_lp", "multiedit", "cccd", "k_medoids"])
def test_stored_distances_give_the_same_model_as_features(name, rng):
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    data, points = make_part(X + 1.5 * y[:, None], y), rng.normal(size=(40, 2))
    stored = replace(data, X=cdist(data.X, data.X), X_score=cdist(points, data.X), metric="precomputed")
    parameters = {"penalty": 1.0} if name == "set_covering_machine" else {}
    ours, theirs = (methods.get(name)(d).fit(parameters, 1, SEED) for d in (stored, data))
    np.testing.assert_array_equal(ours.predict_proba(stored.X_score), theirs.predict_proba(points))
    assert ours.summary() == {**theirs.summary(), "active_features": 0}


def test_too_many_samples_are_refused():
    y = np.arange(MAX_SAMPLES + 1) % 2
    message = "5,001 training samples are not allowed, at most 5,000: this method needs all distances"
    with pytest.raises(ValueError, match=message):
        fit("set_covering_machine", y[:, None], y, penalty=1.0)


def test_the_fractional_rule_is_that_of_the_linear_program_with_slack_for_both_sides(rng):
    """min sum a + D (sum xi + sum eta), A+ a >= 1 - xi, A- a <= eta with D = n, and the class with the larger sum."""
    X = np.concatenate([rng.normal(size=(20, 2)), rng.normal(loc=1.5, size=(20, 2))])
    y, n = np.repeat([0, 1], 20), 40
    fitted = fit("set_covering_machine_lp", X, y, 14)
    radius = fitted.radii[-1]
    inside = (cdist(X, X) < radius).astype(float)
    values = []
    for k in (0, 1):
        own, foreign = inside[y == k], inside[y != k]
        solved = linprog(
            c=np.concatenate([np.ones(n), n * np.ones(40)]),
            A_ub=np.block([[-own, -np.eye(20), np.zeros((20, 20))], [foreign, np.zeros((20, 20)), -np.eye(20)]]),
            b_ub=np.concatenate([-np.ones(20), np.zeros(20)]),
            bounds=[(0, 1)] * n + [(0, None)] * 40,
        )
        there = (fitted.size == 14) & (fitted.labels == k)
        shares = np.zeros(n)
        for point, share in zip(fitted.points[there], fitted.shares[there], strict=True):
            shares[(point == X).all(axis=1)] = share
        left_out, held = np.maximum(0, 1 - own @ shares), foreign @ shares
        assert shares.sum() + n * (left_out.sum() + held.sum()) == pytest.approx(solved.fun, rel=1e-6)
        values.append(inside @ shares)
    clear = np.abs(values[0] - values[1]) > 1e-3
    assert clear.any()
    np.testing.assert_array_equal(fitted.predict_proba(X).argmax(axis=1)[clear], (values[1] > values[0])[clear])


def test_three_classes_have_a_machine_each():
    X, y = np.array([[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]]), np.repeat([0, 1, 2], 2)
    fitted = fit("set_covering_machine", X, y, 1, penalty=1.0)
    assert fitted.classes.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(fitted.predict_proba(X).argmax(axis=1), y)
