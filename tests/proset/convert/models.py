"""Fitted models that are converted, and what they say, straight from their formulas."""

import warnings
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from proset import ProsetClassifier, SetCoverClassifier

LETTERS = np.array(list("jihgfedcba"))
HOSTILE = np.array(['a"; return 0; //', "*/ ??/ \\ %s ${x} </script>\n", "größe\u2028], ["])

N_RANDOM = 12
SMALL = {"n_candidates": 200, "random_state": 0}
DIGITS = {"lambda_v": 3e-4, "lambda_w": 1e-8, "max_prototypes": None}  # nothing is searched for, which takes long
PROSET = {  # data, steps, and names of the classes
    "two classes": (load_breast_cancer, [StandardScaler(), ProsetClassifier(n_batches=2, **SMALL)], None),
    "ten classes": (load_digits, [MinMaxScaler(clip=True), ProsetClassifier(**DIGITS, **SMALL)], LETTERS),
    "hostile names": (load_wine, [RobustScaler(), ProsetClassifier(n_batches=3, **SMALL)], HOSTILE),
    "two scalers": (
        load_iris,
        ["passthrough", MinMaxScaler((-1, 1)), make_pipeline(MaxAbsScaler(), StandardScaler(), ProsetClassifier())],
        np.array([False, True, True]),
    ),
    "no batch": (load_iris, [StandardScaler(with_mean=False), ProsetClassifier(n_batches=0)], None),
    "no scaler": (load_iris, [ProsetClassifier(n_batches=2, **SMALL)], None),
    "nothing learnt": (load_wine, [RobustScaler(with_scaling=False), ProsetClassifier(lambda_v=1e6)], None),
}
SET_COVER = {
    "euclidean": (load_wine, [StandardScaler(), SetCoverClassifier(eps=3.0)], HOSTILE),
    "sqeuclidean": (load_iris, [StandardScaler(), SetCoverClassifier(eps=1.0, metric="sqeuclidean")], None),
    "manhattan": (load_digits, [SetCoverClassifier(eps=100.0, metric="manhattan")], None),
    "no prototype": (load_wine, [SetCoverClassifier(cost=1e9)], None),
}
NUMBERS = (*PROSET, *SET_COVER)
MIXED = ("mixed", "mixed, complete", "mixed, many levels", "mixed, euclidean", "mixed, cityblock")


def named(name):
    """(model, X) of numbers or of a mixed table."""
    return mixed_models()[name] if name in MIXED else of_numbers(name)


def check_predictions(name, labels, probabilities, tolerance=1e-12):
    """What is said of the samples of a model; nobody looks at the probabilities of a set cover."""
    model, X = named(name)
    assert list(labels) == model.predict(X).tolist()
    if hasattr(model, "predict_proba"):
        assert largest_difference(probabilities, exact_probabilities(model, X)) < tolerance
        assert largest_difference(probabilities, model.predict_proba(X)) < 1e-5


@cache
def of_numbers(name):
    """(model, X as float32 in double precision); X goes beyond what was fitted."""
    load, steps, classes = {**PROSET, **SET_COVER}[name]
    X, y = load(return_X_y=True)
    if load is load_digits:  # fewer, because databases take long
        X, y = X[::4], y[::4]
    y = y if classes is None else classes[y]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # some are meant to learn nothing
        model = (make_pipeline(*steps) if len(steps) > 1 else steps[0]).fit(X, y)
    beyond = X.mean(axis=0) + 10.0 ** np.arange(-2, 9)[:, None] * X.std(axis=0)
    return model, np.vstack([X, beyond]).astype(np.float32).astype(np.float64)


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
def with_linear_base():
    """(model, X) that starts from a logistic regression, and what `explain` says: shares by the base, of prototypes.

    The regression takes no missing number.
    """
    X, y = load_iris(return_X_y=True)
    base = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    model = ProsetClassifier(base=base, lambda_v=1e-3, lambda_w=1e-4, max_prototypes=10).fit(X, y)
    X = X[::10].astype(np.float32).astype(np.float64)
    terms = model.explain(X)
    start, listed = (terms[terms["term"] == term] for term in ("base", "prototype"))
    return model, X, start["share"].to_numpy().reshape(len(X), -1), listed["share"].to_numpy().reshape(len(X), -1)


