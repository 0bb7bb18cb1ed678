import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

from proset import ProsetClassifier, SetCoverClassifier, diff
from proset.explain import explain
from proset.model import Batch, Model
from proset.units import in_original_units

BATCH = Batch(
    feature_weights=np.array([2.0, 0.0, 1.0]),
    prototypes=np.array([[0.0, 5.0, 0.0], [1.0, 5.0, 1.0]]),
    labels=np.array([0, 1]),
    prototype_weights=np.array([3.0, 4.0]),
    sample_index=np.array([7, 2]),
    candidate_index=np.array([2, 7]),
    objective=0.0,
    n_iter=1,
    n_evaluations=1,
    converged=True,
    message="",
)


@pytest.fixture(scope="module")
def fitted(flowers):
    X, y = flowers
    X = (X - X.mean()) / X.std()
    return X, ProsetClassifier(n_batches=2, random_state=0).fit(X, y)


@pytest.fixture(scope="module")
def pipeline(flowers):
    return make_pipeline(StandardScaler(), ProsetClassifier(n_batches=2, random_state=0)).fit(*flowers)


def test_two_prototypes_by_hand():
    found = explain(Model(np.array([0.25, 0.75]), np.zeros(3), (BATCH,)), np.array([0.5, -9.0, 0.0]))
    near, far = 3 * np.exp(-0.5), 4 * np.exp(-0.5 - 0.5)  # (2 * 0.5)^2 / 2 each, and 1^2 / 2 for the second
    total = 1 + near + far
    assert found.batch.tolist() == [0, 0, 1, 1]
    assert found.sample.tolist() == [-1, -1, 7, 2]
    assert found.prototype.tolist() == [-1, -1, 0, 1]
    assert found.label.tolist() == [0, 1, 0, 1]
    assert found.features.tolist() == [0, 2]  # the one of weight 0 has no say
    np.testing.assert_allclose(found.share, np.array([0.25, 0.75, near, far]) / total, rtol=1e-6)  # float32
    np.testing.assert_allclose(found.feature_similarity[2:], [[np.exp(-0.5), 1.0], [np.exp(-0.5), np.exp(-0.5)]])
    assert found.familiarity == pytest.approx(near + far)


@pytest.mark.parametrize("top", [None, 1, 5, 10**6])
def test_shares_of_a_class_are_its_predicted_probability(fitted, mixed, top):
    for X, model in (fitted, mixed[::2]):
        frame = model.explain(X, top)
        shares = frame.pivot_table(index="sample", columns="class", values="share", aggfunc="sum").to_numpy()
        np.testing.assert_allclose(shares, model.predict_proba(X), rtol=0, atol=1e-12)
        own = frame[frame["term"] == "sample"]
        assert own["familiarity"].tolist() == model.familiarity(X).tolist()
        assert own["familiarity quantile"].tolist() == model.familiarity_quantile(X).tolist()
        assert own["class"].tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("of", ["numbers", "mixed"])
def test_terms_are_weight_times_similarity_and_fall(fitted, mixed, of):
    X, model = fitted if of == "numbers" else mixed[::2]
    for _, frame in model.explain(X.iloc[::40]).groupby("sample"):
        terms = frame[frame["term"] == "prototype"]
        assert (
            frame["term"].tolist() == ["sample"] + ["prior"] * len(model.classes_) + ["prototype"] * model.n_prototypes_
        )
        assert terms["contribution"].is_monotonic_decreasing
        near = terms["similarity"] > 1e-9  # float32 is added to the class prior
        products = (terms["weight"] * terms["similarity"])[near]
        np.testing.assert_allclose(terms["contribution"][near], products, rtol=1e-4)
        factors = terms[[f"similarity in {X.columns[d]}" for d in model.active_features_]]
        np.testing.assert_allclose(factors.prod(axis=1), terms["similarity"])


def test_top_lists_the_largest_and_sums_up_the_others(fitted):
    X, model = fitted
    everything, short = model.explain(X.iloc[[100]]), model.explain(X.iloc[[100]], top=3)
    assert (short["term"] == "prototype").sum() == 3
    pd.testing.assert_frame_equal(short[short["term"] != "others"], everything.head(7))
    rest = everything.iloc[7:].groupby("class")[["contribution", "share"]].sum()
    others = short[short["term"] == "others"].set_index("class")[["contribution", "share"]]
    pd.testing.assert_frame_equal(rest, others)


