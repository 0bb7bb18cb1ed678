import numpy as np
import pytest

from proset_study.data.generators.turned_xor import TurnedXor
from proset_study.data.generators.xor import Xor


@pytest.mark.parametrize("features", [2, 3, 5])
def test_no_boundary_is_parallel_to_an_axis(features):
    """Rows of the rotation are the normals of the boundaries."""
    rotation = TurnedXor(features)._rotation()
    assert np.allclose(rotation @ rotation.T, np.eye(features))
    assert (abs(rotation) < 1 - 1e-9).all()


def test_turned_back_it_is_xor(rng):
    turned = TurnedXor(3, angle=30.0)
    data = turned.draw(rng)
    points = data.X @ turned._rotation().T
    assert abs(points).max() <= 1.0
    assert np.array_equal(Xor(3).probabilities(points).argmax(axis=1), data.y)
    assert np.array_equal(turned.probabilities(data.X).argmax(axis=1), data.y)
    assert abs(data.X).max() > 1.0


def test_no_angle_is_xor(rng):
    X = rng.uniform(-1.0, 1.0, (50, 4))
    assert np.array_equal(TurnedXor(4, angle=0.0).probabilities(X), Xor(4).probabilities(X))
