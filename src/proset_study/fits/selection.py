"""Selection of parameters and complexity by a rule from the losses on the held-out folds."""

import numpy as np

from proset.selection import select
from proset_study import methods

NOT_SEARCHED = "largest", "fixed"  # a whole ensemble; the default of a library


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
    """The selection of stage 2 from the records of all folds; rules in `NOT_SEARCHED` take the end of the path."""
    method = methods.get(records[0]["method"])
    records = sorted(records, key=lambda r: r["fold"])
    losses = np.array([r[criterion] for r in records]).T
    settings = list(range(method.min_complexity, method.min_complexity + len(losses)))
    sign = 1 if method.larger_is_simpler else -1
    selection = select(losses, [(sign * size,) for size in settings], "best" if rule in NOT_SEARCHED else rule)
    if rule in NOT_SEARCHED:
        selection |= {"rule": rule, "selected": len(settings) - 1}
    return {
        **selection,
        "criterion": criterion,
        "settings": settings,
        "complexity": settings[selection["selected"]],
        "candidates": records[0]["summary"].get("candidates"),
    }
