"""Two spirals that wind around each other. [What is drawn, and whose idea it is:]

References
----------
K. J. Lang and M. J. Witbrock, Learning to tell two spirals apart, Proceedings of the 1988 Connectionist Models Summer
School, 52-59.
"""

from dataclasses import dataclass

import numpy as np

from proset_study.base.settings import integer, number, setting
from proset_study.data.dataset import DataSet, Size
from proset_study.data.generators.base import Generator, numbered


@dataclass(frozen=True)
class TwoSpirals(Generator):
    """A setting in the config is a field, with its type, which values are allowed, and its default."""

    description = "Two spirals in the plane that wind around each other."
    is_population = True  # the samples are independent, and `probabilities` are known: evaluations may draw more

    samples: int = setting(integer("Of both classes.", 10), 400)
    turns: float = setting(number("Turns of each spiral.", minimum=0.5, maximum=10), 1.5)
    noise: float = setting(number("Standard deviation around the spirals.", minimum=0.01), 0.1)

    @property
    def size(self):
        return Size(rows=self.samples, features=2, classes=2)

    def draw(self, rng):
        y = rng.integers(2, size=self.samples)
        points = self._spiral(rng.random(self.samples)) * np.where(y == 0, 1.0, -1.0)[:, None]
        X = points + rng.normal(scale=self.noise, size=points.shape)
        return DataSet(X, y, feature_names=numbered(2), class_names=np.array(["0", "1"]))

    # All that follows is optional: what is known of the data set.

    def probabilities(self, X, rng=None):
        spiral = self._spiral(np.linspace(0.0, 1.0, 1000))
        squares = np.stack([((X[:, None] - side * spiral) ** 2).sum(axis=2) for side in (1, -1)])
        densities = np.exp((squares.min(axis=(0, 2), keepdims=True) - squares) / 2 / self.noise**2).mean(axis=2)
        return (densities / densities.sum(axis=0)).T

    def _spiral(self, part):
        """Points of the first spiral from its inner end, 0, to its outer end, 1; the second one is its mirror image."""
        angle = 2 * np.pi * self.turns * part
        return (0.1 + part)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
