"""Continuous XOR on a turned cube."""

import math
from dataclasses import dataclass

import numpy as np

from proset_study.base.settings import integer, number, setting
from proset_study.data.dataset import DataSet, Size
from proset_study.data.generators.base import Generator, numbered


@dataclass(frozen=True)
class TurnedXor(Generator):
    """Uniform on [-1, 1]^n, of the class of the product's sign, then turned in the plane of each two neighbouring axes.

    With angles other than multiples of 90 degrees no boundary between the classes is parallel to an axis.
    """

    description = "Continuous XOR on a cube that is turned about its centre."
    required = ("features",)
    is_population = True

    features: int = setting(integer("Features, all relevant.", 2, 20))
    samples_per_orthant: int = setting(integer("Average samples per orthant of the cube.", 1), 100)
    angle: float = setting(
        number("Rotation in degrees, in the plane of features 0 and 1, then of 1 and 2, and so on."), 45.0
    )

    @property
    def size(self):
        return Size(2**self.features * self.samples_per_orthant, self.features, 2)

    def draw(self, rng):
        points = rng.uniform(-1.0, 1.0, (self.size.rows, self.features))
        return DataSet(points @ self._rotation(), _labels(points), numbered(self.features), np.array(["0", "1"]))

    def probabilities(self, X, rng=None):
        return np.eye(2)[_labels(X @ self._rotation().T)]

    def _rotation(self):
        turn = math.radians(self.angle)
        rotation = np.eye(self.features)
        for i in range(self.features - 1):
            plane = np.eye(self.features)
            plane[i : i + 2, i : i + 2] = [[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]]
            rotation = rotation @ plane
        return rotation


def _labels(points):
    return (points.prod(axis=1) >= 0).astype(int)
