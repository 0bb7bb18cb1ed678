import numpy as np

from proset_study.data.generators.xor import Xor


def test_xor_with_irrelevant_features():
    generated = Xor(features=3, irrelevant=2)
    data = generated.draw(np.random.default_rng(0))
    assert data.X.shape == (800, 5)
    assert -1 <= data.X.min() <= data.X.max() <= 1
    assert (data.y == (np.sign(data.X[:, 0]) * np.sign(data.X[:, 1]) * np.sign(data.X[:, 2]) > 0)).all()
    assert generated.relevant == 3
    assert Xor(features=3).relevant is None
