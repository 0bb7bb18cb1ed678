"""What the first page says at a glance: the headline comparison, and what to be careful with."""

import numpy as np

from proset_study import methods
from proset_study.report.figures.complexity import SMALLEST, true_class_probability
from proset_study.report.figures.style import method_name
from proset_study.report.runs import compared_runs
from proset_study.store.stored import Final, Stored

CONSTANT = 1e-6  # largest spread of a predicted probability over the test points of a constant model


def headline(stored: Stored) -> tuple[list[str], list[dict]]:
    """Test log-loss of each method on each data set, by the runs that `compared_runs` names.

    A model is equivalent to the best one if its test log-loss is at most the threshold (one standard deviation) of the
    best one's last cross-validation.

    Returns
    -------
    names : list of str
        The methods.
    rows : list of dict
        "data_set", "cells" (one per method; None if not run), "verdict" (names of the equivalent ones, best first).
    """
    groups = {d: {run.method: run for run in compared_runs(stored.study, d)} for d in stored.study.data_sets}
    names = [m for m in methods.METHODS if any(m in group for group in groups.values())]
    rows = []
    for data_set, group in groups.items():
        cells = [_cell(stored, group.get(method), data_set) for method in names]
        there = sorted((c for c in cells if c), key=lambda c: c["log_loss"])
        for cell in there:
            cell["best"] = round(cell["log_loss"], 2) == round(there[0]["log_loss"], 2)
            cell["equivalent"] = cell["log_loss"] <= there[0]["threshold"]
        verdict = ", ".join(method_name(c["method"]) for c in there if c["best"] or c["equivalent"])
        rows.append({"data_set": data_set, "cells": cells, "verdict": verdict})
    return names, rows


def _cell(stored, run, data_set):
    found = [f for f in stored.finals(data_set=data_set) if f.run == run]
    if not found:
        return None
    (final,) = found
    features = final.fit["summary"]["active_features"]
    numbers = {"log_loss": final.scores["log_loss"], "threshold": final.stage2["threshold"], "features": features}
    return {"method": run.method, "run": run.name, **numbers}


def constant_models(stored: Stored) -> list[Final]:
    """Final models that predict the same for every test point, other than the class prior."""
    finals = [f for f in stored.finals() if f.run.method != "class_prior"]
    return [f for f in finals if np.ptp(f.probabilities, axis=0).max() < CONSTANT]


def zero_probability_samples(stored: Stored) -> list[tuple[Final, int, float]]:
    """Final models that gave some test samples' class probability 0, how many, and the log-loss of all others.

    Methods that predict no probabilities are left out.
    """
    found = []
    for final in (f for f in stored.finals() if methods.get(f.run.method).probabilistic):
        own = true_class_probability(final)
        zero = own <= SMALLEST
        if zero.any() and not zero.all():
            others = np.average(-np.log(own[~zero]), weights=final.weight[~zero])
            found.append((final, int(zero.sum()), float(others)))
    return found
