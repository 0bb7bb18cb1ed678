import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import binomtest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from proset import ConformalClassifier, ProsetClassifier, RejectOptionClassifier, group_rates


@pytest.fixture(scope="module")
def two():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(300) < 0.4, "yes", "no")
    X = pd.DataFrame({"a": (y == "yes") + rng.normal(size=300), "b": rng.normal(size=300)})
    return X, y, rng.choice(["north", "south", "west"], 300, p=[0.6, 0.3, 0.1])


def test_rates_by_counting(two):
    X, y, groups = two
    model = LogisticRegression().fit(X, y)
    predicted, p = model.predict(X), model.predict_proba(X)
    rates = group_rates(model, X, y, groups)
    assert rates.index.tolist() == ["all", "north", "south", "west"]
    assert rates.index.name == "group"
    for label, row in rates.iterrows():
        part = slice(None) if label == "all" else groups == label
        right, chosen, q = y[part] == "yes", predicted[part] == "yes", p[part, 1]
        wrong = int((right != chosen).sum())
        interval = binomtest(wrong, len(right)).proportion_ci(method="wilson")
        assert row["n"] == len(right)
        expected = {
            "error": wrong / len(right),
            "error low": interval.low,
            "error high": interval.high,
            "log loss": log_loss(right, q),
            "selection rate": chosen.mean(),
            "true positive rate": chosen[right].mean(),
            "false positive rate": chosen[~right].mean(),
            "probability - frequency": q.mean() - right.mean(),
        }
        assert row.drop("n").to_dict() == pytest.approx(expected)


@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-600, 2.0**600, 2.0**1000])
def test_the_scale_of_weights_changes_nothing(two, scale):
    X, y, groups = two
    model = LogisticRegression().fit(X, y)
    weight = np.random.default_rng(1).random(len(y))
    expected = group_rates(model, X, y, groups, sample_weight=weight)
    pd.testing.assert_frame_equal(group_rates(model, X, y, groups, sample_weight=weight * scale), expected)


def test_weights_count_as_copies_do(two):
    X, y, groups = two
    model = LogisticRegression().fit(X, y)
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    rates = group_rates(model, X, y, groups, sample_weight=weight)
    copies = np.repeat(np.arange(len(y)), weight)
    expected = group_rates(model, X.iloc[copies], y[copies], groups[copies])
    same = [name for name in rates if name not in ("n", "error low", "error high")]
    pd.testing.assert_frame_equal(rates[same], expected[same])
    assert rates["n"].tolist() == group_rates(model, X, y, groups)["n"].tolist()
    assert (rates["error high"] - rates["error low"] > expected["error high"] - expected["error low"]).all()
    twice = group_rates(model, X, y, groups, sample_weight=np.full(len(y), 2.0))
    pd.testing.assert_frame_equal(twice, group_rates(model, X, y, groups))


@pytest.mark.parametrize("convert", [lambda X: X, pl.from_pandas])
def test_groups_may_be_a_column(two, convert):
    X, y, groups = two
    given = convert(X.assign(kind=np.where(groups == "west", None, groups)))
    model = make_pipeline(ColumnTransformer([("n", "passthrough", ["a", "b"])]), LogisticRegression()).fit(given, y)
    rates = group_rates(model, given, y, "kind")
    assert rates.index.tolist() == ["all", "north", "south", None]
    assert rates["n"].tolist() == [300, *((groups == g).sum() for g in ("north", "south", "west"))]


def test_a_prototype_classifier_has_the_share_of_unfamiliar_samples():
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(StandardScaler(), ProsetClassifier(lambda_v=0.01, lambda_w=1e-4)).fit(X, y)
    moved = X.copy()
    moved[:75] += 50.0
    rates = group_rates(model, moved, y, np.arange(150) < 75)
    assert rates.loc[True, "unfamiliar"] == 1.0
    assert rates.loc[False, "unfamiliar"] < 0.2
    assert "selection rate" not in rates


def test_sets_and_rejection():
    X, y = load_iris(return_X_y=True)
    plain = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4)
    model = ConformalClassifier(plain).fit(X, y)
    rates = group_rates(model, X, y, y)
    sets = model.predict_set(X)
    assert rates.loc["all", "coverage"] == pytest.approx(sets[np.arange(150), y].mean())
    assert rates.loc["all", "set size"] == pytest.approx(sets.sum(axis=1).mean())
    assert "unfamiliar" in rates
    rejecting = RejectOptionClassifier(plain, 0.3).fit(X, y)
    assert group_rates(rejecting, X, y, y).loc["all", "error"] == np.mean(rejecting.predict(X) != y)


def test_what_is_not_defined_is_missing_and_warns_of_nothing(two, recwarn):
    X, y, _ = two
    model = LinearSVC().fit(X, y)
    rates = group_rates(model, X, y, y, sample_weight=(y == "yes").astype(float))
    assert rates.loc["no"].drop("n").isna().all()
    assert np.isnan(rates.loc["yes", "false positive rate"])
    assert not {"log loss", "probability - frequency", "unfamiliar", "coverage"} & set(rates)
    assert not recwarn.list


def test_a_class_that_the_model_does_not_know_is_an_error(two):
    X, y, _ = two
    model = LogisticRegression().fit(X, y)
    labels = np.array([model.predict(X[:1])[0], *["perhaps"] * 9], dtype=object)
    with pytest.warns(
        UserWarning, match="^y: 9 of 10 labels, such as 'perhaps', are of no class of the model and count"
    ):
        rates = group_rates(model, X[:10], labels, np.arange(10) // 5)
    assert rates["error"].tolist() == [0.9, 0.8, 1.0]
    assert np.isfinite(rates["log loss"]).all()


def test_a_model_of_fewer_columns_is_not_asked():
    X, y = load_iris(return_X_y=True)
    model = ProsetClassifier(lambda_v=1e-3, lambda_w=1e-3)
    selection = RFE(model, n_features_to_select=2, importance_getter=lambda of: of.feature_weights_.max(axis=0))
    rates = group_rates(selection.fit(X, y), X, y, y)
    assert "unfamiliar" not in rates
