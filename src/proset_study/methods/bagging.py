"""Bagging: the mean of trees, each fitted to a bootstrap sample; its path counts trees.

L. Breiman, Bagging predictors, Machine Learning 24 (1996), 123-140.
"""

from proset_study.methods.base import Cost, Name, Range
from proset_study.methods.estimators import TreeEnsemble


class Bagging(TreeEnsemble):
    place = 12
    names = (Name("min_samples_leaf", "min. samples per leaf"),)
    cost = Cost(0.1, 3e-7, rows=1.25, features=0.5, complexity=1)
    averages = True
    parameters = {"min_samples_leaf": Range(1, 10**6, integer=True)}  # noqa: RUF012
    required = ("min_samples_leaf",)

    @staticmethod
    def simplicity(parameters):
        return (parameters["min_samples_leaf"],)

    @staticmethod
    def estimator(parameters, complexity, seed):
        from sklearn.ensemble import BaggingClassifier
        from sklearn.tree import DecisionTreeClassifier

        tree = DecisionTreeClassifier(min_samples_leaf=int(parameters["min_samples_leaf"]))
        return BaggingClassifier(tree, n_estimators=complexity, random_state=seed)
