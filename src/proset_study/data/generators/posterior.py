"""The base class of generated problems whose class probabilities are known at every point."""

import math
from dataclasses import dataclass, replace

import numpy as np

from proset_study.base import seeds
from proset_study.base.settings import integer, number, setting
from proset_study.data.dataset import DataSet, Size
from proset_study.data.generators.base import Generator, Random, numbered

# The Bayes error is a mean over blocks of simulated points, until its standard error is at most this.
_BLOCK, _FEWEST_BLOCKS, _STANDARD_ERROR = 2_000, 10, 0.0004


@dataclass(frozen=True)
class Posterior(Generator):
    """Independent points, the class of each drawn from its probabilities, with a test part of its own.

    Drawing the class first and then a point of it gives the same distribution. A subclass writes `shape`, `points` and
    `posterior`, and adds its settings to those of this class. If it draws a problem, then by a seed among its settings:
    a population is the same in every replicate.
    """

    is_population = True

    samples: int = setting(integer("To train on.", 1), 600)
    test_samples: int = setting(integer("To test on.", 1), 2000)
    label_noise: float = setting(
        number("Probability that another label is put in its place.", minimum=0, exclusiveMaximum=1), 0.0
    )

    @property
    def shape(self) -> tuple[int, int]:
        """Number of features, every category counted, and of classes."""
        raise NotImplementedError

    def points(self, n: int, rng: Random) -> np.ndarray:
        """Independent points of all classes, as in `DataSet.X`, shape (n, D)."""
        raise NotImplementedError

    def posterior(self, X: np.ndarray) -> np.ndarray:
        """Class probabilities of points before label noise, shape (N, K)."""
        raise NotImplementedError

    def data_set(self, X: np.ndarray, y: np.ndarray) -> DataSet:
        """Points and their classes, with names."""
        return DataSet(X, y, numbered(X.shape[1]), np.arange(self.shape[1]).astype(str))

    @property
    def size(self):
        return Size(self.samples + self.test_samples, *self.shape)

    def draw(self, rng):
        data = self.sample(self.size.rows, rng)
        test = np.arange(len(data.y)) >= self.samples
        for part, rows in (("samples", ~test), ("test_samples", test)):
            if len(np.unique(data.y[rows])) < self.size.classes:
                raise ValueError(f"{part}: {rows.sum()} is not allowed, with so few some class has no sample")
        return replace(data, test=test)

    def sample(self, n, rng):
        X = self.points(n, rng)
        cumulated = self.probabilities(X).cumsum(axis=1)[:, :-1]
        return self.data_set(X, (rng.random((n, 1)) > cumulated).sum(axis=1))

    def probabilities(self, X, rng=None):
        clean = self.posterior(X)
        return (1 - self.label_noise) * clean + self.label_noise * (1 - clean) / (clean.shape[1] - 1)

    def bayes_error(self, seed: int = 0) -> float | None:
        """Error of the Bayes rule by the probabilities of simulated points; another seed gives others."""
        rng, best = seeds.generator(seed, "bayes_error"), np.empty(0)
        while len(best) < _FEWEST_BLOCKS * _BLOCK or best.std() > _STANDARD_ERROR * math.sqrt(len(best)):
            best = np.append(best, self.probabilities(self.points(_BLOCK, rng)).max(axis=1))
        return float(1 - best.mean()) or None
