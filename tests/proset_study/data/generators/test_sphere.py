import numpy as np
import pytest

from proset_study.data.generators.sphere import Sphere


@pytest.mark.parametrize("settings", [{}, {"marginal": "uniform", "features": 4}, {"classes": 5, "features": 3}])
def test_shells_are_equally_frequent_and_their_number_grows_outwards(settings):
    sphere = Sphere(**settings, samples=100_000, test_samples=10_000)
    data = sphere.draw(np.random.default_rng(0))
    np.testing.assert_allclose(np.bincount(data.y) / len(data.y), 1 / sphere.classes, atol=0.006)
    assert (np.diff(data.y[np.argsort((data.X**2).sum(axis=1))]) >= 0).all()


def test_the_border_of_ten_normal_features_is_that_of_the_source():
    """The median of chi-square with ten degrees of freedom, 9.34."""
    inside, outside = (np.full((1, 10), np.sqrt(square / 10)) for square in (9.33, 9.35))
    assert Sphere().probabilities(inside).tolist() == [[1, 0]]
    assert Sphere().probabilities(outside).tolist() == [[0, 1]]
