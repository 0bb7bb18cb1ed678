"""k nearest neighbours, Euclidean, uniform weights; its path counts neighbours."""

from dataclasses import dataclass

import numpy as np

from proset.study.splits import Part


@dataclass(frozen=True)
class FittedKNN:
    """The training data in a search tree; see `methods.base.Fitted`."""

    part: Part
    tree: object  # scipy.spatial.KDTree
    k: int

    def predict_proba(self, X):
        *_, last = self.staged_predict_proba(X)
        return last

    def staged_predict_proba(self, X):
        _, neighbours = self.tree.query(X, k=np.arange(1, self.k + 1))  # one query for every k
        votes = np.zeros((len(X), self.part.n_classes))
        weight = np.ones(len(self.part.y)) if self.part.weight is None else self.part.weight
        for nearest in neighbours.T:
            votes[np.arange(len(X)), self.part.y[nearest]] += weight[nearest]
            yield votes / votes.sum(axis=1, keepdims=True)

    def summary(self):
        return {"active_features": self.part.X.shape[1]}

    def staged_summary(self):
        return {}

    def arrays(self):
        return {"X": self.part.X, "y": self.part.y, "k": np.array(self.k)}


class KNN:
    """KNN on one part; see `methods.base.Method`."""

    scaled = True
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
        return FittedKNN(self.part, self.tree, steps)


METHOD = KNN
