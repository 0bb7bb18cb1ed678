"""k nearest neighbours, Euclidean, uniform weights; its path counts neighbours."""

from dataclasses import dataclass

import numpy as np

from proset_study.data.splits import Part


@dataclass(frozen=True)
class FittedKNN:
    """The training data in a search tree; see `methods.base.Fitted`."""

    tree: object  # scipy.spatial.KDTree
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

    def arrays(self):
        sizes = {"n_classes": np.array(self.n_classes), "k": np.array(self.k)}
        return {"X": self.tree.data, "y": self.y, "weight": self.weight, **sizes}


class KNN:
    """KNN on one part; see `methods.base.Method`."""

    scaled = True
    probabilistic = True
    weights = "counts"
    step = "k"
    first_step = 1
    larger_step_is_simpler = True
    parameters = {}  # noqa: RUF012
    required = ()
    quantities = ("active_features",)

    def __init__(self, part: Part):
        from scipy.spatial import KDTree

        self.part = part
        self.tree = KDTree(part.X)

    @staticmethod
    def simplicity(parameters):
        return ()

    @staticmethod
    def fixed(n_features):
        return {}

    def fit(self, parameters, steps, seed):
        if steps > len(self.part.y):
            raise ValueError(f"steps: {steps} neighbours are more than the {len(self.part.y)} samples to search")
        weight = np.ones(len(self.part.y)) if self.part.weight is None else self.part.weight
        return FittedKNN(self.tree, self.part.y, weight, self.part.n_classes, steps)

    @staticmethod
    def load(arrays):
        from scipy.spatial import KDTree

        sizes = int(arrays["n_classes"]), int(arrays["k"])
        return FittedKNN(KDTree(arrays["X"]), arrays["y"], arrays["weight"], *sizes)


METHOD = KNN
