"""What a fit was given, kept for questions about rows: in the process only, never in a pickle or a file."""

from dataclasses import dataclass
from typing import Any

import numpy as np

N_BACKGROUND = 100  # training samples that stand for all
BACKGROUND = 0  # key of their draw


@dataclass(frozen=True)
class Training:
    """Arguments of `fit`, not copied, and what it made of them.

    A classifier leaves it out of its state: rows of the training data leave the process as prototypes alone.

    Attributes
    ----------
    X, y, sample_weight, base_probabilities, groups
        As given.
    random_state : numpy.random.RandomState
        As it was before the fit.
    points : ndarray, shape (n, D)
        Samples of positive weight in the units of the model.
    codes : ndarray of int, shape (n,)
        Numbers of their classes.
    weight : ndarray, shape (n,)
    copies : ndarray, shape (n,)
        How many rows each row stands for.
    rows : ndarray of int, shape (n,)
        Which rows of `X` they are, increasing.
    base : ndarray, shape (n, K), optional
        q_0 by a base model that has not seen them.
    parameters : dict
        Of the classifier.
    size : (int, int)
        Numbers of prototypes and features that the penalties left, before any elimination.
    """

    X: Any
    y: Any
    sample_weight: Any
    base_probabilities: Any
    groups: Any
    random_state: np.random.RandomState
    points: np.ndarray
    codes: np.ndarray
    weight: np.ndarray
    copies: np.ndarray
    rows: np.ndarray
    base: np.ndarray | None
    parameters: dict[str, Any]
    size: tuple[int, int]

    def sample(self, n: int) -> np.ndarray:
        """Places of at most `n` samples of positive weight, drawn once and for all."""
        rng = np.random.default_rng(np.random.SeedSequence(BACKGROUND))
        return np.sort(rng.permutation(len(self.points))[:n])
