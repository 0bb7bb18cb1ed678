"""What the report asks of fitted models that predict by prototypes, beyond `methods.base.Fitted`."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from proset_study.methods.base import Fitted


@dataclass(frozen=True)
class Prototypes:
    """Prototypes of a fitted model."""

    X: np.ndarray  # shape (M, D), in the units in which the model was fitted
    labels: np.ndarray  # class indices, of int, shape (M,)
    weights: np.ndarray  # how much each counts, shape (M,), > 0; 1 from methods that do not weight them
    batch: np.ndarray  # number of the batch of each, of int, shape (M,), from 1, increasing; 1 without batches

    @classmethod
    def unweighted(cls, X: np.ndarray, labels: np.ndarray) -> "Prototypes":
        """Prototypes of one batch that all count the same."""
        return cls(X, labels, np.ones(len(labels)), np.ones(len(labels), dtype=int))


@runtime_checkable
class PrototypeModel(Fitted, Protocol):
    """A fitted model that predicts by prototypes."""

    def prototypes(self) -> Prototypes:
        """The prototypes at full size."""
