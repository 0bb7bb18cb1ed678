import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from proset import ProsetClassifier, elimination
from proset.influence import Refits

GIVEN = {"lambda_v": 0.01, "lambda_w": 1e-4}


@pytest.fixture(scope="module")
def halves(iris):
    X, y = iris
    return train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)


@pytest.fixture(scope="module")
def few(halves):
    return ProsetClassifier().fit(halves[0], halves[2])


def objective(refits):
    return elimination.Elimination(refits.task, refits.penalty).score(refits.parts)[0]


@pytest.mark.parametrize("settings", [{}, {"max_prototypes": None}, {"n_batches": 2}, {"max_features": 2}], ids=str)
@pytest.mark.parametrize("load", [load_iris, load_wine], ids=lambda load: load.__name__)
def test_a_refit_is_as_good_as_a_fit_from_the_start(load, settings):
    """The objective of the rest, at the same penalties and size, which a fit that never saw the row gets to as well."""
    X, y = load(return_X_y=True)
    model = ProsetClassifier(**settings).fit(X, y)
    refits = Refits.of(model).all()
    scaled = model._scaled(model._training.points)
    higher = []
    for row in range(0, len(X), 24):
        kept = np.arange(len(X)) != row
        size = None if refits.max_prototypes is None else model.n_prototypes_
        cold = ProsetClassifier(**{**settings, "max_prototypes": size}, scale=False)
        cold.set_params(lambda_v=model.lambda_v_, lambda_w=model.lambda_w_).fit(scaled[kept], y[kept])
        higher.append(objective(refits.without(row, model._training)) - objective(Refits.of(cold)))
    assert np.median(higher) < 1e-4
    assert np.mean(np.array(higher) < 0.01) > 0.9


@pytest.mark.parametrize("settings", [{}, {"max_prototypes": None}], ids=str)
def test_a_refit_is_certified_as_a_fit_is(halves, settings):
    """A smaller tolerance gains nothing, and without a limit no row outside would become a prototype."""
    X, _, y, _ = halves
    model = ProsetClassifier(**settings, **GIVEN).fit(X, y)
    refits = Refits.of(model).all()
    for row in (0, 40, int(model.batches_[0].sample_index[0])):
        found = refits.without(row, model._training)
        exact = replace(refits, tol=1e-9, max_iter=10_000).without(row, model._training)
        assert all(part.solution.converged for part in found.parts)
        assert objective(found) - objective(exact) < 10 * model.tol
        if found.max_prototypes is None:
            (part,), every = found.parts, found.task.objective(found.penalty)
            theta = np.zeros(len(part.v) + len(found.task.candidates))
            theta[: len(part.v)] = part.v
            theta[len(part.v) + np.searchsorted(found.task.candidates, part.candidates)] = part.w
            slopes = every(theta)[1] * every.scale()
            inside, outside = slopes[theta > 0], slopes[theta == 0]
            assert -outside.min() <= max(np.abs(inside).max(), model.tol)


def test_what_a_row_does_to_predictions_and_loss(halves, few):
    _, X_test, y, y_test = halves
    found = few.influence(X_test, y_test)
    assert found["row"].tolist() == list(range(105))
    assert found["class"].tolist() == y.tolist()
    assert set(found.loc[found["prototype"], "row"]) == {row for batch in few.batches_ for row in batch.sample_index}
    some = few.influence(X_test, y_test, rows=[7, 3])
    pd.testing.assert_frame_equal(some, found.iloc[[7, 3]].reset_index(drop=True))
    refits = Refits.of(few).all()
    points = few._scaled(X_test) - refits.task.samples.centre
    _, before = refits.predicted(points, None)
    own, then = refits.without(7, few._training).predicted(points, None)
    np.testing.assert_allclose(before, few.predict_proba(X_test), atol=1e-3)  # the model itself was near its minimum
    assert found["loss"][7] == pytest.approx(log_loss(y_test, then) - log_loss(y_test, before), abs=1e-12)
    assert found["moved"][7] == pytest.approx(np.abs(then - before).sum(axis=1).mean() / 2)
    assert found["own probability"][7] == pytest.approx(own[y[7]])


def test_weights_of_held_out_samples_count(halves, few):
    _, X_test, _, y_test = halves
    weight = np.arange(len(X_test)) < 10
    found = few.influence(X_test, y_test, weight, rows=[0, 1])
    pd.testing.assert_frame_equal(found, few.influence(X_test[:10], y_test[:10], rows=[0, 1]))


