"""Three classes in the plane, each a mixture of Gaussians in equal proportions.

J. Bien and R. Tibshirani (2011, section 6.1) take such data with 10 components and print no other number; ours are
those of the two-class example of Hastie, Tibshirani and Friedman (2009, section 2.3.3): means of components spread
around the centre of their class with covariance I, samples around these means with covariance I / 5, centres of
classes sqrt(2) apart.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from proset_study.base import seeds
from proset_study.base.settings import integer, setting
from proset_study.data.dataset import DataSet, Size
from proset_study.data.generators.base import Generator, numbered

_SCALE = math.sqrt(1 / 5)  # standard deviation of a component


@dataclass(frozen=True)
class Mixture(Generator):
    """The means belong to the data set: they are the same in every replicate, only the samples are drawn anew."""

    description = "Three classes in the plane, each a mixture of Gaussians."
    is_population = True
    by_class = True

    samples_per_class: int = setting(integer("Samples of each class.", 1), 300)
    components: int = setting(integer("Gaussians of each class.", 1, 1000), 10)
    means_seed: int = setting(integer("Of their means, which are the same in every replicate.", 0), 0)

    @property
    def size(self):
        return Size(3 * self.samples_per_class, 2, 3)

    def means(self) -> np.ndarray:
        """Means of the components, shape (3, components, 2)."""
        angle = 2 * np.pi * np.arange(3) / 3
        centres = math.sqrt(2 / 3) * np.column_stack([np.cos(angle), np.sin(angle)])
        return centres[:, None] + seeds.generator(self.means_seed, "means").normal(size=(3, self.components, 2))

    def draw(self, rng):
        n = self.samples_per_class
        drawn = self.means()[np.arange(3)[:, None], rng.integers(self.components, size=(3, n))]
        X = drawn.reshape(-1, 2) + rng.normal(scale=_SCALE, size=(3 * n, 2))
        return DataSet(X, np.repeat(np.arange(3), n), numbered(2), np.array(["0", "1", "2"]))

    def sample(self, n, rng):
        """Drawn class by class, each with as many samples as any class may need."""
        data = replace(self, samples_per_class=n).draw(rng)
        return data.take(rng.integers(3, size=n) * n + np.arange(n))

    def probabilities(self, X, rng=None):
        squares = ((X[:, None, None] - self.means()) ** 2).sum(axis=3)
        densities = np.exp(-squares / 2 / _SCALE**2).sum(axis=2)
        return densities / densities.sum(axis=1, keepdims=True)

    def bayes_error(self, spacing=0.02):
        """Error of the Bayes rule by the densities on a grid; with this spacing it is right to four decimals."""
        means = self.means()
        low, high = means.min(axis=(0, 1)) - 4, means.max(axis=(0, 1)) + 4  # nine standard deviations
        axes = [np.arange(a, b, spacing) for a, b in zip(low, high, strict=True)]
        # A component's density is the product of one factor for x1 and one for x2.
        x1, x2 = (np.exp(-0.5 * ((axis - means[..., d, None]) / _SCALE) ** 2) for d, axis in enumerate(axes))
        densities = np.einsum("kci,kcj->kij", x1, x2) / (self.components * 2 * np.pi * _SCALE**2)
        return float(1 - densities.max(axis=0).sum() * spacing**2 / 3)
