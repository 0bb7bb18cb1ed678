import numpy as np

from proset_study.base.seeds import generator, integer_seed


def test_same_key_same_draws_and_other_key_other_draws():
    keys = [
        ("data", "wine", 0),
        ("data", "wine", 1),
        ("split", "wine", 0),
        ("data", "w", "ine", 0),
        ("data", "wine", "0"),
    ]
    draws = [generator(5, *key).random(4).tolist() for key in keys]
    assert len({tuple(d) for d in draws}) == len(keys)
    assert generator(5, *keys[0]).random(4).tolist() == draws[0]
    assert generator(6, *keys[0]).random(4).tolist() != draws[0]


def test_draws_are_the_same_for_ever():
    """Golden: a change of the keying would make every stored result irreproducible."""
    assert integer_seed(20210, "split", "wine", 0) == 916309233
    np.testing.assert_allclose(
        generator(20210, "data", "checker", 0).random(2), [0.9824194060333038, 0.7803708887709129]
    )
