import os
import sys
from dataclasses import replace
from functools import partial
from warnings import catch_warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression as SkLogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from skops.io import dumps
from skops.io.exceptions import UntrustedTypesFoundException
from tests.proset_study.methods.small import classes_by_three_features, fit

from proset import ProsetClassifier
from proset.losses import log_loss
from proset_study import methods
from proset_study.data.distances import distances
from proset_study.data.metrics import PRECOMPUTED
from proset_study.data.sources import make
from proset_study.data.splits import TEST, select_fold
from proset_study.data.splitting import split

SEED = np.random.SeedSequence(3)
XGBOOST = {"learning_rate": 0.1, "max_depth": 3, "colsample": 0.5, "subsample": 0.7}
SETTINGS = {
    "two classes": {"generator": "xor", "features": 3, "samples_per_orthant": 40},
    "three classes": {"sklearn": "wine"},
}


def bind(name, kind="two classes"):
    data = make(SETTINGS[kind], 0, "d", 0)
    method = methods.get(name)
    bound = select_fold(data, split(data.y, 5, 0.3, 0), 0, method.scaled)
    return method(bound), bound


def test_the_uncut_tree_is_scikit_learns():
    method, bound = bind("decision_tree", "three classes")
    ours = method.fit({"min_samples_leaf": 2}, 20, SEED)
    theirs = DecisionTreeClassifier(min_samples_leaf=2, random_state=int(SEED.generate_state(1)[0]))
    theirs.fit(bound.X, bound.y)
    assert theirs.get_depth() < 20
    leaves = theirs.apply(bound.X_score)
    counts = np.array([np.bincount(bound.y[theirs.apply(bound.X) == leaf], minlength=3) for leaf in leaves])
    expected = (counts + 1) / (counts.sum(axis=1, keepdims=True) + 3)
    np.testing.assert_allclose(ours.predict_proba(bound.X_score), expected)
    assert ours.summary()["leaves"] == theirs.get_n_leaves()
    stump = method.fit({"min_samples_leaf": 2}, 1, SEED)
    assert stump.summary() == {"active_features": 1, "leaves": 2}
    prior = (np.bincount(bound.y) + 1) / (len(bound.y) + 3)
    np.testing.assert_allclose(next(stump.staged_predict_proba(bound.X_score))[0], prior)


def test_a_tree_of_one_feature_is_scikit_learns():
    """Leaves have no feature, for which scikit-learn has the number -2."""
    X, y = classes_by_three_features(3)
    ours = fit("decision_tree", X[:, :1], y, 20, min_samples_leaf=20)
    theirs = DecisionTreeClassifier(min_samples_leaf=20, random_state=0).fit(X[:, :1], y)
    assert ours.summary()["leaves"] == theirs.get_n_leaves() > 3
    assert np.array_equal(ours.predict_proba(X[:, :1]).argmax(axis=1), theirs.predict(X[:, :1]))


def test_logistic_regression_is_scikit_learns():
    method, bound = bind("logistic_regression", "three classes")
    ours = method.fit({"l1_ratio": 0.3}, 12, SEED)
    theirs = SkLogisticRegression(C=1e-5 * 2**12, l1_ratio=0.3, solver="saga", max_iter=10_000, random_state=0)
    theirs.fit(bound.X, bound.y)
    np.testing.assert_allclose(ours.predict_proba(bound.X_score), theirs.predict_proba(bound.X_score), atol=1e-3)
    assert ours.summary()["converged"]
    assert ours.summary()["active_features"] == (theirs.coef_ != 0).any(axis=0).sum()


