"""Normal distributions in many dimensions, none of which a single feature separates: twonorm, threenorm, ringnorm.

L. Breiman, Bias, variance, and arcing classifiers, Technical Report 460, Statistics Department, University of
California, Berkeley (1996).
L. Breiman, Arcing classifiers, The Annals of Statistics 26 (1998), 801-849.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import logsumexp, softmax

from proset_study.base.settings import integer, setting
from proset_study.data.generators.posterior import Posterior


@dataclass(frozen=True)
class Norms(Posterior):
    """Two classes, equally frequent, with means made of a = 2 / sqrt(D), where D is the number of features.

    - twonorm: N(m, I) and N(-m, I) with m = (a, ..., a); a plane is best.
    - threenorm: one half of N(m, I) and of N(-m, I), against N((a, -a, a, ...), I).
    - ringnorm: N(0, 4 I) and N(m, I); the second class is inside of the first one. Others have m / 2 here.
    """

    description = "Two classes of normal distributions in many dimensions, by Breiman."

    problem: str = setting(
        {"description": "Which of his three.", "enum": ["twonorm", "threenorm", "ringnorm"]}, "twonorm"
    )
    features: int = setting(integer("Features, all of which matter.", 1, 1000), 20)

    @property
    def shape(self):
        return self.features, 2

    def points(self, n, rng):
        y, X = rng.integers(2, size=n), rng.normal(size=(n, self.features))
        for k, (means, deviation) in enumerate(self._classes()):
            rows = y == k
            X[rows] = means[rng.integers(len(means), size=rows.sum())] + deviation * X[rows]
        return X

    def posterior(self, X):
        log_densities = [
            logsumexp(-cdist(X, means, "sqeuclidean") / (2 * deviation**2), axis=1)
            - math.log(len(means) * deviation**self.features)
            for means, deviation in self._classes()
        ]
        return softmax(np.column_stack(log_densities), axis=1)

    def _classes(self):
        """Means of the components, shape (components, D), and standard deviation of each class."""
        m = np.full((1, self.features), 2 / math.sqrt(self.features))
        if self.problem == "twonorm":
            return (m, 1.0), (-m, 1.0)
        if self.problem == "threenorm":
            return (np.vstack([m, -m]), 1.0), (m * (-1.0) ** np.arange(self.features), 1.0)
        return (0 * m, 2.0), (m, 1.0)
