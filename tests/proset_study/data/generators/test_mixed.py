from functools import partial

import numpy as np
import pytest

from proset_study.data.dataset import MISSING
from proset_study.data.generators.mixed import Mixed
from proset_study.data.sources import random_numbers


@pytest.fixture
def mixed(drawn):
    return partial(drawn, "mixed")


def test_columns_codes_and_test_part(mixed):
    data, truth = mixed(samples=700, test_samples=300, numbers=2, categories=4, levels=5)
    assert data.X.shape == (1000, 6)
    assert data.feature_names.tolist() == ["x1", "x2", "c1", "c2", "c3", "c4"]
    assert (data.test.sum(), data.test[:700].any()) == (300, False)
    assert data.n_features == 2 + 4 * 5
    assert data.impute is None
    assert not np.isnan(data.X).any()
    codes = data.X[:, 2:].astype(int)
    assert (data.category_column[codes] == np.arange(2, 6)).all()
    assert (data.categories[codes] == np.char.add("level ", (codes % 5).astype(str))).all()
    assert (truth[np.arange(1000), data.y] == 1).all()  # nothing is missing, no label is wrong


@pytest.mark.parametrize(
    "settings",
    [
        {"label_noise": 0.2},
        {"missing_at_random": 0.4},
        {"missing_by_value": 0.4},
        {"missing_by_value": 0.5, "levels": 3},
        {"informative": 3, "missing_at_random": 0.2, "missing_by_value": 0.3, "label_noise": 0.1},
        {"informative": 2, "numbers": 2, "levels": 7, "missing_by_value": 0.2},
    ],
)
def test_probabilities_are_the_proportions_of_the_classes(mixed, assert_calibrated, settings):
    assert_calibrated(*mixed(**settings, test_samples=60_000))


def test_values_are_missing_at_random_and_by_value(mixed):
    complete, _ = mixed(test_samples=60_000)
    for key in ("missing_at_random", "missing_by_value"):
        data, _ = mixed(test_samples=60_000, **{key: 0.3})
        gaps = np.isnan(data.X)
        np.testing.assert_allclose(gaps.mean(axis=0), 0.3, atol=0.01)
        assert (data.X[~gaps] == complete.X[~gaps]).all()
        of_x = [gaps[:, 0][part].mean() for part in (complete.X[:, 0] < 0, complete.X[:, 0] > 0)]
        of_c = [gaps[complete.X[:, 3] == level, 3].mean() for level in range(4)]
        by_value = key == "missing_by_value"
        np.testing.assert_allclose(of_x, [0.15, 0.45] if by_value else [0.3, 0.3], atol=0.015)
        np.testing.assert_allclose(of_c, [0.0, 0.2, 0.4, 0.6] if by_value else [0.3] * 4, atol=0.015)


def test_neither_numbers_nor_categories_say_anything_alone(mixed):
    data, _ = mixed(test_samples=60_000)
    rates = [data.y[part].mean() for part in (data.X[:, 0] > 0, data.X[:, 3] == 0, data.X[:, 3] == 1)]
    np.testing.assert_allclose(rates, 0.5, atol=0.02)


def test_each_replicate_is_another_problem(mixed):
    found = {tuple(mixed(replicate)[1][:50, 1]) for replicate in range(6)}
    assert len(found) == 6
    data, _ = mixed()
    tables = {Mixed().probabilities(data.X, random_numbers(0, "d", r))[:, 1].tobytes() for r in range(12)}
    assert len(tables) > 2  # of six ways to reverse two levels of four


def test_a_missing_category_is_one_where_numbers_are_imputed(mixed):
    data, _ = mixed(missing_at_random=0.2, impute="median")
    assert (data.categories == MISSING).sum() == 3
    assert data.category_column[-3:].tolist() == [3, 4, 5]
    assert data.n_features == 3 + 3 * 5
    assert (mixed(missing_at_random=0.2, impute="most_frequent")[0].categories == MISSING).sum() == 0


def test_too_few_samples_for_both_classes_are_refused(mixed):
    with pytest.raises(ValueError, match=r"data_sets.d: test_samples: 1 is not allowed, with so few some class has no"):
        mixed(test_samples=1)