def test_a_copy_that_is_left_out_leaves_the_others(halves):
    """Two rows that agree are one sample of weight 2: the model without one is that of the single row."""
    X, X_test, y, y_test = halves
    twice = ProsetClassifier(**GIVEN, max_prototypes=6).fit(np.concatenate([X, X[:1]]), np.concatenate([y, y[:1]]))
    counted = ProsetClassifier(**GIVEN, max_prototypes=6).fit(X, y, np.where(np.arange(len(X)) == 0, 2.0, 1.0))
    refits = Refits.of(twice).all()
    assert refits.without(0, twice._training).task.samples.copies.max() == 1.0
    first, last = twice.influence(X_test, y_test, rows=[0, 105]).drop(columns=["row", "prototype"]).to_numpy()
    np.testing.assert_allclose(first.astype(float), last.astype(float))
    whole = counted.influence(X_test, y_test, rows=[0])  # both copies at once
    assert len(Refits.of(counted).without(0, counted._training).task.references) == 104
    assert whole["moved"][0] != pytest.approx(first[2])


def test_the_only_row_of_a_class_has_no_probability_without_it(iris):
    X, y = iris[0][:60], np.where(np.arange(60) == 7, 2, iris[1][:60])
    found = ProsetClassifier(**GIVEN).fit(X, y).influence(X, y, rows=[7, 8])
    assert found["own probability"].tolist()[0] == 0.0
    assert found["loss"].tolist()[0] == np.inf
    assert np.isfinite(found["loss"][1])


def test_a_base_model_stays_as_it_is(halves):
    X, X_test, y, y_test = halves
    model = ProsetClassifier(base=LogisticRegression(max_iter=1000), **GIVEN).fit(X, y)
    found = model.influence(X_test, y_test, rows=[0, 50])
    assert (found["moved"] < 0.1).all()
    prefit = ProsetClassifier(base="prefit", **GIVEN).fit(X, y, base_probabilities=np.full((105, 3), 1 / 3))
    given = prefit.influence(X_test, y_test, rows=[0], base_probabilities=np.full((45, 3), 1 / 3))
    assert np.isfinite(given["loss"][0])


def test_a_turned_label_is_the_most_suspicious():
    X, y = load_breast_cancer(return_X_y=True)
    turned = [3, 200, 333, 501]
    y[turned] = 1 - y[turned]
    found = ProsetClassifier().fit(X, y).suspicious_labels(top=12)
    assert len(found) == 12
    assert len({*turned} & {*found["row"]}) >= 3
    assert found["probability"].is_monotonic_increasing
    assert (found["class"] != found["instead"]).all()
    assert (found["its probability"] > found["probability"]).all()


def same_bits(one, other, X):
    assert len(one.batches_) == len(other.batches_)
    for ours, theirs in zip(one.batches_, other.batches_, strict=True):
        for name in ("feature_weights", "prototypes", "labels", "prototype_weights", "sample_index"):
            assert getattr(ours, name).tobytes() == getattr(theirs, name).tobytes(), name
    assert one.predict_proba(X).tobytes() == other.predict_proba(X).tobytes()
    assert one.training_familiarity_.tobytes() == other.training_familiarity_.tobytes()
    settings = [model.get_params() | {"random_state": None, "base": None} for model in (one, other)]
    assert settings[0] == settings[1]


def test_a_hundred_removals_forget_bit_for_bit():
    rng = np.random.default_rng(36)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = ProsetClassifier(lambda_v=1e-3, lambda_w=1e-6, max_prototypes=None).fit(X, y)
    for _ in range(100):
        rows = rng.choice(40, size=rng.integers(1, 8), replace=False)
        kept = np.setdiff1d(np.arange(40), rows)
        never = ProsetClassifier(lambda_v=1e-3, lambda_w=1e-6, max_prototypes=None).fit(X[kept], y[kept])
        same_bits(model.forget(rows), never, X)


def drawn(frame):
    """Its generator has been used up by a fit when it forgets."""
    return ProsetClassifier(n_candidates=20, random_state=np.random.RandomState(5), **GIVEN)


