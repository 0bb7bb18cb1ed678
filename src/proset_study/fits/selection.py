"""Selection of parameters and complexity by a rule from the losses on the held-out folds."""

from math import sqrt

import numpy as np

from proset_study import methods

SELECTION_RULES = ("one_standard_deviation", "one_standard_error", "best")
CRITERIA = ("log_loss", "error")


def select(losses: np.ndarray, simplicity: list[tuple[float, ...]], rule: str) -> dict:
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
        Positions "optimal" and "selected", "threshold", "within" (positions), "mean" and "standard_deviation" of
        every setting.
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


def select_parameters(records: list[dict], fixed: dict, rule: str, criterion: str = "log_loss") -> dict:
    """The selection of stage 1 from all its records; `fixed` are the parameters that were not searched."""
    method = methods.get(records[0]["method"])
    by_trial: dict[int, list[dict]] = {}
    for record in sorted(records, key=lambda r: (r["trial"], r["fold"])):
        by_trial.setdefault(record["trial"], []).append(record)
    trials = list(by_trial)
    parameters = [by_trial[t][0]["parameters"] for t in trials]
    losses = np.array([[r[criterion] for r in by_trial[t]] for t in trials])
    selection = select(losses, [method.simplicity({**fixed, **p}) for p in parameters], rule)
    return {
        **selection,
        "criterion": criterion,
        "trials": trials,
        "settings": parameters,
        "parameters": parameters[selection["selected"]],
        "candidates": by_trial[trials[0]][0]["summary"].get("candidates"),
    }


def select_complexity(records: list[dict], rule: str, criterion: str = "log_loss") -> dict:
    """The selection of stage 2 from the records of all folds."""
    method = methods.get(records[0]["method"])
    records = sorted(records, key=lambda r: r["fold"])
    losses = np.array([r[criterion] for r in records]).T
    settings = list(range(method.min_complexity, method.min_complexity + len(losses)))
    sign = 1 if method.larger_is_simpler else -1
    selection = select(losses, [(sign * size,) for size in settings], rule)
    return {
        **selection,
        "criterion": criterion,
        "settings": settings,
        "complexity": settings[selection["selected"]],
        "candidates": records[0]["summary"].get("candidates"),
    }
