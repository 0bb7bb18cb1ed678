"""ONNX, as onnxruntime runs it."""

import sys
from dataclasses import replace

import numpy as np
import onnx
import pandas as pd
import pytest
from onnxruntime import InferenceSession
from skl2onnx.common.data_types import (
    BooleanTensorType,
    DoubleTensorType,
    FloatTensorType,
    Int64TensorType,
    StringTensorType,
)
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, PowerTransformer, StandardScaler
from tests.proset.convert import models

from proset import ProsetClassifier, SetCoverClassifier, to_onnx


def outputs(graph, **inputs):
    onnx.checker.check_model(graph, full_check=True)
    session = InferenceSession(graph.SerializeToString())
    return dict(zip([output.name for output in session.get_outputs()], session.run(None, inputs), strict=True))


@pytest.mark.parametrize("name", models.PROSET)
def test_probabilities_and_labels_in_onnxruntime(name):
    model, X = models.of_numbers(name)
    found = outputs(to_onnx(model), X=X.astype(np.float32))
    assert found["probabilities"].dtype == np.float32
    assert found["label"].dtype == (object if model.classes_.dtype.kind in "OU" else np.int64)
    models.check_predictions(name, found["label"], found["probabilities"], 1e-7)


@pytest.mark.parametrize("name", models.SET_COVER)
def test_set_cover_has_labels_only(name):
    model, X = models.of_numbers(name)
    found = outputs(to_onnx(model), X=X.astype(np.float32))
    assert list(found) == ["label"]
    assert (found["label"] == model.predict(X)).all()


def test_input_in_double_precision_gives_probabilities_in_double_precision():
    model, X = models.of_numbers("two classes")
    found = outputs(to_onnx(model, initial_types=[("measured", DoubleTensorType([None, X.shape[1]]))]), measured=X)
    assert found["probabilities"].dtype == np.float64
    assert models.largest_difference(found["probabilities"], models.exact_probabilities(model, X)) < 1e-12


def test_numbers_may_be_missing():
    model, X = models.of_numbers("two classes")
    gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X).astype(np.float32)
    found = outputs(to_onnx(model), X=gaps)["probabilities"]
    assert models.largest_difference(found, model.predict_proba(gaps)) < 1e-5


def test_where_numbers_may_not_be_missing_nothing_is_said_of_them():
    X, y = load_wine(return_X_y=True)
    model = ProsetClassifier(lambda_v=1e-3, lambda_w=1e-4, max_prototypes=10).fit(X, y)
    model._model = replace(model._model, columns=None)  # as from a file of an earlier version
    X = X[:2].astype(np.float32)
    X[0, model.active_features_[0]] = np.nan
    found = outputs(to_onnx(model), X=X)["probabilities"]
    assert np.isnan(found).any(axis=1).tolist() == [True, False]


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cityblock"])
def test_set_cover_with_missing_numbers(metric):
    X, y = load_wine(return_X_y=True)
    X = (X / X.std(axis=0) + 1000.0).astype(np.float32)
    gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    model = SetCoverClassifier(eps=3.0, metric=metric).fit(X, y)
    assert (outputs(to_onnx(model), X=gaps)["label"] == model.predict(gaps)).all()


@pytest.mark.parametrize("name", ["mixed", "mixed, complete", "mixed, many levels"])
def test_mixed_tables(name):
    model, X = models.mixed_models()[name]
    texts = {column: X[column].astype(object).fillna("").to_numpy(dtype=str) for column in ("kind", "grade", "place")}
    numbers = {column: X[column].astype(float).to_numpy(dtype=np.float32) for column in ("x", "flag", "code")}
    X = X.assign(x=numbers["x"].astype(float))
    found = outputs(to_onnx(model), **{column: values[:, None] for column, values in {**texts, **numbers}.items()})
    assert models.largest_difference(found["probabilities"], models.exact_probabilities(model, X)) < 1e-6
    assert (found["label"] == model.predict(X)).all()


@pytest.mark.parametrize("number", range(models.N_RANDOM))
def test_random_models_say_why(number):
    of = models.random_models()[number]
    for top in (2, 99):
        graph = to_onnx(of.model, explain=top, background=of.background if top > 2 else None)
        found = outputs(graph, **inputs_of(of))
        of.check(1e-7, found["label"], probabilities=found["probabilities"], start=found["start_shares"])
        assert found["prototype_rows"].shape == (len(of.X), min(top, len(of.shares)))
        batch_of = {row: batch for batch, row in of.shares}
        if len(batch_of) == len(of.shares):  # no row is a prototype of two batches
            for i, (rows, shares) in enumerate(zip(found["prototype_rows"], found["prototype_shares"], strict=True)):
                names = [(batch_of[row], row) for row in rows.tolist()]
                of.check_explanation(i, list(zip(names, shares, strict=True)), 1e-7)
    of.check(1e-7, found["label"], attributions=found["attributions"], base_values=found["base_values"])


def inputs_of(of):
    """What a graph takes by default."""
    if not of.is_mixed:
        return {"X": of.X.to_numpy(dtype=np.float32)}
    texts = {name: of.X[name].astype(object).fillna("") for name in of.X if name in ("kind", "grade")}
    columns = {name: texts[name].to_numpy(dtype=str) for name in texts}
    columns |= {name: of.X[name].astype(float).to_numpy(dtype=np.float32) for name in of.X if name not in texts}
    return {name: values[:, None] for name, values in columns.items()}


