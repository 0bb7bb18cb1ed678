"""Extremely randomised trees: a forest whose splits are the best of random ones, one for each feature looked at.

Its trees are fitted to all samples, not to bootstrap samples. Its path and its parameters are those of the random
forest; how many features a split looks at matters more, since it says how many thresholds there are to choose from.

P. Geurts, D. Ernst and L. Wehenkel, Extremely randomized trees, Machine Learning 63 (2006), 3-42.
"""

from proset_study.methods.random_forest import RandomForest, settings


class ExtraTrees(RandomForest):
    label = "extra trees"
    place = 31

    @staticmethod
    def estimator(parameters, complexity, seed):
        from sklearn.ensemble import ExtraTreesClassifier

        return ExtraTreesClassifier(**settings(parameters, complexity, seed))
