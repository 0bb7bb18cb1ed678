"""Whether a noisy function of a few uniform features is above its median.

J. H. Friedman, Multivariate adaptive regression splines, The Annals of Statistics 19 (1991), 1-67.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from proset_study.base.settings import integer, number, setting
from proset_study.data.generators.posterior import Posterior

_MEDIANS = {1: 14.4106, 2: 371.72, 3: 1.45168}  # of f, from quasi-random points; a test draws others
_DEVIATIONS = {1: 4.88124, 2: 378.939, 3: 0.316604}
# Lowest and highest value of each feature.
_FIRST = np.array([(0.0, 1.0)] * 5)
_CIRCUIT = np.array([(0.0, 100.0), (40 * np.pi, 560 * np.pi), (0.0, 1.0), (1.0, 11.0)])


@dataclass(frozen=True)
class Friedman(Posterior):
    """The class is 1 if f(x) + e exceeds the median of f; e is normal, its deviation a share of that of f.

    Friedman has these functions for regression: the first one of five features, among five irrelevant ones and with a
    share of 0.2; the others, of four features, are impedance and phase of a circuit, with a share of 1/3.

    1. f = 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5
    2. f = sqrt(x1^2 + (x2 x3 - 1 / (x2 x4))^2)
    3. f = arctan((x2 x3 - 1 / (x2 x4)) / x1)
    """

    description = "Whether a noisy function of uniform features is above its median, by Friedman."

    problem: int = setting(integer("Which of his three functions.", 1, 3), 1)
    noise: float = setting(
        number("Deviation of the noise, as a share of that of the function.", exclusiveMinimum=0), 0.2
    )
    irrelevant: int = setting(integer("Further features without influence, uniform on [0, 1].", 0), 0)

    @property
    def shape(self):
        return len(self._ranges) + self.irrelevant, 2

    @property
    def relevant(self):
        return len(self._ranges) if self.irrelevant else None

    def points(self, n, rng):
        low, high = self._ranges.T
        return np.hstack([rng.uniform(low, high, (n, len(low))), rng.random((n, self.irrelevant))])

    def posterior(self, X):
        deviation = self.noise * _DEVIATIONS[self.problem]
        score = (self._function(X) - _MEDIANS[self.problem]) / deviation
        return np.column_stack([ndtr(-score), ndtr(score)])

    @property
    def _ranges(self):
        return _FIRST if self.problem == 1 else _CIRCUIT

    def _function(self, X):
        x1, x2, x3, x4 = X[:, :4].T
        if self.problem == 1:
            return 10 * np.sin(np.pi * x1 * x2) + 20 * (x3 - 0.5) ** 2 + 10 * x4 + 5 * X[:, 4]
        reactance = x2 * x3 - 1 / (x2 * x4)
        return np.hypot(x1, reactance) if self.problem == 2 else np.arctan2(reactance, x1)