def test_far_away_the_prior_explains_all_and_a_prototype_is_most_similar_to_itself(fitted):
    X, model = fitted
    frame = model.explain(X.iloc[[0]] + 1e3)
    np.testing.assert_allclose(frame["share"][1:4], model.class_prior_)
    assert frame["share"][4:].max() < 2.0**-50  # smaller kernel values are cut to 0
    assert frame["familiarity quantile"][0] == 0.0
    batch = model.batches_[0]
    own = model.explain(X.iloc[[batch.sample_index[0]]]).query(f"batch == 1 and row == {batch.sample_index[0]}")
    assert own["similarity"].item() == pytest.approx(1.0)
    assert own["weight"].item() == pytest.approx(batch.prototype_weights[0])


def test_without_batches_there_is_only_the_prior():
    model = ProsetClassifier(n_batches=0).fit(np.arange(8.0)[:, None], [0, 1] * 4)
    frame = model.explain([3.0])
    assert frame["term"].tolist() == ["sample", "prior", "prior"]
    assert frame["share"][1:].tolist() == [0.5, 0.5]
    assert model.export()["weight"].tolist() == [0.5, 0.5]
    assert model.familiarity_quantile([[3.0]]).item() > 0.5  # the same as everybody else


def test_values_are_those_of_the_table(flowers, pipeline):
    X, y = flowers
    model = pipeline[-1]
    frame = model.explain(X.iloc[[3, 77]], transformer=pipeline)
    prototypes = frame[frame["term"] == "prototype"]
    for d in model.active_features_:
        name = X.columns[d]
        np.testing.assert_allclose(frame[f"value of {name}"][frame["term"] == "sample"], X.iloc[[3, 77], d])
        np.testing.assert_allclose(prototypes[f"value of {name}"], X.iloc[prototypes["row"], d])
    assert (y[prototypes["row"]] == prototypes["class"]).all()
    assert frame["sample"].unique().tolist() == [3, 77]
    pd.testing.assert_frame_equal(frame, model.explain(X.iloc[[3, 77]], transformer=pipeline[0]))
    alone = model.explain(X.loc[77], transformer=pipeline)
    pd.testing.assert_frame_equal(alone, frame[frame["sample"] == 77].reset_index(drop=True))


def test_steps_are_undone_column_by_column():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(50, 9, 80), "b": rng.uniform(0, 1e3, 80), "kind": rng.choice(["u", "v"], 80)})
    y = (X["a"] > 50) ^ (X["kind"] == "u") ^ (X["b"] > 500)
    scaled = make_column_transformer(
        (StandardScaler(), ["a"]), (MinMaxScaler((-2, 2)), ["b"]), (OneHotEncoder(sparse_output=False), ["kind"])
    )
    pipeline = make_pipeline(scaled, ProsetClassifier(lambda_v=1e-4, random_state=0)).fit(X, y)
    table = pipeline[-1].export(pipeline).query("batch == 1")
    np.testing.assert_allclose(table["value of standardscaler__a"], X["a"].iloc[table["row"]])
    np.testing.assert_allclose(table["value of minmaxscaler__b"], X["b"].iloc[table["row"]])
    assert set(table["value of onehotencoder__kind_u"]) == {0.0, 1.0}


def test_what_cannot_be_undone_is_said(flowers):
    X, y = flowers
    pipeline = make_pipeline(StandardScaler(), PCA(), ProsetClassifier(random_state=0)).fit(X, y)
    with pytest.warns(UserWarning, match="transformer: PCA cannot be undone"):
        found = pipeline[-1].explain(X.head(1), transformer=pipeline)
    np.testing.assert_allclose(found["value of pca0"][0], pipeline[:-1].transform(X.head(1))[0, 0])


@pytest.mark.parametrize("step", [None, FunctionTransformer(), "passthrough"])
def test_steps_that_do_nothing_are_passed(flowers, step):
    X, _ = flowers
    steps = make_pipeline(StandardScaler(), step, MinMaxScaler())
    np.testing.assert_allclose(in_original_units(steps, steps.fit_transform(X)), X)


