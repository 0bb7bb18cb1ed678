"""Continuous XOR."""

from dataclasses import dataclass

import numpy as np

from proset_study.base.settings import integer, setting
from proset_study.data.dataset import DataSet, Size
from proset_study.data.generators.base import Generator, numbered


@dataclass(frozen=True)
class Xor(Generator):
    """Uniform on [-1, 1]^n; the class is 1 where the product of the relevant features is not negative."""

    description = "Continuous XOR on a cube."
    settings = {  # noqa: RUF012
        "published_draw": {"description": "Draw as the published study did.", "$ref": "#/$defs/published_draw"}
    }
    required = ("features",)
    is_population = True

    features: int = setting(integer("Relevant features.", 1, 20))
    samples_per_orthant: int = setting(integer("Average samples per orthant of the relevant features.", 1), 100)
    irrelevant: int = setting(integer("Further features without influence.", 0), 0)

    @property
    def size(self):
        return Size(2**self.features * self.samples_per_orthant, self.features + self.irrelevant, 2)

    @property
    def relevant(self):
        return self.features if self.irrelevant else None

    def draw(self, rng):
        X = rng.uniform(-1.0, 1.0, (self.size.rows, self.size.features))
        return DataSet(X, self._labels(X), numbered(X.shape[1]), np.array(["0", "1"]))

    def probabilities(self, X, rng=None):
        return np.eye(2)[self._labels(X)]

    def _labels(self, X):
        return (X[:, : self.features].prod(axis=1) >= 0).astype(int)
