import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, GroupShuffleSplit, StratifiedKFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler, scale
from sklearn.utils import check_random_state
from sklearn.utils.estimator_checks import parametrize_with_checks

from proset import ProsetClassifier, ProsetClassifierCV, SetCoverClassifier, SetCoverClassifierCV
from proset.losses import log_loss
from proset.search import seed
from proset.search_parts import STAGE_1, STAGE_2
from proset.selection import SELECTION_RULES, select

QUICK = {"lambda_v": [1e-3, 1e-2], "lambda_w": 1e-8, "n_batches": 2, "cv": 3, "random_state": 0}
SETTINGS = {ProsetClassifierCV: QUICK, SetCoverClassifierCV: {"eps": 4, "cv": 3}}


IMPOSSIBLE = {"check_sample_weight_equivalence_on_dense_data": "folds are drawn among the rows"}


@parametrize_with_checks(
    [ProsetClassifierCV(n_iter=2, n_batches=2, cv=2), SetCoverClassifierCV(3, cv=2)],
    expected_failed_checks=lambda estimator: {} if isinstance(estimator, SetCoverClassifierCV) else IMPOSSIBLE,
)
def test_scikit_learn_check(estimator, check):
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        check(estimator)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return scale(X), y


@pytest.fixture(scope="module")
def found(iris):
    return ProsetClassifierCV(**QUICK).fit(*iris)


def test_a_number_of_prototypes_is_kept_and_scored(iris):
    given = {**QUICK, "prototypes": 1}
    search = ProsetClassifierCV(**given).fit(*iris)
    assert search.best_params_["max_prototypes"] == search.best_estimator_.n_prototypes_ == 1
    assert search.best_score_ < -0.5  # one prototype is not enough
    assert "max_prototypes" not in ProsetClassifierCV(**{**QUICK, "prototypes": None}).fit(*iris).best_params_


