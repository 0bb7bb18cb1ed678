import numpy as np

from proset_study.data.generators.checker import Checker


def test_checkerboard():
    data = Checker(squares=4, samples_per_square=50).draw(np.random.default_rng(0))
    assert data.X.shape == (800, 2)
    assert 0 <= data.X.min() <= data.X.max() <= 1
    squares = np.floor(4 * data.X)
    assert ((squares[:, 0] + squares[:, 1]) % 2 == data.y).all()


def test_rotated_checkerboard_is_the_checkerboard_turned_about_its_centre():
    flat, turned = (Checker(squares=2, angle=angle).draw(np.random.default_rng(0)) for angle in (0, 45))
    assert (flat.y == turned.y).all()
    c = np.sqrt(0.5)
    x, y = (flat.X - 0.5).T
    np.testing.assert_allclose(turned.X - 0.5, np.column_stack([c * (x - y), c * (x + y)]), atol=1e-12)
    assert (Checker(squares=2, angle=45).probabilities(turned.X).argmax(axis=1) == turned.y).all()
