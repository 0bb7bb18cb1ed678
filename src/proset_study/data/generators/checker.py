"""Checkerboard on the unit square, turned about its centre."""

import math
from dataclasses import dataclass

import numpy as np

from proset_study.base.settings import integer, number, setting
from proset_study.data.dataset import DataSet, Size
from proset_study.data.generators.base import Generator, numbered


@dataclass(frozen=True)
class Checker(Generator):
    """Points are uniform on the board before it is turned; the class is the colour of the square."""

    description = "Checkerboard on the unit square."
    settings = {  # noqa: RUF012
        "published_draw": {"description": "Draw as the published study did.", "$ref": "#/$defs/published_draw"}
    }
    is_population = True

    squares: int = setting(integer("Squares per side.", 1, 1000), 8)
    samples_per_square: int = setting(integer("Average samples per square.", 1), 100)
    angle: float = setting(number("Rotation in degrees, counter-clockwise."), 0.0)

    @property
    def size(self):
        return Size(self.squares**2 * self.samples_per_square, 2, 2)

    def draw(self, rng):
        points = rng.random((self.size.rows, 2))
        X = points if self.angle == 0 else (points - 0.5) @ self._rotation() + 0.5
        return DataSet(X, self._colours(points), numbered(2), np.array(["0", "1"]))

    def probabilities(self, X, rng=None):
        points = X if self.angle == 0 else (X - 0.5) @ self._rotation().T + 0.5
        return np.eye(2)[self._colours(points)]

    def _rotation(self):
        turn = math.radians(self.angle)
        return np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])

    def _colours(self, points):
        return np.floor(self.squares * points).astype(int).sum(axis=1) % 2
