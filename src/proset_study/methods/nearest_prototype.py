"""The nearest-prototype rule: prediction, path and storing that methods which select prototypes have in common."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from proset_study.data.distances import distances_by_rows
from proset_study.data.metrics import EUCLIDEAN, PRECOMPUTED
from proset_study.data.splits import FoldData
from proset_study.methods.base import Fitted, Name, Range
from proset_study.methods.prototypes import Prototypes

PER_CLASS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
PATH_NAME = Name("size", "size on the path of 1, 2, 3, 5, 7, 10, 15, 20, ... prototypes per class")
BY_CLASS_SIZE = {"by_class_size": Range(0, 1, integer=True)}  # 1: the more samples of a class, the more prototypes
MAX_OF_A_CLASS = 10_000  # samples, for methods that need all distances within a class: 800 MB

Sets = list[tuple[np.ndarray, np.ndarray]]  # prototypes (m, D) and their classes (m,), for every size


@dataclass(frozen=True)
class FittedPrototypes:
    """Prototypes for every size; a sample gets the class of its nearest one. See `methods.prototypes.PrototypeModel`.

    Attributes
    ----------
    X : ndarray, shape (M, D)
        Prototypes of all sizes, one set after the other; as `FoldData.points`.
    labels : ndarray of int, shape (M,)
        Their classes.
    radius : ndarray, shape (M,)
        What distances are divided by: 1, but for class covers.
    size : ndarray of int, shape (M,)
        The place on the path of the size each belongs to: 1, 2, ..., in this order.
    n_classes : int
    metric : str
        As `FoldData.metric`.
    """

    X: np.ndarray
    labels: np.ndarray
    radius: np.ndarray
    size: np.ndarray
    n_classes: int
    metric: str = EUCLIDEAN

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

    def summary(self):
        return {name: numbers[-1] for name, numbers in self.staged_summary().items()}

    def staged_summary(self):
        prototypes = np.bincount(self.size)[1:].tolist()
        features = 0 if self.metric == PRECOMPUTED else self.X.shape[1]
        return {"active_features": [features] * len(prototypes), "prototypes": prototypes}

    def prototypes(self):
        largest = self.size == self.size[-1]
        return Prototypes.unweighted(self.X[largest], self.labels[largest])

    def arrays(self):
        return {
            "prototypes": self.X,
            "labels": self.labels,
            "radius": self.radius,
            "size": self.size,
            "n_classes": np.array(self.n_classes),
            "metric": np.array(self.metric),
        }


class NearestPrototype:
    """What the methods have in common; see `methods.base.Method`. Each of them has its own `fit`."""

    model: type[Fitted] = FittedPrototypes
    scaled = True
    probabilistic = False
    weights = "none"  # the rule knows no sample weights
    complexity = "fits"  # of one set of prototypes: a path of length 1
    min_complexity = 1
    larger_is_simpler = False
    parameters: dict[str, Range] = {}  # noqa: RUF012
    required: tuple[str, ...] = ()
    quantities = ("active_features", "prototypes")

    def __init__(self, data: FoldData):
        import scipy.spatial.distance  # noqa: F401 - here, so that the import is no part of a fit's time

        if data.weight is not None and self.weights == "none":
            name = type(self).__module__.rpartition(".")[2]
            raise ValueError(f"method: {name!r} has no sample weights; leave out the key weight of the data set")
        self.data = data

    @staticmethod
    def simplicity(parameters):
        return ()

    @staticmethod
    def fixed(n_features):
        return {}

    @staticmethod
    def load(arrays):
        X, labels, radius, size = (arrays[name] for name in ("prototypes", "labels", "radius", "size"))
        return FittedPrototypes(X, labels, radius, size, int(arrays["n_classes"]), str(arrays["metric"]))


def nearest(
    X: np.ndarray, prototypes: np.ndarray, radius: np.ndarray, metric: str = EUCLIDEAN
) -> tuple[np.ndarray, np.ndarray]:
    """The prototype with the smallest distance / radius, the first among equals.

    Parameters
    ----------
    X : ndarray, shape (n, D)
    prototypes : ndarray, shape (m, D)
    radius : ndarray, shape (m,)
        Positive.
    metric : str
        As in `distances.distances`.

    Returns
    -------
    chosen : ndarray of int, shape (n,)
    distance : ndarray, shape (n,)
        Divided by the radius.
    """
    chosen, distance = np.empty(len(X), dtype=int), np.empty(len(X))
    for rows, between in distances_by_rows(X, prototypes, metric):
        scaled = between / radius
        chosen[rows], distance[rows] = scaled.argmin(axis=1), scaled.min(axis=1)
    return chosen, distance


def refuse_path(complexity: int) -> None:
    """ValueError unless a method without a path is fitted at its only size."""
    if complexity != 1:
        raise ValueError(f"complexity: {complexity} is not allowed, must be 1: this method finds one set of prototypes")


def refuse_long_path(complexity: int, longest: int, end: str) -> None:
    """ValueError if a path has no such place; `end` says what is at its last one."""
    if complexity > longest:
        raise ValueError(f"complexity: {complexity} is not allowed, at most {longest}: {end}")


def refuse_large_classes(data: FoldData) -> None:
    """ValueError if all distances within a class are more than fit into memory."""
    largest = int(np.bincount(data.y).max())
    if largest > MAX_OF_A_CLASS:
        raise ValueError(
            f"a class of {largest:,} training samples is not allowed, at most {MAX_OF_A_CLASS:,}: this method needs"
            " all distances within a class"
        )


def per_class(
    data: FoldData,
    complexity: int,
    place: Callable[[np.ndarray, list[int]], Iterator[np.ndarray]],
    by_class_size: bool,
) -> Sets:
    """As many prototypes for each class, from 1 to `PER_CLASS[complexity - 1]`, or so many in the mean of the classes.

    A class with fewer different samples than that gets as many prototypes as it has different samples, so that long
    paths end in the rule of the nearest neighbour.

    Parameters
    ----------
    data : FoldData
    complexity : int
    place : callable
        Called once a class with the rows of its samples and the numbers of prototypes; gives, for each number,
        prototypes of shape (number, D).
    by_class_size : bool
        Whether numbers are in proportion to the samples of the classes, at least 1.

    Raises
    ------
    ValueError
        If the path is not so long.
    """
    refuse_long_path(complexity, len(PER_CLASS), f"{PER_CLASS[-1]:,} prototypes per class")
    by_class = []
    for k in range(data.n_classes):
        own = np.flatnonzero(data.y == k)
        different = len(np.unique(data.points[own], axis=0))
        share = data.n_classes * len(own) / len(data.y) if by_class_size else 1.0
        numbers = [max(1, round(share * number)) for number in PER_CLASS[:complexity]]
        by_class.append(list(place(own, [min(number, different) for number in numbers])))
    return [
        (np.concatenate(found), np.repeat(np.arange(data.n_classes), [len(f) for f in found]))
        for found in zip(*by_class, strict=True)
    ]
