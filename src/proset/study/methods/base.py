"""What the study asks of a method.

A method is fitted along a *path* of growing size (batches, neighbours, boosting rounds), and every size on the path can
be scored without another fit. Stage 1 searches its other parameters at one size, stage 2 the size.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from proset.study.splits import Part


@dataclass(frozen=True)
class Range:
    """Allowed values of a parameter, both ends included."""

    low: float
    high: float
    integer: bool = False

    def check(self, key: str, value: float) -> None:
        """Raise a ValueError that names `key` unless `value` is allowed."""
        if not self.low <= value <= self.high or (self.integer and value != int(value)):
            kind = "a whole number" if self.integer else "a number"
            raise ValueError(f"{key}: {value!r} is not allowed, must be {kind} from {self.low} to {self.high}")


class Fitted(Protocol):
    """A fitted model."""

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Class probabilities at full size, shape (N, K)."""

    def staged_predict_proba(self, X: np.ndarray) -> Iterator[np.ndarray]:
        """Class probabilities for every size from `Method.first_step` to the full one."""

    def summary(self) -> dict[str, object]:
        """Complexity and diagnostics at full size, as JSON values; `active_features` always."""

    def staged_summary(self) -> dict[str, list]:
        """The same for every size, where the method knows it; may be empty."""

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything needed to predict, as plain arrays; `Method.load` reads them."""


class Method(Protocol):
    """A method bound to the data of one part, so that fits of different parameters share what they have in common."""

    scaled: ClassVar[bool]  # whether features are centred and scaled
    probabilistic: ClassVar[bool]  # if not, it predicts 0 or 1, and its log-loss is its error rate times 34.5
    step: ClassVar[str]  # what the path counts; a method without a path has one of length 1
    first_step: ClassVar[int]
    larger_step_is_simpler: ClassVar[bool]
    parameters: ClassVar[dict[str, Range]]  # names and allowed values
    required: ClassVar[tuple[str, ...]]  # parameters without a default
    quantities: ClassVar[tuple[str, ...]]  # complexity measures reported of the final model

    def __init__(self, part: Part): ...

    @staticmethod
    def simplicity(parameters: dict[str, float]) -> tuple[float, ...]:
        """Sort key: the larger, the simpler the model that these parameters give."""

    @staticmethod
    def fixed(n_features: int) -> dict[str, float]:
        """Parameters that are not searched for data with so many features."""

    def fit(self, parameters: dict[str, float], steps: int, seed: np.random.SeedSequence) -> Fitted:
        """Fit up to `steps` on the path."""

    @staticmethod
    def load(arrays: dict[str, np.ndarray]) -> Fitted:
        """The fitted model that gave these arrays."""