def test_a_function_with_an_inverse_is_undone_if_it_says_that_it_keeps_features(flowers):
    X, _ = flowers
    steps = make_pipeline(FunctionTransformer(np.log, np.exp, feature_names_out="one-to-one"), StandardScaler())
    np.testing.assert_allclose(in_original_units(steps, steps.fit_transform(X)), X)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (FunctionTransformer(np.exp, np.log), "transformer: FunctionTransformer cannot be undone"),
        (FunctionTransformer(np.exp, feature_names_out="one-to-one"), "transformer: FunctionTransformer cannot be"),
        (Normalizer(), "transformer: Normalizer cannot be undone, values are those that it gives"),
        (make_column_transformer(("passthrough", [1, 0])), "transformer: steps before ColumnTransformer cannot be"),
    ],
)
def test_nothing_is_undone_before_a_step_that_cannot_be(flowers, step, said):
    steps = make_pipeline(StandardScaler(), step)
    Z = steps.fit_transform(flowers[0])
    with pytest.warns(UserWarning, match=said):
        np.testing.assert_array_equal(in_original_units(steps, Z), Z)


def test_the_steps_of_a_search(flowers, pipeline):
    X, y = flowers
    search = GridSearchCV(pipeline, {"standardscaler__with_mean": [True]}, cv=2).fit(X, y)
    steps, model = search.best_estimator_, search.best_estimator_[-1]
    pd.testing.assert_frame_equal(model.explain(X[:1], transformer=search), model.explain(X[:1], transformer=steps))
    with pytest.raises(TypeError, match="transformer: GridSearchCV is not allowed, must be a fitted transformer"):
        model.explain(X[:1], transformer=GridSearchCV(model, {}, cv=2).fit(X, y))


def test_export_is_the_whole_model(flowers, pipeline, tmp_path):
    X, _ = flowers
    model = pipeline[-1]
    table = model.export()
    v = table[[f"feature weight of x{d}" for d in model.active_features_]].to_numpy()[3:]
    c = table[[f"value of x{d}" for d in model.active_features_]].to_numpy()[3:]
    points = pipeline[:-1].transform(X)[:, model.active_features_]
    kernels = np.exp(-0.5 * (((points[:, None] - c) * v) ** 2).sum(axis=2))
    q = np.stack([kernels @ (table["weight"][3:] * (table["class"][3:] == k)) for k in model.classes_], axis=1)
    q += table["weight"][:3].to_numpy()
    np.testing.assert_allclose(q / q.sum(axis=1, keepdims=True), pipeline.predict_proba(X), atol=1e-5)
    assert table["row"][3:].tolist() == [row for batch in model.batches_ for row in batch.sample_index]
    table.to_excel(tmp_path / "model.xlsx", index=False)
    pd.testing.assert_frame_equal(pd.read_excel(tmp_path / "model.xlsx"), table, check_dtype=False)


def test_a_shrunk_model_predicts_the_same(fitted, flowers):
    X, _ = fitted
    model = ProsetClassifier(n_batches=2, lambda_v=0.02, random_state=0).fit(X, flowers[1])
    small, names = model.shrink(), X.columns[model.active_features_]
    assert 0 < len(names) < 4
    assert small.feature_names_in_.tolist() == list(names)
    assert small.active_features_.tolist() == list(range(len(names)))
    np.testing.assert_array_equal(small.predict_proba(X[names]), model.predict_proba(X))
    np.testing.assert_array_equal(small.familiarity_quantile(X[names]), model.familiarity_quantile(X))
    pd.testing.assert_frame_equal(small.explain(X[names]), model.explain(X))
    assert model.n_features_in_ == 4


