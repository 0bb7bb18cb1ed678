"""Shells around the origin, equally frequent.

T. Hastie, R. Tibshirani and J. Friedman, The Elements of Statistical Learning, 2nd edition (2009), example 10.2: ten
normal features, two classes.
J. Zhu, H. Zou, S. Rosset and T. Hastie, Multi-class AdaBoost, Statistics and Its Interface 2 (2009), 349-360: ten
normal features, three classes (`make_gaussian_quantiles` in scikit-learn).
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import gammaincinv

from proset_study.base import seeds
from proset_study.base.settings import integer, setting
from proset_study.data.generators.posterior import Posterior


@dataclass(frozen=True)
class Sphere(Posterior):
    """The class is the shell in which a point is, from the ball in the middle outwards.

    Features are standard normal, or uniform on [-1, 1].
    """

    description = "Classes in shells around the origin, of normal or uniform features."

    classes: int = setting(integer("Shells.", 2, 100), 2)
    features: int = setting(integer("Features, all of which matter.", 1, 1000), 10)
    marginal: str = setting({"description": "Distribution of each feature.", "enum": ["normal", "uniform"]}, "normal")

    @property
    def shape(self):
        return self.features, self.classes

    def points(self, n, rng):
        return _points(self.marginal, (n, self.features), rng)

    def posterior(self, X):
        squares = _squared_radii(self.marginal, self.features, self.classes)
        return np.eye(self.classes)[np.searchsorted(squares, (X**2).sum(axis=1))]


def _points(marginal, shape, rng):
    return rng.normal(size=shape) if marginal == "normal" else rng.uniform(-1.0, 1.0, shape)


@cache
def _squared_radii(marginal, features, classes):
    """Squared radii of the borders between shells; for a cube from 1,000,000 points, right to 0.001."""
    shares = np.arange(1, classes) / classes
    if marginal == "normal":
        return 2.0 * gammaincinv(features / 2.0, shares)  # quantiles of chi-square, without the import of scipy.stats
    rng = seeds.generator(0, "sphere")
    squares = [(_points(marginal, (1000, features), rng) ** 2).sum(axis=1) for _ in range(1000)]
    return np.quantile(squares, shares)
