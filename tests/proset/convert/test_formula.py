"""What is refused is in tests/proset/bad_input.yaml; other tests run what is written."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
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


@pytest.mark.parametrize("convert", [to_c, to_javascript, partial(to_sql, table="t", key="id"), to_onnx])
def test_a_frozen_model_is_the_model(convert):
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), ProsetClassifier(lambda_v=0.01, lambda_w=1e-4)).fit(X, y)
    frozen_end = Pipeline([pipeline.steps[0], ("end", FrozenEstimator(pipeline[-1]))])
    assert convert(FrozenEstimator(pipeline)) == convert(frozen_end) == convert(pipeline)
