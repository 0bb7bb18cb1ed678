import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.reference import classifier as reference

from proset import ProsetClassifier

IMPOSSIBLE = {
    "check_sample_weight_equivalence_on_dense_data": "candidates are drawn at random among the rows, so that a row of "
    "weight 2 and the same row twice lead to other draws"
}


@parametrize_with_checks(
    [ProsetClassifier(), ProsetClassifier(references="split")],
    expected_failed_checks=lambda estimator: IMPOSSIBLE if estimator.references == "split" else {},
)
def test_scikit_learn_check(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


@pytest.fixture(scope="module", params=["leave_one_out", "split"])
def fitted(wine, request):
    return ProsetClassifier(n_batches=3, random_state=1, references=request.param).fit(*wine)


@pytest.fixture(scope="module")
def split(wine):
    return ProsetClassifier.published(n_batches=3, random_state=1).fit(*wine)


def candidate_weights(batch):
    """w of all candidates; those that are no prototypes have 0."""
    kept = dict(zip(batch.sample_index, batch.prototype_weights, strict=True))
    return np.array([kept.get(i, 0.0) for i in batch.candidate_index])


def recomputed_objective(model, X, y, b, sample_weight=None):
    """f(v, w) of batch b from the fitted attributes alone."""
    *_, before = [q for q, _ in zip(model._model.staged_q(X), range(b + 1), strict=False)]
    batch = model.batches_[b]
    penalty = {"alpha_v": model.alpha_v, "alpha_w": model.alpha_w}
    penalty |= {"lambda_v": model.lambda_v_, "lambda_w": model.lambda_w_}
    return reference.objective(
        X,
        y,
        before,
        batch.candidate_index,
        batch.feature_weights,
        candidate_weights(batch),
        sample_weight=sample_weight,
        **penalty,
    )


def test_objective_can_be_recomputed_from_the_fitted_attributes(split, wine):
    for b, batch in enumerate(split.batches_):
        assert batch.objective == pytest.approx(recomputed_objective(split, *wine, b), rel=1e-5)


def test_the_solution_is_stationary(split, wine):
    """No feasible direction leads down by more than the tolerance, checked with the slow gradient."""
    X, y = wine
    batch = split.batches_[0]
    weights = candidate_weights(batch)
    prior = np.tile(split.class_prior_, (len(y), 1))
    penalty = {name: getattr(split, name) for name in ("lambda_v", "lambda_w", "alpha_v", "alpha_w")}
    dv, dw = reference.gradient(X, y, prior, batch.candidate_index, batch.feature_weights, weights, **penalty)
    for value, slope in ((batch.feature_weights, dv), (weights, dw)):
        assert np.abs(np.where(value > 0, slope, np.minimum(slope, 0))).max() < 2e-4


def test_staged_probabilities_truncate_the_model(fitted, wine):
    X, y = wine
    stages = list(fitted.staged_predict_proba(X))
    assert len(stages) == 4
    np.testing.assert_allclose(stages[0], np.tile(fitted.class_prior_, (len(X), 1)), rtol=1e-15)
    np.testing.assert_array_equal(stages[3], fitted.predict_proba(X))
    shorter = clone(fitted).set_params(n_batches=2).fit(X, y)
    np.testing.assert_array_equal(stages[2], shorter.predict_proba(X))


def test_far_from_every_prototype_the_prediction_is_the_prior(fitted):
    far = np.full((2, 13), 1e4) * np.array([[1.0], [-1.0]])
    np.testing.assert_allclose(fitted.predict_proba(far), np.tile(fitted.class_prior_, (2, 1)), atol=1e-12)
    assert fitted.familiarity(far).max() < 1e-12
    assert fitted.familiarity(fitted.batches_[0].prototypes).min() > 0.01


def test_no_batches_give_the_prior(wine):
    X, y = wine
    model = ProsetClassifier(n_batches=0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X[:3]), np.tile(np.bincount(y) / len(y), (3, 1)))
    assert model.batches_ == ()
    assert len(model.active_features_) == model.n_prototypes_ == 0


def test_same_seed_same_model_and_other_seed_other_candidates(wine):
    models = [ProsetClassifier(references="split", random_state=s).fit(*wine) for s in (3, 3, 4)]
    np.testing.assert_array_equal(models[0].predict_proba(wine[0]), models[1].predict_proba(wine[0]))
    assert set(models[0].batches_[0].candidate_index) != set(models[2].batches_[0].candidate_index)


