"""Gaussian clusters on a grid, one property of which can be varied at a time."""

import math
from dataclasses import dataclass

import numpy as np

from proset_study.base.settings import integer, number, setting
from proset_study.data.dataset import DataSet, Size
from proset_study.data.generators.base import Generator, numbered

_SCALE = 0.3  # standard deviation of a cluster; the distance of neighbours is 1


@dataclass(frozen=True)
class Clusters(Generator):
    """Clusters around centres on a grid, which is a line for an order of 1, else a square in the first two features.

    As many cells of the grid as needed are centres, chosen at random; which class has which is a part of the draw, so
    that replicates are problems of one family. Each relevant feature beyond the grid is uniform on [-1, 1], and moves
    all classes on by one where it is positive. Irrelevant features are standard normal; given the relevant ones they
    say nothing of the class. Frequencies of classes are exact, in geometric progression, but for label noise.
    """

    description = (
        "Gaussian clusters on a grid, a problem of its own in every replicate, with a test part of its own. Without"
        " further keys it is the baseline of response curves, see docs/response-curves.md; each key is a property that"
        " they vary."
    )
    curves = (
        *("samples", "classes", "clusters_per_class", "order", "irrelevant", "correlation", "angle", "label_noise"),
        "imbalance",
    )

    samples: int = setting(integer("To train on.", 1), 1000)
    test_samples: int = setting(integer("To test on.", 1), 2000)
    classes: int = setting(integer("Classes.", 2, 1000), 2)
    clusters_per_class: int = setting(integer("Clusters of each class, equally frequent.", 1, 1000), 4)
    order: int = setting(integer("Relevant features that interact.", 1, 100), 2)
    irrelevant: int = setting(integer("Features without influence.", 0), 4)
    correlation: float = setting(
        number("Of each irrelevant feature with a relevant one.", minimum=0, exclusiveMaximum=1), 0.0
    )
    angle: float = setting(
        number("Rotation of the square in degrees, counter-clockwise; needs an order of 2 or more."), 0.0
    )
    label_noise: float = setting(
        number("Probability that another label is put in its place.", minimum=0, exclusiveMaximum=1), 0.0
    )
    imbalance: float = setting(number("Frequency of the first class per sample of the last.", minimum=1), 1.0)

    @property
    def size(self):
        return Size(self.samples + self.test_samples, self.order + self.irrelevant, self.classes)

    @property
    def relevant(self):
        return self.order if self.irrelevant else None

    def errors(self):
        if self.order == 1 and self.angle:
            yield f"angle: {self.angle} is not allowed with order 1, a line cannot be turned"

    def draw(self, rng):
        centres = self._centres(rng)
        for part in ("samples", "test_samples"):
            if not self._counts(getattr(self, part)).all():
                raise ValueError(f"{part}: {getattr(self, part)} is not allowed, with so few some class has no sample")
        parts = [self._draw_part(rng, size, centres) for size in (self.samples, self.test_samples)]
        X, y = (np.concatenate(both) for both in zip(*parts, strict=True))
        test = np.arange(len(y)) >= self.samples
        classes = np.array([str(k) for k in range(self.classes)])
        return DataSet(X, y, numbered(X.shape[1]), classes, test=test)

    def probabilities(self, X, rng=None):
        centres, prior = self._centres(rng), self._prior()
        width, classes = centres.shape[2], np.arange(self.classes)
        points = _turned(X[:, :width], -self.angle)
        squares = ((points[:, None, None] - centres) ** 2).sum(axis=3)
        nearest = squares.min(axis=(1, 2), keepdims=True)
        densities = np.exp((nearest - squares) / (2 * _SCALE**2)).sum(axis=2)
        moved = (X[:, width : self.order] > 0).sum(axis=1)
        joint = prior * densities[np.arange(len(X))[:, None], (classes - moved[:, None]) % self.classes]
        clean = joint / joint.sum(axis=1, keepdims=True)
        return (1 - self.label_noise) * clean + self.label_noise * (1 - clean) / (self.classes - 1)

    def _centres(self, rng):
        """Centres of the clusters around the origin, shape (K, clusters per class, 1 or 2)."""
        number, width = self.classes * self.clusters_per_class, min(2, self.order)
        side = number if width == 1 else math.isqrt(number - 1) + 1
        cells = rng.permutation(side**width)[:number].reshape(self.classes, self.clusters_per_class)
        return np.stack(np.unravel_index(cells, (side,) * width), axis=-1) - (side - 1) / 2

    def _prior(self):
        frequency = np.array([self.imbalance ** (-k / (self.classes - 1)) for k in range(self.classes)])
        return frequency / frequency.sum()

    def _counts(self, size):
        """Samples of each class, as many as `size` together."""
        return np.diff(np.round(size * np.cumsum([0.0, *self._prior()])).astype(int))

    def _draw_part(self, rng, size, centres):
        y = rng.permutation(np.repeat(np.arange(self.classes), self._counts(size)))
        further = rng.uniform(-1.0, 1.0, (size, self.order - centres.shape[2]))
        of_class = (y - (further > 0).sum(axis=1)) % self.classes
        points = centres[of_class, rng.integers(self.clusters_per_class, size=size)]
        points = points + rng.normal(scale=_SCALE, size=points.shape)
        relevant = np.hstack([_turned(points, self.angle), further])
        copied = relevant[:, np.arange(self.irrelevant) % relevant.shape[1]]
        copied = (copied - copied.mean(axis=0)) / copied.std(axis=0)
        noise = rng.normal(size=copied.shape)
        irrelevant = self.correlation * copied + math.sqrt(1 - self.correlation**2) * noise
        others = rng.integers(1, self.classes, size=size)
        labels = np.where(rng.random(size) < self.label_noise, (y + others) % self.classes, y)
        return np.hstack([relevant, irrelevant]), labels


def _turned(points, angle):
    """Points of the plane turned about the origin, counter-clockwise; those of a line as they are."""
    if points.shape[1] == 1:
        return points
    cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    x, y = points.T
    return np.column_stack([cosine * x - sine * y, sine * x + cosine * y])
