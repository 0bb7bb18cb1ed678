import numpy as np
import pytest
from scipy.stats import multivariate_normal

from proset_study.data.generators.gaussians import Gaussians


@pytest.mark.parametrize("covariances", ["shared", "own"])
def test_probabilities_are_those_of_the_densities(covariances):
    gaussians = Gaussians(covariances=covariances, features=5, classes=4)
    X = gaussians.points(300, np.random.default_rng(0))
    distributions = gaussians._distributions()
    full = [(mean, axes @ np.diag(deviations**2) @ axes.T) for mean, deviations, axes in distributions]
    densities = np.column_stack([multivariate_normal(*moments).pdf(X) for moments in full])
    np.testing.assert_allclose(gaussians.probabilities(X), densities / densities.sum(axis=1, keepdims=True), atol=1e-9)
    assert np.allclose(full[0][1], full[1][1]) == (covariances == "shared")
    assert all(np.linalg.eigvalsh(covariance).min() > 0.24 for _, covariance in full)


def test_separation_is_the_distance_of_means_on_average():
    means = [[d[0] for d in Gaussians(features=20, classes=2, problem_seed=s)._distributions()] for s in range(100)]
    distances = [np.sum((one - other) ** 2) for one, other in means]
    assert np.sqrt(np.mean(distances)) == pytest.approx(3, abs=0.15)
