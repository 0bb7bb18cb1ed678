"""Leave-one-out references against their definition, hand-solved cases, and what they promise."""

import numpy as np
import pytest

from proset import leave_one_out
from proset.leave_one_out import Samples, Task, _from_some
from proset.objective import Penalty

PENALTY = Penalty(lambda_v=1e-3, lambda_w=1e-6, alpha_v=0.95, alpha_w=0.95)
SETTINGS = {"n_batches": 1, "n_candidates": None, "penalty": PENALTY, "max_iter": 500, "tol": 1e-6}
SEED = np.random.SeedSequence(5)


def moons(rng, n, noise=0.25):
    angle, y = rng.uniform(0, np.pi, n), rng.integers(0, 2, n)
    X = np.column_stack([np.cos(angle) + y - 0.5, np.where(y, 0.25 - np.sin(angle), np.sin(angle) - 0.25)])
    return X + rng.normal(scale=noise, size=X.shape), y


def fit(X, y, **changes):
    return leave_one_out.fit(X, y, int(y.max()) + 1, **{**SETTINGS, "seed": SEED, **changes})


def predicted(model, X):
    *_, probabilities = model.staged_predict_proba(X)
    return probabilities


def test_a_sample_alone_in_its_class_tells_nothing_of_itself():
    """Each sees only the other class, and a prototype there makes its own class less probable: no weight stays."""
    model = fit(np.array([[-1.0], [1.0]]), np.array([0, 1]))
    assert model.n_prototypes() == 0
    np.testing.assert_allclose(predicted(model, np.array([[-1.0]])), [[0.5, 0.5]])


def test_the_order_of_the_rows_changes_the_order_of_the_prototypes_alone(rng):
    X, y = moons(rng, 200)
    order = rng.permutation(len(y))
    first, second = (model.batches[0] for model in (fit(X, y), fit(X[order], y[order])))
    rows = order[second.sample_index]
    same = np.argsort(rows)[np.argsort(np.argsort(first.sample_index))]  # prototypes of the second in the first's order
    np.testing.assert_array_equal(first.sample_index, rows[same])
    np.testing.assert_array_equal(first.prototype_weights, second.prototype_weights[same])
    np.testing.assert_array_equal(first.feature_weights, second.feature_weights)
    assert first.objective == second.objective


@pytest.mark.parametrize("n_features", [2, 8])
def test_no_sample_outside_the_working_set_would_enter(rng, monkeypatch, n_features):
    monkeypatch.setattr(leave_one_out, "START", 40)
    X, y = moons(rng, 400)
    X = np.column_stack([X, rng.normal(size=(len(y), n_features - 2))])
    samples = Samples.of(X, y, np.ones(len(y)))
    prior = np.tile(np.bincount(y) / len(y), (len(y), 1))
    objective = Task(samples, samples.references, np.arange(len(y)), prior).objective(PENALTY)
    first = np.zeros(len(y), dtype=bool)
    first[rng.choice(len(y), 40, replace=False)] = True
    solution = _from_some(objective, first, 500, 1e-6)
    assert solution.converged
    value, gradient = objective(solution.x)
    slopes, outside = gradient * objective.scale(), solution.x == 0
    assert (solution.x[n_features:][~first] > 0).any()
    assert outside[n_features:].any()
    assert value == pytest.approx(solution.fun, rel=1e-6)
    assert slopes[outside].min() >= -max(1e-6, np.abs(slopes[~outside]).max())


def test_the_limit_of_iterations_is_that_of_all_rounds(rng, monkeypatch):
    monkeypatch.setattr(leave_one_out, "START", 40)
    X, y = moons(rng, 400)
    n_iter = fit(X, y).batches[0].n_iter
    batch = fit(X, y, max_iter=n_iter - 5).batches[0]
    assert not batch.converged
    assert batch.n_iter == n_iter - 5
    assert batch.message == f"limit of {n_iter - 5} iterations reached"


def test_noise_is_not_learnt_by_heart(rng):
    """With labels by chance a sample's own prototype would explain it; without it the loss is that of chance."""
    X, y = rng.normal(size=(300, 2)), rng.integers(0, 2, 300)
    model = fit(X, y, penalty=Penalty(1e-4, 1e-8, 0.95, 0.95))
    assert model.batches[0].objective > 0.9 * np.log(2)


def test_batches_go_on_where_the_last_one_ended(rng):
    X, y = moons(rng, 300)
    one, three = fit(X, y), fit(X, y, n_batches=3)
    np.testing.assert_array_equal(one.batches[0].prototype_weights, three.batches[0].prototype_weights)
    values = [batch.objective for batch in three.batches]
    assert values == sorted(values, reverse=True)
