import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mapie.classification import SplitConformalClassifier
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ConformalClassifier, ProsetClassifier
from proset.conformal import _least, _rank, _threshold

PROSET = make_pipeline(StandardScaler(), ProsetClassifier(lambda_v=0.01, lambda_w=1e-4, max_prototypes=None))
IRIS = load_iris(return_X_y=True)


class Sure(ClassifierMixin, BaseEstimator):
    """Knows nothing of groups: the probability of class 1 is a function of the first column."""

    classes_ = np.array([0, 1])

    def __sklearn_is_fitted__(self):
        return True

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        p = 1 / (1 + np.exp(-np.asarray(X)[:, 0].astype(float)))
        return np.column_stack([1 - p, p])

    def predict(self, X):
        return (np.asarray(X)[:, 0] > 0).astype(int)


def draw(rng, n):
    """Two groups, one of which is small and noisier; and one class that is rare."""
    y = (rng.random(n) < 0.25).astype(int)
    few = rng.random(n) < 0.15
    return np.column_stack([(2 * y - 1) * 2 + rng.normal(size=n) * np.where(few, 4.0, 1.0), few]), y, few


def covered(model, X, y):
    return model.predict_set(X)[np.arange(len(y)), np.searchsorted(model.classes_, y)]


@pytest.mark.parametrize(("level", "by"), [(0.8, "number"), (0.9, "class")])
def test_every_group_is_covered_over_draws_of_calibration_samples(level, by):
    """Of n continuous scores the probability is rank / (n + 1); one fresh sample of a group per draw is independent."""
    rng, hits = np.random.default_rng(7), {0: [], 1: []}
    expected = {0: [], 1: []}
    for _ in range(600):
        X, y, few = draw(rng, 200)
        model = ConformalClassifier(FrozenEstimator(Sure()), level, group_by={"number": 1, "class": "class"}[by])
        model.fit(X, y)
        fresh, labels, few = draw(rng, 200)
        group = few.astype(int) if by == "number" else labels
        for g, found in hits.items():
            n = len(model.scores_[g])
            expected[g].append(_rank(n, level) / (n + 1))
            first = np.flatnonzero(group == g)[:1]
            found.append(covered(model, fresh[first], labels[first])[0])
    for g, found in hits.items():
        p = np.mean(expected[g])
        assert level <= p < level + 0.05
        assert abs(np.mean(found) - p) < 3.3 * math.sqrt(p * (1 - p) / len(found))


def test_pooled_thresholds_cover_the_small_group_less_and_mondrian_ones_do_not():
    rng, found = np.random.default_rng(1), {None: [], 1: []}
    for _ in range(50):
        X, y, _ = draw(rng, 500)
        fresh, labels, few = draw(rng, 2000)
        for by, values in found.items():
            model = ConformalClassifier(FrozenEstimator(Sure()), 0.95, by).fit(X, y)
            values.append([covered(model, fresh[few], labels[few]).mean(), covered(model, fresh, labels).mean()])
    assert np.mean(found[None], axis=0)[1] == pytest.approx(0.95, abs=0.01)
    assert np.mean(found[None], axis=0)[0] < 0.8
    assert np.mean(found[1], axis=0) == pytest.approx([0.955, 0.95], abs=0.015)


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
@pytest.mark.parametrize("level", [0.8, 0.9, 0.95])
def test_split_sets_are_those_of_mapie(load, level):
    X, y = load(return_X_y=True)
    X_fit, X_rest, y_fit, y_rest = train_test_split(X, y, test_size=0.6, stratify=y, random_state=0)
    held_out, fresh, labels, _ = train_test_split(X_rest, y_rest, test_size=0.5, stratify=y_rest, random_state=0)
    fitted = clone(PROSET).fit(X_fit, y_fit)
    mapie = SplitConformalClassifier(fitted, confidence_level=level, prefit=True).conformalize(held_out, labels)
    model = ConformalClassifier(FrozenEstimator(fitted), level).fit(held_out, labels)
    np.testing.assert_array_equal(model.predict_set(fresh), mapie.predict_set(fresh)[1][:, :, 0])


def test_with_a_cross_validation_the_level_is_about_kept():
    X, y = load_wine(return_X_y=True)
    found = []
    for seed in range(20):
        train, test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
        found.append(covered(ConformalClassifier(PROSET, 0.9).fit(train, y_train), test, y_test).mean())
    assert np.mean(found) == pytest.approx(0.9, abs=0.04)


def test_scores_are_those_of_samples_held_out():
    X, y = IRIS
    groups = np.arange(len(y)) // 2
    weight = 1.0 + np.arange(len(y)) % 3
    model = ConformalClassifier(LogisticRegression(max_iter=1000), cv=GroupKFold(3))
    model.fit(X, y, groups=groups, sample_weight=weight)
    expected = np.empty(len(y))
    for train, test in GroupKFold(3).split(X, y, groups):
        fold = LogisticRegression(max_iter=1000).fit(X[train], y[train], weight[train])
        expected[test] = 1 - fold.predict_proba(X[test])[np.arange(len(test)), y[test]]
    np.testing.assert_allclose(model.scores_, np.sort(expected))
    np.testing.assert_array_equal(model.predict(X), model.estimator_.predict(X))
    np.testing.assert_array_equal(model.predict_proba(X), model.estimator_.predict_proba(X))


