"""k nearest neighbours, Euclidean, uniform weights; its path counts neighbours."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from proset_study.data.splits import FoldData
from proset_study.methods.base import Name, Range

if TYPE_CHECKING:
    from scipy.spatial import KDTree


@dataclass(frozen=True)
class FittedKNN:
    """The training data in a search tree; see `methods.base.Fitted`."""

    tree: "KDTree"
    y: np.ndarray
    weight: np.ndarray
    n_classes: int
    k: int

    def predict_proba(self, X):
        *_, last = self.staged_predict_proba(X)
        return last

    def staged_predict_proba(self, X):
        _, neighbours = self.tree.query(X, k=np.arange(1, self.k + 1))  # one query for every k
        votes = np.zeros((len(X), self.n_classes))
        for nearest in neighbours.T:
            votes[np.arange(len(X)), self.y[nearest]] += self.weight[nearest]
            yield votes / votes.sum(axis=1, keepdims=True)

    def summary(self):
        return {"active_features": self.tree.m}

    def staged_summary(self):
        return {}

    def class_prior(self) -> np.ndarray:
        """Proportions of the classes among the samples, shape (K,)."""
        total = np.bincount(self.y, weights=self.weight, minlength=self.n_classes)
        return total / total.sum()

    def arrays(self):
        sizes = {"n_classes": np.array(self.n_classes), "k": np.array(self.k)}
        return {"X": self.tree.data, "y": self.y, "weight": self.weight, **sizes}


class KNN:
    """KNN on the data of one fold; see `methods.base.Method`."""

    label = "KNN"
    place = 2
    names = (Name("k", axis="neighbours k"),)
    model = FittedKNN
    scaled = True
    probabilistic = True
    weights = "importance"
    complexity = "k"
    min_complexity = 1
    larger_is_simpler = True
    parameters: ClassVar[dict[str, Range]] = {}
    required = ()
    quantities = ("active_features",)

    def __init__(self, data: FoldData):
        from scipy.spatial import KDTree

        self.data = data
        self.tree = KDTree(data.X)

    @staticmethod
    def simplicity(parameters):
        return ()

    @staticmethod
    def fixed(n_features):
        return {}

    @staticmethod
    def cost(size, stage, fitted, scored):
        seen = min(fitted, 10 * 4.0 ** min(size.features, 20))  # a search tree helps where features are few
        return 2e-6 * (fitted + scored) + 2.6e-9 * scored * seen * size.features  # the tree and its query, distances

    @staticmethod
    def operations(record):
        """The search tree leaves out distances where features are few; they are counted."""
        distances = record["n_fit"] * record["n_scored"]
        return distances, distances * record["n_features"]

    def fit(self, parameters, complexity, seed):
        if complexity > len(self.data.y):
            raise ValueError(
                f"complexity: {complexity} neighbours are more than the {len(self.data.y)} samples to search"
            )
        weight = np.ones(len(self.data.y)) if self.data.weight is None else self.data.weight
        return FittedKNN(self.tree, self.data.y, weight, self.data.n_classes, complexity)

    @staticmethod
    def load(arrays):
        from scipy.spatial import KDTree

        sizes = int(arrays["n_classes"]), int(arrays["k"])
        return FittedKNN(KDTree(arrays["X"]), arrays["y"], arrays["weight"], *sizes)


METHOD = KNN
