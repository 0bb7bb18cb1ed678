"""Nearest shrunken centroids: sparse in the features, where prototype methods are sparse in the samples; no path.

The mean of each class is moved towards that of all samples by `shrink_threshold` of its standard errors, feature by
feature; a feature whose means have all arrived there decides nothing any more. Scores are those of eq. 18.2 of Hastie,
Tibshirani and Friedman, as scikit-learn has them, with distances in standard deviations s of each feature. The article
adds the median of s to them there, too, which makes probabilities less sure. scikit-learn's probabilities (1.9) forget
a factor of 1/2 of the scores, so that without any feature they are the squared class prior.

T. Hastie, R. Tibshirani and J. Friedman, The elements of statistical learning, 2nd edition (2009), chapter 18.2.
R. Tibshirani, T. Hastie, B. Narasimhan and G. Chu, Diagnosis of multiple cancer types by shrunken centroids of gene
expression, Proc. Natl. Acad. Sci. USA 99 (2002), 6567-6572.
"""

import warnings

import numpy as np

from proset_study.methods.base import Cost, Name, Range
from proset_study.methods.estimators import EstimatorMethod


class NearestShrunkenCentroids(EstimatorMethod):
    label = "shrunken centroids"
    place = 42
    names = (Name("shrink_threshold", "threshold of shrinking", number=".2g"),)
    cost = Cost(0.002, 1e-8)
    weights = "none"
    imports = ("scipy.special",)
    parameters = {"shrink_threshold": Range(1e-9, 1e6)}  # noqa: RUF012
    required = ("shrink_threshold",)

    @staticmethod
    def simplicity(parameters):
        return (parameters["shrink_threshold"],)

    @staticmethod
    def estimator(parameters, complexity, seed):
        from sklearn.neighbors import NearestCentroid

        return NearestCentroid(shrink_threshold=parameters["shrink_threshold"], priors="empirical")

    @classmethod
    def staged(cls, estimator, X):
        from scipy.special import softmax

        scores = estimator.decision_function(X)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros(len(X)), scores])
        yield softmax(scores / 2, axis=1)

    @staticmethod
    def measures(estimator):
        return {"active_features": [int((np.ptp(estimator.centroids_, axis=0) > 0).sum())]}

    def fit(self, parameters, complexity, seed):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "self.within_class_std_dev_", UserWarning)  # of constant features
            return super().fit(parameters, complexity, seed)
