import numpy as np
import pytest

from proset_study.data import generators
from proset_study.data.sources import make, random_numbers


@pytest.fixture(scope="session")
def drawn():
    """A data set by the settings of its entry in the config, and the true class probabilities of its samples."""

    def draw(generator, replicate=0, **settings):
        data = make({"generator": generator, **settings}, 0, "d", replicate)
        generated = generators.get(generator).of(settings)
        return data, generated.probabilities(data.X, random_numbers(0, "d", replicate))

    return draw


@pytest.fixture(scope="session")
def assert_calibrated():
    """True probabilities are the proportions of the classes, within 4.5 standard errors, however probable they are."""

    def check(data, truth):
        np.testing.assert_allclose(truth.sum(axis=1), 1.0)
        is_class = np.eye(truth.shape[1])[data.y]
        for low in np.arange(0, 1.1, 0.1):
            inside = (truth >= low) & (truth < low + 0.1)
            if n := inside.sum():
                p = truth[inside]
                deviation = 4.5 * np.sqrt((p * (1 - p)).sum()) / n
                assert is_class[inside].mean() == pytest.approx(p.mean(), abs=deviation + 1e-9)

    return check
