import numpy as np
import pytest

from proset_study.data.generators import mixture_bayes_error, mixture_means, mixture_probabilities
from proset_study.data.sources import make


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
