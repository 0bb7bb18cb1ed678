"""Two curves in the plane with noise around them: moons, circles or spirals.

F. Pedregosa and others, Scikit-learn: machine learning in Python, Journal of Machine Learning Research 12 (2011),
2825-2830: `make_moons` and `make_circles`.
K. J. Lang and M. J. Witbrock, Learning to tell two spirals apart, Proceedings of the 1988 Connectionist Models Summer
School, 52-59.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from proset_study.base.settings import number, setting
from proset_study.data.generators.posterior import Posterior

_LENGTHS = {"moons": np.pi, "circles": 2 * np.pi, "spirals": 65.0}  # of the longer curve, in units of the plane
_TURNS, _OUTER, _INNER = 3, 6.5, 0.5  # of a spiral: turns, and radii of its ends
_NODES = 8  # of Gauss and Legendre, in each piece of a curve that is three deviations of the noise long
_TERMS = 2_000_000  # terms of the integrals that are in memory at a time


@dataclass(frozen=True)
class Curves(Posterior):
    """A point of a class is one of its curve, c(t) with t uniform on [0, 1], and normal noise.

    With a = pi t:

    - moons: (cos a, sin a) and (1 - cos a, 1/2 - sin a).
    - circles: r (cos 2a, sin 2a) with a radius r of 1 and of 1/2.
    - spirals: r (sin 6a, cos 6a), three turns from the radius 6.5 to 0.5, and the same turned by 180 degrees.
      Neighbouring arms are 1 apart.

    scikit-learn has the points of its curves at equal distances, Lang and Witbrock without noise.
    """

    description = "Two curves in the plane with noise around them: moons, circles or spirals."

    curve: str = setting({"description": "Shape of both classes.", "enum": list(_LENGTHS)}, "moons")
    noise: float = setting(number("Standard deviation around the curves.", minimum=0.05), 0.2)

    @property
    def shape(self):
        return 2, 2

    def points(self, n, rng):
        y, on_curves = rng.integers(2, size=n), self._curves(rng.random(n))
        return on_curves[y, np.arange(n)] + rng.normal(scale=self.noise, size=(n, 2))

    def posterior(self, X):
        """The density of a class is an integral along its curve, of the normal densities around the points of it."""
        pieces = np.ceil(_LENGTHS[self.curve] / (3 * self.noise))
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        t = ((np.arange(pieces)[:, None] + (nodes + 1) / 2) / pieces).ravel()
        weights, curves = np.tile(weights, int(pieces)), self._curves(t)
        parts = np.array_split(X, len(X) * len(t) // _TERMS + 1)
        return np.vstack([self._posterior(part, curves, weights) for part in parts])

    def _posterior(self, X, curves, weights):
        exponents = np.stack([-cdist(X, curve, "sqeuclidean") / (2 * self.noise**2) for curve in curves], axis=1)
        densities = np.exp(exponents - exponents.max(axis=(1, 2), keepdims=True)) @ weights
        return densities / densities.sum(axis=1, keepdims=True)

    def _curves(self, t):
        """Points of both curves, shape (2, len(t), 2)."""
        a = np.pi * t
        if self.curve == "moons":
            return np.stack([_polar(1.0, a), (1.0, 0.5) - _polar(1.0, a)])
        if self.curve == "circles":
            return np.stack([_polar(1.0, 2 * a), _polar(0.5, 2 * a)])
        spiral = _polar(_OUTER + (_INNER - _OUTER) * t, 2 * _TURNS * a)[:, ::-1]
        return np.stack([spiral, -spiral])


def _polar(radius, angle):
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
