import numpy as np
import pytest
from tests.proset_study.methods.small import SEED, classes_by_three_features, fit, make_part

from proset_study import methods

pytest.importorskip("lightgbm")
PARAMETERS = {"learning_rate": 0.1, "num_leaves": 4, "min_data_in_leaf": 5}


@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_is_the_librarys_classifier(n_classes):
    from lightgbm import LGBMClassifier

    X, y = classes_by_three_features(n_classes)
    fitted = fit("lightgbm", X, y, 30, **PARAMETERS)
    same = {"num_leaves": 4, "learning_rate": 0.1, "min_child_samples": 5, "n_estimators": 30}
    theirs = LGBMClassifier(**same, n_jobs=1, verbosity=-1, deterministic=True)
    np.testing.assert_allclose(fitted.predict_proba(X), theirs.fit(X, y).predict_proba(X), atol=1e-9)
    assert fitted.summary()["rounds"] == 30


def test_a_path_on_which_nothing_is_left_to_split_has_all_sizes():
    X, y = np.zeros((20, 1)), np.arange(20) % 2
    for p in (stages := list(fit("lightgbm", X, y, 5, **PARAMETERS).staged_predict_proba(X))):
        np.testing.assert_allclose(p, 0.5)
    assert len(stages) == 5


def test_parts_of_rows_and_features_depend_on_the_seed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    bound = methods.get("lightgbm")(make_part(X, X[:, 0] > 0))
    other = np.random.SeedSequence(4)
    for change, differ in (({}, False), ({"bagging_fraction": 0.5}, True), ({"feature_fraction": 0.5}, True)):
        first, second = (bound.fit({**PARAMETERS, **change}, 5, seed).predict_proba(X) for seed in (SEED, other))
        assert (first != second).any() == differ


def test_heavier_penalties_give_smaller_leaves():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    plain, *others = (
        np.ptp(fit("lightgbm", X, X[:, 0] > 0, 5, **PARAMETERS, **change).predict_proba(X))
        for change in ({}, {"lambda_l2": 100.0}, {"min_sum_hessian_in_leaf": 45.0})
    )
    assert max(others) < 0.8 * plain
