import numpy as np
import pytest
from scipy.stats import norm

from proset_study.data.generators import (
    clusters_probabilities,
    mixture_bayes_error,
    mixture_means,
    mixture_probabilities,
)
from proset_study.data.sources import make, random_numbers


def test_checkerboard():
    data = make({"generator": "checker", "squares": 4, "samples_per_square": 50}, 0, "c", 0)
    assert data.X.shape == (800, 2)
    assert 0 <= data.X.min() <= data.X.max() <= 1
    squares = np.floor(4 * data.X)
    assert ((squares[:, 0] + squares[:, 1]) % 2 == data.y).all()


def test_rotated_checkerboard_is_the_checkerboard_turned_about_its_centre():
    settings = {"generator": "checker", "squares": 2, "samples_per_square": 100}
    flat = make(settings, 0, "c", 0)
    turned = make({**settings, "angle": 45}, 0, "c", 0)
    assert (flat.y == turned.y).all()
    c = np.sqrt(0.5)
    x, y = (flat.X - 0.5).T
    np.testing.assert_allclose(turned.X - 0.5, np.column_stack([c * (x - y), c * (x + y)]), atol=1e-12)


def test_xor_with_irrelevant_features():
    data = make({"generator": "xor", "features": 3, "samples_per_orthant": 100, "irrelevant": 2}, 0, "x", 0)
    assert data.X.shape == (800, 5)
    assert -1 <= data.X.min() <= data.X.max() <= 1
    assert (data.y == (np.sign(data.X[:, 0]) * np.sign(data.X[:, 1]) * np.sign(data.X[:, 2]) > 0)).all()


def test_mixture_of_gaussians():
    settings = {"generator": "mixture", "samples_per_class": 20_000}
    data = make(settings, 0, "m", 0)
    assert data.X.shape == (60_000, 2)
    assert np.bincount(data.y).tolist() == [20_000] * 3
    means = mixture_means(10, 0)
    for k in range(3):
        X = data.X[data.y == k]
        np.testing.assert_allclose(X.mean(axis=0), means[k].mean(axis=0), atol=0.03)
        expected = np.cov(means[k].T, ddof=0) + np.eye(2) / 5
        np.testing.assert_allclose(np.cov(X.T), expected, atol=0.05)


def test_means_of_a_mixture_belong_to_the_data_set_and_samples_to_the_replicate():
    """With one component, the mean of many samples shows the mean of the component."""
    settings = {"generator": "mixture", "samples_per_class": 5_000, "components": 1}
    data = [make(settings, seed, name, replicate) for seed, name, replicate in [(0, "m", 0), (0, "m", 1), (1, "n", 0)]]
    for other in data[1:]:
        assert (other.X != data[0].X).any(axis=1).all()
        for k in range(3):
            np.testing.assert_allclose(other.X[other.y == k].mean(axis=0), mixture_means(1, 0)[k, 0], atol=0.04)
    assert np.abs(mixture_means(1, 1) - mixture_means(1, 0)).min() > 0.001


def test_bayes_error_of_a_mixture():
    """As the rule that knows the densities has on many samples; a finer grid gives the same."""
    error = mixture_bayes_error(4, 7)
    data = make({"generator": "mixture", "samples_per_class": 50_000, "components": 4, "means_seed": 7}, 0, "m", 0)
    probabilities = mixture_probabilities(data.X, 4, 7)
    assert np.mean(probabilities.argmax(axis=1) != data.y) == pytest.approx(error, abs=0.005)
    assert mixture_bayes_error(4, 7, 0.01) == pytest.approx(error, abs=1e-4)


def test_probabilities_of_a_mixture_are_the_proportions_of_the_classes():
    data = make({"generator": "mixture", "samples_per_class": 50_000, "components": 4, "means_seed": 7}, 0, "m", 0)
    probabilities = mixture_probabilities(data.X, 4, 7)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    for low in np.arange(0, 1, 0.1):
        given, own = ((p >= low) & (p < low + 0.1) for p in (probabilities[:, 0], probabilities[data.y == 0, 0]))
        assert own.sum() / given.sum() == pytest.approx(probabilities[given, 0].mean(), abs=0.02)
    means = mixture_means(1, 3)[:, 0]
    X = np.array([[0.3, -0.2]])
    normal = [np.exp(-0.5 * (X[0] - mean) @ np.linalg.inv(np.eye(2) / 5) @ (X[0] - mean)) for mean in means]
    np.testing.assert_allclose(mixture_probabilities(X, 1, 3), [np.array(normal) / sum(normal)])


