"""Condensed nearest neighbours: training samples with which 1-NN makes no error on the training samples.

Samples, in random order, are added to the set when the set gets them wrong, until it gets all of them right. (The
version of imbalanced-learn 0.14 goes over the samples once, so that its set makes errors.) Where samples of several
classes lie on each other, the one that was added first decides.

References
----------
P. E. Hart, The condensed nearest neighbor rule, IEEE Trans. Inform. Theory 14 (1968).
"""

from collections.abc import Callable

import numpy as np

from proset_study.data.distances import distances
from proset_study.methods.costs import Cost
from proset_study.methods.nearest_prototype import FittedPrototypes, NearestPrototype, refuse_path


class CondensedNN(NearestPrototype):
    """Condensed nearest neighbours on the data of one fold; see `methods.base.Method`."""

    label = "condensed NN"
    place = 9
    cost = Cost(0.05, 2e-10, rows=2.4)
    metrics = "any"
    draws = True

    def fit(self, parameters, complexity, seed):
        refuse_path(complexity)
        data = self.data

        def distances_from(sample: int) -> np.ndarray:
            return distances(data.X, data.points[[sample]], data.metric)[:, 0]

        kept = condensed(distances_from, data.y, np.random.default_rng(seed).permutation(len(data.y)))
        return FittedPrototypes.of([(data.points[kept], data.y[kept])], data)


def condensed(distances_from: Callable[[int], np.ndarray], y: np.ndarray, order: np.ndarray) -> list[int]:
    """Rows of a consistent subset, in the order in which they were added.

    Parameters
    ----------
    distances_from : callable
        From a sample to the distances of all samples from it, shape (n,).
    y : ndarray of int, shape (n,)
    order : ndarray of int, shape (n,)
        In which samples are looked at; the first is the first of the set.
    """
    kept: list[int] = []
    distance, predicted = np.full(len(y), np.inf), np.full(len(y), -1)  # of the nearest of those kept
    before = -1
    while len(kept) > before:
        before = len(kept)
        for i in order:
            if predicted[i] != y[i] and distance[i] > 0:
                kept.append(int(i))
                added = distances_from(int(i))
                closer = added < distance
                distance[closer], predicted[closer] = added[closer], y[i]
    return kept


METHOD = CondensedNN