def exact_probabilities(model, X):
    """In double precision, from the formula; `predict_proba` computes kernel values in single precision."""
    if isinstance(model, Pipeline):
        return exact_probabilities(model[-1], model[:-1].transform(X))
    q = np.tile(model.class_prior_, (len(X), 1))
    for _, batch, contributions in _exact_terms(model, model._validated(X)):
        for k in range(q.shape[1]):
            q[:, k] += contributions[:, batch.labels == k].sum(axis=1)
    return q / q.sum(axis=1, keepdims=True)


def _exact_terms(model, X):
    """Number of each batch, the batch, and w_j G_j of its prototypes, shape (N, J)."""
    columns = model._model.columns
    for number, batch in enumerate(model.batches_, start=1):
        pairs = list(zip(X.T, batch.prototypes.T, batch.feature_weights, strict=True))
        exponents = [columns.exponent(d, x[:, None], c, v) for d, (x, c, v) in enumerate(pairs)]
        yield number, batch, batch.prototype_weights * np.exp(-0.5 * np.sum(exponents, axis=0))


@dataclass(frozen=True)
class Drawn:
    """A random model, samples and a background, and what is expected of them, straight from formulas."""

    model: object  # ProsetClassifier, or Pipeline of scalers and one
    X: pd.DataFrame  # numbers are float32 in double precision
    background: pd.DataFrame
    probabilities: np.ndarray  # shape (N, K)
    start: np.ndarray  # shares of the class prior, shape (N, K)
    shares: dict  # from (batch, row) of a prototype to its shares, shape (N,)
    attributions: np.ndarray  # shape (N, D, K)
    base_values: np.ndarray  # shape (K,)

    @property
    def classifier(self):
        return self.model[-1] if isinstance(self.model, Pipeline) else self.model

    @property
    def is_mixed(self):
        return not self.classifier._encoding.are_numbers

    def samples(self):
        """As lists; a missing value is None, a missing number NaN."""
        numbers = [isinstance(kind, np.dtype) and kind.kind == "f" for kind in self.X.dtypes]
        columns = [
            [x if is_number or x == x else None for x in self.X[name].astype(object).tolist()]
            for name, is_number in zip(self.X, numbers, strict=True)
        ]
        return [list(row) for row in zip(*columns, strict=True)]

    def check(self, tolerance, labels, **found):
        """What is said of the samples: labels, and arrays by the names of attributes."""
        assert list(labels) == self.model.predict(self.X).tolist()
        for name, values in found.items():
            assert largest_difference(values, getattr(self, name)) < tolerance, name

    def check_explanation(self, i, found, tolerance):
        """`found`: pairs of (batch, row) and the share, for sample i; all that are not listed are smaller."""
        for name, share in found:
            assert abs(self.shares[name][i] - share) < tolerance
        falling = np.sort([shares[i] for shares in self.shares.values()])[::-1]
        assert largest_difference([share for _, share in found], falling[: len(found)]) < tolerance
        assert len({name for name, _ in found}) == len(found)


