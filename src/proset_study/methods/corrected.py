"""What methods share whose model is another classifier, corrected by prototypes (`proset.base_model`).

Penalties and the number of prototypes are those that `ProsetClassifier(base=...)` would choose. With the parameter
`prototypes` at 0 the model is the base alone, so that both can be compared.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from proset.model import Model
from proset_study.methods.base import FittedModel, Range
from proset_study.methods.estimators import EstimatorMethod, pack, unpack
from proset_study.methods.proset import FittedProset
from proset_study.methods.proset_few import path_of_sizes


@dataclass(frozen=True)
class FittedCorrected(FittedModel):
    """A base model and what corrects it; see `methods.prototypes.PrototypeModel`."""

    base: Any  # a fitted classifier with the classes 0..K-1
    model: Model

    def staged_predict_proba(self, X):
        from proset.base_model import predicted

        by_base = predicted(self.base, X, np.arange(len(self.model.class_prior)))
        *_, found = self.model.staged_predict_proba(X, base=by_base)
        yield found

    def staged_summary(self):
        return {"active_features": [len(self.model.active_features())], "prototypes": [self.model.n_prototypes()]}

    def prototypes(self):
        return FittedProset(self.model).prototypes()

    def arrays(self):
        return {"base": pack(self.base), **self.model.arrays()}


class Corrected(EstimatorMethod):
    """A base model with prototypes on the data of one fold; see `methods.base.Method`.

    A method inherits from this class and gives `estimator`, the base model.
    """

    model = FittedCorrected
    draws = True
    parameters = {"prototypes": Range(0, 1, integer=True)}  # noqa: RUF012 - 0: the base alone
    quantities = ("active_features", "prototypes")
    imports = ("proset.base_model",)

    @staticmethod
    def simplicity(parameters):
        return (-parameters.get("prototypes", 1),)

    def fit(self, parameters, complexity, seed):
        from proset.base_model import cross_fitted, fitted

        data, classes = self.data, np.arange(self.data.n_classes)
        base = self.estimator(parameters, complexity, int(seed.generate_state(1)[0]) >> 1)
        if not parameters.get("prototypes", 1):
            counts = np.bincount(data.y, weights=data.weight, minlength=data.n_classes)
            whole = fitted(base, data.X, data.y, data.weight)
            return FittedCorrected(whole, Model(counts / counts.sum(), data.X.mean(axis=0), ()))
        whole, by_base = cross_fitted(base, data.X, data.y, classes, data.weight, None)
        path, chosen = path_of_sizes(data, seed, by_base)
        return FittedCorrected(whole, path[chosen])

    @classmethod
    def load(cls, arrays):
        return FittedCorrected(unpack(arrays["base"], cls.trusted), Model.from_arrays(arrays))
