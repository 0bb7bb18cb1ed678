"""The set covering machine as a linear program: balls of one radius count as far as the solution has them.

The relaxed problem of set cover of each class is solved, and not rounded: a point gets the class whose balls around it
have the largest sum in the solution. Its path is that of `set_cover`.

Z. Hussain, S. Szedmak and J. Shawe-Taylor, The linear programming set covering machine, Pattern Analysis, Statistical
Modelling and Computational Learning (2004).
"""

from dataclasses import dataclass

import numpy as np

from proset.cover import balls_of_path, default_cost
from proset_study.data.distances import distances, distances_by_rows
from proset_study.data.metrics import PRECOMPUTED
from proset_study.methods.base import Cost, FittedModel
from proset_study.methods.prototypes import Prototypes
from proset_study.methods.set_cover import find_radii, weights
from proset_study.methods.set_cover_lp import SetCoverLP

DIGITS = 6  # of sums: the solver's tolerance is 1e-7
LEAST = 1e-6  # what counts less is none


@dataclass(frozen=True)
class FittedShares(FittedModel):
    """Balls of every radius with their shares; see `methods.prototypes.PrototypeModel`."""

    points: np.ndarray  # centres, shape (M, D), as `FoldData.points`
    labels: np.ndarray  # the class that each counts for, of int, shape (M,)
    shares: np.ndarray  # in (0, 1], shape (M,)
    size: np.ndarray  # the radius of each, of int, shape (M,): 1, 2, ..., in this order
    radii: np.ndarray  # shape (complexity,)
    majority: int  # class that is predicted outside all balls
    n_classes: int
    metric: str  # as `FoldData.metric`

    def predict_proba(self, X):
        return self._predict(X, len(self.radii))

    def staged_predict_proba(self, X):
        for size in range(1, len(self.radii) + 1):
            yield self._predict(X, size)

    def _predict(self, X, size):
        there = self.size == size
        votes = self.shares[there, None] * np.eye(self.n_classes)[self.labels[there]]
        sums = np.zeros((len(X), self.n_classes))
        if there.any():
            for rows, between in distances_by_rows(X, self.points[there], self.metric):
                sums[rows] = np.round((between < self.radii[size - 1]) @ votes, DIGITS)
        sums[:, self.majority] += LEAST / 2
        return np.eye(self.n_classes)[sums.argmax(axis=1)]

    def staged_summary(self):
        features = 0 if self.metric == PRECOMPUTED else self.points.shape[1]
        balls = np.bincount(self.size, minlength=len(self.radii) + 1)[1:].tolist()
        return {"active_features": [features] * len(balls), "prototypes": balls, "ball_radius": self.radii.tolist()}

    def prototypes(self):
        there = self.size == len(self.radii)
        return Prototypes.unweighted(self.points[there], self.labels[there])


class SetCoveringMachineLP(SetCoverLP):
    label = "set covering machine (LP)"
    place = 27
    cost = Cost(0.1, 2.5e-5, rows=1.5)
    model = FittedShares

    def fit(self, parameters, complexity, seed):
        from proset.cover_lp import relax

        data, n = self.data, len(self.data.y)
        weight = weights(data, np.arange(n), parameters)
        cost = parameters.get("cost", default_cost(weight))
        radii, found = find_radii(data, complexity), []
        balls = balls_of_path(lambda rows: distances(data.X[rows], data.points, data.metric), n, n, radii)
        for size, bits in enumerate(balls, start=1):
            for k in range(data.n_classes):
                relaxed = relax(bits, data.y, weight, cost, n, k)
                used = relaxed.chosen > LEAST
                found += [
                    (j, k, share, size) for j, share in zip(relaxed.candidates[used], relaxed.chosen[used], strict=True)
                ]
        index, labels, shares, sizes = np.array(found).reshape(-1, 4).T
        index, labels, sizes = (numbers.astype(int) for numbers in (index, labels, sizes))
        majority = int(np.bincount(data.y, weights=weight).argmax())
        return FittedShares(data.points[index], labels, shares, sizes, radii, majority, data.n_classes, data.metric)