@cache
def random_models():
    """`Drawn` by number; half of them take mixed tables."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # some are meant to learn nothing
        return [_drawn(np.random.default_rng([7, i]), is_mixed=i % 2 == 1) for i in range(N_RANDOM)]


def _drawn(rng, is_mixed):
    n, n_classes = 90, rng.integers(2, 5)
    table = _mixed_table(rng, n) if is_mixed else _numbers(rng, n)
    score = rng.normal(size=n) * 0.3 + sum(
        np.where(values.isna(), 0.5, values.astype("category").cat.codes * rng.normal() / values.nunique())
        for _, values in table.items()
    )
    codes = np.argsort(np.argsort(score)) * n_classes // n
    classes = [LETTERS, np.array([5, -3, 10, 2]), np.array([False, True]), np.array(["a'b", 'a"b', "ü", ""])]
    labels = classes[rng.choice([0, 1, 3] if n_classes > 2 else 4)][codes]
    costs = rng.uniform(0, 5, (n_classes, n_classes)).round(2) if rng.random() < 0.4 else None
    fit = {"lambda_v": 1e-3, "lambda_w": 1e-4, "max_prototypes": int(rng.integers(1, 12)), "cost_matrix": costs}
    model = ProsetClassifier(n_batches=int(rng.integers(1, 3)), random_state=0, **fit)
    if not is_mixed:
        scalers = [StandardScaler(), MinMaxScaler(clip=True), RobustScaler(), MaxAbsScaler()]
        model = make_pipeline(*(scalers[i] for i in rng.choice(4, rng.integers(1, 3), replace=False)), model)
    model.fit(table[:60], labels[:60])
    X, background = table[60:68].reset_index(drop=True), table[68 : 68 + rng.integers(1, 6)].reset_index(drop=True)
    if "kind" in table:
        X.loc[0, "kind"] = background.loc[0, "kind"] = "new"
    classifier, inner = (model[-1], model[:-1].transform(X)) if not is_mixed else (model, X)
    terms = list(_exact_terms(classifier, classifier._validated(inner)))
    total = 1.0 + sum(contributions.sum(axis=1) for _, _, contributions in terms)
    shares = {
        (number, int(row)): values / total
        for number, batch, contributions in terms
        for row, values in zip(batch.sample_index, contributions.T, strict=True)
    }
    return Drawn(
        model=model,
        X=X,
        background=background,
        probabilities=exact_probabilities(model, X),
        start=classifier.class_prior_ / total[:, None],
        shares=shares,
        attributions=_brute_force(model, X, background),
        base_values=exact_probabilities(model, background).mean(axis=0),
    )


def _numbers(rng, n):
    names = ["x", 'a "width"', "it's", "order", "länge"][: rng.integers(1, 6)]
    X = pd.DataFrame(rng.normal(size=(n, len(names))) * rng.uniform(0.1, 9, len(names)), columns=names)
    X = X.mask(rng.random(X.shape) < 0.1) if rng.random() < 0.5 else X
    return X.astype(np.float32).astype(np.float64)


def _mixed_table(rng, n):
    X = pd.DataFrame({"kind": rng.choice(["a'", 'b"', "ü"], n)}).astype(object)
    X["x"] = rng.normal(size=n).astype(np.float32).astype(np.float64)
    X["grade"] = pd.Categorical(rng.choice(["low", "mid", "high"], n), ["low", "mid", "high"], ordered=True)
    X["flag"] = rng.random(n) < 0.5
    X["code"] = pd.Categorical(rng.integers(1, 4, n))
    X = X[["kind", *rng.choice(["x", "grade", "flag", "code"], rng.integers(1, 5), replace=False)]]
    for name in X.columns:
        if name != "flag" and rng.random() < 0.6:
            X[name] = X[name].mask(rng.random(n) < 0.15, None)
    return X


def _brute_force(model, X, background):
    """Shapley values as means over all orders of all features, active or not, shape (N, D, K)."""
    features, n, m = list(X), len(X), len(background)
    of_x, of_rows = X.loc[np.repeat(np.arange(n), m)], background.loc[np.tile(np.arange(m), n)]
    value = {}
    for size in range(len(features) + 1):
        for chosen in combinations(features, size):
            mixed = {name: (of_x if name in chosen else of_rows)[name].array for name in features}
            probabilities = exact_probabilities(model, pd.DataFrame(mixed))
            value[frozenset(chosen)] = probabilities.reshape(n, m, -1).mean(axis=1)
    found = np.zeros((n, len(features), value[frozenset()].shape[1]))
    orders = list(permutations(features))
    for order in orders:
        for place, name in enumerate(order):
            change = value[frozenset(order[: place + 1])] - value[frozenset(order[:place])]
            found[:, features.index(name)] += change / len(orders)
    return found


def largest_difference(found, expected):
    """NaN is one, too."""
    difference = np.abs(np.asarray(found, dtype=float) - expected)
    return np.inf if np.isnan(difference).any() else difference.max()
