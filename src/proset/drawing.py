"""Parameters drawn at random, or taken from a grid or a point of the unit cube, trial by trial."""

from collections.abc import Mapping
from math import exp, floor, log
from typing import Any

import numpy as np


def draw_parameters(space: Mapping[str, Mapping[str, Any]], rng: np.random.Generator, trial: int) -> dict[str, float]:
    """Parameters of one trial.

    Parameters
    ----------
    space : dict
        Parameter name to one of {"log_uniform": [low, high]}, {"uniform": [low, high]}, {"integers": [low, high]} or
        {"log_integers": [low, high]}, whose low is at least 1 (both ends included), or {"log_grid": [low, high,
        points]}; grids are crossed with each other.
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
        elif kind == "log_integers":
            drawn[name] = parameter_at(space[name], rng.random())
        elif kind == "uniform":
            drawn[name] = float(rng.uniform(low, high))
        else:
            drawn[name] = exp(rng.uniform(log(low), log(high)))
    return drawn


def parameter_at(distribution: Mapping[str, tuple[float, float]], quantile: float) -> float:
    """The value of a parameter below which the proportion `quantile`, in [0, 1), of its draws lies.

    `distribution` is as in `draw_parameters`, but no grid. Log-integers k have probability log(1 + 1 / k) / constant.

    Examples
    --------
    >>> [parameter_at({"integers": (1, 4)}, quantile) for quantile in (0.0, 0.24, 0.25, 0.99)]
    [1, 1, 2, 4]
    >>> [parameter_at({"log_integers": (1, 7)}, quantile) for quantile in (0.0, 0.33, 0.34, 0.66, 0.67, 0.99)]
    [1, 1, 2, 3, 4, 7]
    """
    ((kind, (low, high)),) = distribution.items()
    if kind == "integers":
        return int(low) + floor(quantile * (high - low + 1))
    if kind == "log_integers":
        return min(int(high), floor(low * exp(quantile * log((high + 1) / low))))
    if kind == "uniform":
        return low + quantile * (high - low)
    return exp(log(low) + quantile * (log(high) - log(low)))
