"""Parameters drawn at random, or taken from a grid, trial by trial."""

from collections.abc import Mapping
from math import exp, log
from typing import Any

import numpy as np


def draw_parameters(space: Mapping[str, Mapping[str, Any]], rng: np.random.Generator, trial: int) -> dict[str, float]:
    """Parameters of one trial.

    Parameters
    ----------
    space : dict
        Parameter name to one of {"log_uniform": [low, high]}, {"uniform": [low, high]}, {"integers": [low, high]}
        (both ends included) or {"log_grid": [low, high, points]}; grids are crossed with each other.
    rng : numpy.random.Generator
        Of this trial alone, so that its parameters do not depend on how many there are.
    trial : int >= 0
        Place in the grid.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> round(draw_parameters({"lambda_v": {"log_grid": [1e-3, 1e-1, 3]}}, rng, trial=1)["lambda_v"], 9)
    0.01
    """
    drawn: dict[str, float] = {}
    grid_position = trial
    for name in sorted(space):
        ((kind, (low, high, *points)),) = space[name].items()
        if kind == "log_grid":
            grid_position, i = divmod(grid_position, points[0])
            drawn[name] = exp(log(low) + (log(high) - log(low)) * i / max(1, points[0] - 1))
        elif kind == "integers":
            drawn[name] = int(rng.integers(low, high, endpoint=True))
        elif kind == "uniform":
            drawn[name] = float(rng.uniform(low, high))
        else:
            drawn[name] = exp(rng.uniform(log(low), log(high)))
    return drawn
