"""Proset on top of boosting: of trees by XGBoost, or an explainable boosting machine."""

from proset_study.methods.base import Range
from proset_study.methods.corrected import Corrected
from proset_study.methods.explainable_boosting import METHOD as EXPLAINABLE


class ProsetOnBoosting(Corrected):
    """Boosting with prototypes on the data of one fold; see `methods.base.Method`."""

    label = "proset on boosting"
    place = 35
    parameters = {**Corrected.parameters, "explainable": Range(0, 1, integer=True)}  # noqa: RUF012 - 1: the machine
    trusted = ("xgboost.core.Booster", "xgboost.sklearn.XGBClassifier", *EXPLAINABLE.trusted)

    @staticmethod
    def cost(size, stage, fitted, scored):
        return 0.5 + 1.2e-3 * min(fitted, 5000) * (1 + size.features / 20)

    @staticmethod
    def estimator(parameters, seed):
        if parameters.get("explainable", 0):
            return EXPLAINABLE.estimator({"max_rounds": 100}, 1, seed)
        from xgboost import XGBClassifier

        return XGBClassifier(n_estimators=100, max_depth=3, learning_rate=0.1, n_jobs=1, random_state=seed)


METHOD = ProsetOnBoosting
