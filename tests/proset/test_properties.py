"""What holds for any data: hypothesis looks for a counterexample, always in the same places."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proset import ProsetClassifier
from proset.arithmetic import class_sums
from proset.candidates import bin_counts
from proset.objective import Objective, Penalty

examples = settings(max_examples=15)
pytestmark = pytest.mark.filterwarnings(
    "error",
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore:nothing was learnt:UserWarning",
    "ignore:only .* samples have features of their own:UserWarning",
)


@st.composite
def data(draw):
    """X on scales from 1e-3 to 1e3 with offsets, constant features and repeated rows; classes of at least 3."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes = draw(st.sampled_from([2, 2, 3, 5, 20]))
    y = np.repeat(np.arange(n_classes), [draw(st.integers(3, 12)) for _ in range(n_classes)])
    n_features = draw(st.integers(1, 12))
    X = rng.normal(size=(len(y), n_features)) + rng.normal(size=(n_classes, n_features))[y]
    X *= 10.0 ** draw(st.integers(-3, 3))
    X[:, draw(st.integers(0, n_features - 1))] *= 10.0 ** draw(st.sampled_from([0, 0, 0, -30, 30]))
    X += draw(st.sampled_from([0.0, 0.0, 1e6, -1e12]))
    if draw(st.booleans()):
        X[:, draw(st.integers(0, n_features - 1))] = draw(st.floats(-1e6, 1e6))
    if draw(st.booleans()):
        X = np.round(X)  # many rows alike
    names = {
        "ints": lambda: np.arange(n_classes) * 7 - 3,
        "strings": lambda: np.array([f"k{i:02}" for i in range(n_classes)]),
        "objects": lambda: np.array([f"ß{i:02}" for i in range(n_classes)], dtype=object),
        "bools": lambda: np.array([False, True]) if n_classes == 2 else np.arange(n_classes) / 1.0,
    }
    order = rng.permutation(len(y))
    return X[order], names[draw(st.sampled_from(sorted(names)))]()[y][order]


def assert_probabilities(p, n_classes):
    assert p.shape[1] == n_classes
    assert p.min() >= 0
    assert p.max() <= 1
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)


@examples
@given(data(), st.sampled_from([0, 1, 3]))
def test_any_data_give_probabilities_and_far_points_the_prior(known, n_batches):
    X, y = known
    model = ProsetClassifier(n_batches=n_batches, lambda_v=1e-3, random_state=0).fit(X, y)
    classes, counts = np.unique(y, return_counts=True)
    assert model.classes_.tolist() == classes.tolist()
    np.testing.assert_allclose(model.class_prior_, counts / len(y), rtol=1e-12)
    for p in model.staged_predict_proba(X):
        assert_probabilities(p, len(classes))
    assert set(model.predict(X)) <= set(classes.tolist())
    far = np.array([[1.7e308], [-1.7e308], [1e150]]) * np.ones(X.shape[1])
    assert_probabilities(model.predict_proba(far), len(classes))
    if model.active_features_.size and all(len(b.active_features) or not len(b.labels) for b in model.batches_):
        np.testing.assert_allclose(model.predict_proba(far), np.tile(model.class_prior_, (3, 1)), atol=1e-12)
        assert model.familiarity(far).max() < 1e-12


@examples
@given(data())
def test_other_names_of_the_classes_change_nothing(known):
    """Names that keep the order of the classes; another order leads to another draw of candidates."""
    X, y = known
    codes = np.unique(y, return_inverse=True)[1]
    named = np.array([f"name {c:03}" for c in codes])
    ours, other = (
        ProsetClassifier(lambda_v=1e-3, lambda_w=1e-6, max_prototypes=5).fit(X, labels) for labels in (y, named)
    )
    np.testing.assert_array_equal(ours.predict_proba(X), other.predict_proba(X))
    assert [f"name {c:03}" for c in np.searchsorted(ours.classes_, ours.predict(X))] == other.predict(X).tolist()


@examples
@given(st.lists(st.integers(0, 500), min_size=4, max_size=40), st.integers(1, 2000), st.floats(0.01, 0.99))
def test_the_numbers_of_candidates_know_no_order_of_bins(sizes, n_candidates, max_fraction):
    """And never exceed the proportion of a bin, nor by more than rounding what was wanted."""
    sizes = np.array(sizes)
    counts = bin_counts(sizes, n_candidates, max_fraction)
    np.testing.assert_array_equal(np.sort(bin_counts(sizes[::-1], n_candidates, max_fraction)), np.sort(counts))
    assert (counts <= np.floor(max_fraction * sizes + 0.5)).all()
    assert counts.sum() <= n_candidates + len(sizes)


