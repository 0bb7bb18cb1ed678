from dataclasses import replace

import numpy as np
import pytest

from proset_study import methods
from proset_study.data.sources import make
from proset_study.data.splits import TEST
from proset_study.data.splitting import split
from proset_study.fits.resampling import bootstrap_data, bootstrap_sample, data_of_rows, nested_order, training_rows


@pytest.mark.parametrize(("sizes", "bound"), [([60, 30, 10], 2), ([90, 10], 1)])
def test_every_beginning_of_the_order_is_stratified(rng, sizes, bound):
    """Off by less than two samples of a class, of two classes by less than one."""
    classes = np.arange(len(sizes))
    y = rng.permutation(np.repeat(classes, sizes))
    order = nested_order(y, rng)
    assert sorted(order) == list(range(100))
    assert set(y[order[: len(sizes)]]) == {*classes}  # no class is missing from the start
    for n in range(1, 101):
        counts = np.bincount(y[order[:n]], minlength=len(sizes))
        assert np.abs(counts - n * np.array(sizes) / 100).max() < bound
    assert not np.array_equal(order, nested_order(y, rng))


def test_groups_stay_together_in_the_order(rng):
    group = rng.permutation(np.repeat([3, 5, 9, 11], 5))
    ordered = group[nested_order(np.zeros(20, dtype=int), rng, group)]
    assert np.count_nonzero(np.diff(ordered)) == 3
    firsts = {group[nested_order(np.zeros(20, dtype=int), rng, group)][0] for _ in range(50)}
    assert firsts == {3, 5, 9, 11}


def test_bootstrap_samples_keep_the_size_of_every_class_and_leave_out_a_third(rng):
    y = rng.permutation(np.repeat([0, 1, 2], [300, 200, 100]))
    held_out = []
    for _ in range(20):
        rows = bootstrap_sample(y, rng)
        np.testing.assert_array_equal(np.bincount(y[rows]), np.bincount(y))
        held_out.append(1 - len(np.unique(rows)) / 600)
    assert np.mean(held_out) == pytest.approx(np.exp(-1), abs=0.01)


def test_groups_are_drawn_whole_and_until_every_class_is_there(rng):
    group = np.repeat(np.arange(6), 3)
    y = np.repeat([0, 0, 0, 0, 0, 1], 3)  # one group has the second class
    for _ in range(20):
        rows = bootstrap_sample(y, rng, group)
        times = np.bincount(rows, minlength=18).reshape(6, 3)
        assert (times == times[:, :1]).all()
        assert times.sum() == 18
        assert times[5, 0] >= 1
        assert (times == 0).any()


def test_groups_that_allow_no_sample_are_refused(rng):
    with pytest.raises(ValueError, match="none of 1000 draws of the 2 groups has all classes"):
        bootstrap_sample(np.array([0, 0, 1]), rng, np.array([0, 0, 1]))


@pytest.fixture(scope="module")
def wine():
    return make({"sklearn": "wine"}, 0, "wine", 0)


@pytest.mark.parametrize("method", methods.METHODS)
def test_copies_are_weights_where_the_method_knows_weights(wine, method):
    fitted, scored = np.repeat([0, 70, 71, 150, 160], [3, 1, 2, 1, 1]), np.array([5, 80])
    method = methods.get(method)
    bound = data_of_rows(wine, fitted, scored, method)
    rows = bound.X * bound.scale + bound.centre
    np.testing.assert_array_equal(bound.rows_score, scored)
    if method.weights == "none":
        np.testing.assert_allclose(rows, wine.X[fitted], rtol=1e-12, atol=1e-12)
        assert bound.weight is None
    else:
        np.testing.assert_allclose(rows, wine.X[[0, 70, 71, 150, 160]], rtol=1e-12, atol=1e-12)
        assert bound.weight.tolist() == [3, 1, 2, 1, 1]
        weighted = replace(wine, sample_weight=np.arange(178) + 1.0)
        bound = data_of_rows(weighted, fitted, scored, method)
        assert bound.weight.tolist() == [3, 71, 144, 151, 161]
        assert bound.weight_score.tolist() == [6, 81]
    assert data_of_rows(wine, np.unique(fitted), scored, method).weight is None


def test_rows_of_weight_zero_are_not_drawn(wine):
    """Class 0 has two training rows of positive weight among many: a draw of all rows would mostly lose it."""
    folds = split(wine.y, 3, 0.3, 0)
    kept = np.append(np.flatnonzero((wine.y == 0) & (folds != TEST))[:2], np.flatnonzero(wine.y > 0))
    weighted = replace(wine, sample_weight=np.isin(np.arange(178), kept).astype(float))
    rows = training_rows(weighted, folds)
    np.testing.assert_array_equal(rows, np.intersect1d(kept, np.flatnonzero(folds != TEST)))
    for seed in range(5):
        bound = bootstrap_data(weighted, folds, np.random.default_rng(seed), methods.get("knn"))
        assert bound.weight.sum() == len(rows)
        assert set(bound.rows_score) < set(rows)