def test_inputs_are_all_columns_by_their_names():
    model, X = models.one_that_does_not_count()
    numbers, texts = X[["x in m/s"]].to_numpy(dtype=np.float32), X[["kind"]].to_numpy(dtype=str)
    found = outputs(to_onnx(model), **{"x in m/s": numbers, "kind": texts})
    assert models.largest_difference(found["probabilities"], model.predict_proba(X)) < 1e-5
    of_number, of_text = FloatTensorType([None, 1]), StringTensorType([None, 1])
    found = outputs(to_onnx(model, [("a", of_number), ("b", of_text)]), a=numbers, b=texts)
    assert models.largest_difference(found["probabilities"], model.predict_proba(X)) < 1e-5


@pytest.mark.parametrize("of_number", [Int64TensorType, DoubleTensorType])
@pytest.mark.parametrize("of_flag", [BooleanTensorType, Int64TensorType, DoubleTensorType, FloatTensorType])
def test_categories_that_are_no_text_have_the_types_that_are_wanted(of_number, of_flag):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"flag": rng.random(200) < 0.5, "code": rng.integers(1, 4, 200)})
    model = ProsetClassifier(categorical_features=["flag", "code"], lambda_v=1e-3, lambda_w=1e-4, max_prototypes=9)
    model.fit(X, X["flag"] ^ (X["code"] == 2))
    X.loc[0, "code"] = 99
    kinds = {
        BooleanTensorType: bool,
        Int64TensorType: np.int64,
        DoubleTensorType: np.float64,
        FloatTensorType: np.float32,
    }
    types = {"flag": of_flag, "code": of_number}
    graph = to_onnx(model, [(name, kind([None, 1])) for name, kind in types.items()])
    found = outputs(graph, **{name: X[[name]].to_numpy(dtype=kinds[kind]) for name, kind in types.items()})
    assert models.largest_difference(found["probabilities"], models.exact_probabilities(model, X)) < 1e-7


def test_categories_that_a_graph_cannot_tell_apart_are_refused():
    X = pd.DataFrame({"id": [2**24, 2**24 + 1] * 20})
    settings = {"lambda_v": 1e-3, "lambda_w": 1e-4, "max_prototypes": 4}
    model = ProsetClassifier(categorical_features=["id"], **settings).fit(X, X["id"])
    with pytest.raises(ValueError, match=r"column 'id' with categories such as 16777217 is not allowed, .*Int64Tensor"):
        to_onnx(model)
    found = outputs(to_onnx(model, [("id", Int64TensorType([None, 1]))]), id=X.to_numpy())
    assert (found["label"] == X["id"]).all()


def test_shares_of_a_base():
    model, X, start, shares = models.with_linear_base()
    found = outputs(to_onnx(model, explain=99), X=X.astype(np.float32))
    assert models.largest_difference(found["start_shares"], start) < 1e-5
    assert models.largest_difference(found["prototype_shares"], shares) < 1e-5


def test_without_prototypes_none_is_listed():
    X, y = load_wine(return_X_y=True)
    graph = to_onnx(ProsetClassifier(n_batches=0).fit(X, y), explain=2, background=X[:3])
    found = outputs(graph, X=X.astype(np.float32))
    assert found["prototype_rows"].shape == found["prototype_shares"].shape == (len(X), 0)
    assert not found["attributions"].any()
    assert models.largest_difference(found["start_shares"], found["probabilities"]) == 0.0


def test_steps_of_skl2onnx_may_come_before():
    X, y = load_wine(return_X_y=True)
    X[::7, 2] = np.nan
    model = make_pipeline(SimpleImputer(), StandardScaler(), PCA(4), ProsetClassifier(random_state=0)).fit(X, y)
    X = X.astype(np.float32)
    assert models.largest_difference(outputs(to_onnx(model), X=X)["probabilities"], model.predict_proba(X)) < 1e-5


@pytest.mark.parametrize(
    "step",
    [
        make_column_transformer((StandardScaler(), [0, 2]), remainder="passthrough"),
        make_column_transformer((StandardScaler(), slice(0, 6)), (MinMaxScaler(), slice(6, 13))),
        make_pipeline(SimpleImputer(), StandardScaler()),
        PolynomialFeatures(2, include_bias=False),
        PowerTransformer(),
        SelectKBest(k=5),
    ],
    ids=lambda step: type(step).__name__,
)
def test_steps_that_onnxruntime_has_for_single_precision_only(step):
    X, y = load_wine(return_X_y=True)
    X = X / X.std(axis=0)
    model = make_pipeline(step, StandardScaler(), ProsetClassifier(lambda_v=1e-2, lambda_w=1e-4)).fit(X, y)
    found = outputs(to_onnx(model), X=X.astype(np.float32))
    assert models.largest_difference(found["probabilities"], model.predict_proba(X.astype(np.float32))) < 1e-3


def test_the_best_model_of_a_search():
    X, y = load_wine(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), ProsetClassifier(lambda_w=1e-4, max_prototypes=5))
    search = GridSearchCV(pipeline, {"prosetclassifier__lambda_v": [1e-3, 1e-2]}, cv=2).fit(X, y)
    assert to_onnx(search) == to_onnx(search.best_estimator_)


def test_without_skl2onnx_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    with pytest.raises(ImportError, match=r"to_onnx needs skl2onnx: pip install 'proset-study\[onnx\]'"):
        to_onnx(ProsetClassifier())
