"""Leave-one-out references against their definition, hand-solved cases, and what they promise."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from tests.reference import classifier as definition

from proset import ProsetClassifier, leave_one_out, load_model, save_model
from proset.leave_one_out import Samples, Task, _from_some
from proset.objective import Objective, Penalty

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


@pytest.mark.parametrize(
    ("n_features", "scale"), [(2, 1.0), (12, 1.0), (3, 1e4)], ids=["differences", "products", "wide"]
)
def test_objective_and_gradient_are_those_of_the_definition(rng, n_features, scale):
    n, n_classes = 150, 3
    X, y = rng.normal(size=(n, n_features)) * scale, np.sort(rng.integers(0, n_classes, n))
    previous_q, s = rng.uniform(0.1, 1.0, (n, n_classes)), rng.uniform(0.5, 2.0, n)
    objective = Objective(
        X=X,
        labels=y,
        row_weights=s / s.sum(),
        previous_q=previous_q,
        candidates=X,
        class_offsets=np.searchsorted(y, np.arange(n_classes + 1)),
        penalty=PENALTY,
        own=np.arange(n),
    )
    v, w = rng.uniform(0.3, 1.0, n_features) / scale, rng.uniform(0.0, 5.0, n) * (rng.random(n) > 0.4)
    value, gradient = objective(objective.pack(v, w))
    expected = definition.leave_one_out_objective(X, y, previous_q, v, w, s, PENALTY)
    assert value == pytest.approx(expected, rel=1e-5)
    numeric = approx_fprime(
        v, lambda v: definition.leave_one_out_objective(X, y, previous_q, v, w, s, PENALTY), 1e-6 / scale
    )
    np.testing.assert_allclose(gradient[:n_features], numeric, rtol=1e-3, atol=1e-5 * np.abs(numeric).max())
    inside = np.flatnonzero(w)[:20]
    numeric = approx_fprime(w, lambda w: definition.leave_one_out_objective(X, y, previous_q, v, w, s, PENALTY), 1e-6)
    np.testing.assert_allclose(gradient[n_features:][inside], numeric[inside], rtol=1e-3, atol=1e-7)


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


def test_a_weight_of_two_is_the_same_row_twice(rng):
    X, y = moons(rng, 120)
    weight = rng.integers(1, 4, len(y))
    repeated = np.repeat(np.arange(len(y)), weight)
    by_weight = fit(X, y, sample_weight=weight.astype(float), n_batches=2)
    by_rows = fit(X[repeated], y[repeated], n_batches=2)
    np.testing.assert_array_equal(predicted(by_weight, X), predicted(by_rows, X))


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


def test_threads_change_no_bit(rng):
    X, y = moons(rng, 1500)
    first, second = fit(X, y), fit(X, y, n_threads=3)
    np.testing.assert_array_equal(predicted(first, X), predicted(second, X))


def test_fewer_candidates_are_drawn_from_all_samples(rng):
    X, y = moons(rng, 300)
    model = fit(X, y, n_candidates=50)
    assert len(model.batches[0].candidate_index) == 50
    assert set(model.batches[0].sample_index) <= set(model.batches[0].candidate_index)


def test_the_estimator_fits_saves_and_explains(rng, tmp_path):
    X, y = moons(rng, 200)
    model = ProsetClassifier(references="leave_one_out", n_candidates="all", n_batches=2, random_state=0).fit(X, y)
    assert model.n_prototypes_ > 0
    assert model.score(X, y) > 0.9
    save_model(model, tmp_path / "model.npz")
    np.testing.assert_array_equal(load_model(tmp_path / "model.npz").predict_proba(X), model.predict_proba(X))
    assert len(model.explain(X[:1])) > 2  # a row per class and per prototype that counts


def test_a_weight_of_zero_and_of_two_are_rows_less_and_more_for_the_estimator(rng):
    X, y = moons(rng, 100)
    weight = rng.integers(0, 3, len(y))
    model = ProsetClassifier(references="leave_one_out", n_candidates="all")
    by_weight = model.fit(X, y, sample_weight=weight).predict_proba(X)
    rows = np.repeat(np.arange(len(y)), weight)
    np.testing.assert_array_equal(by_weight, model.fit(X[rows], y[rows]).predict_proba(X))


def test_all_candidates_need_leave_one_out_references():
    with pytest.raises(
        ValueError, match="n_candidates: 'all' is not allowed, must be a number with references='split'"
    ):
        ProsetClassifier(references="split", n_candidates="all").fit([[0.0], [0.1], [1.0], [1.1]], [0, 0, 1, 1])
