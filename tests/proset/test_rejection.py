import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from proset import (
    ConformalClassifier,
    ProsetClassifier,
    ProsetClassifierCV,
    RejectOptionClassifier,
    SetCoverClassifier,
    group_rates,
    risk_coverage_curve,
)
from proset.familiarity import quantile

CLASSIFIER = ProsetClassifier(lambda_v=0.03, lambda_w=1e-8, max_prototypes=None)
PROSET = make_pipeline(StandardScaler(), CLASSIFIER)


def test_scores_are_those_of_samples_held_out():
    """And not of training samples, of which too few are rejected."""
    X, y = load_wine(return_X_y=True)
    folds = KFold(5, shuffle=True, random_state=0)
    model = RejectOptionClassifier(PROSET, cv=folds).fit(X, y)
    fits = ((clone(PROSET).fit(X[train], y[train]), X[test]) for train, test in folds.split(X))
    expected = np.concatenate([steps[-1].familiarity_quantile(steps[:-1].transform(part)) for steps, part in fits])
    np.testing.assert_array_equal(model.scores_, np.sort(expected))
    of_sample = model.estimator_[-1].familiarity_quantile(model.estimator_[:-1].transform(X))
    np.testing.assert_array_equal(model.score_quantile(X), quantile(model.scores_, of_sample))


def test_what_is_far_away_is_rejected_and_probabilities_stay():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = RejectOptionClassifier(PROSET, rejection_rate=0.05).fit(X, names)
    far = X.assign(**{"petal length (cm)": 50.0})
    assert set(model.predict(far)) == {"rejected"}
    assert model.score_quantile(far).max() == 0.0
    predicted = model.predict(X)
    plain = model.estimator_.predict(X)
    assert (predicted[predicted != "rejected"] == plain[predicted != "rejected"]).all()
    assert 0 < (predicted == "rejected").sum() < 15
    np.testing.assert_array_equal(model.predict_proba(X), model.estimator_.predict_proba(X))
    assert model.feature_names_in_.tolist() == list(X.columns)
    for rate, n in ((0.0, 0), (1.0, len(X))):
        assert (model.set_params(rejection_rate=rate).predict(X) == "rejected").sum() == n


@pytest.mark.parametrize(
    ("estimator", "score"),
    [
        (LogisticRegression(max_iter=1000), "confidence"),
        (CLASSIFIER, "familiarity"),
        (SetCoverClassifier(eps=1.0), "familiarity"),
        (GridSearchCV(PROSET, {"prosetclassifier__lambda_v": [1e-3, 1e-2]}, cv=3), "familiarity_quantile"),
    ],
)
def test_any_estimator_with_the_score(estimator, score):
    X, y = load_iris(return_X_y=True)
    model = RejectOptionClassifier(estimator, rejection_rate=0.2, criterion=score).fit(X, y)
    assert 0.05 < (model.predict(X) == -1).mean() < 0.35


def test_weights_and_groups_go_where_they_belong():
    X, y = load_iris(return_X_y=True)
    groups = np.arange(len(y)) // 2
    weight = 1.0 + np.arange(len(y)) % 2
    model = RejectOptionClassifier(PROSET, cv=GroupKFold(5))
    weighted = model.fit(X, y, groups=groups, prosetclassifier__sample_weight=weight)
    expected = PROSET.fit(X, y, prosetclassifier__sample_weight=weight).predict_proba(X)
    np.testing.assert_array_equal(weighted.predict_proba(X), expected)
    with pytest.raises(ValueError, match="'groups' parameter should not be None"):
        model.fit(X, y)


@pytest.mark.parametrize("wrap", [RejectOptionClassifier, ConformalClassifier])
def test_metadata_is_routed(wrap):
    """Inside a cross-validation, and through a pipeline; what nobody asked for is refused."""
    X, y = load_iris(return_X_y=True)
    metadata = {"groups": np.arange(len(y)) // 3, "sample_weight": 1.0 + np.arange(len(y)) % 2}
    with config_context(enable_metadata_routing=True):
        asks = clone(PROSET)
        asks[0].set_fit_request(sample_weight=False)
        asks[1].set_fit_request(sample_weight=True)
        routed = wrap(asks, cv=GroupKFold(5)).fit(X, y, **metadata)
        outer = {"cv": GroupKFold(2), "params": metadata, "error_score": "raise", "return_estimator": True}
        inner = wrap(asks, cv=GroupKFold(5)).set_score_request(sample_weight=True)
        nested = cross_validate(inner, X, y, **outer)["estimator"][0]
        search = ProsetClassifierCV(CLASSIFIER, lambda_v=[0.03], lambda_w=[1e-8], n_batches=1, cv=GroupKFold(3))
        wrap(search, cv=GroupKFold(2)).fit(X, y, groups=metadata["groups"])  # which the search needs, too
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            wrap(ProsetClassifier()).fit(X, y, **metadata)
    named = {"groups": metadata["groups"], "prosetclassifier__sample_weight": metadata["sample_weight"]}
    expected = wrap(PROSET, cv=GroupKFold(5)).fit(X, y, **named)
    np.testing.assert_array_equal(routed.predict_proba(X), expected.predict_proba(X))
    np.testing.assert_array_equal(routed.scores_, expected.scores_)
    assert len(nested.scores_) == 75  # half of the groups


def two_groups(rng, n, share=0.2):
    """A small group whose samples lie further apart."""
    small = rng.random(n) < share
    y = rng.integers(0, 2, n)
    X = (y[:, None] * 3.0 + rng.normal(size=(n, 2))) * np.where(small, 3.0, 1.0)[:, None]
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "group": np.where(small, "few", "most")}), y, small


