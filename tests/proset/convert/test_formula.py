"""What is refused is in tests/proset/bad_input.yaml; other tests run what is written."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from proset import ProsetClassifier, SetCoverClassifier, to_c, to_javascript, to_onnx, to_sql
from proset.convert.formula import formula, scaling


@pytest.mark.parametrize(
    "scaler",
    [
        StandardScaler(),
        StandardScaler(with_mean=False),
        StandardScaler(with_std=False),
        MinMaxScaler(),
        MinMaxScaler((-2, 1), clip=True),
        MaxAbsScaler(),
        MaxAbsScaler(clip=True),
        RobustScaler(),
        RobustScaler(with_centering=False, unit_variance=True),
        RobustScaler(with_scaling=False),
    ],
    ids=str,
)
def test_a_scaler_and_its_numbers_say_the_same(scaler):
    X, y = load_iris(return_X_y=True)
    X = X + 100.0
    scaler.fit(X[:50])  # clips some of the others
    classifier = SetCoverClassifier().fit(X, y)
    shift, scale, low, high = scaling([("scaler", scaler)], classifier)
    np.testing.assert_allclose(np.clip((X - shift) / scale, low, high), scaler.transform(X), rtol=0, atol=1e-12)


@pytest.mark.parametrize("step", [StandardScaler(), "passthrough", None])
def test_names_of_features_are_those_of_the_frame(step):
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=["länge", '"breite"', "c", "d"])
    pipeline = Pipeline([("first", step), ("last", ProsetClassifier(lambda_v=0.01, lambda_w=1e-4))]).fit(frame, y)
    assert formula(pipeline).feature_names == list(frame)


@pytest.mark.parametrize("convert", [to_c, to_javascript, to_onnx])
def test_numbers_that_are_categories_are_not_scaled(convert):
    X, y = load_iris(return_X_y=True)
    X[:, 3] = X[:, 3].round()
    model = make_pipeline(StandardScaler(), ProsetClassifier(n_batches=0, categorical_features=[3])).fit(X, y)
    with pytest.raises(ValueError, match="model: step 'standardscaler' is not allowed in front of a classifier of cat"):
        convert(model)


@pytest.mark.parametrize("convert", [to_c, to_javascript, partial(to_sql, table="t", key="id"), to_onnx])
def test_a_frozen_model_is_the_model(convert):
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), ProsetClassifier(lambda_v=0.01, lambda_w=1e-4)).fit(X, y)
    frozen_end = Pipeline([pipeline.steps[0], ("end", FrozenEstimator(pipeline[-1]))])
    assert convert(FrozenEstimator(pipeline)) == convert(frozen_end) == convert(pipeline)


def test_what_is_not_fitted_is_refused():
    with pytest.raises(NotFittedError):
        formula(ProsetClassifier())


@pytest.mark.parametrize("convert", [to_c, partial(to_sql, table="t", key="id")], ids=["C", "SQL"])
def test_text_that_ends_too_early_is_refused(convert):
    X = pd.DataFrame({"code": ["a\0b", "a\0c"] * 20})
    model = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4).fit(X, np.tile([0, 1], 20))
    with pytest.raises(ValueError, match=r"model: 'a\\x00b' is not allowed as a class"):
        convert(model)


@pytest.mark.parametrize("convert", [partial(to_sql, table="t", key="row"), to_javascript])
def test_categories_that_float64_takes_for_others_are_refused(convert):
    ids = np.array([2**53, 2**53 + 1] * 40)
    X = pd.DataFrame({"id": pd.Categorical(ids)})
    model = ProsetClassifier(lambda_v=1e-3, lambda_w=1e-4, max_prototypes=4).fit(X, ids % 2)
    with pytest.raises(
        ValueError, match=f"^model: column 'id' with the category {2**53 + 1} is not allowed, in float64"
    ):
        convert(model)