@pytest.mark.parametrize(
    ("make", "table"),
    [
        (lambda frame: ProsetClassifier(), lambda frame: frame),
        (lambda frame: ProsetClassifier(n_batches=2, random_state=3, n_candidates=30, **GIVEN), lambda frame: frame),
        (drawn, lambda frame: frame),
        (lambda frame: ProsetClassifier.published(random_state=1), lambda frame: frame[["a", "b"]].to_numpy()),
        (lambda frame: ProsetClassifier(**GIVEN), lambda frame: pl.from_pandas(frame)),
        (lambda frame: ProsetClassifier(**GIVEN), lambda frame: frame[["a", "b"]].to_numpy().tolist()),
        (lambda frame: ProsetClassifier(base=LogisticRegression(), **GIVEN), lambda frame: frame[["a", "b"]]),
    ],
    ids=["defaults", "batches", "a generator", "published", "polars", "lists", "base"],
)
def test_forgetting_is_a_fit_to_the_rest(make, table):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": rng.normal(size=90), "b": rng.normal(size=90), "colour": rng.choice(["red", "blue"], 90)}
    )
    frame.loc[0, "colour"] = "violet"  # a level that leaves with its row
    y = np.where(frame["a"] + (frame["colour"] == "red") > 0.5, "yes", "no").tolist()
    weight = rng.integers(1, 3, 90).astype(float)
    rows = [0, 17, 88]
    kept = np.setdiff1d(np.arange(90), rows)
    less = make(frame).fit(table(frame), y, weight).forget(rows)
    rest = table(frame.iloc[kept].reset_index(drop=True))
    never = make(frame).fit(rest, np.array(y)[kept], weight[kept])
    same_bits(less, never, rest)
    assert less._encoding == never._encoding
    again = less.forget([0])  # rows are those of the smaller table
    assert len(again._training.rows) == 86


def test_forgotten_rows_are_not_kept(few):
    with warnings.catch_warnings(action="error"):
        few.influence(rows=[0])
        less = few.forget(np.arange(50, 105))
    assert len(less._training.points) == 50
    assert len(less._training.X) == len(less._training.y) == 50
    assert len(few._training.points) == 105


@pytest.mark.parametrize("random_state", [0, None, np.random.RandomState(3)], ids=["int", "none", "generator"])
def test_forgetting_twice_gives_the_same(random_state):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    settings = {"lambda_v": 1e-3, "lambda_w": 1e-5, "n_candidates": 40, "max_prototypes": None, "n_batches": 2}
    model = ProsetClassifier(random_state=random_state, **settings).fit(X, X.prod(axis=1) > 0)
    same_bits(model.forget([3, 4]), model.forget([3, 4]), X)
    twice = model.forget([3]).forget([3])
    same_bits(twice, model.forget([3, 4]), X)
    assert twice.random_state is model.random_state


def test_a_warm_start_forgets_as_one_fit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = X.prod(axis=1) > 0
    settings = {"lambda_v": 1e-3, "lambda_w": 1e-5, "n_candidates": 40, "max_prototypes": None, "warm_start": True}
    model = ProsetClassifier(random_state=np.random.RandomState(5), n_batches=1, **settings).fit(X, y)
    model.set_params(n_batches=2).fit(X, y)
    never = ProsetClassifier(random_state=np.random.RandomState(5), n_batches=2, **settings).fit(X[1:], y[1:])
    same_bits(model.forget([0]), never, X)


def test_parameters_of_the_fit_count(halves, few):
    X, X_test, y, y_test = halves
    model = ProsetClassifier().fit(X, y)
    model.set_params(lambda_v=10.0, lambda_w=10.0, alpha_v=0.1, tol=1.0)
    pd.testing.assert_frame_equal(model.influence(X_test, y_test, rows=[3]), few.influence(X_test, y_test, rows=[3]))
    same_bits(model.forget([3]), few.forget([3]), X)


def test_columns_of_classes_and_changed_weights(iris):
    X, y = iris
    weight = np.ones(150)
    model = ProsetClassifier(**GIVEN).fit(X, pd.DataFrame({"y": y}), weight)
    assert len(model.forget([])._training.rows) == 150
    weight[5] = 2.0
    with pytest.raises(ValueError, match="they have been changed since fit"):
        model.forget([3])


def test_parameters_of_a_base_that_are_set_after_the_fit_change_no_refit(iris):
    X, y = iris
    model = ProsetClassifier(base=LogisticRegression(max_iter=1000), scale=False, **GIVEN).fit(X, y)
    before = model.forget([0])
    same_bits(model.set_params(base__C=1e-4).forget([0]), before, X)