def without_group(estimator):
    return make_pipeline(ColumnTransformer([("numbers", "passthrough", ["a", "b"])]), estimator)


@pytest.mark.parametrize(("n", "rejected"), [(19, (0.05, 0.05)), (39, (0.05, 0.05)), (25, (1 / 26, 2 / 26))])
def test_the_rate_is_right_to_within_one_of_the_calibration_samples(rng, n, rejected):
    """Where (n + 1) times the rate is whole it is exact, whatever the distribution; here low scores are far apart."""
    calibration = np.sort(-rng.pareto(0.5, (3000, n)), axis=1)
    rate = np.mean([quantile(scores, -rng.pareto(0.5, 100)) < 0.05 for scores in calibration])
    low, high = rejected
    assert low - 0.004 < rate < high + 0.004
    if low < high:
        assert abs(rate - 0.05) > 0.004


def test_each_group_has_the_rate(rng):
    """Calibration samples of their own, so that the rate is exact in the mean; 2,000 of a group are 100 draws."""
    X, y, _ = two_groups(rng, 400)
    frozen = FrozenEstimator(without_group(ProsetClassifier(lambda_v=0.01, lambda_w=1e-4)).fit(X, y))
    rejected = {None: [], "group": []}  # of the many, the few, and all
    for _ in range(30):
        held_out, labels, _ = two_groups(rng, 300)
        fresh, _, small = two_groups(rng, 1000)
        for by, found in rejected.items():
            model = RejectOptionClassifier(frozen, 0.1, group_by=by, criterion="familiarity_quantile").fit(
                held_out, labels
            )
            of_sample = model.predict(fresh) == -1
            found.append([of_sample[~small].mean(), of_sample[small].mean(), of_sample.mean()])
    assert np.mean(rejected["group"], axis=0)[:2] == pytest.approx([0.1, 0.1], abs=0.02)
    _, of_few, of_all = np.mean(rejected[None], axis=0)
    assert of_all == pytest.approx(0.1, abs=0.015)
    assert of_few > 0.2  # they are far from the prototypes of most


def test_quantiles_are_those_of_the_group(rng):
    X, y, small = two_groups(rng, 300)
    estimator = without_group(LogisticRegression())
    model = RejectOptionClassifier(estimator, 0.1, criterion="confidence", group_by="group").fit(X, y)
    assert {label: len(scores) for label, scores in model.scores_.items()} == {"few": small.sum(), "most": sum(~small)}
    pooled = RejectOptionClassifier(estimator, 0.1, criterion="confidence").fit(X, y)
    np.testing.assert_array_equal(np.sort(np.concatenate(list(model.scores_.values()))), pooled.scores_)
    for label, part in (("few", X[small]), ("most", X[~small])):
        alone = quantile(model.scores_[label], model.predict_proba(part).max(axis=1))
        np.testing.assert_array_equal(model.score_quantile(part), alone)
    strange = X.assign(group="other")
    with pytest.warns(
        UserWarning, match="X: 300 samples are of groups that were not in fit, such as 'other'; they are"
    ):
        np.testing.assert_array_equal(model.score_quantile(strange), pooled.score_quantile(strange))


@pytest.mark.parametrize(
    ("classes", "given", "expected"),
    [
        ([0, 1, 2], None, -1),
        ([0, 1, 2], 99, 99),
        (["a", "b", "c"], None, "rejected"),
        (["a", "b", "c"], "ask somebody", "ask somebody"),  # longer than the classes
        (np.array([1, 254, 255], dtype=np.uint8), None, -1),  # which is 255 in eight bits
        (np.array([1, 2, 44], dtype=np.uint8), 300, 300),
        (np.array([0, 1, 2], dtype=np.uint64) + np.uint64(2**60), None, -1),  # one and the same number in float64
        (np.array(["a", "b", "c"], dtype=object), "?", "?"),
    ],
)
def test_a_rejected_sample_has_the_label(iris, classes, given, expected):
    X, y = iris[0], np.asarray(classes)[iris[1]]
    model = RejectOptionClassifier(CLASSIFIER, 0.2, "confidence", reject_label=given).fit(X, y)
    rejected = model.score_quantile(X) < 0.2
    assert 0 < rejected.sum() < len(X)
    assert set(model.predict(X)[rejected].tolist()) == {expected}
    np.testing.assert_array_equal(model.predict(X)[~rejected], model.estimator_.predict(X[~rejected]))


