"""Distances of strings from the (k, m)-mismatch kernel.

A string is mapped to a vector with an entry for each word of k letters: the number of places where the string has that
word, up to m letters that differ. The kernel is the inner product of two such vectors divided by their norms, the
distance of two strings the Euclidean one of the vectors of length 1: sqrt(2 - 2 kernel).

Inner products are whole numbers, exact on every machine, and are found without the vectors. Two words at Hamming
distance d have N(d) words within m of both, which is 0 for d > 2 m. How many pairs of words of two strings are at
distance d follows from how many agree at given positions, by binomial inversion; for d <= 2 m, sets of at least k - 2 m
positions are enough: for k = 5 and m = 1 they are 16.

C. S. Leslie, E. Eskin, A. Cohen, J. Weston and W. S. Noble, Mismatch string kernels for discriminative protein
classification, Bioinformatics 20 (2004), 467-476.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from proset_study.base.ranges import Range

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ITEMS = "strings"
PARAMETERS = {"k": Range(1, 8, integer=True), "m": Range(0, 2, integer=True)}
ALPHABET = "ACDEFGHIKLMNPQRSTVWY"  # amino acids


def distances(items: Sequence[str], k: int = 5, m: int = 1) -> Callable[[slice, slice], np.ndarray]:
    """Distances of strings of letters of `ALPHABET`, as a function of two slices of them.

    Words have k letters, of which up to m, less than k, may differ. ValueError if a parameter is out of range, or a
    string is too short or has other letters.

    With single letters and no mismatch, vectors count letters: (2, 1) and (1, 1) of A and C.

    >>> distances(["AAC", "AC"], k=1, m=0)(slice(2), slice(2)).round(6).tolist()
    [[0.0, 0.320364], [0.320364, 0.0]]
    >>> round((2 - 2 * 3 / (5 * 2) ** 0.5) ** 0.5, 6)
    0.320364
    """
    _check(items, k, m)
    k, m = int(k), int(m)
    coefficients = _coefficients(k, m)
    counts = [(coefficients[len(positions)], words) for positions, words in _words(items, k, m)]
    norms = sum(coefficient * words.multiply(words).sum(axis=1) for coefficient, words in counts)

    def block(rows: slice, columns: slice) -> np.ndarray:
        products = np.zeros((len(norms[rows]), len(norms[columns])), dtype=np.int64)
        for coefficient, words in counts:
            products += coefficient * (words[rows] @ words[columns].T).toarray()
        kernel = products / np.sqrt(norms[rows, None] * norms[columns].astype(np.float64))
        return np.sqrt(np.maximum(2.0 - 2.0 * kernel, 0.0))

    return block


def _check(items, k, m):
    for name, value in (("k", k), ("m", m)):
        PARAMETERS[name].check(name, value)
    if m >= k:
        raise ValueError(f"m: {m} is not allowed, must be less than k={k}")
    for number, item in enumerate(items):
        if other := set(item) - set(ALPHABET):
            raise ValueError(f"items: {min(other)!r} in row {number + 1} is not allowed, letters are {ALPHABET}")
        if len(item) < k:
            raise ValueError(f"items: row {number + 1} has {len(item)} letters, must have at least k={k}")


def _words(items, k, m) -> "Iterator[tuple[tuple[int, ...], csr_array]]":
    """Words at each set of positions: how often each string has each of them, one column per word."""
    from scipy.sparse import csr_array

    code = np.full(128, -1)
    code[np.frombuffer(ALPHABET.encode(), dtype=np.uint8)] = np.arange(len(ALPHABET))
    letters = code[np.frombuffer("".join(items).encode(), dtype=np.uint8)]
    lengths = np.array([len(item) for item in items])
    string = np.repeat(np.arange(len(items)), lengths - k + 1)
    first = np.arange(len(string)) + (k - 1) * string  # of each word
    for size in range(max(0, k - 2 * m), k + 1):
        for positions in combinations(range(k), size):
            number = np.zeros(len(first), dtype=np.int64)
            for position in positions:
                number = len(ALPHABET) * number + letters[first + position]
            different, column = np.unique(number, return_inverse=True)
            shape = len(items), len(different)
            words = csr_array((np.ones(len(first), dtype=np.int64), (string, column)), shape=shape)
            words.sum_duplicates()
            yield positions, words


def _coefficients(k: int, m: int) -> list[int]:
    """What a pair of words that agree at a set of positions counts, by the size of the set."""
    found = [0] * (k + 1)
    for distance in range(min(2 * m, k) + 1):
        agree = k - distance
        for size in range(agree, k + 1):
            found[size] += (-1) ** (size - agree) * comb(size, agree) * _within_reach(k, m, distance)
    return found


def _within_reach(k: int, m: int, distance: int) -> int:
    """N(d): words within m of both of two words at a Hamming distance.

    Where the two differ, such a word has the letter of the first at `i` positions, of the second at `j`, another one
    elsewhere; where they agree, it differs from both at `t`.
    """
    letters, found = len(ALPHABET), 0
    for t in range(min(m, k - distance) + 1):
        for i in range(max(0, distance + t - m), distance + 1):
            for j in range(max(0, distance + t - m), distance - i + 1):
                choices = comb(distance, i) * comb(distance - i, j) * (letters - 2) ** (distance - i - j)
                found += choices * comb(k - distance, t) * (letters - 1) ** t
    return found
