"""Gaussian naive Bayes: put your method here; the name of the file is its name in the config."""

from proset_study.methods.base import Range
from proset_study.methods.estimators import EstimatorMethod


class MyMethod(EstimatorMethod):
    """What the study must know of the method besides the classifier; all else has a default, see `methods.base`."""

    label = "naive Bayes"  # in figures and tables; change it with the classifier
    weights = "frequency"  # or "importance", or "none" for a classifier that takes no sample weights
    parameters = {"var_smoothing": Range(1e-12, 10.0)}  # noqa: RUF012 - names and allowed values

    @staticmethod
    def simplicity(parameters):
        return (parameters.get("var_smoothing", 1e-9),)  # the larger, the simpler

    @staticmethod
    def estimator(parameters, complexity, seed):
        from sklearn.naive_bayes import GaussianNB  # not at the top: the config is read without it

        return GaussianNB(**parameters)  # with random numbers: random_state=seed, n_jobs=1
