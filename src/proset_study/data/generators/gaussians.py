"""Normal distributions with random means and covariances, one for each class.

The problems of linear and of quadratic discriminant analysis, as in simulations since

J. H. Friedman, Regularized discriminant analysis, Journal of the American Statistical Association 84 (1989), 165-175.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from proset_study.base import seeds
from proset_study.base.settings import integer, number, setting
from proset_study.data.generators.posterior import Posterior

_LARGEST = 4.0  # variance along a principal axis; the smallest one is its inverse


@dataclass(frozen=True)
class Gaussians(Posterior):
    """Classes, equally frequent, N(m, Q diag(v) Q'): v is log-uniform, Q a random rotation, m normal around 0.

    Means, and one covariance or one of each class, belong to the data set, and are the same in every replicate.
    """

    description = "One normal distribution a class, with random means and covariances."

    classes: int = setting(integer("Classes.", 2, 100), 3)
    features: int = setting(integer("Features, all of which matter.", 1, 500), 10)
    covariances: str = setting(
        {"description": "One of all classes, or one of each.", "enum": ["shared", "own"]}, "shared"
    )
    separation: float = setting(number("Distance of two means, root mean square.", exclusiveMinimum=0), 3.0)
    problem_seed: int = setting(integer("Of means and covariances, which are the same in every replicate.", 0), 0)

    @property
    def shape(self):
        return self.features, self.classes

    def points(self, n, rng):
        y, X = rng.integers(self.classes, size=n), rng.normal(size=(n, self.features))
        for k, (mean, deviations, axes) in enumerate(self._distributions()):
            X[y == k] = mean + X[y == k] * deviations @ axes.T
        return X

    def posterior(self, X):
        log_densities = [
            -((((X - mean) @ axes / deviations) ** 2).sum(axis=1) / 2 + np.log(deviations).sum())
            for mean, deviations, axes in self._distributions()
        ]
        return softmax(np.column_stack(log_densities), axis=1)

    def _distributions(self):
        """Mean of each class, standard deviations along the axes, shapes (D,), and the axes as columns."""
        rng, classes, features = seeds.generator(self.problem_seed, "gaussians"), self.classes, self.features
        means = rng.normal(scale=self.separation / math.sqrt(2 * features), size=(classes, features))
        n_covariances = 1 if self.covariances == "shared" else classes
        variances = _LARGEST ** rng.uniform(-1.0, 1.0, (n_covariances, features))
        axes = np.linalg.qr(rng.normal(size=(n_covariances, features, features))).Q
        return [(means[k], np.sqrt(variances[k % n_covariances]), axes[k % n_covariances]) for k in range(classes)]