@examples
@given(st.integers(-300, 300), st.sampled_from([0, 1]), st.integers(0, 2**32 - 1))
def test_at_any_scale_a_clear_error_or_a_right_answer(exponent, good, seed):
    """Features have any scale up to the limit of their numbers, one as well as all of them."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 25)
    X = rng.normal(size=(50, 3)) * 0.2 + 2.0 * y[:, None]
    X[:, good:] *= 10.0**exponent  # all features, or all but the first
    model = None
    try:
        model = ProsetClassifier(random_state=0).fit(X, y)
    except ValueError as error:
        message = str(error)
    if model is None:
        assert re.match(r"X: feature \d reaches ", message)
        assert exponent > 98
    else:
        assert_probabilities(model.predict_proba(X), 2)
        if good or exponent > -99:
            assert model.score(X, y) > 0.9


@examples
@given(st.integers(-300, 300), st.integers(-300, 300), st.integers(0, 2**32 - 1))
def test_weights_of_any_scale_give_an_error_or_probabilities(low, high, seed):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 20)
    X = rng.normal(size=(40, 2)) + y[:, None]
    weight = 10.0 ** rng.uniform(min(low, high), max(low, high), 40)
    if not 1e-100 <= weight.max() <= 1e100:
        with pytest.raises(ValueError, match=r"sample_weight: .* is not allowed, must be 1e-100 to 1e\+100"):
            ProsetClassifier().fit(X, y, sample_weight=weight)
    else:
        model = ProsetClassifier(random_state=0).fit(X, y, sample_weight=weight)
        assert_probabilities(model.predict_proba(X), 2)


@examples
@given(st.integers(0, 2**32 - 1), st.floats(-300, 300), st.floats(-300, 300))
def test_kernel_sums_are_finite_and_bounded(seed, log_scale, log_weight):
    rng = np.random.default_rng(seed)
    X, C = (rng.normal(size=(n, 3)) * 10.0 ** min(log_scale, 100) for n in (9, 5))
    with np.errstate(over="ignore"):
        v = np.minimum(np.abs(rng.normal(size=3)) * 10.0**log_weight, 1e100)
    sums = class_sums(X, C, np.zeros(3), np.array([0, 2, 5]), v, np.ones(5))
    assert np.isfinite(sums).all()
    assert sums.min() >= 0
    assert sums.max() <= 3 + 1e-4


@examples
@given(data(), st.randoms(use_true_random=False))
def test_the_objective_knows_no_order_of_rows_and_no_names_of_classes(known, random):
    """What is minimised for given candidates is the same for permuted rows and classes; the draw is not."""
    X, y = known
    X, codes = X - X.mean(axis=0), np.unique(y, return_inverse=True)[1]
    n, k = len(codes), int(codes.max()) + 1
    rows, renamed = np.array(random.sample(range(n), n)), np.array(random.sample(range(k), k))
    v = np.full(X.shape[1], 10.0 / X.shape[1]) / np.maximum(1.0, np.abs(X).max(axis=0))
    candidates = np.array([np.flatnonzero(codes == c)[0] for c in range(k)])

    def value(X, codes, candidates):
        candidates = candidates[np.argsort(codes[candidates], kind="stable")]
        rest = np.setdiff1d(np.arange(n), candidates)
        prior = np.bincount(codes) / n
        return Objective(
            X=X[rest],
            labels=codes[rest],
            row_weights=np.full(len(rest), 1 / n),
            previous_q=np.tile(prior, (len(rest), 1)),
            candidates=X[candidates],
            class_offsets=np.searchsorted(codes[candidates], np.arange(k + 1)),
            penalty=Penalty(1e-3, 1e-8, 0.95, 0.95),
        )(np.concatenate([v, np.ones(k)]))

    ours, gradient = value(X, codes, candidates)
    other, permuted = value(X[rows], renamed[codes][rows], np.argsort(rows)[candidates])
    d = X.shape[1]
    assert other == pytest.approx(ours, rel=1e-6)
    np.testing.assert_allclose(permuted[:d], gradient[:d], rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(permuted[d:][renamed], gradient[d:], rtol=1e-3, atol=1e-6)
