"""LightGBM: boosted trees that grow leaf by leaf on histograms; its path counts boosting rounds ("iterations").

Parameters have the library's names and defaults. Trees split categories into two sets, and send missing numbers to the
side where they do better. A set of categories has `min_data_in_leaf` samples at least: the library asks for 100, with
which small tables have no split by categories.

The package comes with the extra `battery` (`make .venv/battery`), and its wheel needs the system's libgomp.so.1 (on
Debian and Ubuntu: `apt-get install libgomp1`).

G. Ke et al., LightGBM: a highly efficient gradient boosting decision tree, NeurIPS (2017).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from proset_study.data.splits import FoldData
from proset_study.methods.base import Cost, FittedModel, Method, Name, Range
from proset_study.methods.optional import import_package

if TYPE_CHECKING:
    import lightgbm

MIN_DATA_IN_LEAF = 20  # the library's
INTEGERS = ("num_leaves", "min_data_in_leaf")


@dataclass(frozen=True)
class FittedLightGBM(FittedModel):
    booster: "lightgbm.Booster"
    n_classes: int
    complexity: int  # on the path; where no tree finds a split any more, the rest of the path is as its end

    def predict_proba(self, X):
        return _probabilities(self._scores(X))

    def staged_predict_proba(self, X):
        rounds, scores = self.booster.current_iteration(), np.zeros(1)
        for i in range(self.complexity):
            if i < rounds:
                scores = scores + self._scores(X, start_iteration=i, num_iteration=1)
            yield _probabilities(scores)

    def _scores(self, X, **of_rounds):
        return np.asarray(self.booster.predict(X, raw_score=True, num_threads=1, **of_rounds))

    def summary(self):
        gains = self.booster.feature_importance("split")
        leaves = sum(tree["num_leaves"] for tree in self.booster.dump_model()["tree_info"])
        rounds = self.booster.current_iteration()
        return {"active_features": int((gains > 0).sum()), "leaves": leaves, "rounds": rounds}

    def arrays(self):
        text = np.frombuffer(self.booster.model_to_string().encode(), dtype=np.uint8)
        return {"booster": text, "n_classes": np.array(self.n_classes), "complexity": np.array(self.complexity)}

    @classmethod
    def load(cls, arrays):
        import_package("lightgbm")
        import lightgbm

        booster = lightgbm.Booster(model_str=arrays["booster"].tobytes().decode())
        return cls(booster, int(arrays["n_classes"]), int(arrays["complexity"]))


class LightGBM(Method):
    label = "LightGBM"
    place = 37
    names = (Name("num_leaves", "leaves per tree"), Name("min_data_in_leaf", "min. samples per leaf"))
    cost = Cost(0.05, 9e-7, rows=0.7, features=0.5, trees=1, complexity=1, tree=2e-4)
    draws = True
    model = FittedLightGBM
    scaled = False
    takes_mixed = True
    complexity = "iterations"
    quantities = ("active_features", "leaves")
    parameters = {  # noqa: RUF012
        "learning_rate": Range(1e-6, 1.0),
        "num_leaves": Range(2, 100_000, integer=True),
        "min_data_in_leaf": Range(1, 10**6, integer=True),
        "feature_fraction": Range(0.01, 1.0),
        "bagging_fraction": Range(0.01, 1.0),
        "lambda_l2": Range(0.0, 1e6),
        "min_sum_hessian_in_leaf": Range(0.0, 1e6),
    }
    required = ("learning_rate", "num_leaves")
    imports = ("scipy.special",)

    def __init__(self, data: FoldData):
        import_package("lightgbm")
        super().__init__(data)

    @staticmethod
    def simplicity(parameters):
        return (-parameters["num_leaves"],)

    def fit(self, parameters, complexity, seed):
        import lightgbm

        data = self.data
        settings = {
            **{name: int(value) if name in INTEGERS else float(value) for name, value in parameters.items()},
            **({"objective": "binary"} if data.n_classes == 2 else {"objective": "multiclass"}),
            "num_class": 1 if data.n_classes == 2 else data.n_classes,
            "min_data_per_group": int(parameters.get("min_data_in_leaf", MIN_DATA_IN_LEAF)),
            "bagging_freq": 1,
            "seed": int(seed.generate_state(1)[0] >> 1),
            "num_threads": 1,
            "deterministic": True,
            "force_row_wise": True,  # else the faster way is tried out
            "verbosity": -1,
        }
        categories = [] if data.levels is None else np.flatnonzero(data.levels).tolist()
        rows = lightgbm.Dataset(data.X, label=data.y, weight=data.weight, categorical_feature=categories)
        booster = lightgbm.train(settings, rows, num_boost_round=complexity)
        return FittedLightGBM(booster, data.n_classes, complexity)


def _probabilities(scores):
    from scipy.special import softmax

    return softmax(np.column_stack([np.zeros(len(scores)), scores]) if scores.ndim == 1 else scores, axis=1)
