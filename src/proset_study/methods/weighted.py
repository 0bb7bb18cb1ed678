"""What the report asks of fitted models with weighted prototypes and feature weights.

Apart from `methods.prototypes`, so that no fit depends on how predictions are explained.
"""

from typing import Protocol, runtime_checkable

import numpy as np

from proset.explain import Explanation, explain
from proset.model import Model
from proset_study.methods.base import Fitted, PriorModel
from proset_study.methods.prototypes import PrototypeModel

MODELS = "proset models"  # what all of them are called


@runtime_checkable
class WeightedPrototypeModel(PrototypeModel, PriorModel, Protocol):
    """A fitted model with weighted prototypes and feature weights, fitted in batches.

    Its predictions can be explained; far away from all prototypes it predicts the class prior.
    """

    def feature_weights(self) -> np.ndarray:
        """Feature weights of every batch, shape (B, D); zero in a batch without prototypes."""

    def active_features(self) -> np.ndarray:
        """Sorted indices of the features that have a weight in some batch."""

    def familiarity(self, X: np.ndarray) -> np.ndarray:
        """Weight of the prototypes near each row, shape (N,); near 0 the prediction is the class prior."""

    def as_proset(self) -> Model:
        """The same model as one of the classifier, which can be explained."""


def explain_point(fitted: WeightedPrototypeModel, x: np.ndarray) -> Explanation:
    """The prior and the prototypes behind the prediction for one point, shape (D,)."""
    return explain(fitted.as_proset(), x)


def weighted(fitted: Fitted) -> WeightedPrototypeModel:
    """The same model, if its prototypes and features have weights; ValueError if they have not."""
    if not isinstance(fitted, WeightedPrototypeModel):
        raise ValueError("this model has no weighted prototypes to explain it by, and no familiarity")
    return fitted
