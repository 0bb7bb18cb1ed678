"""What the first page says at a glance: the headline comparison, and what to be careful with."""

import numpy as np

from proset.study import methods
from proset.study.config import Run, Study
from proset.study.report.figures.style import method_name
from proset.study.report.stored import Final, Stored

CONSTANT = 1e-6  # largest spread of a predicted probability over the test points of a constant model


def compared_methods(study: Study) -> dict[str, dict[str, Run]]:
    """For each data set one run per method, from the comparisons of experiments that differ in method."""
    groups: dict[str, dict[str, Run]] = {}
    for comparison in study.config.get("comparisons", {}).values():
        runs = [run for e in comparison["experiments"] for run in study.experiments.get(e, [])]
        if len({run.method for run in runs}) > 1:
            for run in runs:
                for data_set in run.data_sets:
                    groups.setdefault(data_set, {})[run.method] = run
    return groups


def headline(stored: Stored) -> tuple[list[str], list[dict]]:
    """Test log-loss of each method on each data set, from the comparisons of experiments that differ in method.

    A model is equivalent to the best one if its test log-loss is at most the threshold (one-standard-error rule) of the
    best one's last cross-validation.

    Returns
    -------
    names : list of str
        The methods.
    rows : list of dict
        "data_set", "cells" (one per method; None if not run), "verdict" (names of the equivalent ones, best first).
    """
    groups = compared_methods(stored.study)
    names = list(dict.fromkeys(method for group in groups.values() for method in group))
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
    """Final models that predict the same for every test point."""
    return [f for f in stored.finals() if np.ptp(f.probabilities, axis=0).max() < CONSTANT]


def edges(stored: Stored) -> list[tuple[Final, str]]:
    """Final models of which an optimum or a choice is the smallest or largest value that was tried, and which."""
    found = []
    for final in stored.finals():
        dimensions = [(methods.get(final.run.method).step, final.stage2, final.stage2["settings"])]
        if final.stage1:
            dimensions += [
                (name, final.stage1, [s[name] for s in final.stage1["settings"]]) for name in final.stage1["parameters"]
            ]
        for name, choice, tried in dimensions:
            if min(tried) == max(tried):
                continue
            at_end = [
                f"{role} {name} is the {'smallest' if tried[choice[role]] == min(tried) else 'largest'}"
                f" ({tried[choice[role]]:.3g})"
                for role in dict.fromkeys(("optimal", "selected"))
                if tried[choice[role]] in (min(tried), max(tried))
            ]
            found += [(final, text) for text in at_end]
    return found
