"""What the report asks of fitted models that predict by prototypes, beyond `methods.base.Fitted`."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from proset_study.methods.base import Fitted


@dataclass(frozen=True)
class Prototypes:
    """Prototypes of a fitted model.

    Attributes
    ----------
    X : ndarray, shape (M, D)
        In the units in which the model was fitted.
    labels : ndarray of int, shape (M,)
        Class indices.
    weights : ndarray, shape (M,)
        How much each counts, > 0; 1 from methods that do not weight them.
    batch : ndarray of int, shape (M,)
        Number of the batch that brought each, from 1, in increasing order; 1 from methods without batches.
    """

    X: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    batch: np.ndarray

    @classmethod
    def unweighted(cls, X: np.ndarray, labels: np.ndarray) -> "Prototypes":
        """Prototypes of one batch that all count the same."""
        return cls(X, labels, np.ones(len(labels)), np.ones(len(labels), dtype=int))


@runtime_checkable
class PrototypeModel(Fitted, Protocol):
    """A fitted model that predicts by prototypes."""

    def prototypes(self) -> Prototypes:
        """The prototypes at full size."""
