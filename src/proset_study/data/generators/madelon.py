"""Clusters at the corners of a cube with random classes, among combinations and features without influence.

The construction of the data set Madelon, made by ourselves:

I. Guyon, Design of experiments of the NIPS 2003 variable selection benchmark (2003).
I. Guyon, S. Gunn, A. Ben-Hur and G. Dror, Result analysis of the NIPS 2003 feature selection challenge, Advances in
Neural Information Processing Systems 17 (2004), 545-552.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from proset_study.base import seeds
from proset_study.base.settings import integer, number, setting
from proset_study.data.generators.posterior import Posterior


@dataclass(frozen=True)
class Madelon(Posterior):
    """N(v, I) around each corner v of a cube; one half of the corners, at random, is of either class.

    These informative features are followed by linear combinations of them, which say nothing new, and by standard
    normal ones. No single feature says much. Madelon has 5, 15 and 480 of the three kinds, and whole numbers.
    """

    description = "Clusters at the corners of a cube with random classes, as in Madelon, by Guyon."

    informative: int = setting(integer("Dimension of the cube.", 1, 12), 5)
    redundant: int = setting(integer("Linear combinations of the informative features.", 0, 1000), 15)
    irrelevant: int = setting(integer("Further features without influence.", 0), 20)
    separation: float = setting(
        number("Distance of neighbouring corners, in deviations of a cluster.", exclusiveMinimum=0), 4.0
    )
    problem_seed: int = setting(integer("Of classes and combinations, which are the same in every replicate.", 0), 0)

    @property
    def shape(self):
        return self.informative + self.redundant + self.irrelevant, 2

    @property
    def relevant(self):
        return self.informative + self.redundant if self.irrelevant else None

    def points(self, n, rng):
        corners, _, combinations = self._problem()
        informative = corners[rng.integers(len(corners), size=n)] + rng.normal(size=(n, self.informative))
        return np.hstack([informative, informative @ combinations, rng.normal(size=(n, self.irrelevant))])

    def posterior(self, X):
        corners, labels, _ = self._problem()
        return softmax(X[:, : self.informative] @ corners.T, axis=1) @ np.eye(2)[labels]  # all are as far from 0

    def _problem(self):
        """Corners, shape (2^d, d), their classes, and coefficients of the combinations, shape (d, redundant)."""
        rng, number = seeds.generator(self.problem_seed, "madelon"), 2**self.informative
        signs = np.arange(number)[:, None] >> np.arange(self.informative) & 1
        labels = rng.permutation(number) % 2
        return self.separation * (signs - 0.5), labels, rng.uniform(-1.0, 1.0, (self.informative, self.redundant))
