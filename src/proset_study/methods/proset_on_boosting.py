"""Proset on top of boosting: of trees by XGBoost, or an explainable boosting machine."""

import numpy as np

from proset_study.methods.base import Range
from proset_study.methods.corrected import Corrected
from proset_study.methods.explainable_boosting import ExplainableBoosting

ROUNDS = 100
SETTINGS = {"max_depth": 3, "learning_rate": 0.1, "objective": "multi:softprob", "nthread": 1, "verbosity": 0}


class Trees:
    """Trees boosted by XGBoost's native interface, with what a base model needs of scikit-learn's.

    The package's own `XGBClassifier` is not there in jobs, which import XGBoost without scikit-learn.
    Fitted, it has `classes_`, shape (K,), and `booster_`, of uint8, in XGBoost's format.
    """

    def __init__(self, seed: int):
        self.seed = seed

    def __sklearn_clone__(self):
        return Trees(self.seed)

    def fit(self, X, y, sample_weight=None):
        """Fit to samples of the classes 0, ..., K - 1."""
        import xgboost

        self.classes_, codes = np.unique(y, return_inverse=True)
        settings = {**SETTINGS, "num_class": len(self.classes_), "seed": self.seed}
        booster = xgboost.train(settings, xgboost.DMatrix(X, codes, weight=sample_weight), ROUNDS)
        self.booster_ = np.frombuffer(booster.save_raw("ubj"), dtype=np.uint8)
        return self

    def predict_proba(self, X):
        """Class probabilities, shape (N, K)."""
        import xgboost

        booster = xgboost.Booster({"nthread": 1})
        booster.load_model(bytearray(self.booster_))
        return booster.predict(xgboost.DMatrix(X)).astype(float)


class ProsetOnBoosting(Corrected):
    label = "proset on boosting"
    place = 35
    parameters = {**Corrected.parameters, "explainable": Range(0, 1, integer=True)}  # noqa: RUF012 - 1: the machine
    trusted = ("proset_study.methods.proset_on_boosting.Trees", *ExplainableBoosting.trusted)

    @staticmethod
    def cost(size, stage, fitted, scored):
        return 0.5 + 1.2e-3 * min(fitted, 5000) * (1 + size.features / 20)

    @staticmethod
    def estimator(parameters, complexity, seed):
        if parameters.get("explainable", 0):
            return ExplainableBoosting.estimator({"max_rounds": 100}, 1, seed)
        import xgboost  # noqa: F401 - so that the import is no part of a fit's time

        return Trees(seed)
