"""A plane through two of three features, with label noise.

W. N. Street and Y. Kim, A streaming ensemble algorithm (SEA) for large-scale classification, Proceedings of the seventh
ACM SIGKDD International Conference on Knowledge Discovery and Data Mining (2001), 377-382.
"""

from dataclasses import dataclass

import numpy as np

from proset_study.base.settings import number, setting
from proset_study.data.generators.posterior import Posterior


@dataclass(frozen=True)
class Sea(Posterior):
    """Three features, uniform on [0, 10]; the class is 1 where x1 + x2 <= theta, but for label noise."""

    description = "A plane through two of three features with 10 % label noise, by Street and Kim."

    label_noise: float = 0.1
    theta: float = setting(
        number("Largest sum of class 1; 8, 9, 7 and 9.5 in the source.", exclusiveMinimum=0, exclusiveMaximum=20), 8.0
    )

    @property
    def shape(self):
        return 3, 2

    @property
    def relevant(self):
        return 2

    def points(self, n, rng):
        return rng.uniform(0.0, 10.0, (n, 3))

    def posterior(self, X):
        return np.eye(2)[(X[:, 0] + X[:, 1] <= self.theta).astype(int)]
