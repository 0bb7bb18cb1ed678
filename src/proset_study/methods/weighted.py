"""What the report asks of fitted models with weighted prototypes and feature weights.

Apart from `methods.prototypes`, so that no other method depends on the classifier's explanations.
"""

from typing import Protocol, runtime_checkable

import numpy as np

from proset.explain import Explanation
from proset_study.methods.base import Fitted, PriorModel
from proset_study.methods.prototypes import PrototypeModel


@runtime_checkable
class WeightedPrototypeModel(PrototypeModel, PriorModel, Protocol):
    """A fitted model with weighted prototypes and feature weights, fitted in batches, that can explain a prediction.

    Far away from all prototypes it predicts the class prior.
    """

    def feature_weights(self) -> np.ndarray:
        """Feature weights of every batch, shape (B, D); zero in a batch without prototypes."""

    def active_features(self) -> np.ndarray:
        """Sorted indices of the features that have a weight in some batch."""

    def familiarity(self, X: np.ndarray) -> np.ndarray:
        """Weight of the prototypes near each row, shape (N,); near 0 the prediction is the class prior."""

    def explain(self, x: np.ndarray) -> Explanation:
        """The prior and the prototypes behind the prediction for one point, shape (D,)."""


def weighted(fitted: Fitted) -> WeightedPrototypeModel:
    """The same model, if its prototypes and features have weights.

    Raises
    ------
    ValueError
        If they have not.
    """
    if not isinstance(fitted, WeightedPrototypeModel):
        raise ValueError("this model has no weighted prototypes to explain it by, and no familiarity")
    return fitted
