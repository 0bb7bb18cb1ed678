"""Condensed nearest neighbours: training samples with which 1-NN makes no error on the training samples.

Samples, in random order, are added to the set when the set gets them wrong, until it gets all of them right. (The
version of imbalanced-learn 0.14 goes over the samples once, so that its set makes errors.) Where samples of several
classes lie on each other, the one that was added first decides.

References
----------
P. E. Hart, The condensed nearest neighbor rule, IEEE Trans. Inform. Theory 14 (1968).
"""

import numpy as np

from proset_study.methods.costs import Cost
from proset_study.methods.nearest_prototype import FittedPrototypes, NearestPrototype, refuse_path


class CondensedNN(NearestPrototype):
    """Condensed nearest neighbours on the data of one fold; see `methods.base.Method`."""

    label = "condensed NN"
    place = 9
    cost = Cost(0.05, 2e-10, rows=2.4)
    draws = True

    def fit(self, parameters, complexity, seed):
        refuse_path(complexity)
        X, y = self.data.X, self.data.y
        kept = condensed(X, y, np.random.default_rng(seed).permutation(len(y)))
        return FittedPrototypes.of([(X[kept], y[kept])], self.data.n_classes)


def condensed(X: np.ndarray, y: np.ndarray, order: np.ndarray) -> list[int]:
    """Rows of a consistent subset, in the order in which they were added.

    Parameters
    ----------
    X, y : ndarrays, shapes (n, D), (n,)
    order : ndarray of int, shape (n,)
        In which samples are looked at; the first is the first of the set.
    """
    from scipy.spatial.distance import cdist

    kept: list[int] = []
    distance, predicted = np.full(len(y), np.inf), np.full(len(y), -1)  # of the nearest of those kept
    before = -1
    while len(kept) > before:
        before = len(kept)
        for i in order:
            if predicted[i] != y[i] and distance[i] > 0:
                kept.append(int(i))
                added = cdist(X, X[[i]])[:, 0]
                closer = added < distance
                distance[closer], predicted[closer] = added[closer], y[i]
    return kept


METHOD = CondensedNN