def table(n=200):
    rng = np.random.default_rng(3)
    X, y, few = draw(rng, n)
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "kind": np.where(few, "few", "most")}), y


def numbers(estimator):
    return make_pipeline(ColumnTransformer([("n", "passthrough", [0, 1])]), estimator)


def test_a_missing_label_is_a_label():
    X, y = table()
    X["kind"] = X["kind"].astype(object).where(X.index % 3 > 0, None)
    model = ConformalClassifier(numbers(LogisticRegression()), group_by="kind").fit(X, y)
    assert list(model.scores_) == ["few", "most", None]
    with pytest.warns(UserWarning, match="not in fit, such as 'none'"):
        model.predict_set(X.assign(kind="none"))


def test_groups_that_are_small_or_new_get_all_classes():
    X, y = table()
    X.loc[:7, "kind"] = "eight"
    model = ConformalClassifier(numbers(LogisticRegression()), group_by="kind")
    with pytest.warns(
        UserWarning, match="group_by: 1 of 3 groups have fewer than 9 samples, such as 'eight'; their sets"
    ):
        model.fit(X, y)
    sets = model.predict_set(X)
    assert sets[:8].all()
    assert not sets[8:].all()
    model.set_params(confidence_level=0.85)  # needs 6
    assert not model.predict_set(X)[:8].all()
    with pytest.warns(UserWarning, match="X: 3 samples are of groups that were not in fit, such as 'new'; their sets"):
        sets = model.predict_set(X.assign(kind=["new"] * 3 + ["most"] * (len(X) - 3)))
    assert sets[:3].all()
    assert not sets[3:].all()


def test_a_rare_class_is_in_every_set():
    X, y = IRIS
    kept = np.r_[0:50, 50:100, 100:105]
    model = ConformalClassifier(LogisticRegression(max_iter=1000), group_by="class")
    with pytest.warns(
        UserWarning, match="group_by: 1 of 3 groups have fewer than 9 samples, such as 2; each is in every"
    ):
        model.fit(X[kept], y[kept])
    assert model.predict_set(X)[:, 2].all()
    assert not model.predict_set(X)[:, 0].all()


def test_few_samples_and_one_level_for_all():
    X, y, _ = draw(np.random.default_rng(0), 5)
    model = ConformalClassifier(FrozenEstimator(Sure()))
    with pytest.warns(
        UserWarning, match="confidence_level: 0.9 needs 9 samples, not 5; sets hold all classes"
    ) as heard:
        assert model.fit(X, y).predict_set(X).all()
    assert len(heard) == 1


def test_classes_that_calibration_samples_lack():
    X, y = IRIS
    frozen = FrozenEstimator(LogisticRegression(max_iter=1000).fit(X, y))
    two = y > 0
    with pytest.warns(UserWarning, match="y: no sample of class 0 is given, which is in every set"):
        model = ConformalClassifier(frozen, group_by="class").fit(X[two], y[two])
    assert model.classes_.tolist() == [0, 1, 2]
    assert list(model.scores_) == [1, 2]
    assert model.predict_set(X)[:, 0].all()  # nothing is known of it
    plain = ConformalClassifier(frozen).fit(X[two], y[two])
    assert covered(plain, X[two], y[two]).mean() >= 0.9


def test_a_column_of_the_name_class_is_not_meant():
    X, y = table()
    X = X.rename(columns={"kind": "class"})
    with pytest.warns(
        UserWarning, match="'class' means the classes, and X has a column of that name: give its number, 2"
    ):
        model = ConformalClassifier(numbers(LogisticRegression()), group_by="class").fit(X, y)
    assert list(model.scores_) == [0, 1]
    assert list(ConformalClassifier(numbers(LogisticRegression()), group_by=2).fit(X, y).scores_) == ["few", "most"]


@given(n=st.integers(0, 400), level=st.integers(1, 99))
def test_ranks_are_those_of_whole_numbers(n, level):
    expected = -(-(n + 1) * level // 100)
    assert _rank(n, level / 100) == expected
    scores = np.arange(1.0, n + 1)
    assert _threshold(scores, level / 100) == (expected if expected <= n else math.inf)
    assert (n >= _least(level / 100)) == (expected <= n)


@given(low=st.floats(0.05, 0.95), step=st.floats(0.0, 0.04), by=st.sampled_from([None, 1, "class"]))
def test_a_higher_level_never_takes_a_class_away(low, step, by):
    X, y, _ = draw(np.random.default_rng(0), 300)
    model = ConformalClassifier(FrozenEstimator(Sure()), group_by=by).fit(X, y)
    small = model.set_params(confidence_level=low).predict_set(X)
    assert not (small & ~model.set_params(confidence_level=low + step).predict_set(X)).any()
    order = np.random.default_rng(1).permutation(len(X))
    np.testing.assert_array_equal(model.set_params(confidence_level=low).predict_set(X[order]), small[order])
