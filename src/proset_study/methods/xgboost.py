"""XGBoost with trees; its path counts boosting rounds ("iterations").

Splits are looked for between the bins of histograms, or with `exact` 1 between all values; exact trees draw features
per level instead of per split, which the library has not for them. `min_child_weight`, the smallest sum of second
derivatives in a leaf, and `reg_lambda`, the squared penalty of the leaves, are 1 unless they are given.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from proset_study.data.splits import FoldData
from proset_study.methods.base import Cost, FittedModel, Method, Name, Range

if TYPE_CHECKING:
    import xgboost


@dataclass(frozen=True)
class FittedXGBoost(FittedModel):
    booster: "xgboost.Booster"
    n_classes: int

    def predict_proba(self, X):
        return _probabilities(self.booster.inplace_predict(X, predict_type="margin"))

    def staged_predict_proba(self, X):
        import xgboost

        matrix = xgboost.DMatrix(X, nthread=1)
        for i in range(self.booster.num_boosted_rounds()):
            margin = self.booster.predict(matrix, output_margin=True, iteration_range=(i, i + 1))
            yield _probabilities(margin)
            matrix.set_base_margin(margin)  # the next round is added to what has been summed so far

    def summary(self):
        return {
            "active_features": len(self.booster.get_score(importance_type="gain")),
            "rounds": self.booster.num_boosted_rounds(),
        }

    def arrays(self):
        raw = np.frombuffer(self.booster.save_raw("ubj"), dtype=np.uint8)
        return {"booster_ubj": raw, "n_classes": np.array(self.n_classes)}

    @classmethod
    def load(cls, arrays):
        import xgboost

        booster = xgboost.Booster({"nthread": 1})
        booster.load_model(bytearray(arrays["booster_ubj"]))
        return cls(booster, int(arrays["n_classes"]))


class XGBoost(Method):
    label = "XGBoost"
    place = 3
    names = (
        Name("max_depth", "max. depth", axis="largest depth of a tree"),
        Name("colsample", axis="proportion of features per split", number=".2f"),
        Name("subsample", axis="proportion of records per tree", number=".2f"),
        Name("iterations", axis="boosting rounds"),
    )
    draws = True
    model = FittedXGBoost
    scaled = False
    complexity = "iterations"
    parameters = {  # noqa: RUF012
        "learning_rate": Range(1e-6, 1.0),
        "max_depth": Range(0, 100, integer=True),
        "colsample": Range(0.01, 1.0),
        "subsample": Range(0.01, 1.0),
        "exact": Range(0, 1, integer=True),
        "min_child_weight": Range(0.0, 1e6),
        "reg_lambda": Range(0.0, 1e6),
    }
    imports = ("scipy.special",)
    required = ("learning_rate", "max_depth", "colsample", "subsample")

    def __init__(self, data: FoldData):
        import xgboost

        super().__init__(data)
        self.matrix = xgboost.DMatrix(data.X, label=data.y, weight=data.weight, nthread=1)

    @staticmethod
    def prepare_process():
        from proset_study.base.environment import import_xgboost_alone

        import_xgboost_alone()

    @staticmethod
    def cost(size, stage, fitted, scored):
        histograms = Cost(0.01, 7.3e-7, rows=0.85, trees=1, complexity=1, tree=2.5e-4)
        exact = Cost(0.01, 4e-8, rows=1.4, features=0.15, trees=1, complexity=1, tree=1e-4)
        return (exact if stage["parameters"].get("exact") else histograms)(size, stage, fitted, scored)

    @staticmethod
    def simplicity(parameters):
        return tuple(-parameters[name] for name in ("max_depth", "colsample", "subsample"))

    @staticmethod
    def fixed(n_features):
        return {"colsample": 1.0} if n_features <= 2 else {}

    def fit(self, parameters, complexity, seed):
        import xgboost

        depth, exact = int(parameters["max_depth"]), bool(parameters.get("exact"))
        booster = xgboost.train(
            {
                **_objective(self.data.n_classes),
                **depth_limit(depth),
                "learning_rate": parameters["learning_rate"],
                "colsample_bylevel" if exact else "colsample_bynode": parameters["colsample"],
                "subsample": parameters["subsample"],
                **{name: parameters[name] for name in ("min_child_weight", "reg_lambda") if name in parameters},
                "tree_method": "exact" if exact else "hist",
                "nthread": 1,
                "seed": int(seed.generate_state(1)[0] >> 1),
                "verbosity": 0,
            },
            self.matrix,
            num_boost_round=complexity,
        )
        return FittedXGBoost(booster, self.data.n_classes)


def depth_limit(depth: int) -> dict[str, float]:
    """XGBoost's settings for trees of at most this depth; 0 means no split at all.

    XGBoost reads `max_depth=0` as "no limit". Trees without a split come from a gain that no split can reach.
    """
    return {"max_depth": 1, "min_split_loss": 1e30} if depth == 0 else {"max_depth": depth}


def _objective(n_classes):
    return (
        {"objective": "binary:logistic"} if n_classes == 2 else {"objective": "multi:softprob", "num_class": n_classes}
    )


def _probabilities(margin):
    from scipy.special import softmax

    margin = margin.astype(np.float64)
    if margin.ndim == 1 or margin.shape[1] == 1:
        margin = np.column_stack([np.zeros(len(margin)), margin.reshape(len(margin))])
    return softmax(margin, axis=1)
