"""Pairs of penalties that `proset.ProsetClassifierCV` tries: from ranges, grids, or numbers that are kept."""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from proset.defaults import MAX_PENALTY
from proset.drawing import draw_parameters
from proset.penalty_path import LAMBDA_V, LAMBDA_W, Pair


@dataclass(frozen=True)
class Values:
    """Values of a penalty: both ends of a range, or a grid."""

    values: tuple[float, ...]
    is_range: bool
    of_path: tuple[float, ...]

    @classmethod
    def of(cls, name: str, given: Any) -> "Values":
        """Read a parameter of the search, "lambda_v" or "lambda_w"; ValueError if it is neither."""
        values, is_range = np.asarray(given), isinstance(given, tuple)
        allowed = values.size and values.dtype.kind in "iuf" and 0 <= values.min() <= values.max() <= MAX_PENALTY
        if not allowed or (is_range and (values.shape != (2,) or not 0 < values[0] <= values[1])):
            raise ValueError(
                f"{name}: {given!r} is not allowed, must be a tuple (low, high) of positive numbers, a list of "
                f"numbers, or a number; up to {MAX_PENALTY:g}"
            )
        return cls(tuple(values.ravel().astype(float).tolist()), is_range, LAMBDA_V if name == "lambda_v" else LAMBDA_W)

    def on_path(self) -> tuple[float, ...]:
        """Increasing values to go along: a range has those of the path and its ends."""
        if not self.is_range:
            return tuple(sorted(set(self.values)))
        low, high = self.values
        return tuple(sorted({low, high, *(value for value in self.of_path if low < value < high)}))


def pairs(lambda_v: Values, lambda_w: Values, n_drawn: int, seed: np.random.SeedSequence) -> list[Pair]:
    """All pairs of two grids; next to a range `n_drawn` ones, none of which depends on how many there are.

    Trial i draws from a child of the seed keyed by i.
    """
    spaces = {"lambda_v": lambda_v, "lambda_w": lambda_w}
    grid = list(product(*((np.nan,) if space.is_range else space.values for space in spaces.values())))
    ranges = {name: {"log_uniform": space.values} for name, space in spaces.items() if space.is_range}
    if not ranges:
        return [(v, w) for v, w in grid]
    found = []
    for trial in range(n_drawn):
        rng = np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, trial)))
        kept = dict(zip(spaces, grid[trial % len(grid)], strict=True))
        drawn = kept | draw_parameters(ranges, rng, trial)
        found.append((drawn["lambda_v"], drawn["lambda_w"]))
    return found
