from dataclasses import replace

import numpy as np
import pytest

from proset_study.data.generators.mixture import Mixture
from proset_study.data.sources import make

FOUR = Mixture(samples_per_class=50_000, components=4, means_seed=7)


def test_mixture_of_gaussians():
    generated = Mixture(samples_per_class=20_000)
    data, means = generated.draw(np.random.default_rng(0)), generated.means()
    assert data.X.shape == (60_000, 2)
    assert np.bincount(data.y).tolist() == [20_000] * 3
    for k in range(3):
        X = data.X[data.y == k]
        np.testing.assert_allclose(X.mean(axis=0), means[k].mean(axis=0), atol=0.03)
        expected = np.cov(means[k].T, ddof=0) + np.eye(2) / 5
        np.testing.assert_allclose(np.cov(X.T), expected, atol=0.05)


def test_means_of_a_mixture_belong_to_the_data_set_and_samples_to_the_replicate():
    """With one component, the mean of many samples shows the mean of the component."""
    settings = {"generator": "mixture", "samples_per_class": 5_000, "components": 1}
    data = [make(settings, seed, name, replicate) for seed, name, replicate in [(0, "m", 0), (0, "m", 1), (1, "n", 0)]]
    means = Mixture(components=1).means()
    for other in data[1:]:
        assert (other.X != data[0].X).any(axis=1).all()
        for k in range(3):
            np.testing.assert_allclose(other.X[other.y == k].mean(axis=0), means[k, 0], atol=0.04)
    assert np.abs(Mixture(components=1, means_seed=1).means() - means).min() > 0.001


def test_bayes_error_of_a_mixture():
    """As the rule that knows the densities has on many samples; a finer grid gives the same."""
    data, error = FOUR.draw(np.random.default_rng(0)), FOUR.bayes_error()
    assert np.mean(FOUR.probabilities(data.X).argmax(axis=1) != data.y) == pytest.approx(error, abs=0.005)
    assert FOUR.bayes_error(0.01) == pytest.approx(error, abs=1e-4)


def test_probabilities_of_a_mixture_by_hand():
    one = replace(FOUR, components=1, means_seed=3)
    X, means = np.array([[0.3, -0.2]]), one.means()[:, 0]
    normal = [np.exp(-0.5 * (X[0] - mean) @ np.linalg.inv(np.eye(2) / 5) @ (X[0] - mean)) for mean in means]
    np.testing.assert_allclose(one.probabilities(X), [np.array(normal) / sum(normal)])
