"""AdaBoost with trees of limited depth (SAMME for several classes); its path counts rounds.

Probabilities are those of the additive logistic model that boosting fits: with the weights a_t of the trees and their
votes T_t (1 for the class they predict, else -1 / (K - 1)), p is the softmax of (K - 1) / K sum_t a_t T_t; for two
classes p = 1 / (1 + exp(-sum_t a_t f_t)) with f_t = -1 or 1. Scikit-learn divides the sum by that of the weights, which
leaves the order of the classes as it is and takes nearly all that is known out of their probabilities.

Y. Freund and R. E. Schapire, A decision-theoretic generalization of on-line learning and an application to boosting,
Journal of Computer and System Sciences 55 (1997), 119-139.
J. Friedman, T. Hastie and R. Tibshirani, Additive logistic regression: a statistical view of boosting, Annals of
Statistics 28 (2000), 337-407.
J. Zhu, H. Zou, S. Rosset and T. Hastie, Multi-class AdaBoost, Statistics and Its Interface 2 (2009), 349-360.
"""

import numpy as np

from proset_study.methods.base import Cost, Name, Range
from proset_study.methods.estimators import TreeEnsemble


class AdaBoost(TreeEnsemble):
    """AdaBoost on the data of one fold; see `methods.base.Method`.

    It ends early when a tree makes no error, or too many.
    """

    label = "AdaBoost"
    place = 11
    names = (Name("max_depth", "max. depth", axis="largest depth of a tree"),)
    cost = Cost(0.05, 2.8e-7, rows=1.25, features=0.5, complexity=1)
    complexity = "rounds"
    parameters = {  # noqa: RUF012
        "max_depth": Range(1, 100, integer=True),
        "learning_rate": Range(1e-6, 1.0),
    }
    required = ("max_depth", "learning_rate")

    @staticmethod
    def simplicity(parameters):
        return (-parameters["max_depth"],)

    @staticmethod
    def estimator(parameters, complexity, seed):
        from sklearn.ensemble import AdaBoostClassifier
        from sklearn.tree import DecisionTreeClassifier

        return AdaBoostClassifier(
            DecisionTreeClassifier(max_depth=int(parameters["max_depth"])),
            n_estimators=complexity,
            learning_rate=float(parameters["learning_rate"]),
            random_state=seed,
        )

    @classmethod
    def staged(cls, estimator, X):
        n_classes = estimator.n_classes_
        votes = np.zeros((len(X), n_classes))
        for tree, weight in zip(estimator.estimators_, estimator.estimator_weights_, strict=False):
            votes += weight * (np.eye(n_classes)[tree.predict(X)] * n_classes - 1) / (n_classes - 1)
            # Not scipy.special.softmax: scaled before the largest is taken off, last bits would be others.
            p = np.exp((votes - votes.max(axis=1, keepdims=True)) * (n_classes - 1) / n_classes)
            yield p / p.sum(axis=1, keepdims=True)
