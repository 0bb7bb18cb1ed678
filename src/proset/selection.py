"""Which setting to take, given its losses on the held-out folds."""

from math import sqrt
from typing import Any

import numpy as np

SELECTION_RULES = ("one_standard_deviation", "one_standard_error", "best")


def select(losses: np.ndarray, simplicity: list[tuple[float, ...]], rule: str) -> dict[str, Any]:
    """Pick a setting from its losses on the held-out folds.

    Parameters
    ----------
    losses : ndarray, shape (n_settings, n_folds)
    simplicity : list of tuples
        Sort key of each setting: the larger, the simpler.
    rule : {"one_standard_deviation", "one_standard_error", "best"}
        The simplest setting within a threshold, or the one with the smallest mean. The threshold is the smallest mean
        plus the standard deviation of that same setting over the folds, which is what the published text calls one
        standard error, or plus that deviation divided by the square root of the number of folds.

    Returns
    -------
    dict
        The "rule", positions "optimal" and "selected", "threshold" (with "best" that of "one_standard_deviation"),
        "within" (positions), "mean" and "standard_deviation" of every setting.

    Examples
    --------
    Three settings on two folds, the last one the simplest:

    >>> losses = np.array([[0.1, 0.3], [0.25, 0.25], [0.3, 0.4]])
    >>> [select(losses, [(0,), (1,), (2,)], rule)["selected"] for rule in SELECTION_RULES]
    [1, 1, 0]
    """
    mean, deviation = losses.mean(axis=1), losses.std(axis=1, ddof=1)
    optimal = int(mean.argmin())
    tolerance = deviation[optimal] / (sqrt(losses.shape[1]) if rule == "one_standard_error" else 1.0)
    threshold = float(mean[optimal] + tolerance)
    within = np.flatnonzero(mean <= threshold).tolist()
    selected = optimal if rule == "best" else max(within, key=lambda i: (simplicity[i], -i))
    return {
        "rule": rule,
        "optimal": optimal,
        "selected": selected,
        "threshold": threshold,
        "within": within,
        "mean": mean.tolist(),
        "standard_deviation": deviation.tolist(),
    }
