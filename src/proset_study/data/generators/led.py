"""Digits on a display of seven segments, each of which may be faulty.

L. Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone, Classification and Regression Trees (1984), section 2.6.1.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from proset_study.base.settings import integer, number, setting
from proset_study.data.generators.posterior import Posterior

# Of 0 to 9: the upper bar, upper left, upper right, middle, lower left, lower right and lower bar.
_DIGITS = "1110111 0010010 1011101 1011011 0111010 1101011 1101111 1010010 1111111 1111011"
_SEGMENTS = np.array([[float(segment) for segment in digit] for digit in _DIGITS.split()])  # (10, 7)


@dataclass(frozen=True)
class Led(Posterior):
    """A digit, all equally frequent, as seven features of 0 and 1, each flipped on its own; further ones are random."""

    description = "Ten digits on a faulty display, by Breiman, Friedman, Olshen and Stone."

    flip: float = setting(number("Probability that a segment is wrong.", exclusiveMinimum=0, maximum=0.5), 0.1)
    irrelevant: int = setting(integer("Features that are 0 or 1 at random; there are 0 or 17 in the source.", 0), 0)

    @property
    def shape(self):
        return 7 + self.irrelevant, 10

    @property
    def relevant(self):
        return 7 if self.irrelevant else None

    def points(self, n, rng):
        shown = np.abs(_SEGMENTS[rng.integers(10, size=n)] - (rng.random((n, 7)) < self.flip))
        return np.hstack([shown, rng.integers(2, size=(n, self.irrelevant))])

    def posterior(self, X):
        wrong = cdist(X[:, :7], _SEGMENTS, "cityblock")
        joint = (self.flip / (1 - self.flip)) ** wrong
        return joint / joint.sum(axis=1, keepdims=True)
