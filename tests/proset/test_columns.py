"""Categories and missing values in the kernel, and what a fitted model of such columns can do."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from tests.reference import classifier as reference

from proset import ProsetClassifier, RejectOptionClassifier, load_model, save_model
from proset.arithmetic import class_sums
from proset.columns import Columns, spreads
from proset.objective import Objective, Penalty

SIZES = [  # samples, numbers, of them with gaps, categories, levels, factor of the numbers; the first are plain numbers
    *[(150, 2, 0, 0, 1, 1.0), (150, 12, 0, 0, 1, 1.0), (150, 3, 0, 0, 1, 1e4)],  # sorted, differences or products, wide
    *[(60, 3, 2, 2, 5, 1.0), (300, 6, 3, 4, 12, 1.0), (300, 12, 12, 13, 12, 1.0), (200, 0, 0, 5, 7, 1.0)],
    *[(200, 3, 2, 1, 4, 1e4), (300, 2, 0, 2, 100, 1.0), (300, 14, 3, 0, 1, 1.0), (100, 1, 1, 0, 1, 1.0)],
]


def columns_and_samples(n, n_numbers, n_gaps, n_categories, n_levels, factor):
    """In some order; some rows are alike."""
    rng = np.random.default_rng(n + n_numbers)
    d = n_numbers + n_categories
    X = np.hstack([factor * rng.normal(size=(n, n_numbers)), rng.integers(0, n_levels + 1, (n, n_categories))])
    X[:, :n_gaps][rng.random((n, n_gaps)) < 0.3] = np.nan
    levels = np.repeat([0, n_levels], [n_numbers, n_categories])
    columns = Columns(levels, np.where(levels > 0, 1.3, 0.0), np.full(d, factor), np.arange(d) < n_gaps)
    order = rng.permutation(d)
    return columns.take(order), X[:, order], rng


@pytest.mark.parametrize("size", SIZES)
def test_the_library_computes_what_the_definition_says(size):
    columns, X, rng = columns_and_samples(*size)
    n, d, factor = len(X), X.shape[1], size[-1]
    v, w = rng.uniform(0.3, 1.5, d), rng.uniform(0.0, 5.0, n) * (rng.random(n) < 0.7)
    v[columns.are_numbers] /= factor
    v[0] *= d < 4
    columns = None if size in SIZES[:3] else columns
    y = np.sort(rng.integers(0, 3, n))
    f = Objective(
        X=X,
        labels=y,
        row_weights=rng.random(n) / n,
        previous_q=rng.random((n, 3)),
        candidates=X,
        class_offsets=np.searchsorted(y, np.arange(4)),
        penalty=(penalty := Penalty(1e-4, 1e-4, 0.9, 0.8)),
        own=np.arange(n),
        own_kernel=np.zeros(n),
        columns=columns,
    )
    arrays = X, y, f.row_weights, f.previous_q, X, y

    def slow(v):
        return reference.loss_and_gradient(*arrays, v, w, f.own, f.own_kernel, columns)

    loss, dv, dw = slow(v)
    value, gradient = f(f.pack(v, w))
    of_v, of_w = (penalty.lambda_v, penalty.alpha_v), (penalty.lambda_w, penalty.alpha_w)
    penalties = reference.penalty(v, *of_v) + reference.penalty(w, *of_w)
    assert value == pytest.approx(loss + penalties, rel=1e-5)
    expected = f.pack(*(d + strength * (l2 * x + 1 - l2) for d, x, (strength, l2) in ((dv, v, of_v), (dw, w, of_w))))
    np.testing.assert_allclose(gradient, expected, rtol=1e-3, atol=1e-5 * np.abs(gradient).max())
    saved = penalty.lambda_w * (penalty.alpha_w / 2 * w + 1 - penalty.alpha_w) * w
    increases = reference.loss_increases(*arrays, v, w, f.own, f.own_kernel, columns) - saved
    np.testing.assert_allclose(f.increases(f.pack(v, w)), increases, rtol=1e-3, atol=1e-6)
    several = replace(f, n_threads=2)
    np.testing.assert_array_equal(several.increases(f.pack(v, w)), f.increases(f.pack(v, w)))
    for k in np.flatnonzero(v > 0):
        step = 1e-5 * v[k] * (np.arange(d) == k)
        slope = (slow(v + step)[0] - slow(v - step)[0]) / (2e-5 * v[k])
        assert dv[k] == pytest.approx(slope, rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("n_levels", [3, 63, 64, 200])
def test_one_weight_for_a_category_is_equal_weights_of_its_indicators(n_levels):
    columns, X, rng = columns_and_samples(250, 3, 0, 2, n_levels, 1.0)
    v, w = rng.uniform(0.3, 1.5, 5), np.ones(250)
    offsets = np.array([0, 100, 250])
    parts, weights = [], []
    for d in range(5):
        values = X[:, [d]] if columns.levels[d] == 0 else (X[:, [d]] == np.arange(n_levels + 1)) / np.sqrt(2.0)
        parts.append(values)
        weights.append(np.full(values.shape[1], v[d] * (columns.category[d] or 1.0)))
    indicators = np.hstack(parts)
    zeros = np.zeros(indicators.shape[1])
    expected = class_sums(indicators, indicators, zeros, offsets, np.concatenate(weights), w)
    found = class_sums(X, X, np.zeros(5), offsets, v, w, columns=columns)
    np.testing.assert_allclose(found, expected, rtol=1e-4)


@pytest.mark.parametrize("x", [1e3, 1e19, 1e30, 1e100, -1e100])
def test_a_prototype_with_a_gap_is_as_near_to_a_number_far_away(x):
    columns = Columns(np.array([0, 0]), np.zeros(2), np.ones(2), np.array([True, True]))
    prototypes = np.array([[np.nan, 0.3], [0.0, 0.3]])
    found = class_sums(
        np.array([[x, 0.3]]), prototypes, np.zeros(2), np.array([0, 1, 2]), np.ones(2), np.ones(2), columns=columns
    )
    np.testing.assert_allclose(found, [[np.sqrt(0.5), 0.0]], rtol=1e-6)


def test_a_missing_number_has_the_mean_of_the_kernel_over_numbers_around_the_known_one():
    columns = Columns(np.array([0]), np.array([0.0]), np.array([3.0]), np.array([True]))
    x, v = np.linspace(-40.0, 40.0, 200_001), 0.7
    density = np.exp(-0.5 * (x / 3.0) ** 2) / np.exp(-0.5 * (x / 3.0) ** 2).sum()
    mean = (density * np.exp(-0.5 * (v * x) ** 2)).sum()
    assert np.exp(-0.5 * columns.exponent(0, np.nan, 5.0, v)) == pytest.approx(mean, rel=1e-9)
    assert columns.exponent(0, np.nan, np.nan, v) == 0.0


def test_two_rows_drawn_at_random_have_the_same_mean_square_in_all_columns():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(5.0, 3.0, 4000), rng.choice(4, 4000, p=[0.7, 0.1, 0.1, 0.1])])
    columns = Columns.of(X, np.array([0, 4]), None)
    scaled, other = X / np.where(columns.are_numbers, columns.spread, 1.0), rng.permutation(4000)
    divided = columns.divided(columns.spread)
    means = [divided.exponent(d, scaled[:, d], scaled[other, d], 1.0).mean() for d in (0, 1)]
    np.testing.assert_allclose(means, 2.0, rtol=0.06)


def test_spreads_are_those_of_what_is_there():
    X = np.array([[1.0, 0.0, 2.0, np.nan], [3.0, 0.0, 2.0, np.nan], [np.nan, 1.0, 2.0, np.nan]])
    found = spreads(X, np.array([0, 2, 0, 0]), np.array([1.0, 1.0, 2.0]))
    np.testing.assert_allclose(found, [1.0, 0.5, 1.0, 1.0], rtol=1e-4)


@pytest.mark.parametrize("value", [0.0, 1.0, -1e17, 1e17, 1e100])
def test_a_gap_is_filled_with_what_no_number_is_however_large(value):
    X = np.array([[value], [np.nan], [value]])
    below, least = np.unique(Columns.of(X, np.array([0]), None).filled(X))
    assert below < least == value


@pytest.mark.parametrize("value", [1.0, 1e17])
def test_a_column_of_one_number_and_gaps_is_learnt_however_large_the_number(value):
    rng = np.random.default_rng(1)
    is_missing = rng.random(60) < 0.5
    y = is_missing ^ (rng.random(60) < 0.1)
    model = ProsetClassifier(random_state=0).fit(np.where(is_missing, np.nan, value)[:, None], y)
    of_gap, of_number = model.predict_proba([[np.nan], [value]])[:, 1]
    assert of_gap > 0.8
    assert of_number < 0.2


@pytest.fixture(scope="module")
def mixed():
    """A frame with gaps, classes, and a model of it."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"x": rng.normal(size=300), "kind": rng.choice(["a", "b", "c"], 300), "noise": rng.normal(size=300)}
    )
    y = np.where((X["x"] > 0) ^ (X["kind"] == "b"), "yes", "no")
    X["x"] = X["x"].mask(rng.random(300) < 0.2)
    X["kind"] = X["kind"].mask(rng.random(300) < 0.2)
    return X, y, ProsetClassifier(max_prototypes=12, lambda_v=3e-3, lambda_w=1e-4).fit(X, y)


