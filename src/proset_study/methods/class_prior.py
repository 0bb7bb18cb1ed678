"""Class prior: the proportions of the classes, whatever the features; what every other method must beat."""

from proset_study.methods.base import Cost
from proset_study.methods.estimators import EstimatorMethod


class ClassPrior(EstimatorMethod):
    place = 13
    cost = Cost(0.01, 1e-8)
    scaled = False
    weights = "frequency"
    is_baseline = True

    def __init__(self, data):
        super().__init__(data)
        self.estimator({}, 1, 0).fit(data.X[:1], data.y[:1])  # the first fit imports more, which is no part of its time

    @staticmethod
    def estimator(parameters, complexity, seed):
        from sklearn.dummy import DummyClassifier

        return DummyClassifier(strategy="prior")

    @staticmethod
    def measures(estimator):
        return {"active_features": [0]}