def _clusters(replicate=0, **settings):
    """A data set, and the true class probabilities of its samples."""
    data = make({"generator": "clusters", **settings}, 0, "c", replicate)
    known = {key: value for key, value in settings.items() if key != "test_samples"}
    return data, clusters_probabilities(data.X, random_numbers(0, "c", replicate), **known)


def test_clusters_come_with_their_test_part_and_exact_frequencies():
    data, _ = _clusters(samples=1400, test_samples=700, classes=3, imbalance=4, irrelevant=3, order=4)
    assert data.X.shape == (2100, 4 + 3)
    assert np.bincount(data.y[~data.test]).tolist() == [800, 400, 200]
    assert np.bincount(data.y[data.test]).tolist() == [400, 200, 100]


def test_bayes_error_of_two_clusters_by_hand():
    """Of deviation 0.3 and apart by 1, on a line; label noise takes its share of what is left."""
    error = norm.sf(0.5 / 0.3)
    for noise, expected in ((0.0, error), (0.1, 0.9 * error + 0.1 * (1 - error))):
        data, truth = _clusters(order=1, clusters_per_class=1, label_noise=noise, test_samples=200_000)
        assert 1 - truth.max(axis=1).mean() == pytest.approx(expected, abs=0.001)
        assert np.mean(truth.argmax(axis=1) != data.y) == pytest.approx(expected, abs=0.003)


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
def test_probabilities_of_clusters_are_the_proportions_of_the_classes(settings):
    """The Bayes rule has the error that its probabilities say, and no other point of a cell is better known."""
    data, truth = _clusters(**settings, test_samples=60_000)
    np.testing.assert_allclose(truth.sum(axis=1), 1.0)
    assert np.mean(truth.argmax(axis=1) != data.y) == pytest.approx(1 - truth.max(axis=1).mean(), abs=0.005)
    for low in np.arange(0, 1, 0.2):
        inside = (truth >= low) & (truth < low + 0.2)
        if inside.sum() > 2000:
            assert (inside & (np.eye(truth.shape[1])[data.y] == 1)).sum() / inside.sum() == pytest.approx(
                truth[inside].mean(), abs=0.02
            )


def test_properties_of_clusters_are_those_asked_for():
    plain, truth = _clusters(test_samples=20_000)
    noisy, with_noise = _clusters(test_samples=20_000, label_noise=0.2)
    assert (plain.X == noisy.X).all()
    assert np.mean(plain.y != noisy.y) == pytest.approx(0.2, abs=0.01)
    np.testing.assert_allclose(with_noise, 0.8 * truth + 0.2 * (1 - truth))
    turned, same = _clusters(test_samples=20_000, angle=40)
    np.testing.assert_allclose(same, truth, atol=1e-9)
    c, s = np.cos(np.radians(40)), np.sin(np.radians(40))
    np.testing.assert_allclose(turned.X[:, :2], plain.X[:, :2] @ [[c, s], [-s, c]], atol=1e-12)
    copied = np.corrcoef(_clusters(test_samples=20_000, correlation=0.6)[0].X.T)
    np.testing.assert_allclose([copied[0, 2], copied[1, 3], copied[0, 4], copied[0, 3]], [0.6, 0.6, 0.6, 0], atol=0.04)
    np.testing.assert_allclose(np.corrcoef(plain.X.T)[2:, :2], 0, atol=0.03)


def test_order_is_the_number_of_features_that_have_to_be_known_together():
    """With each further feature left out, the two classes are equally likely; with it, the Bayes error is the same."""
    data, truth = _clusters(order=4, test_samples=20_000)
    for missing in (2, 3):
        flipped = data.X.copy()
        flipped[:, missing] *= -1
        other = clusters_probabilities(flipped, random_numbers(0, "c", 0), order=4)
        np.testing.assert_allclose(truth + other, 1.0)
    assert truth.max(axis=1).mean() == pytest.approx(_clusters(test_samples=20_000)[1].max(axis=1).mean(), abs=0.005)


def test_each_replicate_of_clusters_is_another_problem():
    _, first = _clusters(0)
    data, second = _clusters(1)
    other = clusters_probabilities(data.X, random_numbers(0, "c", 0))
    assert np.abs(second - other).mean() > 0.1
    assert (first != second).any()
