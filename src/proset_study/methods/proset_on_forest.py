"""Proset on top of a random forest."""

from proset_study.methods.corrected import Corrected


class ProsetOnForest(Corrected):
    label = "proset on a random forest"
    place = 34
    trusted = ("sklearn.tree._tree.Tree",)

    @staticmethod
    def cost(size, stage, fitted, scored):
        return 2.0 + 2.2e-3 * min(fitted, 5000) * (1 + size.features / 20)

    @staticmethod
    def estimator(parameters, complexity, seed):
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(300, min_samples_leaf=5, n_jobs=1, random_state=seed)
