import numpy as np
import pytest

from proset_study.data.generators import friedman
from proset_study.data.generators.friedman import Friedman


@pytest.mark.parametrize("problem", [1, 2, 3])
def test_median_and_deviation_of_each_function(problem):
    generated = Friedman(problem=problem)
    values = generated._function(generated.points(400_000, np.random.default_rng(0)))
    deviation = friedman._DEVIATIONS[problem]
    assert np.median(values) == pytest.approx(friedman._MEDIANS[problem], abs=0.005 * deviation)
    assert values.std() == pytest.approx(deviation, rel=0.01)


def test_functions_by_hand():
    first = Friedman()._function(np.array([[0.5, 1.0, 0.0, 0.2, 0.4]]))
    assert first[0] == pytest.approx(10 + 5 + 2 + 2)
    x = np.array([[3.0, 4.0, 1.125, 2.0]])  # reactance 4.5 - 1 / 8 = 4.375
    assert Friedman(problem=2)._function(x)[0] == pytest.approx(np.sqrt(9 + 4.375**2))
    assert Friedman(problem=3)._function(x)[0] == pytest.approx(np.arctan(4.375 / 3))
