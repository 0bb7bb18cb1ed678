import numpy as np
import pytest
from tests.proset_study.methods.small import fit

THRESHOLDS = (0.1, 2.0, 1000.0)


@pytest.fixture
def noisy(rng):
    """Three classes of unequal size that differ in two of twelve features, and a constant one."""
    y = np.repeat([0, 1, 2], [60, 40, 20])
    X = rng.normal(size=(120, 13))
    X[:, 0] += 3.0 * (y == 1)
    X[:, 1] += 3.0 * (y == 2)
    X[:, 12] = 0.0
    return X, y


def test_a_larger_threshold_leaves_fewer_features(noisy):
    numbers = [fit("nearest_shrunken_centroids", *noisy, shrink_threshold=t).summary() for t in THRESHOLDS]
    assert [found["active_features"] for found in numbers[1:]] == [2, 0]
    assert 10 <= numbers[0]["active_features"] <= 12


def test_probabilities_are_those_of_the_discriminant_scores(noisy):
    """Eq. 18.2 and 18.4 of Hastie, Tibshirani and Friedman (2009), from the definition."""
    X, y = noisy
    fitted = fit("nearest_shrunken_centroids", X, y, shrink_threshold=2.0)
    varied = X[:, :12]  # in the formula the constant one would be 0 / 0
    n, sizes = len(y), np.bincount(y)
    means, overall = np.array([varied[y == k].mean(axis=0) for k in range(3)]), varied.mean(axis=0)
    s = np.sqrt(((varied - means[y]) ** 2).sum(axis=0) / (n - 3))
    with_constant = np.append(s, 0.0)
    spread = np.sqrt(1 / sizes - 1 / n)[:, None] * (s + np.median(with_constant))
    deviations = (means - overall) / spread
    shrunken = overall + spread * np.sign(deviations) * np.maximum(np.abs(deviations) - 2.0, 0.0)
    scores = (((varied[:, None] - shrunken) / s) ** 2).sum(axis=2) - 2 * np.log(sizes / n)
    expected = np.exp(-scores / 2)
    np.testing.assert_allclose(fitted.predict_proba(X), expected / expected.sum(axis=1, keepdims=True), rtol=1e-9)
    two = fit("nearest_shrunken_centroids", X[y < 2], y[y < 2], shrink_threshold=2.0).predict_proba(X)
    np.testing.assert_allclose(two.sum(axis=1), 1.0)
    assert np.mean(two.argmax(axis=1)[y < 2] == y[y < 2]) > 0.8


def test_shrunken_to_one_point_it_is_the_class_prior(noisy):
    X, y = noisy
    prior = fit("nearest_shrunken_centroids", X, y, shrink_threshold=1000.0).predict_proba(X)
    np.testing.assert_allclose(prior, np.tile(np.bincount(y) / len(y), (len(y), 1)))
