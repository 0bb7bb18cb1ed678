"""Random forest: the mean of trees of bootstrap samples, each split from a random proportion of the features.

Its path counts trees. How many of D features a split looks at is a proportion, `max_features`, or D^e with e the
`features_exponent`, which counts if both are given; if none is, sqrt(D).

L. Breiman, Random forests, Machine Learning 45 (2001), 5-32.
"""

from typing import Any

from proset_study.methods.base import Name, Range
from proset_study.methods.estimators import TreeEnsemble

SQRT = 0.5  # exponent


class RandomForest(TreeEnsemble):
    place = 18
    names = (
        Name("min_samples_leaf", "min. samples per leaf"),
        Name("features_exponent", axis="e of D^e features per split", number=".2f"),
    )
    averages = True
    parameters = {  # noqa: RUF012
        "min_samples_leaf": Range(1, 10**6, integer=True),
        "max_features": Range(0.001, 1.0),
        "features_exponent": Range(0.0, 1.0),
    }
    required = ("min_samples_leaf",)

    @staticmethod
    def cost(size, stage, fitted, scored):
        return stage["complexity"] * (1.2e-3 + 2.6e-7 * fitted**1.2 * size.features**0.3)

    @staticmethod
    def simplicity(parameters):
        features = parameters.get("features_exponent", parameters.get("max_features", SQRT))
        return parameters["min_samples_leaf"], -features

    @staticmethod
    def fixed(n_features):
        return {"max_features": 0.5} if n_features <= 2 else {}

    @staticmethod
    def estimator(parameters, complexity, seed):
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(**settings(parameters, complexity, seed))

    def fit(self, parameters, complexity, seed):
        if "features_exponent" in parameters or "max_features" not in parameters:
            proportion = self.data.X.shape[1] ** (parameters.get("features_exponent", SQRT) - 1.0)
            parameters = {**parameters, "max_features": proportion}
        return super().fit(parameters, complexity, seed)


def settings(parameters: dict[str, float], complexity: int, seed: int) -> dict[str, Any]:
    """Arguments of a forest of scikit-learn."""
    return {
        "n_estimators": complexity,
        "min_samples_leaf": int(parameters["min_samples_leaf"]),
        "max_features": float(parameters["max_features"]),
        "n_jobs": 1,
        "random_state": seed,
    }
