"""Gaussian naive Bayes; it has no path. [What the method is, what its path counts, and whose idea it was:]

References
----------
T. Hastie, R. Tibshirani and J. Friedman, The Elements of Statistical Learning, 2nd edition, Springer (2009), 6.6.3.
"""

from proset_study.methods.base import Range
from proset_study.methods.estimators import EstimatorMethod

DEFAULT = 1e-9  # of scikit-learn


class NaiveBayes(EstimatorMethod):
    """Gaussian naive Bayes on the data of one fold; see `methods.base.Method`."""

    label = "naive Bayes"  # in figures; more of how it looks, and what its fits cost: docs/custom-method.md
    scaled = True  # features are centred and scaled by the part that is fitted
    probabilistic = True  # False: the classifier has no `predict_proba`, its labels count as probabilities 0 and 1
    weights = "frequency"  # what sample weights are: "frequency", "importance" or "none", see `methods.base`
    parameters = {"var_smoothing": Range(1e-12, 10.0)}  # noqa: RUF012 - names and allowed values
    required = ()  # parameters that the config must give or search: those without a default
    quantities = ("active_features",)  # of `measures`: what the tables show of the final model

    @staticmethod
    def simplicity(parameters):
        return (parameters.get("var_smoothing", DEFAULT),)  # the larger, the simpler: what the selection rules prefer

    @staticmethod
    def estimator(parameters, complexity, seed):
        from sklearn.naive_bayes import GaussianNB  # not at the top: the config is read without it

        smoothing = parameters.get("var_smoothing", DEFAULT)
        return GaussianNB(var_smoothing=smoothing)  # with random numbers: random_state=seed, n_jobs=1

    @staticmethod
    def measures(estimator):
        return {"active_features": [estimator.n_features_in_]}  # a list: one entry for every size on the path
