"""Waves that are random mixtures of two of three triangles.

L. Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone, Classification and Regression Trees (1984), section 2.6.2.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr, softmax

from proset_study.base.settings import integer, setting
from proset_study.data.generators.posterior import Posterior

_PEAKS = (11, 15, 7)
_TRIANGLES = np.maximum(0.0, 6 - np.abs(np.arange(1, 22) - np.array(_PEAKS)[:, None]))  # (3, 21)
_PAIRS = np.array([(0, 1), (0, 2), (1, 2)])  # the triangles of each class


@dataclass(frozen=True)
class Waveform(Posterior):
    """x = u h + (1 - u) h' + e, with u uniform on [0, 1] and e standard normal; h and h' are the class's triangles."""

    description = "Three classes of noisy waves, by Breiman, Friedman, Olshen and Stone."

    irrelevant: int = setting(
        integer("Standard normal features after the 21 of the wave; there are 0 or 19 in the source.", 0), 0
    )

    @property
    def shape(self):
        return 21 + self.irrelevant, 3

    @property
    def relevant(self):
        return 21 if self.irrelevant else None

    def points(self, n, rng):
        first, second = _TRIANGLES[_PAIRS[rng.integers(3, size=n)].T]
        u, X = rng.random((n, 1)), rng.normal(size=(n, 21 + self.irrelevant))
        X[:, :21] += u * first + (1 - u) * second
        return X

    def posterior(self, X):
        """The density of a class is an integral over u, of a normal density along the segment from h' to h."""
        log_densities = []
        for first, second in _TRIANGLES[_PAIRS]:
            offset, length = X[:, :21] - second, np.linalg.norm(first - second)
            along = offset @ (first - second) / length
            across = (offset**2).sum(axis=1) - along**2
            log_densities.append(_log_mass(-along, length - along) - across / 2 - np.log(length))
        return softmax(np.column_stack(log_densities), axis=1)


def _log_mass(low, high):
    """Logarithm of the standard normal probability of an interval, also far from 0."""
    low, high = np.where(low > 0, [-high, -low], [low, high])  # where tails are small
    log_low, log_high = log_ndtr(low), log_ndtr(high)
    return log_high + np.log1p(-np.exp(log_low - log_high))
