from functools import partial

import numpy as np
import pytest
from scipy.stats import norm

from proset_study.data.generators.clusters import Clusters
from proset_study.data.sources import random_numbers


@pytest.fixture
def clusters(drawn):
    return partial(drawn, "clusters")


def probabilities(X, **settings):
    return Clusters(**settings).probabilities(X, random_numbers(0, "d", 0))


def test_clusters_come_with_their_test_part_and_exact_frequencies(clusters):
    data, _ = clusters(samples=1400, test_samples=700, classes=3, imbalance=4, irrelevant=3, order=4)
    assert data.X.shape == (2100, 4 + 3)
    assert np.bincount(data.y[~data.test]).tolist() == [800, 400, 200]
    assert np.bincount(data.y[data.test]).tolist() == [400, 200, 100]


def test_bayes_error_of_two_clusters_by_hand(clusters):
    """Of deviation 0.3 and apart by 1, on a line; label noise takes its share of what is left."""
    error = norm.sf(0.5 / 0.3)
    for noise, expected in ((0.0, error), (0.1, 0.9 * error + 0.1 * (1 - error))):
        data, truth = clusters(order=1, clusters_per_class=1, label_noise=noise, test_samples=200_000)
        assert 1 - truth.max(axis=1).mean() == pytest.approx(expected, abs=0.001)
        assert np.mean(truth.argmax(axis=1) != data.y) == pytest.approx(expected, abs=0.003)
    middle = probabilities(np.zeros((1, 5)), order=1, clusters_per_class=1)
    np.testing.assert_allclose(middle, [[0.5, 0.5]])  # half way between them


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"classes": 5, "label_noise": 0.3},
        {"order": 5, "classes": 3, "angle": 25.0},
        {"imbalance": 20, "correlation": 0.9},
        {"order": 1, "classes": 4, "clusters_per_class": 2, "irrelevant": 0},
    ],
)
def test_probabilities_of_clusters_are_the_proportions_of_the_classes(clusters, assert_calibrated, settings):
    """The Bayes rule has the error that its probabilities say, and no other point of a cell is better known."""
    data, truth = clusters(**settings, test_samples=60_000)
    assert_calibrated(data, truth)
    assert np.mean(truth.argmax(axis=1) != data.y) == pytest.approx(1 - truth.max(axis=1).mean(), abs=0.005)


def test_properties_of_clusters_are_those_asked_for(clusters):
    plain, truth = clusters(test_samples=20_000)
    noisy, with_noise = clusters(test_samples=20_000, label_noise=0.2)
    assert (plain.X == noisy.X).all()
    assert np.mean(plain.y != noisy.y) == pytest.approx(0.2, abs=0.01)
    np.testing.assert_allclose(with_noise, 0.8 * truth + 0.2 * (1 - truth))
    turned, same = clusters(test_samples=20_000, angle=40)
    np.testing.assert_allclose(same, truth, atol=1e-9)
    c, s = np.cos(np.radians(40)), np.sin(np.radians(40))
    np.testing.assert_allclose(turned.X[:, :2], plain.X[:, :2] @ [[c, s], [-s, c]], atol=1e-12)
    copied = np.corrcoef(clusters(test_samples=20_000, correlation=0.6)[0].X.T)
    np.testing.assert_allclose([copied[0, 2], copied[1, 3], copied[0, 4], copied[0, 3]], [0.6, 0.6, 0.6, 0], atol=0.04)
    np.testing.assert_allclose(np.corrcoef(plain.X.T)[2:, :2], 0, atol=0.03)


def test_order_is_the_number_of_features_that_have_to_be_known_together(clusters):
    """With each further feature left out, the two classes are equally likely; with it, the Bayes error is the same."""
    data, truth = clusters(order=4, test_samples=20_000)
    for missing in (2, 3):
        flipped = data.X.copy()
        flipped[:, missing] *= -1
        np.testing.assert_allclose(truth + probabilities(flipped, order=4), 1.0)
    assert truth.max(axis=1).mean() == pytest.approx(clusters(test_samples=20_000)[1].max(axis=1).mean(), abs=0.005)


def test_each_replicate_of_clusters_is_another_problem(clusters):
    _, first = clusters(0)
    data, second = clusters(1)
    assert np.abs(second - probabilities(data.X)).mean() > 0.1
    assert (first != second).any()