def test_columns_of_polars_are_found_by_name(flowers):
    X, y = flowers
    frame = pl.from_pandas(X)
    model = ProsetClassifier().fit(frame, y)
    with warnings.catch_warnings(action="error"):
        found = model.explain(frame[:2])
        model.counterfactuals(frame[:2])
        model.attributions(frame[:2])
        model.drift(frame[:20])
        diff(model, model.edited())
    pd.testing.assert_frame_equal(found, ProsetClassifier().fit(X, y).explain(X.head(2)))
    with pytest.raises(ValueError, match="feature names should match"):
        model.explain(frame[:2].select(frame.columns[::-1]))


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler((-1, 1))])
def test_codes_are_undone_to_their_category(scaler):
    """A scaler gives 1.999... of a 2, and an encoder takes what is before the point."""
    colours = np.random.default_rng(0).choice(["red", "green", "blue", "grey", "pink"], (60, 3))
    steps = make_pipeline(OrdinalEncoder(), scaler)
    np.testing.assert_array_equal(in_original_units(steps, steps.fit_transform(colours)), colours)
    table = pd.DataFrame(colours, columns=list("abc")).assign(size=np.arange(60.0))
    columns = make_column_transformer((steps, ["a", "b", "c"]), (StandardScaler(), ["size"]))
    found = in_original_units(columns, columns.fit_transform(table))
    np.testing.assert_array_equal(found[:, :3], colours)
    np.testing.assert_allclose(found[:, 3].astype(float), table["size"])


def test_selected_features_keep_names_and_units(flowers):
    X, y = flowers
    X = X.assign(nothing=1.0)[["nothing", *X]]
    steps = make_pipeline(MinMaxScaler((-1, 1)), make_pipeline(VarianceThreshold(), StandardScaler()), SelectKBest(k=2))
    pipeline = make_pipeline(steps, ProsetClassifier(random_state=0)).fit(X, y)
    columns = list(X.columns[1:][steps[-1].get_support()])
    with warnings.catch_warnings(action="error"):
        table = pipeline[-1].export(pipeline).query("batch == 1")
    named = [name.removeprefix("value of ") for name in table if name.startswith("value of ")]
    assert named
    assert set(named) <= set(columns)
    np.testing.assert_allclose(table[[f"value of {name}" for name in named]], X[named].iloc[table["row"]])
    kept = in_original_units(steps, steps.transform(X))
    np.testing.assert_allclose(kept, X[columns])
    codes = make_pipeline(OrdinalEncoder(), StandardScaler(), SelectKBest(k=1))
    colours = np.random.default_rng(0).choice(["red", "green"], (60, 3))
    found = in_original_units(codes, codes.fit_transform(colours, colours[::-1, 1]))
    np.testing.assert_array_equal(found, colours[:, codes[-1].get_support()])


@pytest.mark.parametrize("imputer", [SimpleImputer(add_indicator=True), SimpleImputer()])
def test_imputers_that_change_the_columns(imputer):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(58, 4))
    X[::7, 1] = np.nan
    if not imputer.add_indicator:
        X[:, 3] = np.nan  # which is left out
    pipeline = make_pipeline(StandardScaler(), imputer, ProsetClassifier(lambda_v=0.01, lambda_w=1e-4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a column of nothing
        pipeline.fit(X, X[:, 0] > 0)
    with pytest.warns(UserWarning, match="transformer: SimpleImputer cannot be undone"):
        pipeline[-1].explain(X[:1], transformer=pipeline)


ANSWERS = "familiarity", "familiarity_quantile", "explain", "export", "report", "shrink", "counterfactuals"


@pytest.mark.parametrize(
    ("classifier", "method"),
    [(c, method) for c in (ProsetClassifier, SetCoverClassifier) for method in ANSWERS if hasattr(c, method)],
)
def test_what_is_not_fitted_says_so(classifier, method):
    arguments = () if method in ("export", "shrink") else ([[0.0]],)
    with pytest.raises(NotFittedError, match=f"This {classifier.__name__} instance is not fitted yet"):
        getattr(classifier(), method)(*arguments)


@pytest.mark.parametrize("step", [FunctionTransformer(np.tanh), "passthrough"], ids=["function", "passthrough"])
def test_features_of_steps_without_names_are_numbered(step):
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(step, ProsetClassifier(lambda_v=0.01, lambda_w=1e-4)).fit(X, y)
    found = pipeline[-1].explain(X[:1], 1, pipeline)
    assert [name for name in found if name.startswith("value of")] == [
        f"value of x{d}" for d in pipeline[-1].active_features_
    ]
