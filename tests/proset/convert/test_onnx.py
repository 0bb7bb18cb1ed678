"""ONNX, as onnxruntime runs it."""

import sys

import numpy as np
import onnx
import pandas as pd
import pytest
from onnxruntime import InferenceSession
from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType, StringTensorType
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, SplineTransformer, StandardScaler
from tests.proset.convert.models import (
    exact_probabilities,
    largest_difference,
    mixed_models,
    proset_models,
    set_cover_models,
)

from proset import ProsetClassifier, to_c, to_onnx


def outputs(graph, **inputs):
    onnx.checker.check_model(graph, full_check=True)
    session = InferenceSession(graph.SerializeToString())
    return dict(zip([output.name for output in session.get_outputs()], session.run(None, inputs), strict=True))


@pytest.mark.parametrize("name", proset_models())
def test_probabilities_and_labels_in_onnxruntime(name):
    model, X = proset_models()[name]
    found = outputs(to_onnx(model), X=X.astype(np.float32))
    assert found["probabilities"].dtype == np.float32
    assert largest_difference(found["probabilities"], exact_probabilities(model, X)) < 1e-7
    assert largest_difference(found["probabilities"], model.predict_proba(X)) < 1e-5
    expected = model.predict(X)
    assert found["label"].shape == expected.shape
    assert found["label"].dtype == (object if expected.dtype.kind in "OU" else np.int64)
    assert (found["label"] == expected).all()


@pytest.mark.parametrize("name", set_cover_models())
def test_set_cover_has_labels_only(name):
    model, X = set_cover_models()[name]
    found = outputs(to_onnx(model), X=X.astype(np.float32))
    assert list(found) == ["label"]
    assert (found["label"] == model.predict(X)).all()


def test_input_in_double_precision_gives_probabilities_in_double_precision():
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), ProsetClassifier(random_state=0)).fit(X, y)
    found = outputs(to_onnx(model, initial_types=[("measured", DoubleTensorType([None, 13]))]), measured=X)
    assert found["probabilities"].dtype == np.float64
    assert largest_difference(found["probabilities"], exact_probabilities(model, X)) < 1e-12


def test_numbers_may_be_missing():
    model, X = proset_models()["two classes"]
    gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X).astype(np.float32)
    found = outputs(to_onnx(model), X=gaps)["probabilities"]
    assert largest_difference(found, model.predict_proba(gaps)) < 1e-5


@pytest.mark.parametrize("name", ["mixed", "mixed, complete"])
def test_mixed_tables(name):
    model, X = mixed_models()[name]
    texts = {column: X[column].astype(object).fillna("").to_numpy(dtype=str) for column in ("kind", "grade", "place")}
    numbers = {column: X[column].astype(float).to_numpy(dtype=np.float32) for column in ("x", "flag", "code")}
    X = X.assign(x=numbers["x"].astype(float))
    found = outputs(to_onnx(model), **{column: values[:, None] for column, values in {**texts, **numbers}.items()})
    assert largest_difference(found["probabilities"], exact_probabilities(model, X)) < 1e-6
    assert (found["label"] == model.predict(X)).all()


def test_what_a_graph_cannot_do_with_categories_is_refused():
    model, X = mixed_models()["mixed, euclidean"]
    with pytest.raises(ValueError, match="SetCoverClassifier of categories is not allowed; to_c and to_javascript"):
        to_onnx(model)
    frame = X[["x", "kind"]].dropna()
    base = make_pipeline(make_column_transformer((OneHotEncoder(), ["kind"])), LogisticRegression())
    corrected = ProsetClassifier(base=base, lambda_v=1e-3, lambda_w=1e-4, max_prototypes=5).fit(frame, frame["x"] > 0)
    for convert in (to_onnx, to_c):
        with pytest.raises(ValueError, match=r"base: .* is not allowed for a table with categories"):
            convert(corrected)


def test_steps_of_skl2onnx_may_come_before():
    X, y = load_wine(return_X_y=True)
    X[::7, 2] = np.nan
    model = make_pipeline(SimpleImputer(), StandardScaler(), PCA(4), ProsetClassifier(random_state=0)).fit(X, y)
    X = X.astype(np.float32)
    assert largest_difference(outputs(to_onnx(model), X=X)["probabilities"], model.predict_proba(X)) < 1e-5


def test_frame_with_categories_by_types_of_its_columns():
    X, y = load_wine(return_X_y=True)
    frame = pd.DataFrame({"alcohol": X[:, 0], "colour": np.where(X[:, 9] > 5, "dark", "light")})
    encoder = make_column_transformer((StandardScaler(), ["alcohol"]), (OneHotEncoder(), ["colour"]))
    model = make_pipeline(encoder, ProsetClassifier(random_state=0)).fit(frame, y)
    types = [("alcohol", FloatTensorType([None, 1])), ("colour", StringTensorType([None, 1]))]
    columns = {"alcohol": X[:, :1].astype(np.float32), "colour": frame[["colour"]].to_numpy(dtype=object)}
    found = outputs(to_onnx(model, initial_types=types), **columns)
    assert largest_difference(found["probabilities"], model.predict_proba(frame)) < 1e-5


def test_the_best_model_of_a_search():
    X, y = load_wine(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), ProsetClassifier(random_state=0))
    search = GridSearchCV(pipeline, {"prosetclassifier__lambda_v": [1e-3, 1e-2]}, cv=2).fit(X, y)
    assert to_onnx(search) == to_onnx(search.best_estimator_)


def test_a_step_that_skl2onnx_does_not_know_is_refused():
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(SplineTransformer(), ProsetClassifier()).fit(X, y)
    with pytest.raises(ValueError, match=r"model: a step is not allowed, skl2onnx says: Unable .*SplineTransformer"):
        to_onnx(model)


def test_without_skl2onnx_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    with pytest.raises(ImportError, match=r"to_onnx needs skl2onnx: pip install 'proset-study\[onnx\]'"):
        to_onnx(ProsetClassifier())
