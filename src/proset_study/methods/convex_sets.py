"""Convex sets as prototypes: hulls of groups of samples of each class; a point gets the class of the nearest one.

The groups of a class are those of k-means; their number is that of `nearest_prototype.PER_CLASS`, from one hull of all
its samples to the nearest neighbour. In several hulls, or equally near to them, the nearest sample decides.

I. Takigawa, M. Kudo and A. Nakamura, Convex sets as prototypes for classifying patterns, Engineering Applications of
Artificial Intelligence 22 (2009), 101-108.
"""

from dataclasses import dataclass

import numpy as np

from proset_study.methods.base import Cost, FittedModel
from proset_study.methods.k_means import STARTS
from proset_study.methods.nearest_prototype import PER_CLASS, PerClass

INSIDE = 1e-9  # of the distance to the nearest vertex: what is nearer to a hull is in it


@dataclass(frozen=True)
class FittedConvexSets(FittedModel):
    X: np.ndarray  # samples, shape (n, D)
    y: np.ndarray  # of int, shape (n,)
    groups: np.ndarray  # of each sample, from 0 in each class; of int, shape (complexity, n)
    n_classes: int

    def predict_proba(self, X):
        return self._predict(X, self.groups[-1])

    def staged_predict_proba(self, X):
        for groups in self.groups:
            yield self._predict(X, groups)

    def _predict(self, X, groups):
        chosen, best, best_vertex = np.zeros(len(X), dtype=int), np.full(len(X), np.inf), np.full(len(X), np.inf)
        for k, group in sorted(set(zip(self.y.tolist(), groups.tolist(), strict=True))):
            distance, vertex = distances_to_hull(X, self.X[(self.y == k) & (groups == group)])
            nearer = (distance < best) | ((distance == best) & (vertex < best_vertex))
            chosen[nearer], best[nearer], best_vertex[nearer] = k, distance[nearer], vertex[nearer]
        return np.eye(self.n_classes)[chosen]

    def staged_summary(self):
        sets = [len(set(zip(self.y.tolist(), groups.tolist(), strict=True))) for groups in self.groups]
        return {"active_features": [self.X.shape[1]] * len(sets), "convex_sets": sets}


class ConvexSets(PerClass):
    label = "convex sets"
    place = 28
    cost = Cost(0.1, 4.3e-7, rows=1.7, features=0.5, trees=0.5, complexity=1)
    model = FittedConvexSets
    parameters = {}  # noqa: RUF012
    quantities = ("active_features", "convex_sets")
    imports = ("scipy.optimize", "sklearn.cluster")

    def fit(self, parameters, complexity, seed):
        from sklearn.cluster import KMeans

        self.refuse_long_path(complexity)
        data, start = self.data, int(seed.generate_state(1)[0])
        groups = np.zeros((complexity, len(data.y)), dtype=int)
        for k in range(data.n_classes):
            own = data.y == k
            different = len(np.unique(data.X[own], axis=0))
            for size, number in enumerate(PER_CLASS[:complexity]):
                model = KMeans(min(number, different), n_init=STARTS, random_state=start)
                groups[size, own] = model.fit_predict(data.X[own])
        return FittedConvexSets(data.X, data.y, groups, data.n_classes)


def distances_to_hull(X: np.ndarray, vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distances of points from a convex hull, and from its nearest vertex.

    With V the vertices seen from a point, as columns, and l >= 0, |V l|^2 + (1 - sum l)^2 is smallest at a multiple of
    the weights of the nearest point of the hull: least squares with non-negative variables.

    X has shape (n, D) and `vertices`, which may lie in the hull, (m, D); both results have shape (n,).

    >>> distance, vertex = distances_to_hull(np.array([[1.0, 2.0], [0.5, 0.5]]), np.eye(3)[:, :2] * 2)
    >>> distance.round(6).tolist(), vertex.round(6).tolist()
    ([0.707107, 0.0], [1.0, 0.707107])
    """
    from scipy.optimize import nnls

    distance, vertex, aim = np.zeros(len(X)), np.empty(len(X)), np.append(np.zeros(X.shape[1]), 1.0)
    for i, x in enumerate(X):
        seen = (vertices - x).T
        vertex[i] = np.sqrt((seen**2).sum(axis=0).min())
        if vertex[i] > 0:
            weights, _ = nnls(np.vstack([seen / vertex[i], np.ones(len(vertices))]), aim, maxiter=30 * len(vertices))
            found = np.linalg.norm(seen @ weights) / weights.sum()
            distance[i] = found if found > INSIDE * vertex[i] else 0.0
    return distance, vertex
