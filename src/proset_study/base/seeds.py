"""Random numbers keyed by what they are for, so that no result depends on the order of execution."""

import hashlib

import numpy as np


def seed_sequence(seed: int, *key: str | int) -> np.random.SeedSequence:
    """The study's seed for one purpose, say ("split", "wine", 0); different keys give independent streams."""
    digest = hashlib.sha256(repr(key).encode()).digest()
    words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4)]
    return np.random.SeedSequence([seed, *words])


def generator(seed: int, *key: str | int) -> np.random.Generator:
    """A NumPy generator for one purpose; see `seed_sequence`.

    >>> generator(0, "split", "wine", 0).random() == generator(0, "split", "wine", 0).random()
    True
    >>> generator(0, "split", "wine", 0).random() == generator(0, "split", "wine", 1).random()
    False
    """
    return np.random.default_rng(seed_sequence(seed, *key))


def integer_seed(seed: int, *key: str | int) -> int:
    """A seed in 0..2^31 - 1 for libraries that take integers; see `seed_sequence`."""
    return int(seed_sequence(seed, *key).generate_state(1)[0] >> 1)
