"""The nearest-prototype rule: prediction, path and storing that methods which select prototypes have in common."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from proset_study.data.distances import distances_by_rows
from proset_study.data.metrics import EUCLIDEAN, PRECOMPUTED
from proset_study.data.splits import FoldData
from proset_study.methods.base import Fitted, FittedModel, Method, Name, Range, largest_complexity
from proset_study.methods.prototypes import Prototypes

PER_CLASS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
MAX_OF_A_CLASS = 10_000  # samples, for methods that need all distances within a class: 800 MB

Sets = list[tuple[np.ndarray, np.ndarray]]  # prototypes (m, D) and their classes (m,), for every size


@dataclass(frozen=True)
class FittedPrototypes(FittedModel):
    """Prototypes for every size, of which the nearest gives its class; see `methods.prototypes.PrototypeModel`."""

    X: np.ndarray  # prototypes of all sizes, one set after the other, shape (M, D), as `FoldData.points`
    labels: np.ndarray  # their classes, of int, shape (M,)
    radius: np.ndarray  # what distances are divided by, shape (M,): 1, but for class covers
    size: np.ndarray  # the place of their size on the path, of int, shape (M,): 1, 2, ..., in this order
    n_classes: int
    metric: str  # as `FoldData.metric`

    @classmethod
    def of(cls, sets: Sets, data: FoldData) -> "FittedPrototypes":
        """Prototypes by size, distances as they are."""
        X, labels = (np.concatenate(found) for found in zip(*sets, strict=True))
        size = np.repeat(np.arange(1, len(sets) + 1), [len(labels) for _, labels in sets])
        return cls(X, labels, np.ones(len(labels)), size, data.n_classes, data.metric)

    def predict_proba(self, X):
        return self._predict(X, self.size[-1])

    def staged_predict_proba(self, X):
        for size in range(1, self.size[-1] + 1):
            yield self._predict(X, size)

    def _predict(self, X, size):
        there = self.size == size
        chosen, _ = nearest(X, self.X[there], self.radius[there], self.metric)
        return np.eye(self.n_classes)[self.labels[there][chosen]]

    def staged_summary(self):
        prototypes = np.bincount(self.size)[1:].tolist()
        features = 0 if self.metric == PRECOMPUTED else self.X.shape[1]
        return {"active_features": [features] * len(prototypes), "prototypes": prototypes}

    def prototypes(self):
        largest = self.size == self.size[-1]
        return Prototypes.unweighted(self.X[largest], self.labels[largest])


class NearestPrototype(Method):
    """The base of methods that select prototypes; each has its own `sets`, or another `model` and `fit`."""

    model: ClassVar[type[Fitted]] = FittedPrototypes
    probabilistic = False
    weights = "none"  # the rule knows no sample weights
    quantities = ("active_features", "prototypes")
    imports: ClassVar[tuple[str, ...]] = ("scipy.spatial.distance",)

    def __init__(self, data: FoldData):
        if data.weight is not None and self.weights == "none":
            name = type(self).__module__.rpartition(".")[2]
            raise ValueError(f"method: {name!r} has no sample weights; leave out the key weight of the data set")
        super().__init__(data)

    def fit(self, parameters, complexity, seed):
        return FittedPrototypes.of(self.sets(parameters, complexity, seed), self.data)

    def sets(self, parameters: dict[str, float], complexity: int, seed: np.random.SeedSequence) -> Sets:
        """Prototypes for every size on the path; arguments as in `fit`."""
        raise NotImplementedError

    def refuse_long_path(self, complexity: int) -> None:
        """ValueError if the path has no such size."""
        if complexity > (longest := largest_complexity(type(self))):
            raise ValueError(f"complexity: {complexity} is not allowed, at most {longest}")

    def refuse_large_classes(self) -> None:
        """ValueError if all distances within a class are more than fit into memory."""
        largest = int(np.bincount(self.data.y).max())
        if largest > MAX_OF_A_CLASS:
            raise ValueError(
                f"a class of {largest:,} training samples is not allowed, at most {MAX_OF_A_CLASS:,}: this method needs"
                " all distances within a class"
            )


class OneSet(NearestPrototype):
    """The base of methods that keep some of the training samples."""

    def kept(self, seed: np.random.SeedSequence) -> np.ndarray | list[int]:
        """Rows of the samples that become prototypes."""
        raise NotImplementedError

    def sets(self, parameters, complexity, seed):
        self.refuse_long_path(complexity)
        rows = self.kept(seed)
        return [(self.data.points[rows], self.data.y[rows])]


class PerClass(NearestPrototype):
    """The base of methods with `PER_CLASS` prototypes for each class, or that many in the mean of the classes.

    A class with fewer different samples gets as many prototypes as it has different samples, so that long paths end in
    the rule of the nearest neighbour.
    """

    names = (Name("size", "size on the path of 1, 2, 3, 5, 7, 10, 15, 20, ... prototypes per class"),)
    parameters = {"by_class_size": Range(0, 1, integer=True)}  # noqa: RUF012 - 1: in proportion to samples, at least 1
    one_stage = True
    draws = True
    complexity = "size"
    max_complexity = len(PER_CLASS)

    def choose(self, own: np.ndarray, numbers: list[int], seed: np.random.SeedSequence) -> Iterator[np.ndarray]:
        """Choose, for each of the numbers, that many prototypes of the class whose samples have the rows `own`."""
        raise NotImplementedError

    def sets(self, parameters, complexity, seed):
        self.refuse_long_path(complexity)
        data, by_class = self.data, []
        for k in range(data.n_classes):
            own = np.flatnonzero(data.y == k)
            different = len(np.unique(data.points[own], axis=0))
            share = data.n_classes * len(own) / len(data.y) if parameters.get("by_class_size", 0) else 1.0
            numbers = [max(1, round(share * number)) for number in PER_CLASS[:complexity]]
            by_class.append(list(self.choose(own, [min(number, different) for number in numbers], seed)))
        return [
            (np.concatenate(found), np.repeat(np.arange(data.n_classes), [len(f) for f in found]))
            for found in zip(*by_class, strict=True)
        ]


def nearest(
    X: np.ndarray, prototypes: np.ndarray, radius: np.ndarray, metric: str = EUCLIDEAN
) -> tuple[np.ndarray, np.ndarray]:
    """The prototype with the smallest distance / radius, the first among equals, and this quotient; both of shape (n,).

    Points and `metric` are as for `distances.distances`; `radius`, shape (m,), is positive.
    """
    chosen, distance = np.empty(len(X), dtype=int), np.empty(len(X))
    for rows, between in distances_by_rows(X, prototypes, metric):
        scaled = between / radius
        chosen[rows], distance[rows] = scaled.argmin(axis=1), scaled.min(axis=1)
    return chosen, distance
