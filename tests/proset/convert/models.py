"""Fitted models that are converted, and what they say, straight from their formulas."""

import warnings
from functools import cache

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
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


@cache
def mixed_models():
    """(model, frame) by name; numbers with gaps, text, booleans, ranks, 70 levels, and what is new in them."""
    rng, n = np.random.default_rng(0), 400
    X = pd.DataFrame({"x": rng.normal(size=n), "kind": rng.choice(["a", 'b"', "ü"], n), "flag": rng.random(n) < 0.5})
    X["grade"] = pd.Categorical(rng.choice(["low", "mid", "high"], n), ["low", "mid", "high"], ordered=True)
    X["place"] = np.char.add("place ", rng.integers(0, 70, n).astype(str))
    X["code"] = pd.Categorical(rng.integers(1, 4, n))
    y = (X["x"] > 0) ^ (X["kind"] == "a") ^ ((X["grade"] == "low") & X["flag"]) ^ (X["code"] == 2)
    X["x"] = X["x"].mask(rng.random(n) < 0.2)
    with_gaps = X.assign(kind=X["kind"].mask(rng.random(n) < 0.2))
    small = {"lambda_v": 1e-3, "lambda_w": 1e-4, "max_prototypes": 40}
    models = {
        "mixed": (ProsetClassifier(n_batches=2, **small).fit(with_gaps, LETTERS[y.astype(int)]), with_gaps),
        "mixed, complete": (ProsetClassifier(**small).fit(X, y), X),
    }
    odd = X["place"].str[-1].isin(list("13579"))
    many = with_gaps.assign(flag=X["flag"].astype(object).mask(rng.random(n) < 0.2, None))
    of_many = ProsetClassifier(**{**small, "max_prototypes": 150}).fit(many, odd ^ X["flag"])
    models["mixed, many levels"] = of_many, many
    for metric in ("euclidean", "cityblock"):
        models[f"mixed, {metric}"] = SetCoverClassifier(eps=1.0, metric=metric).fit(with_gaps, y), with_gaps
    new = {"x": [np.nan, 1e30], "kind": ["new", None], "flag": [True, False], "grade": [None, "mid"]}
    new |= {"place": ["elsewhere", "place 3"], "code": [3, None]}
    grades = X["grade"].dtype
    more = pd.DataFrame(new).astype({"grade": grades, "code": X["code"].dtype})
    return {name: (model, pd.concat([frame, more], ignore_index=True)) for name, (model, frame) in models.items()}


@cache
def one_that_does_not_count():
    """(model, frame) with a category that has no weight."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x in m/s": rng.normal(size=200), "kind": rng.choice(["a", "b"], 200)})
    model = ProsetClassifier(lambda_v=1e-2, lambda_w=1e-4, max_prototypes=10).fit(X, X["x in m/s"] > 0)
    assert model.active_features_.tolist() == [0]
    return model, X


@cache
def regression_and_gap():
    """(model, x) that starts from a logistic regression, which takes no missing number, and a sample with one."""
    X, y = load_iris(return_X_y=True)
    model = ProsetClassifier(base=LogisticRegression(), lambda_v=1e-3, lambda_w=1e-4, max_prototypes=10).fit(X, y)
    return model, np.where(np.arange(4) == 2, np.nan, X[0])


def exact_probabilities(model, X):
    """In double precision, from the formula; `predict_proba` computes kernel values in single precision."""
    if isinstance(model, Pipeline):
        return exact_probabilities(model[-1], model[:-1].transform(X))
    if isinstance(X, pd.DataFrame):
        return _exact_of_columns(model, model._validated(X))
    q = np.tile(model.class_prior_, (len(X), 1))
    for b in model.batches_:
        q = unnormalised(X, q, b.prototypes, b.labels, b.feature_weights, b.prototype_weights)
    return q / q.sum(axis=1, keepdims=True)


def _exact_of_columns(model, X):
    q, columns = np.tile(model.class_prior_, (len(X), 1)), model._model.columns
    for batch in model.batches_:
        pairs = list(zip(X.T, batch.prototypes.T, batch.feature_weights, strict=True))
        exponents = [columns.exponent(d, x[:, None], c, v) for d, (x, c, v) in enumerate(pairs)]
        kernel = np.exp(-0.5 * np.sum(exponents, axis=0))
        for k in range(q.shape[1]):
            q[:, k] += kernel[:, batch.labels == k] @ batch.prototype_weights[batch.labels == k]
    return q / q.sum(axis=1, keepdims=True)


def largest_difference(found, expected):
    """NaN is one, too."""
    difference = np.abs(np.asarray(found, dtype=float) - expected)
    return np.inf if np.isnan(difference).any() else difference.max()
