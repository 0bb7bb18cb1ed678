import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
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
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        check(estimator)


@pytest.fixture(scope="module", params=["leave_one_out", "split"])
def fitted(wine, request):
    return ProsetClassifier(n_batches=3, random_state=1, references=request.param).fit(*wine)


@pytest.fixture(scope="module")
def split(wine):
    given = {"n_candidates": 40, "max_fraction": 0.25, "alpha_v": 0.9, "alpha_w": 0.4}
    return ProsetClassifier.published(n_batches=3, **given, random_state=1).fit(*wine)


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
    first = np.bincount(wine[1][split.batches_[0].candidate_index])
    assert first.tolist() == [14, 14, 12]  # a quarter of the smallest class, the other two share the rest of 40
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


def test_predictions_of_the_first_batches_are_those_of_a_shorter_model(fitted, wine):
    X, y = wine
    stages = list(fitted.staged_predict_proba(X))
    assert len(stages) == 4
    np.testing.assert_allclose(stages[0], np.tile(fitted.class_prior_, (len(X), 1)), rtol=1e-15)
    np.testing.assert_array_equal(stages[3], fitted.predict_proba(X))
    for n_batches, stage in enumerate(stages):
        np.testing.assert_array_equal(fitted.predict_proba(X, n_batches=n_batches), stage)
        np.testing.assert_array_equal(fitted.predict(X, n_batches=n_batches), stage.argmax(axis=1))
    shorter = clone(fitted).set_params(n_batches=2).fit(X, y)
    np.testing.assert_array_equal(stages[2], shorter.predict_proba(X))
    np.testing.assert_array_equal(fitted.familiarity(X, n_batches=2), shorter.familiarity(X))
    for n_batches in (4, -1, 1.5):
        with pytest.raises(ValueError, match=f"n_batches: {n_batches} is not allowed, must be 0 to 3"):
            fitted.predict(X, n_batches=n_batches)


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


@pytest.mark.parametrize("settings", [{}, {"max_prototypes": 5}, {"max_prototypes": None, "n_batches": 2}], ids=str)
def test_weights_count_copies_and_none_of_weight_zero(wine, settings):
    X, y = wine
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    given = settings and {"lambda_v": 0.01, "lambda_w": 1e-4, **settings}  # the penalties are searched for, too
    rows, present = np.repeat(np.arange(len(y)), weight), weight > 0
    model = ProsetClassifier(**given).fit(X, y, sample_weight=weight)
    copied = ProsetClassifier(**given).fit(X[rows], y[rows])
    np.testing.assert_array_equal(model.predict_proba(X), copied.predict_proba(X))
    np.testing.assert_array_equal(model.batches_[0].prototypes, X[model.batches_[0].sample_index])
    left = ProsetClassifier(**given).fit(X[present], y[present], sample_weight=weight[present])
    np.testing.assert_array_equal(model.training_familiarity_, left.training_familiarity_)
    assert model.n_samples_fit_ == present.sum()


def test_copies_of_a_row_tell_each_other_their_class():
    """Exclusive or of two binary features: nothing but the copies at a place knows its class."""
    X, y = np.repeat([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], 20, axis=0), np.repeat([0, 0, 1, 1], 20)
    noisy = y ^ (np.arange(80) % 10 == 0)
    model = ProsetClassifier().fit(X, noisy)
    assert model.score(X, y) == 1.0
    assert model.predict_proba(X).max() < 0.97  # a tenth of the labels is wrong


@pytest.mark.parametrize("constant", [1.0, 0.1 + 0.2, np.nan])
@pytest.mark.parametrize("settings", [{}, {"scale": False}, {"references": "split"}, {"max_features": 2}], ids=str)
def test_a_constant_feature_has_no_weight(wine, constant, settings):
    """Only its penalty depends on its weight, and a small one is below the tolerance of the solver."""
    X, y = wine
    X = np.column_stack([X[:, :3] / X[:, :3].std(axis=0), np.full(len(X), constant)])
    model = ProsetClassifier(**{"lambda_v": 1e-7, "lambda_w": 1e-6, "random_state": 0, **settings}).fit(X, y)
    assert set(model.active_features_) <= {0, 1, 2}
    np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(X + np.eye(4)[3]))


def test_gaps_alone_are_no_constant_feature(wine):
    y = wine[1]
    model = ProsetClassifier(lambda_v=1e-5, lambda_w=1e-6).fit(np.where(y == 1, np.nan, 3.0)[:, None], y)
    assert model.active_features_.tolist() == [0]


def test_too_few_iterations_warn_and_are_recorded(wine):
    with pytest.warns(ConvergenceWarning, match="batch 1 did not converge after 3 iterations"):
        model = ProsetClassifier(max_iter=3, random_state=0).fit(*wine)
    assert not model.batches_[0].converged