def test_pseudo_observations_are_votes_for_the_class_prior():
    weight = np.array([1.0, 1.0, 4.0, 1.0, 1.0])
    fitted = fit("knn", [[0.0], [1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1, 0], 2, weight, pseudo_observations=2.0)
    prior = np.array([3.0, 5.0]) / 8
    one, two = fitted.staged_predict_proba(np.array([[0.1], [4.1]]))
    np.testing.assert_allclose(one, (np.array([[1.0, 0.0], [1.0, 0.0]]) + 2 * prior) / 3)
    np.testing.assert_allclose(two, (np.array([[2.0, 0.0], [1.0, 1.0]]) + 2 * prior) / 4)
    again = methods.get("knn").load(fitted.arrays())
    np.testing.assert_array_equal(again.predict_proba(np.array([[0.1]])), two[:1])
    arrays = {name: array for name, array in fitted.arrays().items() if name != "pseudo_observations"}
    assert methods.get("knn").load(arrays).pseudo_observations == 0.0  # of a former version


def test_layers_of_a_network_are_of_the_same_size():
    method, bound = bind("neural_network", "three classes")
    fitted = method.fit({"units": 5, "layers": 3}, 1, SEED)
    assert [part.shape for part in fitted.estimator.coefs_] == [(13, 5), (5, 5), (5, 5), (5, 3)]
    one, default = (method.fit({"units": 5, **layers}, 1, SEED) for layers in ({"layers": 1}, {}))
    np.testing.assert_array_equal(one.predict_proba(bound.X_score), default.predict_proba(bound.X_score))


def test_the_penalty_of_leaves_draws_boosted_trees_to_the_class_prior():
    method, bound = bind("hist_gradient_boosting", "three classes")
    parameters = {"max_leaf_nodes": 4, "learning_rate": 0.1}
    p, plain, penalised = (
        method.fit({**parameters, **change}, 20, SEED).predict_proba(bound.X_score)
        for change in ({}, {"l2_regularization": 0.0}, {"l2_regularization": 100.0})
    )
    np.testing.assert_array_equal(p, plain)
    assert np.abs(penalised - 1 / 3).mean() < np.abs(p - 1 / 3).mean() - 0.1


def test_explainable_boosting_finds_interactions_of_several_classes():
    """Of a pair of features whose own functions say nothing, in three classes; without a warning."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(600, 3))
    y = np.where(np.abs(X[:, 2]) > 0.7, 2, X[:, 0] * X[:, 1] > 0)
    with catch_warnings(action="error"):
        alone, pairs = (fit("explainable_boosting", X, y, max_rounds=300, interactions=number) for number in (0, 3))
    assert pairs.summary()["terms"] > 3
    assert log_loss(pairs.predict_proba(X), y) < 0.5 * log_loss(alone.predict_proba(X), y)
    again = methods.get("explainable_boosting").load(pairs.arrays())
    np.testing.assert_array_equal(again.predict_proba(X), pairs.predict_proba(X))


def test_knn_is_scikit_learns():
    method, bound = bind("knn", "three classes")
    for k, ours in enumerate(method.fit({}, 30, SEED).staged_predict_proba(bound.X_score), start=1):
        theirs = KNeighborsClassifier(k).fit(bound.X, bound.y).predict_proba(bound.X_score)
        np.testing.assert_allclose(ours, theirs)


def test_a_balanced_svm_is_one_with_weights_of_the_classes():
    method, bound = bind("svm")
    rare = np.flatnonzero(bound.y == 1)[8:]
    few = replace(bound, X=np.delete(bound.X, rare, axis=0), y=np.delete(bound.y, rare))
    weights = len(few.y) / 2 / np.bincount(few.y)[few.y]
    parameters = {"C": 1.0, "gamma": 0.5}
    plain, balanced = (
        type(method)(few).fit({**parameters, "balanced": value}, 1, SEED).estimator.calibrated_classifiers_[0].estimator
        for value in (0, 1)
    )
    theirs = SVC(**parameters).fit(few.X, few.y, sample_weight=weights).decision_function(bound.X_score)
    np.testing.assert_allclose(balanced.decision_function(bound.X_score), theirs, atol=1e-9)
    np.testing.assert_allclose(
        plain.decision_function(bound.X_score), SVC(**parameters).fit(few.X, few.y).decision_function(bound.X_score)
    )
    assert (balanced.predict(bound.X_score) == 1).sum() > (plain.predict(bound.X_score) == 1).sum()


def test_a_width_times_the_number_of_features_is_that_width():
    method, bound = bind("svm", "three classes")
    n_features = bound.X.shape[1]
    p, same = (
        method.fit({"C": 1.0, **width}, 1, SEED).predict_proba(bound.X_score)
        for width in ({"gamma": 0.5 / n_features}, {"gamma_features": 0.5})
    )
    np.testing.assert_array_equal(p, same)
    for width, message in (
        ({}, "parameters: neither given, exactly one of gamma and gamma_features is needed"),
        ({"gamma": 1.0, "gamma_features": 1.0}, "parameters: gamma and gamma_features given, exactly one of"),
    ):
        with pytest.raises(ValueError, match=message):
            method.fit({"C": 1.0, **width}, 1, SEED)
    matrix = replace(bound, X=np.zeros((len(bound.y), len(bound.y))), metric=PRECOMPUTED)
    with pytest.raises(ValueError, match="gamma_features: dissimilarities have no features, name gamma"):
        type(method)(matrix).fit({"C": 1.0, "gamma_features": 1.0}, 1, SEED)


def test_coupling_of_two_classes_changes_nothing():
    method, bound = bind("svm")
    p, coupled = (
        method.fit({"C": 1.0, "gamma": 0.5, "coupling": value}, 1, SEED).predict_proba(bound.X_score)
        for value in (0, 1)
    )
    np.testing.assert_array_equal(p, coupled)


def test_coupled_machines_of_dissimilarities_are_those_of_features():
    method, bound = bind("svm", "three classes")
    parameters = {"C": 10.0, "gamma": 0.1, "coupling": 1}
    between, to_score = (distances(X, bound.X, "euclidean") for X in (bound.X, bound.X_score))
    stored = type(method)(replace(bound, X=between, metric=PRECOMPUTED)).fit(parameters, 1, SEED)
    expected = method.fit(parameters, 1, SEED)
    np.testing.assert_allclose(stored.predict_proba(to_score), expected.predict_proba(bound.X_score), atol=1e-4)
    again = method.load(stored.arrays())
    np.testing.assert_array_equal(again.predict_proba(to_score), stored.predict_proba(to_score))
    assert again.summary() == stored.summary()
    assert stored.summary()["support_vectors"] == expected.summary()["support_vectors"]


@pytest.mark.parametrize("exact", [0, 1])
def test_xgboost_with_its_own_weights_and_penalty_is_as_before(exact):
    method, bound = bind("xgboost", "three classes")
    own = {"min_child_weight": 1.0, "reg_lambda": 1.0}
    p, same, others = (
        method.fit({**XGBOOST, "exact": exact, **change}, 10, SEED).predict_proba(bound.X_score)
        for change in ({}, own, {"min_child_weight": 0.01, "reg_lambda": 0.01})
    )
    np.testing.assert_array_equal(p, same)
    assert others.max() > p.max()  # small pure leaves


@pytest.mark.parametrize("kind", SETTINGS)
def test_xgboost_depth_zero_is_a_model_without_splits(kind):
    method, bound = bind("xgboost", kind)
    fitted = method.fit({**XGBOOST, "max_depth": 0}, 50, SEED)
    assert fitted.summary()["active_features"] == 0
    assert all("split" not in tree for tree in fitted.booster.get_dump(dump_format="json"))
    p = fitted.predict_proba(bound.X_score)
    assert np.ptp(p, axis=0).max() == 0  # constant
    np.testing.assert_allclose(p[0], np.bincount(bound.y) / len(bound.y), atol=0.1)
    deeper = method.fit({**XGBOOST, "max_depth": 1}, 50, SEED)
    assert deeper.summary()["active_features"] > 0


@pytest.mark.parametrize(
    ("name", "parameters", "same"),
    [
        ("xgboost", XGBOOST, True),
        ("xgboost", {**XGBOOST, "exact": 1}, True),
        ("decision_tree", {"min_samples_leaf": 5}, True),
        ("knn", {}, False),
        ("proset", {"n_candidates": 40, "lambda_v": 1e-3, "lambda_w": 1e-8, "alpha_v": 0.95, "alpha_w": 0.95}, False),
    ],
)
def test_only_the_order_of_values_counts_for_trees(name, parameters, same, rng):
    """On the samples they are fitted to: a threshold is in the middle of two values, which moves with the scale."""
    X = rng.uniform(-1.0, 1.0, (200, 3))
    y = (X.prod(axis=1) >= 0).astype(int)
    as_it_is, transformed = (fit(name, features, y, 5, **parameters).predict_proba(features) for features in (X, X**3))
    assert np.allclose(as_it_is, transformed, rtol=0, atol=1e-12) == same


def test_simplicity_orders():
    simpler = methods.get("proset").simplicity
    assert simpler({"lambda_v": 1e-2, "lambda_w": 1e-5}) > simpler({"lambda_v": 1e-3, "lambda_w": 5e-5})
    simpler = methods.get("xgboost").simplicity
    base = {"max_depth": 3, "colsample": 0.5, "subsample": 0.5}
    assert simpler({**base, "max_depth": 2, "colsample": 0.9, "subsample": 0.9}) > simpler(base)
    assert simpler({**base, "colsample": 0.4, "subsample": 0.9}) > simpler(base)
    assert simpler({**base, "subsample": 0.4}) > simpler(base)
    simpler = methods.get("svm").simplicity
    assert simpler({"C": 1.0, "gamma_features": 0.1}) > simpler({"C": 0.1, "gamma_features": 0.2})
    simpler = methods.get("nearest_shrunken_centroids").simplicity
    assert simpler({"shrink_threshold": 2.0}) > simpler({"shrink_threshold": 1.0})
    simpler = methods.get("explainable_boosting").simplicity
    assert simpler({"max_rounds": 200}) > simpler({"max_rounds": 100, "interactions": 2})


def test_few_prototypes_of_a_table_are_those_of_the_classifier():
    """From the same data frame, with numbers divided by its standard deviations, which are rounded: to the last bit."""
    settings = {"generator": "mixed", "samples": 300, "test_samples": 200, "label_noise": 0.1}
    data = make({**settings, "missing_at_random": 0.2}, 0, "d", 0)
    train, test = ~data.test, data.test
    frame = pd.DataFrame(data.X, columns=data.feature_names)
    for d in np.unique(data.category_column):
        names = [None if np.isnan(code) else data.categories[int(code)] for code in data.X[:, d]]
        frame[data.feature_names[d]] = names
    classifier = ProsetClassifier(max_prototypes=None).fit(frame[train], data.y[train])
    rows = select_fold(data, np.where(test, TEST, 0), TEST, scaled=True, mixed=True)
    np.testing.assert_allclose(rows.scale[:3], classifier.scale_[:3], rtol=1e-4)
    scaled = data.X / classifier.scale_
    X, X_score = (np.where(rows.levels > 0, own, scaled[part]) for own, part in ((rows.X, train), (rows.X_score, test)))
    bound = methods.get("proset_few")(replace(rows, X=X, X_score=X_score))
    fitted = bound.fit({}, bound.max_complexity, SEED)
    assert fitted.summary()["prototypes"] == len(classifier.batches_[0].labels)
    np.testing.assert_array_equal(fitted.predict_proba(X_score), classifier.predict_proba(frame[test]))


def test_more_categories_than_bins_are_ranks():
    data = make({"generator": "mixed", "samples": 3000, "levels": 300}, 0, "d", 0)
    rows = select_fold(data, np.where(data.test, TEST, 0), TEST, scaled=False, mixed=True)
    bound = methods.get("hist_gradient_boosting")(rows)
    assert rows.levels.tolist() == [0, 0, 0, 300, 300, 300]
    fitted = bound.fit({"max_leaf_nodes": 4, "learning_rate": 0.1}, 3, SEED)
    assert np.isfinite(fitted.predict_proba(rows.X_score)).all()
    assert fitted.estimator.is_categorical_ is None


def test_boosting_on_bins_takes_columns_without_a_value_in_the_rows_to_fit():
    _, rows = bind("hist_gradient_boosting", "three classes")
    X = rows.X.copy()
    X[:, 0] = np.nan
    bound = methods.get("hist_gradient_boosting")(replace(rows, X=X))
    fitted = bound.fit({"max_leaf_nodes": 4, "learning_rate": 0.1}, 3, SEED)
    moved = rows.X_score + np.eye(X.shape[1])[0]
    np.testing.assert_array_equal(fitted.predict_proba(moved), found := fitted.predict_proba(rows.X_score))
    assert len(np.unique(found, axis=0)) > 1


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("class Mine:\n    scaled = True\n", "must have one class that inherits from proset_study.methods.base.Method"),
        (
            "from proset_study.methods.base import Method\n\nclass A(Method):\n    pass\n\nclass B(A):\n    pass\n",
            "must have one class .*, it has A, B",
        ),
        ("def fit(:\n", "cannot be imported: SyntaxError"),
        ("import not_there\n", "cannot be imported: ModuleNotFoundError: No module named 'not_there'"),
        (
            "from proset_study.methods.base import Method\n\nclass Mine(Method):\n    scaled = 1\n    label = None\n",
            "breaks the interface of methods/base.py: `model` is missing; `scaled` is 1, must be a bool;"
            " `label` is missing; the function `fit` is missing",
        ),
        (
            "from proset_study.methods.knn import KNN\n\nclass Mine(KNN):\n    model = int\n",
            "breaks the interface of methods/base.py: the function `load` is missing, which `model` needs: int is no"
            " FittedModel",
        ),
    ],
)
def test_a_module_that_breaks_the_interface_is_refused_by_name(source, message, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(source, encoding="utf-8")
    monkeypatch.setattr(methods, "__path__", [*methods.__path__, str(tmp_path)])
    monkeypatch.setattr(methods, "METHODS", (*methods.METHODS, "mine"))
    monkeypatch.delitem(sys.modules, "proset_study.methods.mine", raising=False)
    with pytest.raises(ValueError, match=f"method: proset_study.methods.mine {message}"):
        methods.get("mine")


def test_adaboost_orders_classes_as_scikit_learn_and_is_better_calibrated():
    method, bound = bind("adaboost", "three classes")
    fitted = method.fit({"max_depth": 1, "learning_rate": 1.0}, 20, SEED)
    ours = list(fitted.staged_predict_proba(bound.X_score))
    theirs = list(fitted.estimator.staged_predict_proba(bound.X_score))
    np.testing.assert_array_equal(np.argmax(ours, axis=2), np.argmax(theirs, axis=2))
    lowest, lowest_of_theirs = (min(log_loss(p, bound.y_score) for p in stages) for stages in (ours, theirs))
    assert lowest < 0.5 * lowest_of_theirs
    binary, bound = bind("adaboost")
    fitted = binary.fit({"max_depth": 2, "learning_rate": 1.0}, 5, SEED)
    votes = sum(
        weight * (2 * tree.predict(bound.X_score) - 1)
        for tree, weight in zip(fitted.estimator.estimators_, fitted.estimator.estimator_weights_, strict=True)
    )
    np.testing.assert_allclose(fitted.predict_proba(bound.X_score)[:, 1], 1 / (1 + np.exp(-votes)))


def test_a_boosting_that_ends_early_has_all_steps():
    method, bound = bind("adaboost", "three classes")
    fitted = method.fit({"max_depth": 20, "learning_rate": 1.0}, 6, SEED)  # the first tree makes no error
    assert len(fitted.estimator.estimators_) == 1
    stages = list(fitted.staged_predict_proba(bound.X_score))
    assert len(stages) == 6
    assert all(np.array_equal(p, stages[0]) for p in stages)
    assert fitted.staged_summary()["leaves"] == [fitted.summary()["leaves"]] * 6


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("bagging", {"min_samples_leaf": 2}),
        ("random_forest", {"min_samples_leaf": 2, "max_features": 0.4}),
        ("extra_trees", {"min_samples_leaf": 2, "max_features": 0.4}),
    ],
)
def test_means_of_trees_are_scikit_learns(name, parameters):
    method, bound = bind(name, "three classes")
    fitted = method.fit(parameters, 10, SEED)
    np.testing.assert_allclose(
        fitted.predict_proba(bound.X_score), fitted.estimator.predict_proba(bound.X_score), atol=1e-12
    )
    summary = fitted.summary()
    trees = [tree.tree_ for tree in fitted.estimator.estimators_]
    assert summary["leaves"] == sum((tree.children_left < 0).sum() for tree in trees)
    assert summary["active_features"] == len(set(np.concatenate([tree.feature[tree.feature >= 0] for tree in trees])))


def test_a_stored_estimator_makes_only_known_objects(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hostile = dumps(DecisionTreeClassifier(max_depth=partial(os.mkdir, "executed")))
    arrays = {"estimator": np.frombuffer(hostile, np.uint8), "complexity": np.array(1)}
    with pytest.raises(UntrustedTypesFoundException, match=r"mkdir"):
        methods.get("svm").load(arrays)
    assert not (tmp_path / "executed").exists()
