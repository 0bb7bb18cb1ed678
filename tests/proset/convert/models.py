"""Fitted models that are converted, and what they say, straight from their formulas."""

import warnings
from functools import cache

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from tests.reference.classifier import unnormalised

from proset import ProsetClassifier, SetCoverClassifier

LETTERS = np.array(list("jihgfedcba"))
HOSTILE = np.array(['a"; return 0; //', "*/ ??/ \\ %s ${x} </script>\n", "größe\u2028], ["])


@cache
def proset_models():
    """(model, X as float32 in double precision) by name; X goes beyond what was fitted."""
    small = {"n_candidates": 200, "random_state": 0}
    cases = {
        "two classes": (load_breast_cancer, [StandardScaler(), ProsetClassifier(n_batches=2, **small)], None),
        "ten classes": (load_digits, [MinMaxScaler(clip=True), ProsetClassifier(**small)], LETTERS),
        "hostile names": (load_wine, [RobustScaler(), ProsetClassifier(n_batches=3, **small)], HOSTILE),
        "two scalers": (
            load_iris,
            ["passthrough", MinMaxScaler((-1, 1)), make_pipeline(MaxAbsScaler(), StandardScaler(), ProsetClassifier())],
            np.array([False, True, True]),
        ),
        "no batch": (load_iris, [StandardScaler(with_mean=False), ProsetClassifier(n_batches=0)], None),
        "no scaler": (load_iris, [ProsetClassifier(n_batches=2, **small)], None),
        "nothing learnt": (load_wine, [RobustScaler(with_scaling=False), ProsetClassifier(lambda_v=1e6)], None),
    }
    return _fitted(cases)


@cache
def set_cover_models():
    cases = {
        "euclidean": (load_wine, [StandardScaler(), SetCoverClassifier(eps=3.0)], HOSTILE),
        "sqeuclidean": (load_iris, [StandardScaler(), SetCoverClassifier(eps=1.0, metric="sqeuclidean")], None),
        "manhattan": (load_digits, [SetCoverClassifier(eps=100.0, metric="manhattan")], None),
        "no prototype": (load_wine, [SetCoverClassifier(cost=1e9)], None),
    }
    return _fitted(cases)


def _fitted(cases):
    fitted = {}
    for name, (load, steps, classes) in cases.items():
        X, y = load(return_X_y=True)
        X = X[::2] if name == "manhattan" else X
        y = y[: len(X)] if classes is None else classes[y]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # some are meant to learn nothing
            model = (make_pipeline(*steps) if len(steps) > 1 else steps[0]).fit(X, y)
        beyond = X.mean(axis=0) + 10.0 ** np.arange(-2, 9)[:, None] * X.std(axis=0)
        fitted[name] = model, np.vstack([X, beyond]).astype(np.float32).astype(np.float64)
    return fitted


def exact_probabilities(model, X):
    """In double precision, from the formula; `predict_proba` computes kernel values in single precision."""
    if isinstance(model, Pipeline):
        return exact_probabilities(model[-1], model[:-1].transform(X))
    q = np.tile(model.class_prior_, (len(X), 1))
    for b in model.batches_:
        q = unnormalised(X, q, b.prototypes, b.labels, b.feature_weights, b.prototype_weights)
    return q / q.sum(axis=1, keepdims=True)


def largest_difference(found, expected):
    """NaN is one, too."""
    difference = np.abs(np.asarray(found, dtype=float) - expected)
    return np.inf if np.isnan(difference).any() else difference.max()