@pytest.mark.parametrize(
    "settings",
    [
        {"max_prototypes": None},
        {"max_prototypes": 5},
        {"max_prototypes": None, "max_features": 3},
        {"max_prototypes": 5, "n_batches": 2},
        {"references": "split", "random_state": 0},
    ],
    ids=str,
)
def test_a_smaller_tolerance_takes_more_iterations(wine, settings):
    """Where a fit ends: all prototypes, after an elimination, and as published."""
    tolerances, given = (1e-2, 1e-8), {"lambda_v": 0.01, "lambda_w": 1e-4, **settings}
    rough, exact = (ProsetClassifier(tol=tol, **given).fit(*wine) for tol in tolerances)
    assert rough.n_iter_ + 5 < exact.n_iter_
    for model in (rough, exact):
        assert model.n_iter_ == max(batch.n_iter for batch in model.batches_)
        assert all(batch.converged for batch in model.batches_)
    if "max_features" not in settings and "n_batches" not in settings:  # which may be others
        assert exact.batches_[0].objective < rough.batches_[0].objective


def test_attributes_of_a_fit_without_batches_and_of_an_empty_one(wine):
    nothing = ProsetClassifier(n_batches=0).fit(*wine)
    assert (nothing.n_iter_, nothing.n_prototypes_, nothing.feature_weights_.shape) == (0, 0, (0, 13))
    with pytest.warns(UserWarning, match="nothing was learnt"):
        model = ProsetClassifier.published(lambda_v=0.0, lambda_w=10.0, random_state=0).fit(*wine)
    assert model.batches_[0].feature_weights.any()  # on which nothing depends
    assert len(model.batches_[0].labels) == 0
    assert not model.feature_weights_.any()
    assert not len(model.active_features_)


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


def test_penalties_that_nobody_gave_are_said_to_be_chosen():
    X, y = make_classification(400, weights=[0.99], random_state=2)
    with pytest.warns(UserWarning, match="lambda_v=.* or lambda_w=.*, chosen by cross-validation, may be too large"):
        ProsetClassifier(class_weight="balanced").fit(X, y)


@pytest.mark.parametrize("references", ["split", "leave_one_out"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_warm_start_adds_the_batches_of_a_longer_fit(wine, references, weighted):
    X, y = (array[::2] for array in wine)
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
    labels, own = np.array(["a", "b", "c"])[y], np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    by_class = np.array([1.0, 2.5, 1.0])[y]  # whole numbers would be copies, as sample weights
    cases = [({"b": 2.5}, None, by_class), ({"b": 2.5}, own, own * by_class)]
    cases += [("balanced", None, len(y) / (3 * np.bincount(y)[y]))]
    for class_weight, given, expected in cases:
        penalties = {} if class_weight == "balanced" else {"lambda_v": 0.01, "lambda_w": 1e-4}
        model = ProsetClassifier(class_weight=class_weight, **penalties).fit(X, labels, given)
        same = ProsetClassifier(**penalties).fit(X, labels, expected)
        np.testing.assert_allclose(model.predict_proba(X), same.predict_proba(X), rtol=1e-6)
    weight = np.where(y == 0, 0.0, own)  # also among samples with weights of their own, some of them zero
    model = ProsetClassifier(class_weight="balanced", lambda_v=0.01, lambda_w=1e-4).fit(X, labels, weight)
    np.testing.assert_allclose(model.class_prior_, [0.5, 0.5])


def test_a_line_per_batch_on_request(wine, capsys):
    ProsetClassifier(2, verbose=1, random_state=0).fit(*wine)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert re.fullmatch(r"batch 2 of 2: objective 0\.\d+ after \d+ iterations, \d+ prototypes, \d+ features", lines[1])
    ProsetClassifier(2, random_state=0).fit(*wine)
    assert capsys.readouterr().out == ""


def test_costs_of_errors_decide_the_class(iris):
    X, y = iris
    costs = [[0, 1, 1], [1, 0, 2], [30, 30, 0]]
    plain = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4).fit(X, y)
    model = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4, cost_matrix=costs).fit(X, y)
    probabilities = model.predict_proba(X)
    np.testing.assert_array_equal(probabilities, plain.predict_proba(X))
    np.testing.assert_array_equal(model.predict(X), (probabilities @ np.array(costs)).argmin(axis=1))
    assert (model.predict(X) == 2).sum() > (plain.predict(X) == 2).sum()
    equal = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4, cost_matrix=1 - np.eye(3)).fit(X, y)
    np.testing.assert_array_equal(equal.predict(X), plain.predict(X))
    assert model.explain(X[70:71])["class"][0] == model.predict(X[70:71])[0]


def test_a_frame_of_costs_goes_by_the_names_of_the_classes(iris):
    X, y = iris[0], np.where(iris[1] == 2, "yes", "no")
    costs = pd.DataFrame([[0, 500], [1, 0]], index=["yes", "no"], columns=["yes", "no"])
    model = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4, cost_matrix=costs).fit(X, y)
    same = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4, cost_matrix=[[0, 1], [500, 0]]).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), same.predict(X))
    assert ((model.predict(X) == "no") & (y == "yes")).sum() == 0


def test_a_warm_start_sees_that_a_column_is_a_category_now():
    X = np.random.default_rng(0).integers(0, 3, (60, 2)).astype(float)
    given = {"lambda_v": 0.01, "lambda_w": 1e-4, "scale": False, "max_prototypes": None}
    model = ProsetClassifier(1, warm_start=True, **given).fit(X, X[:, 0] > 1)
    with pytest.raises(ValueError, match="warm_start: other data"):
        model.set_params(n_batches=2, categorical_features=[0]).fit(X, X[:, 0] > 1)
