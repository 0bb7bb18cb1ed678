"""Gradient boosting of trees on binned features, in scikit-learn's implementation; its path counts iterations.

A second library next to XGBoost, which needs no package beyond scikit-learn. Its trees split categories into two sets,
and send missing numbers to the side where they do better. A column of more categories than there are bins is taken for
ranks in the order of their names.

J. Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics 29 (2001), 1189-1232.
G. Ke et al., LightGBM: a highly efficient gradient boosting decision tree, NeurIPS (2017).
"""

from dataclasses import replace

import numpy as np

from proset_study.methods.base import Cost, Name, Range
from proset_study.methods.estimators import EstimatorMethod

BINS = 255  # of a feature


class HistGradientBoosting(EstimatorMethod):
    label = "histogram boosting"
    place = 16
    names = (Name("iterations", axis="boosting rounds"), Name("min_samples_leaf", "min. samples per leaf"))
    cost = Cost(0.1, 9e-7, rows=0.7, features=0.5, trees=1, complexity=1, tree=5e-4)
    scaled = False
    takes_mixed = True
    complexity = "iterations"
    parameters = {  # noqa: RUF012
        "max_leaf_nodes": Range(2, 10**6, integer=True),
        "min_samples_leaf": Range(1, 10**6, integer=True),
        "learning_rate": Range(1e-6, 1.0),
        "l2_regularization": Range(0.0, 1e6),
    }
    required = ("max_leaf_nodes", "learning_rate")
    quantities = ("active_features", "leaves")
    # The last two make numbers of the categories that a fitted model has been given as such.
    trusted = (
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        *("functools.partial", "sklearn.utils.validation.check_array"),
    )

    def __init__(self, data):
        if (empty := np.isnan(data.X).all(axis=0)).any():  # scikit-learn cannot bin them; a constant is never split
            data = replace(data, X=np.where(empty, 0.0, data.X))
        super().__init__(data)

    @staticmethod
    def simplicity(parameters):
        return (-parameters["max_leaf_nodes"],)

    @staticmethod
    def estimator(parameters, complexity, seed):
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(
            max_iter=complexity,
            max_leaf_nodes=int(parameters["max_leaf_nodes"]),
            min_samples_leaf=int(parameters.get("min_samples_leaf", 20)),
            learning_rate=float(parameters["learning_rate"]),
            l2_regularization=float(parameters.get("l2_regularization", 0.0)),
            early_stopping=False,
            random_state=seed,
        )

    def of_data(self, estimator):
        levels = self.data.levels
        if levels is None or not (is_category := (levels > 0) & (levels <= BINS)).any():
            return estimator
        return estimator.set_params(categorical_features=is_category)

    @classmethod
    def staged(cls, estimator, X):
        return estimator.staged_predict_proba(X)

    @staticmethod
    def measures(estimator):
        used: set[int] = set()
        features, leaves = list[int](), list[int]()
        for trees in estimator._predictors:  # of one iteration, a tree a class
            nodes = [tree.nodes for tree in trees]
            used |= {feature for n in nodes for feature in n["feature_idx"][n["is_leaf"] == 0].tolist()}
            features.append(len(used))
            leaves.append(sum(int(n["is_leaf"].sum()) for n in nodes) + (leaves[-1] if leaves else 0))
        return {"active_features": features, "leaves": leaves}