@pytest.mark.parametrize(
    "change",
    [
        {"kinds": ["number"] * 3},
        {"levels": [None, ["a", "b"], None]},
        {"levels": [None, ["a", "b", {"c": 1}, None], None]},
        {"kinds": ["number", "text", "number"]},
        {"kinds": ["number", "category"]},
    ],
)
def test_a_file_whose_columns_are_not_those_of_its_model_is_refused(mixed, tmp_path, change):
    save_model(mixed[2], tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz") as archive:
        arrays = dict(archive)
    header = json.loads(str(arrays["header"]))
    header["columns"] |= change
    arrays["header"] = np.array(json.dumps(header))
    np.savez(tmp_path / "model.npz", **arrays)
    with pytest.raises(ValueError, match=r"model.npz is not a complete proset model: "):
        load_model(tmp_path / "model.npz")


def test_a_smaller_model_takes_the_active_columns(mixed):
    X, _, model = mixed
    small = model.shrink()
    assert small.feature_names_in_.tolist() == ["x", "kind"]
    np.testing.assert_array_equal(small.predict_proba(X[["x", "kind"]]), model.predict_proba(X))


def test_a_base_has_an_encoding_of_its_own(mixed):
    X, y, _ = mixed
    encoded = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["x", "noise"]),
        (OneHotEncoder(handle_unknown="ignore"), ["kind"]),
    )
    base = make_pipeline(encoded, LogisticRegression())
    model = ProsetClassifier(base=base, lambda_v=3e-3, lambda_w=1e-4, max_prototypes=12).fit(X, y)
    assert model.score(X, y) > base.fit(X, y).score(X, y) + 0.1
    assert len(model.disagreements()) == model.n_prototypes_
    assert np.isfinite(model.corrections(X[:5])["moved"]).all()


