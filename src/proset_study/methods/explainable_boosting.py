"""Explainable boosting machine: a sum of one function per feature, and of pairs if wanted; it has no path.

The functions are boosted in rounds over the features with small learning rate, so that each is piecewise constant. That
of a column of categories has a value for each of them, and every function has one for what is missing. Pairs are
boosted after the single features, with `max_rounds` of their own: they want fewer rounds, some 100, and these take
several times as long, with several classes above all.

Y. Lou, R. Caruana and J. Gehrke, Intelligible models for classification and regression, KDD (2012), 150-158.
H. Nori, S. Jenkins, P. Koch and R. Caruana, InterpretML: a unified framework for machine learning interpretability,
arXiv:1909.09223 (2019).
"""

from warnings import catch_warnings, filterwarnings

from proset_study.methods.base import Cost, Range
from proset_study.methods.estimators import EstimatorMethod

AVX2 = 2  # a flag of its native library


class ExplainableBoosting(EstimatorMethod):
    place = 15
    cost = Cost(0.05, 2.2e-6, features=1, trees=1)
    draws = True
    scaled = False
    takes_mixed = True
    parameters = {  # noqa: RUF012
        "max_rounds": Range(1, 10**6, integer=True),
        "interactions": Range(0, 1000, integer=True),
    }
    required = ("max_rounds",)
    quantities = ("active_features", "terms")
    trusted = ("interpret.glassbox._ebm._ebm.ExplainableBoostingClassifier",)

    @staticmethod
    def simplicity(parameters):
        return -parameters.get("interactions", 0), -parameters["max_rounds"]

    @staticmethod
    def estimator(parameters, complexity, seed):
        from interpret import develop
        from interpret.glassbox import ExplainableBoostingClassifier

        develop.set_option("acceleration", AVX2)  # else AVX-512 where there is one, and other last digits
        return ExplainableBoostingClassifier(
            max_rounds=int(parameters["max_rounds"]),
            interactions=int(parameters.get("interactions", 0)),
            outer_bags=1,
            validation_size=0,
            early_stopping_rounds=0,
            n_jobs=1,
            random_state=seed >> 1,  # it takes numbers below 2^31
        )

    def of_data(self, estimator):
        if self.data.levels is None:
            return estimator
        kinds = ["nominal" if is_category else "continuous" for is_category in self.data.levels > 0]
        return estimator.set_params(feature_types=kinds)

    def fit(self, parameters, complexity, seed):
        with catch_warnings():
            for message in ("Missing values detected", "For multiclass we cannot currently visualize pairs"):
                filterwarnings("ignore", message)  # which its own figures do not show
            return super().fit(parameters, complexity, seed)

    @staticmethod
    def measures(estimator):
        terms = [t for t, scores in zip(estimator.term_features_, estimator.term_scores_, strict=True) if scores.any()]
        return {"active_features": [len({feature for term in terms for feature in term})], "terms": [len(terms)]}
