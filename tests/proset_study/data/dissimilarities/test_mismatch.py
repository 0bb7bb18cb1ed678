from itertools import product

import numpy as np
import pytest

from proset_study.data.dissimilarities import mismatch
from proset_study.data.dissimilarities.mismatch import ALPHABET, distances

EVERYTHING = slice(None), slice(None)


def slow(strings, letters, k, m):
    """From the definition: a vector with an entry for every word of k letters."""

    def entry(string, word):
        there = (string[i : i + k] for i in range(len(string) - k + 1))
        return sum(sum(x != y for x, y in zip(word, found, strict=True)) <= m for found in there)

    vectors = np.array([[entry(s, word) for word in product(letters, repeat=k)] for s in strings], dtype=float)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.linalg.norm(unit[:, None] - unit, axis=2)


@pytest.mark.parametrize(("k", "m"), [(1, 0), (2, 1), (3, 1), (3, 2), (4, 1), (4, 2), (5, 1)])
def test_it_is_the_distance_of_the_vectors_of_all_words(k, m, rng, monkeypatch):
    monkeypatch.setattr(mismatch, "ALPHABET", "ACD")
    strings = ["".join(rng.choice(list("ACD"), size)) for size in (5, 5, 8, 13, 21)]
    np.testing.assert_allclose(distances(strings, k, m)(*EVERYTHING), slow(strings, "ACD", k, m), atol=1e-7)


def test_symmetry_zero_diagonal_and_blocks(rng):
    strings = ["".join(rng.choice(list(ALPHABET), size)) for size in rng.integers(20, 90, 30)]
    found = distances(strings)(*EVERYTHING)
    assert found.tobytes() == found.T.tobytes()
    assert (found.diagonal() == 0).all()
    assert distances(strings[10:])(slice(3, 9), slice(1)).tobytes() == found[13:19, 10:11].tobytes()


def test_the_order_of_letters_in_the_alphabet_does_not_matter(rng):
    strings = ["".join(rng.choice(list(ALPHABET[:6]), 40)) for _ in range(8)]
    renamed = [s.translate(str.maketrans(ALPHABET, ALPHABET[::-1])) for s in strings]
    assert distances(strings)(*EVERYTHING).tobytes() == distances(renamed)(*EVERYTHING).tobytes()


@pytest.mark.parametrize(
    ("items", "settings", "message"),
    [
        (["ACDEF", "ACDÄF"], {}, "items: 'Ä' in row 2 is not allowed"),
        (["AC", "AD"], {"k": 9}, "k: 9 is not allowed, must be a whole number from 1 to 8"),
        (["AC", "AD"], {"k": 2, "m": 0.5}, "m: 0.5 is not allowed, must be a whole number from 0 to 2"),
    ],
)
def test_other_items_are_refused(items, settings, message):
    with pytest.raises(ValueError, match=message):
        distances(items, **settings)