def test_what_is_not_familiar_is_rejected(mixed):
    X, y, model = mixed
    far = X.assign(x=X["x"] + 1e6)
    assert model.familiarity(far[far["x"].notna()]).max() == 0.0
    rejecting = RejectOptionClassifier(ProsetClassifier(max_prototypes=12, lambda_v=3e-3, lambda_w=1e-4)).fit(X, y)
    assert 0.0 < (rejecting.score_quantile(X) < 0.1).mean() < 0.3


def test_values_are_named_in_units_before_scalers(mixed):
    X, y, _ = mixed
    scaled = make_column_transformer((StandardScaler(), ["x", "noise"]), remainder="passthrough")
    pipeline = make_pipeline(scaled.set_output(transform="pandas"), ProsetClassifier(max_prototypes=5)).fit(X, y)
    found = pipeline[-1].export(pipeline)
    kinds = found.filter(like="value of remainder__kind").squeeze()
    assert set(kinds.dropna()) <= {"a", "b", "c"}
    values = found.filter(like="value of standardscaler__x").squeeze().dropna()
    assert np.isclose(values.to_numpy()[:, None], X["x"].to_numpy()).any(axis=1).all()


def test_weights_count_copies_of_mixed_rows(mixed):
    X, y, _ = mixed
    weight = np.where(np.arange(300) % 4 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(300), weight.astype(int))
    model = ProsetClassifier(lambda_v=3e-3, lambda_w=1e-4, max_prototypes=None)
    p = model.fit(X, y, sample_weight=weight).predict_proba(X)
    np.testing.assert_allclose(model.fit(X.iloc[twice], y[twice]).predict_proba(X), p, atol=1e-4)


def test_a_column_without_weight_adds_nothing():
    columns = Columns(np.array([0, 3]), np.array([0.0, 1.0]), np.array([2.0, 1.0]), np.array([True, False]))
    for d, values in ((0, [1.0, np.nan]), (1, [0.0, 2.0])):
        np.testing.assert_array_equal(columns.exponent(d, values, 1.0, v=0.0), 0.0)


def test_a_file_that_knows_no_missing_values_refuses_them(tmp_path):
    X = np.random.default_rng(0).normal(size=(80, 2))
    model = ProsetClassifier(lambda_v=3e-3, lambda_w=1e-4, max_prototypes=5).fit(X, X[:, 0] > 0)
    save_model(model, tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz") as archive:
        arrays = {name: archive[name] for name in archive if name not in vars(model._model.columns)}
    np.savez(tmp_path / "model.npz", **arrays)
    loaded = load_model(tmp_path / "model.npz")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    with pytest.raises(ValueError, match="Input X contains NaN"):
        loaded.predict(np.full((1, 2), np.nan))