def test_prototypes_are_training_samples_among_the_candidates(fitted, wine):
    X, y = wine
    for batch in fitted.batches_:
        np.testing.assert_array_equal(batch.prototypes, X[batch.sample_index])
        np.testing.assert_array_equal(batch.labels, y[batch.sample_index])
        assert set(batch.sample_index) <= set(batch.candidate_index)
        assert (batch.prototype_weights > 0).all()


def test_features_are_selected():
    X, y = load_breast_cancer(return_X_y=True)
    model = ProsetClassifier(lambda_v=0.03, lambda_w=7e-5, random_state=0).fit(scale(X), y)
    assert 1 <= len(model.active_features_) <= 8
    assert model.score(scale(X), y) > 0.9


def test_weights_are_counts_in_prior_and_likelihood(wine):
    X, y = wine
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    model = ProsetClassifier.published(random_state=0).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.class_prior_, np.bincount(y, weights=weight) / weight.sum())
    assert model.batches_[0].objective == pytest.approx(recomputed_objective(model, X, y, 0, weight), rel=1e-5)
    for references in ("split", "leave_one_out"):
        plain = ProsetClassifier(references=references, random_state=0).fit(X, y)
        same = clone(plain).fit(X, y, sample_weight=np.full(len(y), 3.0))
        np.testing.assert_allclose(same.predict_proba(X), plain.predict_proba(X), rtol=1e-3)


def test_samples_of_weight_zero_do_not_matter(wine):
    X, y = wine
    weight = np.ones(len(y))
    weight[::3] = 0
    model = ProsetClassifier(random_state=0).fit(X, y, sample_weight=weight)
    left = ProsetClassifier(random_state=0).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_array_equal(model.predict_proba(X), left.predict_proba(X))
    np.testing.assert_array_equal(model.batches_[0].prototypes, X[model.batches_[0].sample_index])


