"""CatBoost: boosted symmetric trees, on statistics of categories; its path counts boosting rounds ("iterations").

Parameters have the library's names and defaults. A category becomes a number by the classes of the rows before it, in a
random order, so that no row tells of itself. The package comes with the extra `battery` (`make .venv/battery`).

L. Prokhorenkova, G. Gusev, A. Vorobev, A. V. Dorogush and A. Gulin, CatBoost: unbiased boosting with categorical
features, NeurIPS (2018).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from proset_study.data.splits import FoldData
from proset_study.methods.base import Cost, FittedModel, Method, Name, Range
from proset_study.methods.optional import import_package

if TYPE_CHECKING:
    import catboost

OF_THE_FIT = ("model_guid", "train_finish_time")  # in a stored model


@dataclass(frozen=True)
class FittedCatBoost(FittedModel):
    classifier: "catboost.CatBoostClassifier"
    complexity: int  # on the path; where training ended before, the rest of the path is as its end

    def predict_proba(self, X):
        return self.classifier.predict_proba(self._rows(X), thread_count=1)

    def staged_predict_proba(self, X):
        for p in self.classifier.staged_predict_proba(self._rows(X), thread_count=1):
            yield p
        for _ in range(self.complexity - self.classifier.tree_count_):
            yield p

    def _rows(self, X):
        return rows_of(X, self.classifier.get_cat_feature_indices())

    def summary(self):
        importance = self.classifier.get_feature_importance(thread_count=1)
        leaves = int(self.classifier.get_tree_leaf_counts().sum())
        return {"active_features": int((importance > 0).sum()), "leaves": leaves, "rounds": self.classifier.tree_count_}

    def arrays(self):
        raw = np.frombuffer(self.classifier._serialize_model(), dtype=np.uint8)
        return {"model_cbm": raw, "complexity": np.array(self.complexity)}

    @classmethod
    def load(cls, arrays):
        import_package("catboost")
        import catboost

        classifier = catboost.CatBoostClassifier().load_model(blob=arrays["model_cbm"].tobytes())
        return cls(classifier, int(arrays["complexity"]))


class CatBoost(Method):
    label = "CatBoost"
    place = 38
    names = (Name("depth", axis="depth of a tree"),)
    cost = Cost(0.05, 2e-6, rows=0.7, features=0.5, trees=1, complexity=1, tree=5e-4)
    draws = True
    model = FittedCatBoost
    scaled = False
    takes_mixed = True
    complexity = "iterations"
    quantities = ("active_features", "leaves")
    parameters = {  # noqa: RUF012
        "learning_rate": Range(1e-6, 1.0),
        "depth": Range(1, 16, integer=True),
        "l2_leaf_reg": Range(0.0, 1e6),
        "random_strength": Range(0.0, 1e6),
        "rsm": Range(0.01, 1.0),
        "subsample": Range(0.01, 1.0),
    }
    required = ("learning_rate",)  # that of the library depends on the number of rounds

    def __init__(self, data: FoldData):
        import_package("catboost")
        super().__init__(data)

    @staticmethod
    def simplicity(parameters):
        return (-parameters.get("depth", 6),)

    def fit(self, parameters, complexity, seed):
        import catboost

        data = self.data
        # By default several classes are drawn by another type, which has no `subsample`.
        drawn = {"bootstrap_type": "MVS"} if "subsample" in parameters else {}
        classifier = catboost.CatBoostClassifier(
            **{name: int(value) if name == "depth" else float(value) for name, value in parameters.items()},
            **drawn,
            iterations=complexity,
            loss_function="Logloss" if data.n_classes == 2 else "MultiClass",
            random_seed=int(seed.generate_state(1)[0] >> 1),
            thread_count=1,
            allow_writing_files=False,
            verbose=False,
        )
        categories = [] if data.levels is None else np.flatnonzero(data.levels).tolist()
        rows = catboost.Pool(rows_of(data.X, categories), data.y, cat_features=categories, weight=data.weight)
        classifier.fit(rows)
        for name in OF_THE_FIT:
            classifier.get_metadata()[name] = ""
        return FittedCatBoost(classifier, complexity)


def rows_of(X: np.ndarray, categories: list[int]) -> np.ndarray:
    """The rows as CatBoost takes them: numbers of categories are whole ones."""
    if not categories:
        return X
    rows = X.astype(object)
    rows[:, categories] = X[:, categories].astype(int)
    return rows
