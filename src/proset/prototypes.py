"""The prototypes of a model, whatever batch they are from."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Prototypes:
    """Prototypes of all batches of a model, one batch after the other.

    Attributes
    ----------
    batch : ndarray of int, shape (J,)
        From 0.
    rows : ndarray of int, shape (J,)
        Of the training data.
    labels : ndarray of int, shape (J,)
        Class indices.
    weights : ndarray, shape (J,)
    points : ndarray, shape (J, D)
    """

    batch: np.ndarray
    rows: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    points: np.ndarray
