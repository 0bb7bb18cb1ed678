"""Generalised matrix learning vector quantisation, started from k-means of each class; its path is that of k-means.

Prototypes and a matrix Omega, which all of them share, are moved to make small, with d+ the distance from the nearest
prototype of a sample's own class and d- that from the nearest of another class,

    sum_n s_n (d+ - d-) / (d+ + d-)        d(x, m) = |Omega (x - m)|^2

Our own short code, with L-BFGS. In November 2026 sklvq 0.1.2 fails with scikit-learn 1.9; prosemble 2.4.0 needs JAX,
without which its import fails, and prototorch 0.7.6 PyTorch: half a gigabyte and more for one method.

P. Schneider, M. Biehl, B. Hammer: Adaptive relevance matrices in learning vector quantization. Neural Computation 21
(2009).
"""

from dataclasses import dataclass

import numpy as np

from proset_study.methods.base import Cost
from proset_study.methods.k_means import KMeans
from proset_study.methods.nearest_prototype import FittedPrototypes, nearest

MAX_ITER = 200
LONGEST = 12  # of the path: up to 100 prototypes a class
TINY = 1e-12  # where both distances are 0


@dataclass(frozen=True)
class FittedGMLVQ(FittedPrototypes):
    """Prototypes and a matrix for every size."""

    omega: np.ndarray  # shape (n_sizes, D, D)

    def _predict(self, X, size):
        there, turned = self.size == size, self.omega[size - 1].T
        chosen, _ = nearest(X @ turned, self.X[there] @ turned, self.radius[there], self.metric)
        return np.eye(self.n_classes)[self.labels[there][chosen]]


class GMLVQ(KMeans):
    """GMLVQ on the data of one fold; see `methods.base.Method`. The heavier a sample, the more it counts."""

    label = "GMLVQ"
    place = 32
    cost = Cost(0.1, 7.4e-6, features=0.7, trees=1, complexity=1)
    model = FittedGMLVQ
    weights = "importance"
    metrics = "none"
    max_complexity = LONGEST

    def fit(self, parameters, complexity, seed):
        data, sets, matrices = self.data, [], []
        weight = np.ones(len(data.y)) if data.weight is None else data.weight
        for prototypes, labels in self.sets(parameters, complexity, seed):
            moved, omega = gmlvq(prototypes, labels, data.X, data.y, weight / weight.sum())
            sets.append((moved, labels))
            matrices.append(omega)
        found = FittedPrototypes.of(sets, data)
        return FittedGMLVQ(**vars(found), omega=np.array(matrices))


def gmlvq(
    prototypes: np.ndarray, labels: np.ndarray, X: np.ndarray, y: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Prototypes and matrix at a minimum; they start as given, shape (m, D), and as that of the Euclidean distance.

    `weight`, shape (n,), is s_n, and there are two classes at least. The sum of the squares of the matrix, shape
    (D, D), is set to 1, on which the costs do not depend.
    """
    from scipy.optimize import minimize

    start = np.eye(X.shape[1]) / np.sqrt(X.shape[1])
    theta = np.concatenate([prototypes.ravel(), start.ravel()])
    arrays = labels, X, y, weight
    found = minimize(costs, theta, arrays, method="L-BFGS-B", jac=True, options={"maxiter": MAX_ITER}).x
    moved, omega = np.split(found, [prototypes.size])
    return moved.reshape(prototypes.shape), omega.reshape(start.shape) / np.linalg.norm(omega)


def costs(
    theta: np.ndarray, labels: np.ndarray, X: np.ndarray, y: np.ndarray, weight: np.ndarray
) -> tuple[float, np.ndarray]:
    """Costs at the prototypes and the matrix in `theta`, and their gradient; other arguments as in `gmlvq`.

    With D+ = 2 d- / (d+ + d-)^2, D- = -2 d+ / (d+ + d-)^2 and delta = x - m, the derivatives of a term are
    D -2 Omega' Omega delta with respect to the prototype m that is meant, and D 2 Omega delta delta' with respect to
    Omega.
    """
    n_features = X.shape[1]
    prototypes, omega = np.split(theta, [len(labels) * n_features])
    prototypes, omega = prototypes.reshape(-1, n_features), omega.reshape(n_features, n_features)
    turned, points = X @ omega.T, prototypes @ omega.T
    squares = (turned**2).sum(axis=1)[:, None] - 2.0 * turned @ points.T + (points**2).sum(axis=1)
    own = labels == y[:, None]
    value, of_prototypes, of_omega = 0.0, np.zeros_like(points), np.zeros_like(omega)
    right, wrong = (np.where(mask, squares, np.inf).argmin(axis=1) for mask in (own, ~own))
    deltas = [turned - points[chosen] for chosen in (right, wrong)]
    near, far = ((delta**2).sum(axis=1) for delta in deltas)
    total = near + far + TINY
    value = float(weight @ ((near - far) / total))
    factors = 2.0 * weight * far / total**2, -2.0 * weight * near / total**2
    for chosen, delta, factor in zip((right, wrong), deltas, factors, strict=True):
        weighted = 2.0 * factor[:, None] * delta
        np.add.at(of_prototypes, chosen, -weighted)
        of_omega += weighted.T @ (X - prototypes[chosen])
    return value, np.concatenate([(of_prototypes @ omega).ravel(), of_omega.ravel()])