def test_stage_3_keeps_what_is_gained_over_a_base():
    """The standard error is that of the gain, not that of the loss, which base and model have in common."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (600, 3))
    corner = (X[:, :2] > 0.72).all(axis=1)
    y = np.where((X[:, 0] + 0.25 * rng.standard_t(2, size=600) > 0) ^ corner, "yes", "no")
    search = ProsetClassifierCV(ProsetClassifier(base=LogisticRegression())).fit(X, y)
    assert search.best_params_["max_prototypes"] > 0


def test_what_was_stopped_ranks_last_and_batches_end_with_one_that_does_not_help(iris):
    losses = np.array([[0.1, 0.5], [0.2, np.nan], [0.3, 0.5]])  # that of the second pair is low on an easy fold
    results, best, _ = ProsetClassifierCV()._select([{"lambda_v": v} for v in range(3)], [(0.0,)] * 3, losses)
    assert (results["rank_test_score"].tolist(), best) == ([1, 3, 2], 0)
    assert results["mean_test_score"].tolist() == [-0.3, -0.2, -0.4]
    means = ProsetClassifierCV(**{**QUICK, "n_batches": 99}).fit(*iris).stage2_results_["mean_test_score"]
    assert len(means) < 99
    assert (np.diff(means[:-1]) > 0).all()
    assert means[-1] <= means[-2]


def test_results_have_the_form_of_scikit_learn(found):
    results, stage2 = found.cv_results_, found.stage2_results_
    for table, number in ((results, 2), (stage2, 3)):
        splits = np.array([table[f"split{f}_test_score"] for f in range(3)])
        np.testing.assert_allclose(table["mean_test_score"], splits.mean(axis=0))
        np.testing.assert_allclose(table["std_test_score"], splits.std(axis=0))
        assert table["rank_test_score"][table["mean_test_score"].argmax()] == 1
        assert {len(column) for column in table.values()} == {number}
    assert results["params"] == [{"lambda_v": 1e-3, "lambda_w": 1e-8}, {"lambda_v": 1e-2, "lambda_w": 1e-8}]
    assert results["param_lambda_v"].tolist() == [1e-3, 1e-2]
    assert (results["mean_fit_time"] > 0).all()
    assert stage2["param_n_batches"].tolist() == [0, 1, 2]
    assert {**found.best_params_, **results["params"][found.best_index_]} == found.best_params_
    sizes = found.stage3_results_
    limit = sizes["param_max_prototypes"].tolist().index(found.best_params_["max_prototypes"])
    assert found.best_score_ == sizes["mean_test_score"][limit] >= found.stage3_threshold_
    assert not (sizes["mean_test_score"][:limit] >= found.stage3_threshold_).any()
    assert found.best_estimator_.n_prototypes_ == found.best_params_["max_prototypes"]
    assert (found.n_splits_, found.n_features_in_, found.classes_.tolist()) == (3, 4, [0, 1, 2])


@pytest.mark.parametrize("rule", SELECTION_RULES)
def test_scores_are_those_of_fits_on_the_folds_and_the_rule_selects_by_them(iris, rule):
    X, y = iris
    settings = {**QUICK, "early_stopping": False, "selection_rule": rule}
    found = ProsetClassifierCV(ProsetClassifier.published(), **settings).fit(X, y)
    root, params = int(check_random_state(0).randint(2**31)), found.cv_results_["params"]
    stage1, stage2 = np.empty((2, 3)), np.empty((3, 3))
    for fold, (train, test) in enumerate(StratifiedKFold(3).split(X, y)):

        def losses(parameters, n_batches, *key, train=train, test=test):
            """With 0, 1, ..., `n_batches` batches."""
            given = {**parameters, "n_batches": n_batches, "random_state": seed(root, *key)}
            model = ProsetClassifier.published(**given).fit(X[train], y[train])
            return [log_loss(p, y[test]) for p in model.staged_predict_proba(X[test])]

        stage1[:, fold] = [losses(p, 1, STAGE_1, fold, trial)[-1] for trial, p in enumerate(params)]
        stage2[:, fold] = losses(params[found.best_index_], 2, STAGE_2, fold)
    selected = []
    for results, expected, simplicity, threshold in (
        (found.cv_results_, stage1, [(p["lambda_v"] * p["lambda_w"],) for p in params], found.threshold_),
        (found.stage2_results_, stage2, [(0,), (-1,), (-2,)], found.stage2_threshold_),
    ):
        np.testing.assert_allclose([results[f"split{fold}_test_score"] for fold in range(3)], -expected.T)
        selection = select(expected, simplicity, rule)
        assert threshold == pytest.approx(-selection["threshold"])
        assert np.flatnonzero(results["within_threshold"]).tolist() == selection["within"]
        selected.append(selection["selected"])
    assert selected == [found.best_index_, found.best_params_["n_batches"]]


def test_the_model_is_fitted_on_all_samples_and_can_be_fitted_again(found, iris):
    X, y = iris
    model = found.best_estimator_
    assert {name: model.get_params()[name] for name in found.best_params_} == found.best_params_
    np.testing.assert_array_equal(clone(model).fit(X, y).predict_proba(X), found.predict_proba(X))
    np.testing.assert_array_equal(found.predict(X, n_batches=0), np.zeros(len(X)))
    np.testing.assert_array_equal(found.predict_proba(X, n_batches=1), list(found.staged_predict_proba(X))[1])
    np.testing.assert_array_equal(found.familiarity(X), model.familiarity(X))
    np.testing.assert_array_equal(found.familiarity_quantile(X), model.familiarity_quantile(X))


def test_draws_do_not_depend_on_their_number_and_results_not_on_threads(iris):
    space = {"lambda_v": (1e-4, 1e-2), "lambda_w": [1e-8, 1e-6], "n_batches": 1, "cv": 2, "random_state": 3}
    few, many = (ProsetClassifierCV(**space, n_iter=n, n_jobs=j).fit(*iris) for n, j in ((3, 1), (5, 2)))
    assert few.cv_results_["params"] == many.cv_results_["params"][:3]
    assert few.cv_results_["mean_test_score"].tolist() == many.cv_results_["mean_test_score"][:3].tolist()
    assert [setting["lambda_w"] for setting in many.cv_results_["params"]] == [1e-8, 1e-6, 1e-8, 1e-6, 1e-8]
    drawn = [setting["lambda_v"] for setting in many.cv_results_["params"]]
    assert len(set(drawn)) == 5
    assert 1e-4 <= min(drawn) <= max(drawn) <= 1e-2


@pytest.mark.parametrize("kind", SETTINGS)
def test_scaling_inside_the_folds_is_a_pipeline(iris, kind):
    X, y = iris
    X, inner = X * [1.0, 100.0, 1.0, 0.01] + 5, kind._classifier()
    scaled = kind(**SETTINGS[kind], estimator=inner, scale=True).fit(X, y)
    pipeline = kind(**SETTINGS[kind], estimator=make_pipeline(StandardScaler(), inner)).fit(X, y)
    assert scaled.cv_results_["mean_test_score"].tolist() == pipeline.cv_results_["mean_test_score"].tolist()
    np.testing.assert_array_equal(scaled.predict(X), pipeline.predict(X))
    assert pipeline.best_estimator_[0].mean_ == pytest.approx(X.mean(axis=0))
    assert pipeline.best_estimator_.score(X, y) == pipeline.score(X, y) > 0.9


@pytest.mark.parametrize("kind", SETTINGS)
def test_explanations_are_in_the_units_of_the_table(kind, tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    found = kind(**SETTINGS[kind], scale=True).fit(X, y)
    explained, exported = found.explain(X.tail(2), top=3), found.export()
    assert explained["sample"].unique().tolist() == [148, 149]
    of_prototypes = explained[explained["term"] == "prototype"]
    for table in (of_prototypes, exported[exported["row"] >= 0]):
        expected = X["petal width (cm)"].iloc[table["row"]]
        np.testing.assert_allclose(table["value of petal width (cm)"], expected)
    scaler, model = found.best_estimator_
    assert found.familiarity(X.tail(2)).tolist() == model.familiarity(scaler.transform(X.tail(2))).tolist()
    if kind is ProsetClassifierCV:
        found.report(tmp_path / "model.html")
        assert "petal width (cm)" in (tmp_path / "model.html").read_text(encoding="utf-8")
        values = model.attributions(scaler.transform(X.tail(2)), scaler.transform(X.head(9))).values
        np.testing.assert_array_equal(found.attributions(X.tail(2), X.head(9)).values, values)
        counted = model.drift(scaler.transform(X.tail(50)), 0.2)
        pd.testing.assert_frame_equal(found.drift(X.tail(50), 0.2).drop(columns="name"), counted.drop(columns="name"))


def test_a_frame_with_names_strings_and_gaps(iris):
    X, y = iris
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.loc[::7, "a"] = np.nan
    frame["kind"] = np.where(y == 0, "red", "blue")
    columns = make_column_transformer((SimpleImputer(), list("abcd")), (OneHotEncoder(), ["kind"]))
    found = ProsetClassifierCV(make_pipeline(columns, ProsetClassifier(lambda_v=0)), **QUICK, scale=True)
    found.fit(frame, np.array(["setosa", "versicolor", "virginica"])[y])
    assert found.feature_names_in_.tolist() == [*"abcd", "kind"]
    assert found.n_features_in_ == 5
    assert [name for name, _ in found.best_estimator_.steps][1:] == ["scale", "prosetclassifier"]
    assert found.score(frame, np.array(["setosa", "versicolor", "virginica"])[y]) > 0.9
    named = ProsetClassifierCV(**QUICK).fit(frame[["c", "d"]], y)
    assert named.best_estimator_.feature_names_in_.tolist() == ["c", "d"]


class Recorder(TransformerMixin, BaseEstimator):
    """Keeps the sample weights that it is fitted with."""

    seen = ()

    def fit(self, X, y=None, sample_weight=None):
        Recorder.seen = (*Recorder.seen, None if sample_weight is None else len(sample_weight))
        self.is_fitted_ = True
        return self

    def transform(self, X):
        return X


def test_sample_weights_count_in_fits_and_scores(iris):
    X, y = iris
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    found = ProsetClassifierCV(**QUICK).fit(X, y, weight)
    np.testing.assert_allclose(found.best_estimator_.class_prior_, np.bincount(y, weights=weight) / weight.sum())
    train, test = next(StratifiedKFold(3).split(X, y))
    prior = np.bincount(y[train], weights=weight[train]) / weight[train].sum()
    score = np.average(np.log(prior[y[test]]), weights=weight[test])
    assert found.stage2_results_["split0_test_score"][0] == pytest.approx(score)
    errors = SetCoverClassifierCV([0.5], cv=3).fit(X, y, weight).cv_results_["split0_test_score"]
    model = SetCoverClassifier(eps=0.5).fit(X[train], y[train], weight[train])
    assert errors[0] == pytest.approx(model.score(X[test], y[test], weight[test]) - 1)


@pytest.mark.parametrize("kind", [ProsetClassifierCV, SetCoverClassifierCV])
def test_samples_of_weight_zero_are_left_out_with_their_class(iris, kind):
    X, y = iris
    settings = QUICK if kind is ProsetClassifierCV else {"eps": 3, "cv": 3}
    folds = [(np.setdiff1d(np.arange(150), test), test) for test in (np.arange(i, 150, 3) for i in range(3))]
    kept = [(train[train < 100], test[test < 100]) for train, test in folds]
    found = kind(**{**settings, "cv": folds}).fit(X, y, np.where(y == 2, 0.0, 1.0))
    without = kind(**{**settings, "cv": kept}).fit(X[:100], y[:100])
    assert found.classes_.tolist() == [0, 1]
    if kind is ProsetClassifierCV:  # radii are those of all samples
        assert found.cv_results_["mean_test_score"].tolist() == without.cv_results_["mean_test_score"].tolist()
    np.testing.assert_array_equal(found.predict(X[:100]), without.predict(X[:100]))


def test_class_weights_count_in_scores_as_in_fits(iris):
    X, y = iris[0][:120], iris[1][:120]
    balanced = ProsetClassifierCV(ProsetClassifier(class_weight="balanced"), **QUICK, criterion="error").fit(X, y)
    np.testing.assert_allclose(balanced.best_estimator_.class_prior_, 1 / 3)
    _, test = next(StratifiedKFold(3).split(X, y))
    weight = np.array([0.8, 0.8, 2.0])[y[test]]
    first = np.average(y[test] == 0, weights=weight)  # the prior is uniform, so that the first class is predicted
    assert balanced.stage2_results_["split0_test_score"][0] == pytest.approx(first - 1)


def test_metadata_routing(iris):
    X, y = iris
    group, weight = np.arange(len(y)) % 10, np.ones(len(y))
    with config_context(enable_metadata_routing=True):
        Recorder.seen = ()
        steps = make_pipeline(Recorder().set_fit_request(sample_weight=True), ProsetClassifier())
        found = ProsetClassifierCV(steps, **{**QUICK, "cv": GroupKFold(3)})
        found = found.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        metadata = {"groups": group, "sample_weight": weight}
        outer = {"cv": GroupKFold(2), "params": metadata, "return_indices": True, "error_score": "raise"}
        scores = cross_validate(found, X, y, **outer)
    assert all(np.intersect1d(group[a], group[b]).size == 0 for a, b in zip(*scores["indices"].values(), strict=True))
    assert set(Recorder.seen) == {75, 60, 45}  # samples of 5, 4 and 3 groups
    assert scores["test_score"].min() > 0.85


@pytest.mark.parametrize("cv", [3, GroupKFold(3), GroupShuffleSplit(3, random_state=0)])
def test_groups_are_kept_together(cv):
    """A copy of every sample among those to fit on would show its class."""
    group = np.repeat(range(60), 4)
    X, y = np.random.default_rng(0).normal(size=(60, 2))[group], group % 2
    parameters = {"eps": [0.01, 0.1], "estimator": SetCoverClassifier(cost=0.5), "selection_rule": "best"}
    with_groups = SetCoverClassifierCV(**parameters, cv=cv).fit(X, y, groups=group)
    without = SetCoverClassifierCV(**parameters, cv=StratifiedKFold(3, shuffle=True, random_state=0)).fit(X, y)
    assert without.best_score_ > -0.2
    assert with_groups.best_score_ < -0.3


def test_without_refit_there_are_results_and_no_predictions(iris):
    found = ProsetClassifierCV(**{**QUICK, "lambda_w": np.array([1e-8, 1e-4])}, refit=False).fit(*iris)
    assert found.best_params_["n_batches"] in (1, 2)
    assert len(found.cv_results_["params"]) == 4  # two grids are crossed
    assert not hasattr(found, "best_estimator_")
    for name in ("predict", "predict_proba", "staged_predict_proba", "familiarity", "explain", "export", "report"):
        assert not hasattr(found, name)
    radii = SetCoverClassifierCV(3, refit=False).fit(*iris)
    assert radii.best_params_["eps"] in radii.cv_results_["param_eps"]
    assert not {"best_estimator_", "predict", "familiarity", "explain", "export"} & {*dir(radii), *vars(radii)}


@pytest.mark.parametrize("kind", [ProsetClassifierCV, SetCoverClassifierCV])
def test_a_fit_without_refit_has_no_model_of_the_fit_before(iris, kind):
    X, y = iris
    few = {"n_iter": 1, "n_batches": 1} if kind is ProsetClassifierCV else {"eps": 2}
    search = kind(cv=3, random_state=0, **few).fit(X, y).set_params(refit=False).fit(X[:100], y[:100])
    assert search.classes_.tolist() == [0, 1]
    assert not hasattr(search, "best_estimator_")
    with pytest.raises(NotFittedError):
        search.set_params(refit=True).predict(X)


def test_progress_is_drawn_on_request(iris, capsys):
    ProsetClassifierCV(**QUICK, verbose=1).fit(*iris)
    shown = capsys.readouterr().err
    assert re.search(r"\rstage 1: 6 fits\n\rstage 2: 0 fits\rstage 2: 3 fits(\rstage 2: 6 fits)?\n", shown)
    ProsetClassifierCV(**QUICK).fit(*iris)
    assert capsys.readouterr().err == ""


def test_the_bar_of_a_search_for_radii_is_drawn_on_request(iris, capsys):
    SetCoverClassifierCV(3, cv=3, verbose=1).fit(*iris)
    shown = capsys.readouterr()
    assert [len(bar) for bar in re.findall(r"\rfolds: \[(#+) *\] \d of 3, \d+\.\d s", shown.err)] == [10, 20, 30]
    assert shown.err.endswith("\n")
    SetCoverClassifierCV(3, cv=3).fit(*iris)
    assert shown.out + "".join(capsys.readouterr()) == ""


def test_the_seed_of_a_search_for_radii_is_its_own(iris):
    """Instead of that of the estimator; threads have no part in it."""
    X, y = iris[0][:, :2], iris[1]  # classes overlap, so that there is something to round
    searches = [
        SetCoverClassifierCV([0.3, 0.6], estimator=SetCoverClassifier(method="lp", random_state=s), **settings).fit(
            X, y
        )
        for s, settings in ((0, {}), (1, {"n_jobs": 2}), (0, {"random_state": 4}))
        for settings in [{"cv": 2, "random_state": 3, **settings}]
    ]
    first, same, other = (search.best_estimator_ for search in searches)
    assert first.random_state == same.random_state != other.random_state
    assert first.prototype_index_.tolist() == same.prototype_index_.tolist()
    scores = [search.cv_results_["mean_test_score"].tolist() for search in searches]
    assert scores[0] == scores[1]


def test_fits_that_do_not_converge_and_data_without_information_are_told(iris):
    X, y = iris
    with pytest.warns(UserWarning, match="stage 1: 6 of 6 fits have batches that did not converge"):
        ProsetClassifierCV(ProsetClassifier.published(max_iter=2), **QUICK, early_stopping=False, refit=False).fit(X, y)
    noise = np.random.default_rng(1).normal(size=(100, 3))
    with pytest.warns(UserWarning, match="nothing was learnt: by the selection rule the class prior is as good"):
        ProsetClassifierCV(**QUICK).fit(noise, np.arange(100) % 2)
    on_base = ProsetClassifierCV(ProsetClassifier(base=DummyClassifier()), **QUICK)
    with pytest.warns(UserWarning, match="nothing was learnt: by the selection rule the base model alone is as good"):
        on_base.fit(noise, np.arange(100) % 2)


def test_radii_are_scored_like_classifiers_with_these_radii(iris):
    X, y = iris
    found = SetCoverClassifierCV(6, cv=StratifiedKFold(4)).fit(X, y)
    radii = found.cv_results_["param_eps"]
    assert len(radii) == 6
    assert (np.diff(radii) > 0).all()
    for radius, score in zip(radii, found.cv_results_["mean_test_score"], strict=True):
        expected = cross_val_score(SetCoverClassifier(eps=radius), X, y, cv=StratifiedKFold(4)).mean() - 1
        assert score == pytest.approx(expected)
    within = radii[found.cv_results_["within_threshold"]]
    assert found.best_params_ == {"eps": within.max()}
    assert found.best_score_ == found.cv_results_["mean_test_score"][found.best_index_] >= found.threshold_
    np.testing.assert_array_equal(found.predict(X), SetCoverClassifier(eps=within.max()).fit(X, y).predict(X))


def test_radii_of_given_dissimilarities(iris):
    X, y = iris
    D = np.linalg.norm(X[:, None] - X, axis=2)
    plain = SetCoverClassifierCV([0.5, 1.0, 2.0], cv=3).fit(X, y)
    given = SetCoverClassifierCV([0.5, 1.0, 2.0], estimator=SetCoverClassifier(metric="precomputed"), cv=3).fit(D, y)
    assert plain.cv_results_["mean_test_score"].tolist() == given.cv_results_["mean_test_score"].tolist()
    np.testing.assert_array_equal(plain.predict(X), given.predict(D))


@pytest.mark.parametrize("kind", [ProsetClassifierCV, SetCoverClassifierCV])
def test_folds_may_be_lists_or_masks_as_in_scikit_learn(kind):
    X, y = load_iris(return_X_y=True)
    folds = [
        (np.flatnonzero(rows), np.flatnonzero(~rows)) for rows in (np.arange(150) % 2 == 0, np.arange(150) % 3 > 0)
    ]
    lists = [tuple(rows.tolist() for rows in parts) for parts in folds]
    masks = [tuple(np.isin(np.arange(150), rows) for rows in parts) for parts in folds]
    parameters = {"n_iter": 2, "random_state": 0} if kind is ProsetClassifierCV else {"eps": [0.5, 1.0]}
    losses = [kind(**parameters, cv=cv).fit(X, y).cv_results_["mean_test_score"] for cv in (folds, lists, masks)]
    np.testing.assert_array_equal(losses[0], losses[1])
    np.testing.assert_array_equal(losses[0], losses[2])