def test_groups_that_are_too_small_for_the_rate(rng):
    X, y, _ = two_groups(rng, 100)
    model = RejectOptionClassifier(without_group(LogisticRegression()), 0.01, criterion="confidence", group_by="group")
    with pytest.warns(UserWarning, match="group_by: 2 of 2 groups have fewer than 99 samples, such as 'few'; which s"):
        model.fit(X, y)
    with pytest.warns(UserWarning, match="X: 60 samples are fewer than 99; which samples are the lowest is a guess"):
        model.set_params(group_by=None).fit(X[:60], y[:60])


def test_risk_coverage_by_counting(rng):
    y, predicted, score = rng.integers(0, 2, (3, 200))
    score = score + rng.integers(0, 20, 200) / 10
    coverage, risk, thresholds = risk_coverage_curve(y, predicted, score)
    assert thresholds.tolist() == sorted(set(score), reverse=True)
    for c, r, t in zip(coverage, risk, thresholds, strict=True):
        accepted = score >= t
        assert c == accepted.mean()
        assert r == pytest.approx((y != predicted)[accepted].mean())
    assert coverage[-1] == 1.0


@pytest.mark.parametrize("kind", [np.uint8, np.int8, bool])
def test_scores_of_types_without_negatives(kind):
    score = np.array([np.iinfo(kind).min, 9, 5, 7]) if kind is not bool else np.array([0, 1, 0, 1])
    given = [0, 0, 1, 1], [1, 0, 1, 0]
    found, expected = (risk_coverage_curve(*given, of) for of in (score.astype(kind), score.astype(float)))
    for one, other in zip(found, expected, strict=True):
        assert one.tolist() == other.tolist()


def test_it_is_what_its_estimator_is(iris):
    """Tags, names of features, and methods."""
    X, y = iris
    inside = ProsetClassifier(lambda_v=0.03, lambda_w=1e-8, max_prototypes=5)
    model = RejectOptionClassifier(inside, rejection_rate=0.1).fit(pd.DataFrame(X).add_prefix("x"), y)
    assert get_tags(model).input_tags.allow_nan
    assert not hasattr(model.fit(X, y), "feature_names_in_")
    covers = RejectOptionClassifier(SetCoverClassifier(eps=0.6), criterion="familiarity")
    assert not hasattr(covers.fit(X, y), "predict_proba")
    assert "log loss" not in group_rates(covers, X, y, y)


def test_dissimilarities_of_held_out_samples_are_left_out(iris):
    X, y = iris[0] + 1e-3 * np.random.default_rng(0).normal(size=(150, 4)), iris[1]  # no distance is the radius
    parameters = {"criterion": "familiarity", "cv": KFold(5, shuffle=True, random_state=0)}
    expected = RejectOptionClassifier(SetCoverClassifier(eps=0.6), **parameters).fit(X, y)
    matrix = RejectOptionClassifier(SetCoverClassifier(eps=0.6, metric="precomputed"), **parameters)
    np.testing.assert_allclose(matrix.fit(pairwise_distances(X), y).scores_, expected.scores_, atol=1e-12)


def test_scores_are_by_the_criterion_of_the_fit(iris):
    X, y = iris
    model = RejectOptionClassifier(ProsetClassifier(lambda_v=0.03, lambda_w=1e-8, max_prototypes=5)).fit(X, y)
    expected = model.predict(X)
    np.testing.assert_array_equal(model.set_params(criterion="confidence").predict(X), expected)


def test_equal_scores_are_accepted_together():
    coverage, _, _ = risk_coverage_curve([0, 1, 1], [0, 1, 0], [-np.inf, -np.inf, 1.0])
    assert coverage.tolist() == [pytest.approx(1 / 3), 1.0]


def test_folds_may_be_masks():
    X, y = load_iris(return_X_y=True)
    inside = np.arange(150) % 2 == 0
    masks, folds = (
        [(inside, ~inside), (~inside, inside)],
        [(np.flatnonzero(a), np.flatnonzero(~a)) for a in (inside, ~inside)],
    )
    by_mask, by_number = (
        RejectOptionClassifier(ProsetClassifier(random_state=0), cv=cv).fit(X, y) for cv in (masks, folds)
    )
    np.testing.assert_array_equal(by_mask.predict(X), by_number.predict(X))
