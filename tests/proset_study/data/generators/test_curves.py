import numpy as np
import pytest
from scipy.special import i0e
from sklearn.datasets import make_moons

from proset_study.data.generators.curves import Curves


@pytest.mark.parametrize("curve", ["moons", "circles", "spirals"])
@pytest.mark.parametrize("noise", [0.05, 0.3])
def test_probabilities_are_those_of_a_sum_along_the_curves(curve, noise):
    generated = Curves(curve=curve, noise=noise)
    X = generated.points(50, np.random.default_rng(0))
    curves = generated._curves((np.arange(10_000) + 0.5) / 10_000)
    squares = np.array([[((x - c) ** 2).sum(axis=1) for c in curves] for x in X])
    nearest = squares.min(axis=(1, 2), keepdims=True)
    densities = np.exp((nearest - squares) / (2 * noise**2)).sum(axis=2)
    expected = densities / densities.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(generated.probabilities(X), expected, atol=1e-4)


def test_circles_have_their_closed_form():
    X = np.random.default_rng(0).uniform(-1.2, 1.2, (200, 2))
    radius = np.hypot(*X.T)
    densities = [np.exp(-((radius - r) ** 2) / 0.08) * i0e(radius * r / 0.04) for r in (1.0, 0.5)]
    np.testing.assert_allclose(
        Curves(curve="circles").probabilities(X).T, densities / np.sum(densities, axis=0), atol=1e-4
    )


def test_moons_are_those_of_scikit_learn():
    X, y = make_moons(202, shuffle=False)
    ours = Curves()._curves(np.linspace(0, 1, 101))
    np.testing.assert_allclose(np.vstack(ours), X, atol=1e-12)
    assert y.tolist() == [0] * 101 + [1] * 101


def test_arms_of_the_spirals_are_one_apart():
    first, second = Curves(curve="spirals")._curves(np.linspace(0, 1, 2001))
    assert np.hypot(*first[0]) == pytest.approx(6.5)
    assert np.hypot(*first[-1]) == pytest.approx(0.5)
    distances = np.sqrt(((first[:1500, None] - second[None]) ** 2).sum(axis=2)).min(axis=1)
    np.testing.assert_allclose(distances, 1, atol=0.05)
