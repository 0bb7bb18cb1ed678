import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from proset import ProsetClassifier, ProsetClassifierCV, base_model, to_onnx
from proset.plot import CorrectionsDisplay, DisagreementsDisplay

GIVEN = {"lambda_v": 0.01, "lambda_w": 1e-4, "max_prototypes": 10}


@pytest.fixture(scope="module")
def subgroup():
    """A linear rule, turned round in a corner that a base model does not know of; rows of the corner last."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (1500, 3))
    in_corner = (X[:, :2] > 0.4).all(axis=1)
    y = (X[:, 0] + 0.3 * rng.normal(size=1500) > 0) ^ in_corner
    return X, np.where(y, "yes", "no"), in_corner


@pytest.fixture(scope="module")
def corrected(subgroup):
    X, y, _ = subgroup
    return ProsetClassifier(base=LogisticRegression()).fit(X, y)


def held_out(base, X, y, groups=None):
    return base_model.held_out(base, clone(base).fit(X, y), X, y, np.unique(y), None, groups)


def test_q_is_the_probabilities_of_the_base_and_the_prototypes(iris):
    X, y = iris
    model = ProsetClassifier(base=GaussianNB(), **GIVEN).fit(X, y)
    (batch,) = model.batches_
    squares = (((X[:, None] - batch.prototypes) * batch.feature_weights) ** 2).sum(axis=2)
    q = base_model.floored(GaussianNB().fit(X, y).predict_proba(X))
    for k in range(3):
        q[:, k] += np.exp(-0.5 * squares[:, batch.labels == k]) @ batch.prototype_weights[batch.labels == k]
    np.testing.assert_allclose(model.predict_proba(X), q / q.sum(axis=1, keepdims=True), atol=1e-6)
    np.testing.assert_allclose(model.familiarity(X), q.sum(axis=1) - 1, rtol=1e-5, atol=1e-5)
    first, last = model.staged_predict_proba(X)
    np.testing.assert_allclose(first, base_model.floored(GaussianNB().fit(X, y).predict_proba(X)))
    np.testing.assert_array_equal(last, model.predict_proba(X))
    far = X[:1] + 1e3
    np.testing.assert_allclose(model.predict_proba(far), base_model.floored(model.base_.predict_proba(far)))


def test_with_the_class_proportions_as_base_it_is_the_model_without_to_the_bit(iris):
    X, y = iris[0][50:], iris[1][50:]
    prior = np.full((100, 2), 0.5)
    plain = ProsetClassifier().fit(X, y)
    same = ProsetClassifier(base="prefit").fit(X, y, base_probabilities=prior)
    np.testing.assert_array_equal(same.predict_proba(X, base_probabilities=prior), plain.predict_proba(X))


def test_each_sample_sees_a_model_that_did_not_see_it():
    class Memory(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            self.seen = {row.tobytes() for row in X}
            return super().fit(X, y)

        def predict_proba(self, X):
            assert not any(row.tobytes() in self.seen for row in X)
            return super().predict_proba(X)

    assert held_out(Memory(), *load_wine(return_X_y=True)).shape == (178, 3)


def test_groups_are_kept_together_in_fits_and_searches():
    X, y = load_iris(return_X_y=True, as_frame=True)
    groups, seen = np.arange(150) // 2, []

    class Listening(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            seen.append(set(X.index))
            return super().fit(X, y)

    searched = {"lambda_v": [0.01, 0.1], "lambda_w": 1e-4}
    ProsetClassifier(base=Listening(), **GIVEN).fit(X, y, groups=groups)
    ProsetClassifierCV(ProsetClassifier(base=Listening()), **searched, cv=3).fit(X, y, groups=groups)
    for rows in seen:
        assert all((2 * g in rows) == (2 * g + 1 in rows) for g in range(75))
    search = ProsetClassifierCV(ProsetClassifier(base=GaussianNB()), **searched, cv=GroupKFold(3))
    assert search.fit(X, y, groups=groups).score(X, y) > 0.9
    assert -search.stage2_results_["mean_test_score"][0] < 0.6  # without a batch it is the base, not the class prior


def test_forests_have_held_out_probabilities_already_but_not_of_groups(iris):
    forest = RandomForestClassifier(100, oob_score=True, random_state=0)
    found = held_out(forest, *iris)
    of_forest = clone(forest).fit(*iris).oob_decision_function_
    np.testing.assert_array_equal(found, base_model.rounded(base_model.floored(of_forest)))
    assert not np.array_equal(held_out(forest, *iris, groups=np.arange(150) // 2), found)


def test_a_frozen_base_stays_as_it_is(iris):
    X, y = iris
    held_out = cross_val_predict(LogisticRegression(max_iter=1000), X, y, method="predict_proba")
    base = LogisticRegression(max_iter=1000).fit(X, y)
    model = ProsetClassifier(base=FrozenEstimator(base), **GIVEN).fit(X, y, base_probabilities=held_out)
    assert model.base_.estimator is base
    assert model.n_prototypes_ == 10
    given = ProsetClassifier(base="prefit", **GIVEN).fit(X, y, base_probabilities=held_out)
    expected = given.predict_proba(X, base_probabilities=base.predict_proba(X))
    np.testing.assert_array_equal(model.predict_proba(X), expected)
    probabilities = {"base_probabilities": base.predict_proba(X[:9])}
    for answer in ("explain", "corrections"):
        pd.testing.assert_frame_equal(getattr(given, answer)(X[:9], **probabilities), getattr(model, answer)(X[:9]))


def test_forests_of_too_few_trees_are_cross_fitted(iris):
    with warnings.catch_warnings(action="ignore"):
        found = held_out(RandomForestClassifier(5, oob_score=True, random_state=0), *iris)
    assert (np.abs(found - 1 / 3) > 0.01).all(axis=1).any()
    assert not (np.abs(found - 1 / 3) < 1e-3).all(axis=1).any()  # nobody is unknown


def test_folds_of_few_groups(iris):
    assert held_out(GaussianNB(), *iris, groups=np.arange(150) % 3).shape == (150, 3)


def test_predictions_are_those_of_the_base_that_was_fitted(iris):
    X, y = iris
    base = GaussianNB()
    for before, after in ((base, None), (None, base)):
        model = ProsetClassifier(base=before, **GIVEN).fit(X, y)
        expected = model.predict_proba(X)
        np.testing.assert_array_equal(model.set_params(base=after).predict_proba(X), expected)
    assert not hasattr(base, "theta_")  # a copy of it was fitted


def test_a_base_whose_probabilities_are_no_numbers_is_named(iris):
    class Broken(GaussianNB):
        def predict_proba(self, X):
            return np.full((len(X), 3), np.nan)

    with pytest.raises(ValueError, match="base: Broken has probabilities that are not numbers, for example of row 0"):
        ProsetClassifier(base=Broken(), **GIVEN).fit(*iris)


def test_groups_of_a_splitter_are_no_metadata_of_the_classifier(iris):
    X, y = iris
    with sklearn.config_context(enable_metadata_routing=True):
        scores = cross_validate(
            ProsetClassifier(**GIVEN), X, y, cv=GroupKFold(3), params={"groups": np.arange(150) % 9}
        )
    assert scores["test_score"].min() > 0.85


def test_weights_go_to_the_base_and_its_pipeline(iris):
    X, y = iris
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 150)
    direct = ProsetClassifier(base=GaussianNB(), **GIVEN).fit(X, y, weight)
    np.testing.assert_allclose(direct.base_.theta_, GaussianNB().fit(X, y, weight).theta_)
    piped = ProsetClassifier(base=make_pipeline(StandardScaler(), GaussianNB()), **GIVEN).fit(X, y, weight)
    expected = GaussianNB().fit(StandardScaler().fit_transform(X), y, weight)
    np.testing.assert_allclose(piped.base_[-1].theta_, expected.theta_)
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        asked = make_pipeline(scaler, GaussianNB().set_fit_request(sample_weight=True))
        routed = ProsetClassifier(base=asked, **GIVEN).fit(X, y, weight)
        np.testing.assert_allclose(routed.base_[-1].theta_, expected.theta_)
        not_asked = make_pipeline(scaler, GaussianNB().set_fit_request(sample_weight=False))
        alone = ProsetClassifier(base=not_asked, **GIVEN).fit(X, y, weight)
    np.testing.assert_allclose(alone.base_[-1].theta_, GaussianNB().fit(StandardScaler().fit_transform(X), y).theta_)


def test_rows_of_weight_zero_are_not_there(iris):
    X, y = iris
    kept = np.arange(150) % 3 > 0
    weighted = ProsetClassifier(base=GaussianNB(), **GIVEN).fit(X, y, kept.astype(float))
    alone = ProsetClassifier(base=GaussianNB(), **GIVEN).fit(X[kept], y[kept])
    np.testing.assert_allclose(weighted.predict_proba(X), alone.predict_proba(X), rtol=1e-6)


def test_a_base_may_take_columns_by_name():
    X, y = load_iris(return_X_y=True, as_frame=True)
    columns = make_column_transformer((StandardScaler(), ["petal length (cm)", "petal width (cm)"]))
    base = make_pipeline(columns, LogisticRegression())
    model = ProsetClassifier(base=base, **GIVEN).fit(X, y)
    with warnings.catch_warnings(action="ignore"):
        assert len(model.explain(X.iloc[:1], top=3)) > 4
        CorrectionsDisplay.from_estimator(model, X, top=3)
    ProsetClassifierCV(ProsetClassifier(base=base), lambda_v=[0.01], lambda_w=1e-4, cv=3).fit(X, y)


def test_a_class_that_no_fold_of_the_base_has_seen_gets_the_floor():
    X = np.random.default_rng(0).normal(size=(41, 2))
    y = np.array([0, 1] * 20 + [2])
    with warnings.catch_warnings(action="ignore"):
        found = held_out(GaussianNB(), X, y)
    assert found[40, 2] == pytest.approx(base_model.FLOOR, abs=1e-6)


def test_where_the_base_is_right_nothing_is_added_and_that_is_said():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 4))
    y = (rng.random(600) < 1 / (1 + np.exp(-2 * X[:, 0]))).astype(int)
    with pytest.warns(
        UserWarning, match="every prediction is that of the base model; .* better than LogisticRegression"
    ):
        model = ProsetClassifier(base=LogisticRegression()).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), model.base_.predict_proba(X), atol=1e-3)


def test_a_base_that_is_worse_than_nothing_is_left_out():
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 1, (400, 3))
    y = (X.prod(axis=1) > 0).astype(int)
    trees = RandomForestClassifier(3, max_depth=12, random_state=0)  # as sure as it is wrong on parity
    with pytest.warns(UserWarning, match="base: RandomForestClassifier predicts samples held out worse") as found:
        model = ProsetClassifier(base=trees).fit(X, y)
    assert found[0].filename == __file__  # the line that calls `fit`
    assert isinstance(model.base_, DummyClassifier)
    alone = ProsetClassifier().fit(X, y)
    assert np.abs(model.predict_proba(X) - alone.predict_proba(X)).mean() < 0.05
    assert model.score(X, y) > 0.85


def test_the_planted_subgroup_is_found(subgroup, corrected):
    X, _, in_corner = subgroup
    first = corrected.disagreements().iloc[0]
    assert in_corner[first["row"]]
    assert first["class"] == "no"
    assert first["by base"] < 0.4 < 0.9 < first["proportion"]
    assert abs(first["by model"] - first["proportion"]) < 0.1
    assert first["gain"] > 0.05
    moved = corrected.corrections(X)
    every = corrected.corrections(X, top=None)["rows"].map(len)
    assert (every >= moved["rows"].map(len)).all()
    assert every.max() > 3
    assert in_corner[moved["sample"].head(50)].mean() > 0.9
    assert (moved["base"] != moved["class"]).head(50).mean() > 0.9
    shares = moved["shares"].map(sum)
    assert (shares.head(50) > 0.3).all()
    assert set(moved["rows"].iloc[0]) <= set(corrected.batches_[0].sample_index)
    order = moved["sample"].to_numpy()
    base, then = corrected.base_.predict_proba(X)[order], corrected.predict_proba(X)[order]
    codes = then.argmax(axis=1)
    np.testing.assert_array_equal(moved["base"], corrected.classes_[base.argmax(axis=1)])
    np.testing.assert_array_equal(moved["class"], corrected.classes_[codes])
    for name, probabilities in (("probability by base", base), ("probability", then)):
        np.testing.assert_allclose(moved[name], probabilities[np.arange(len(X)), codes])
    np.testing.assert_allclose(moved["moved"], np.abs(then - base).sum(axis=1) / 2)
    np.testing.assert_array_equal(moved["familiarity"], corrected.familiarity(X)[order])


def test_gains_are_what_the_loss_rises_by(corrected):
    assert corrected.disagreements()["gain"].is_monotonic_decreasing
    assert corrected.disagreements()["samples"].min() >= 1


def test_an_explanation_begins_with_the_base(subgroup, corrected):
    X, _, in_corner = subgroup
    x = X[in_corner][:1]
    found = corrected.explain(x)
    of_base = found[found["term"] == "base"]
    np.testing.assert_allclose(of_base["contribution"], base_model.floored(corrected.base_.predict_proba(x))[0])
    by_class = found.iloc[1:].groupby("class")["share"].sum()
    np.testing.assert_allclose(by_class[list(corrected.classes_)], corrected.predict_proba(x)[0], atol=1e-9)
    assert "prior" not in set(found["term"])
    assert set(corrected.export()["batch"]) == {1}


def test_figures(subgroup, corrected):
    X, _, _ = subgroup
    regions = DisagreementsDisplay.from_estimator(corrected, top=3)
    assert regions.ax_.get_yticklabels()[0].get_text().endswith("no")
    samples = CorrectionsDisplay.from_estimator(
        corrected, pd.DataFrame(X, index=[f"s{i}" for i in range(len(X))]), top=4
    )
    assert len(samples.table) == 4
    assert samples.ax_.get_yticklabels()[0].get_text().startswith("s")


def test_the_page_says_what_the_base_is(corrected, tmp_path):
    corrected.report(tmp_path / "model.html")
    page = (tmp_path / "model.html").read_text(encoding="utf-8")
    assert "It corrects another model, LogisticRegression." in page
    assert "proportion of the training samples" in page


@pytest.mark.parametrize(
    "base",
    [
        LogisticRegression(C=0.01, max_iter=1000),
        make_pipeline(StandardScaler(), LogisticRegression(C=0.01)),
        RandomForestClassifier(10, min_samples_leaf=5, random_state=0),
        GaussianNB(),
        DummyClassifier(strategy="prior"),
    ],
)
@pytest.mark.parametrize("data", [load_breast_cancer, load_wine])
def test_onnx_predicts_the_same(base, data):
    from onnxruntime import InferenceSession

    X, y = data(return_X_y=True)
    model = make_pipeline(StandardScaler(), ProsetClassifier(base=base, **GIVEN)).fit(X, y)
    single = X.astype(np.float32)
    session = InferenceSession(to_onnx(model).SerializeToString())
    _, probabilities = session.run(None, {"X": single})
    differences = np.abs(probabilities - model.predict_proba(single.astype(float))).max(axis=1)
    at_thresholds = 0.02 if isinstance(base, RandomForestClassifier) else 0.0  # trees compare in single precision
    assert np.mean(differences > 1e-5) <= at_thresholds


def test_lists_of_rows_are_the_same_table_in_fit_and_predict():
    rng = np.random.default_rng(0)
    rows = [[code, letter] for code, letter in zip(rng.integers(0, 3, 90).tolist(), "uv" * 45, strict=True)]
    y = [(code + (letter == "u")) % 3 for code, letter in rows]
    base = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    model = ProsetClassifier(base=base, lambda_v=0.01, lambda_w=1e-4, max_prototypes=4).fit(rows, y)
    frame = pd.DataFrame(rows)
    expected = clone(base).fit(frame.astype(object).to_numpy(), y).predict_proba(frame.astype(object).to_numpy())
    np.testing.assert_allclose(next(iter(model.staged_predict_proba(rows))), expected, atol=1e-6)


@pytest.mark.parametrize("is_given", [False, True])
def test_what_the_base_warns_of_in_its_fits_is_said_once_and_names_it(iris, is_given):
    X, y = iris
    given = {"base_probabilities": np.full((len(y), 3), 1 / 3)} if is_given else {}
    with warnings.catch_warnings(record=True, action="always") as found:
        ProsetClassifier(base=make_pipeline(LogisticRegression(max_iter=20)), **GIVEN).fit(X, y, **given)
    (warning,) = found
    assert warning.category is ConvergenceWarning
    assert warning.filename == __file__  # the line that calls `fit`
    assert str(warning.message).startswith(
        "base: LogisticRegression warns while it is fitted: lbfgs failed to converge"
    )


def test_warnings_of_the_base_that_differ_are_all_said_by_the_filters_of_the_caller(iris):
    with warnings.catch_warnings(record=True, action="always") as found:
        warnings.simplefilter("ignore", FutureWarning)
        with base_model.warned_once(GaussianNB(), stacklevel=1):
            for text, category in (
                ("b 1", UserWarning),
                ("a", UserWarning),
                ("b 2", UserWarning),
                ("c", FutureWarning),
            ):
                warnings.warn(text, category, stacklevel=1)
    start = "base: GaussianNB warns while it is fitted:"
    assert [str(warning.message) for warning in found] == [f"{start} b 1", f"{start} a"]


def test_one_weight_for_all(iris):
    model = ProsetClassifier(base=LogisticRegression(max_iter=1000), lambda_v=0.01, lambda_w=1e-4, max_prototypes=3)
    expected = clone(model).fit(*iris, sample_weight=np.full(150, 2.0)).predict_proba(iris[0])
    np.testing.assert_array_equal(model.fit(*iris, sample_weight=2.0).predict_proba(iris[0]), expected)
