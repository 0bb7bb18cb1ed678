"""Decision tree (CART, Gini); its path counts the levels at which one fully grown tree is cut.

Leaves predict (n_k + 1) / (n + K) (Laplace's correction): pure leaves would predict probabilities of 0.

L. Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone, Classification and regression trees, Wadsworth (1984).
"""

from dataclasses import dataclass

import numpy as np

from proset_study.methods.base import Cost, FittedModel, Method, Name, Range


@dataclass(frozen=True)
class FittedDecisionTree(FittedModel):
    left: np.ndarray  # of int, shape (nodes,): children, -1 for a leaf
    right: np.ndarray  # as `left`
    feature: np.ndarray  # of int, shape (nodes,)
    threshold: np.ndarray  # shape (nodes,): samples with smaller or equal values go left
    level: np.ndarray  # of int, shape (nodes,): 0 for the root
    proportions: np.ndarray  # of the classes in each node, with Laplace's correction, shape (nodes, K)
    depth: int  # deepest level that is used

    def staged_predict_proba(self, X):
        X = X.astype(np.float32)  # as scikit-learn compares
        node = np.zeros(len(X), dtype=int)
        yield self.proportions[node]
        feature = np.maximum(self.feature, 0)  # -2 in leaves
        for _ in range(self.depth):
            goes_left = X[np.arange(len(X)), feature[node]] <= self.threshold[node]
            child = np.where(goes_left, self.left[node], self.right[node])
            node = np.where(self.left[node] < 0, node, child)
            yield self.proportions[node]

    def summary(self):
        split = (self.left >= 0) & (self.level < self.depth)
        leaves = (self.level <= self.depth) & ~split
        return {"active_features": len(np.unique(self.feature[split])), "leaves": int(leaves.sum())}


class DecisionTree(Method):
    place = 14
    names = (Name("min_samples_leaf", "min. samples per leaf"),)
    cost = Cost(0.0, 6e-7, rows=1.25, features=0.5)
    draws = True
    model = FittedDecisionTree
    scaled = False
    complexity = "depth"
    min_complexity = 0
    parameters = {"min_samples_leaf": Range(1, 10**6, integer=True)}  # noqa: RUF012
    required = ("min_samples_leaf",)
    quantities = ("active_features", "leaves")
    imports = ("sklearn.tree",)

    @staticmethod
    def simplicity(parameters):
        return (parameters["min_samples_leaf"],)

    def fit(self, parameters, complexity, seed):
        from sklearn.tree import DecisionTreeClassifier

        start = int(seed.generate_state(1)[0])
        model = DecisionTreeClassifier(min_samples_leaf=int(parameters["min_samples_leaf"]), random_state=start)
        tree = model.fit(self.data.X, self.data.y, sample_weight=self.data.weight).tree_
        counts = tree.value[:, 0, :] * tree.weighted_n_node_samples[:, None]  # the values are proportions
        proportions = (counts + 1) / (counts + 1).sum(axis=1, keepdims=True)
        left, right = tree.children_left, tree.children_right
        level = np.zeros(tree.node_count, dtype=int)
        for node in np.flatnonzero(left >= 0):  # parents have smaller numbers than their children
            level[[left[node], right[node]]] = level[node] + 1
        return FittedDecisionTree(left, right, tree.feature, tree.threshold, level, proportions, int(complexity))