def test_duplicate_prototypes_are_merged():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], 20, axis=0)
    y = np.repeat([0, 0, 1, 1], 20)
    model = ProsetClassifier(references="split", lambda_v=1e-4, random_state=0).fit(X, y)
    assert model.n_prototypes_ <= 4
    assert model.score(X, y) == 1.0
    for i in model.batches_[0].sample_index:  # the representative comes first among the candidates at its place
        same = [c for c in model.batches_[0].candidate_index if c // 20 == i // 20]
        assert i >= min(same)


def test_copies_of_a_row_tell_each_other_their_class():
    """Exclusive or of two binary features: nothing but the copies at a place knows its class."""
    X, y = np.repeat([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], 20, axis=0), np.repeat([0, 0, 1, 1], 20)
    noisy = y ^ (np.arange(80) % 10 == 0)
    model = ProsetClassifier().fit(X, noisy)
    assert model.score(X, y) == 1.0
    assert model.predict_proba(X).max() < 0.97  # a tenth of the labels is wrong


@pytest.mark.parametrize(
    ("settings", "change", "message"),
    [
        (
            {"max_fraction": 1.0},
            None,
            r"'max_fraction' parameter .* must be a float in the range \(0.0, 1.0\). Got 1.0",
        ),
        ({"max_fraction": 0.0}, None, "'max_fraction'.*Got 0.0"),
        ({"n_batches": -1}, None, "'n_batches'.*Got -1"),
        ({"n_candidates": 0}, None, "'n_candidates'.*Got 0"),
        ({"lambda_v": -1e-3}, None, "'lambda_v'.*Got -0.001"),
        ({"alpha_w": 1.5}, None, "'alpha_w'.*Got 1.5"),
        ({"tol": 0.0}, None, "'tol'.*Got 0.0"),
        ({}, "inf", "contains infinity"),
        ({}, "negative weights", "Negative values in data passed to `sample_weight`"),
        ({}, "zero weights", "sample_weight is zero for every sample|must contain at least one non-zero"),
        ({}, "one class", r"y has 1 class \(0\)"),
        (
            {"references": "split", "max_fraction": 0.99},
            None,
            "class 0 has 59 samples; max_fraction=0.99 needs at least 101",
        ),
    ],
)
def test_bad_input_is_refused_with_its_name_and_value(wine, settings, change, message):
    X, y, weight = wine[0].copy(), wine[1].copy(), None
    if change in ("nan", "inf"):
        X[5, 3] = float(change)
    elif change == "negative weights":
        weight = np.linspace(-1, 1, len(y))
    elif change == "zero weights":
        weight = np.zeros(len(y))
    elif change == "one class":
        y[:] = 0
    elif change == "two samples":
        y[y == 2] = 0
        y[:2] = 2
    with pytest.raises(ValueError, match=message):
        ProsetClassifier(**settings).fit(X, y, sample_weight=weight)


def test_constant_feature_duplicated_rows_many_candidates_and_a_class_of_three(rng):
    X = rng.normal(size=(43, 3))
    X[:, 1] = 5.0
    X[20:40] = X[:20]
    y = np.repeat([0, 1, 0, 2], [10, 10, 20, 3])
    model = ProsetClassifier(n_candidates=10_000, random_state=0).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_twenty_classes():
    X, y = make_blobs(600, n_features=3, centers=20, cluster_std=0.3, random_state=0)
    assert ProsetClassifier(random_state=0).fit(scale(X), y).score(scale(X), y) > 0.9


def test_too_few_iterations_warn_and_are_recorded(wine):
    with pytest.warns(ConvergenceWarning, match="batch 1 did not converge after 3 iterations"):
        model = ProsetClassifier(max_iter=3, random_state=0).fit(*wine)
    assert not model.batches_[0].converged


@pytest.mark.parametrize(
    ("factor", "lambda_v", "cause"),
    [
        (1e3, 1e-3, "standard deviation of .*, expected is about 1: use scale=True"),
        (1.0, 1e3, "lambda_v=1000 or lambda_w=1e-08 may be"),
    ],
)
def test_a_fit_that_learnt_nothing_says_so_and_why(rng, factor, lambda_v, cause):
    X = rng.normal(size=(100, 3))
    model = ProsetClassifier.published(lambda_v=lambda_v, random_state=0)
    with pytest.warns(UserWarning, match=f"nothing was learnt, every prediction is the class prior; .*{cause}"):
        model.fit(factor * X, X[:, 0] > 0)
    assert np.ptp(model.predict_proba(factor * X), axis=0).max() < 1e-6


@pytest.mark.parametrize("references", ["split", "leave_one_out"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_warm_start_adds_the_batches_of_a_longer_fit(wine, references, weighted):
    X, y = wine
    weight = np.random.default_rng(0).integers(0, 3, len(y)) / 2.0 if weighted else None
    model = ProsetClassifier(0, n_candidates=40, references=references, random_state=2, warm_start=True)
    for n_batches in (0, 1, 3, 3):
        model.set_params(n_batches=n_batches).fit(X, y, weight)
        whole = clone(model).set_params(warm_start=False).fit(X, y, weight)
        for name, array in whole._model.arrays().items():
            np.testing.assert_array_equal(model._model.arrays()[name], array, err_msg=name)
    assert pickle.loads(pickle.dumps(model)).set_params(n_batches=4).fit(X, y, weight).n_prototypes_ > 0


def test_a_warm_start_goes_on_with_unknown_seeds_and_other_penalties(wine):
    model = ProsetClassifier(random_state=None, warm_start=True, max_prototypes=None).fit(*wine)
    first = model.batches_[0]
    model.set_params(n_batches=2, lambda_v=0.1).fit(*wine)
    assert model.batches_[0] is not first
    np.testing.assert_array_equal(model.batches_[0].candidate_index, first.candidate_index)
    np.testing.assert_array_equal(model.batches_[0].prototype_weights, first.prototype_weights)


def test_class_weights_are_sample_weights(wine):
    X, y = wine
    labels, counts = np.array(["a", "b", "c"])[y], np.bincount(y)
    own = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    by_class = np.array([1.0, 2.5, 1.0])[y]  # whole numbers would be copies, as sample weights
    cases = [({"b": 2.5}, None, by_class), ({"b": 2.5}, own, own * by_class)]
    cases += [("balanced", None, len(y) / (3 * counts[y]))]
    for class_weight, given, expected in cases:
        model = ProsetClassifier(class_weight=class_weight, random_state=0).fit(X, labels, given)
        same = ProsetClassifier(random_state=0).fit(X, labels, expected)
        np.testing.assert_allclose(model.predict_proba(X), same.predict_proba(X), rtol=1e-6)
    weight = np.where(y == 0, 0.0, own)  # also among samples with weights of their own, some of them zero
    model = ProsetClassifier(class_weight="balanced", random_state=0).fit(X, labels, weight)
    np.testing.assert_allclose(model.class_prior_, [0.5, 0.5])


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({0: 0.0, 1: 0.0, 2: 0.0}, "class_weight: .* is not allowed, leaves no sample with positive weight"),
        ("uniform", "'class_weight' parameter of ProsetClassifier must be"),
    ],
)
def test_bad_class_weights_are_refused(wine, class_weight, message):
    with pytest.raises(ValueError, match=message):
        ProsetClassifier(class_weight=class_weight).fit(*wine)


def test_predictions_of_the_first_batches(fitted, wine):
    X, y = wine
    stages = list(fitted.staged_predict_proba(X))
    shorter = clone(fitted).set_params(n_batches=2).fit(X, y)
    for n_batches in range(4):
        np.testing.assert_array_equal(fitted.predict_proba(X, n_batches=n_batches), stages[n_batches])
        np.testing.assert_array_equal(fitted.predict(X, n_batches=n_batches), stages[n_batches].argmax(axis=1))
    np.testing.assert_array_equal(fitted.familiarity(X, n_batches=2), shorter.familiarity(X))
    for n_batches in (4, -1, 1.5):
        with pytest.raises(ValueError, match=f"n_batches: {n_batches} is not allowed, must be 0 to 3"):
            fitted.predict(X, n_batches=n_batches)


def test_a_line_per_batch_on_request(wine, capsys):
    ProsetClassifier(2, verbose=1, random_state=0).fit(*wine)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert re.fullmatch(r"batch 2 of 2: objective 0\.\d+ after \d+ iterations, \d+ prototypes, \d+ features", lines[1])
    ProsetClassifier(2, random_state=0).fit(*wine)
    assert capsys.readouterr().out == ""


def test_in_a_pipeline_that_passes_frames(wine):
    X, y = pd.DataFrame(wine[0]).add_prefix("x"), wine[1]
    pipeline = make_pipeline(StandardScaler(), ProsetClassifier(2, random_state=0)).set_output(transform="pandas")
    pipeline.fit(X, y)
    assert pipeline[-1].feature_names_in_.tolist() == X.columns.tolist()
    assert pipeline.predict(X, n_batches=0).tolist() == [1] * len(y)  # the largest class


def test_costs_of_errors_decide_the_class():
    X, y = load_iris(return_X_y=True)
    costs = [[0, 1, 1], [1, 0, 2], [30, 30, 0]]
    plain = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4).fit(X, y)
    model = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4, cost_matrix=costs).fit(X, y)
    probabilities = model.predict_proba(X)
    np.testing.assert_array_equal(probabilities, plain.predict_proba(X))
    np.testing.assert_array_equal(model.predict(X), (probabilities @ np.array(costs)).argmin(axis=1))
    assert (model.predict(X) == 2).sum() > (plain.predict(X) == 2).sum()
    assert ((model.predict(X) != 2) & (y == 2)).sum() <= ((plain.predict(X) != 2) & (y == 2)).sum()
    equal = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4, cost_matrix=1 - np.eye(3)).fit(X, y)
    np.testing.assert_array_equal(equal.predict(X), plain.predict(X))
    terms = model.explain(X[70:71])
    assert terms["class"][0] == model.predict(X[70:71])[0]
    assert clone(model).get_params()["cost_matrix"] == costs


def test_a_frame_of_costs_goes_by_the_names_of_the_classes():
    X, y = load_iris(return_X_y=True)
    y = np.where(y == 2, "yes", "no")
    costs = pd.DataFrame([[0, 500], [1, 0]], index=["yes", "no"], columns=["yes", "no"])
    model = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4, cost_matrix=costs).fit(X, y)
    same = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4, cost_matrix=[[0, 1], [500, 0]]).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), same.predict(X))
    assert ((model.predict(X) == "no") & (y == "yes")).sum() == 0
