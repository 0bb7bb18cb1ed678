"""Condensed nearest neighbours: training samples with which 1-NN makes no error on the training samples.

Samples, in random order, are added to the set when the set gets them wrong, until it gets all of them right. (The
version of imbalanced-learn 0.14 goes over the samples once, so that its set makes errors.) Where samples of several
classes lie on each other, the one that was added first decides.

P. E. Hart, The condensed nearest neighbor rule, IEEE Trans. Inform. Theory 14 (1968).
"""

from collections.abc import Callable

import numpy as np

from proset_study.data.distances import distances
from proset_study.methods.base import Cost
from proset_study.methods.nearest_prototype import OneSet


class CondensedNN(OneSet):
    label = "condensed NN"
    place = 9
    cost = Cost(0.05, 2e-10, rows=2.4)
    metrics = "any"
    draws = True

    def kept(self, seed):
        data = self.data

        def distances_from(sample: int) -> np.ndarray:
            return distances(data.X, data.points[[sample]], data.metric)[:, 0]

        return condensed(distances_from, data.y, np.random.default_rng(seed).permutation(len(data.y)))


def condensed(distances_from: Callable[[int], np.ndarray], y: np.ndarray, order: np.ndarray) -> list[int]:
    """Rows of a consistent subset, in the order in which they were added.

    `distances_from` gives the distances of all samples from one of them, shape (n,); `order`, shape (n,), is that in
    which samples are looked at.
    """
    kept: list[int] = []
    distance, predicted = np.full(len(y), np.inf), np.full(len(y), -1)  # of the nearest of those kept
    taken, before = np.zeros(len(y), dtype=bool), -1
    while len(kept) > before:
        before = len(kept)
        for i in order:
            if predicted[i] != y[i] and distance[i] > 0 and not taken[i]:  # that of equal samples need not be 0
                kept.append(int(i))
                taken[i] = True
                added = distances_from(int(i))
                closer = added < distance
                distance[closer], predicted[closer] = added[closer], y[i]
    return kept
