"""k nearest neighbours, uniform weights, Euclidean unless told otherwise; its path counts neighbours.

Probabilities are proportions of the votes, which may be 0. With `pseudo_observations` m they are those of m votes more,
which are shared as the class prior is: none is 0 then, and the log-loss does not measure how probabilities are clipped.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from proset_study.data.distances import distances_by_rows
from proset_study.data.metrics import EUCLIDEAN, PRECOMPUTED
from proset_study.data.splits import FoldData
from proset_study.methods.base import FittedModel, Method, Name, Range

if TYPE_CHECKING:
    from scipy.spatial import KDTree


@dataclass(frozen=True)
class FittedKNN(FittedModel):
    """The training data, in a search tree where there is one; see `methods.base.Fitted`."""

    points: np.ndarray  # shape (n, D), as `FoldData.points`
    y: np.ndarray  # shape (n,)
    weight: np.ndarray  # shape (n,)
    n_classes: int
    k: int
    metric: str  # as `FoldData.metric`
    pseudo_observations: float  # >= 0
    tree: "KDTree | None"  # of Euclidean distances

    def staged_predict_proba(self, X):
        votes = np.tile(self.pseudo_observations * self.class_prior(), (len(X), 1))
        for nearest in self._neighbours(X).T:
            votes[np.arange(len(X)), self.y[nearest]] += self.weight[nearest]
            yield votes / votes.sum(axis=1, keepdims=True)

    def _neighbours(self, X):
        """Samples, the nearest first, shape (n, k): one query for every k."""
        if self.tree is not None:
            return self.tree.query(X, k=np.arange(1, self.k + 1))[1]
        found = np.empty((len(X), self.k), dtype=int)
        for rows, between in distances_by_rows(X, self.points, self.metric):
            found[rows] = between.argsort(axis=1, kind="stable")[:, : self.k]
        return found

    def summary(self):
        return {"active_features": 0 if self.metric == PRECOMPUTED else self.points.shape[1]}

    def class_prior(self) -> np.ndarray:
        """Proportions of the classes among the samples, shape (K,)."""
        total = np.bincount(self.y, weights=self.weight, minlength=self.n_classes)
        return total / total.sum()

    def arrays(self):
        others = {"n_classes": np.array(self.n_classes), "k": np.array(self.k), "metric": np.array(self.metric)}
        smoothing = {"pseudo_observations": np.array(self.pseudo_observations)}
        return {"X": self.points, "y": self.y, "weight": self.weight, **others, **smoothing}

    @classmethod
    def load(cls, arrays):
        others = int(arrays["n_classes"]), int(arrays["k"]), (metric := str(arrays["metric"]))
        smoothing = float(arrays.get("pseudo_observations", 0.0))  # models of former versions have none
        return cls(arrays["X"], arrays["y"], arrays["weight"], *others, smoothing, _tree(arrays["X"], metric))


class KNN(Method):
    label = "KNN"
    place = 2
    names = (Name("k", axis="neighbours k"), Name("pseudo_observations", number=".2g"))
    model = FittedKNN
    metrics = "any"
    complexity = "k"
    larger_is_simpler = True
    one_stage = True
    parameters = {"pseudo_observations": Range(0.0, 1e6)}  # noqa: RUF012

    def __init__(self, data: FoldData):
        super().__init__(data)
        self.tree = _tree(data.X, data.metric)

    @staticmethod
    def cost(size, stage, fitted, scored):
        seen = min(fitted, 10 * 4.0 ** min(size.features, 20))  # a search tree helps where features are few
        return 2e-6 * (fitted + scored) + 2.6e-9 * scored * seen * size.features  # the tree and its query, distances

    @staticmethod
    def operations(record):
        """The search tree leaves out distances where features are few; they are counted."""
        pairs = record["n_fit"] * record["n_scored"]
        return pairs, pairs * record["n_features"]

    @staticmethod
    def simplicity(parameters):
        return (parameters.get("pseudo_observations", 0.0),)

    def fit(self, parameters, complexity, seed):
        if complexity > len(self.data.y):
            raise ValueError(
                f"complexity: {complexity} neighbours are more than the {len(self.data.y)} samples to search"
            )
        data = self.data
        weight = np.ones(len(data.y)) if data.weight is None else data.weight
        known = data.points, data.y, weight, data.n_classes
        smoothing = float(parameters.get("pseudo_observations", 0.0))
        return FittedKNN(*known, complexity, data.metric, smoothing, self.tree)


def _tree(X, metric):
    from scipy.spatial import KDTree

    return KDTree(X) if metric == EUCLIDEAN else None
