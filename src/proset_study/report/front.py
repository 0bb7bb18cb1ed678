"""What the first page says at a glance: the headline comparison, and what to be careful with."""

from pathlib import Path
from statistics import fmean, stdev

import numpy as np

from proset_study import methods
from proset_study.report.figures.complexity import true_class_probability
from proset_study.report.figures.style import method_name
from proset_study.report.losses import losses_by_method, overlaps
from proset_study.report.paired import among_the_best
from proset_study.report.runs import compared_runs
from proset_study.scores import SMALLEST
from proset_study.store.results import read_rows
from proset_study.store.stored import Final, Stored

RIVALS = ("proset", "knn", "xgboost", "svm")  # methods of the headline, where a comparison has a row for each
CONSTANT = 1e-6  # largest spread of a predicted probability over the test points of a constant model


def headline(stored: Stored) -> tuple[list[str], list[dict]]:
    """Test log-loss of each method on each data set, by the runs that `compared_runs` names.

    Losses are means over replicates and fit seeds; all else of a cell is of the first replicate's model.

    Returns
    -------
    names : list of str
        The methods.
    rows : list of dict
        "data_set", "cells" (one per method; None if not run), "verdict" (names of what the replicates cannot tell from
        the best, or nothing if there is one replicate). Of a cell, "best" says the same, and "within_rule" whether its
        loss is at most the threshold of the lowest one's last cross-validation: the published rule, no test.
    """
    groups = {d: {run.method: run for run in compared_runs(stored.study, d)} for d in stored.study.data_sets}
    names = [m for m in methods.METHODS if any(m in group for group in groups.values())]
    rows = []
    for data_set, group in groups.items():
        cells = [_cell(stored, group.get(method), data_set) for method in names]
        experiments = [group[c["method"]].experiment for c in cells if c]
        found = losses_by_method(stored, experiments, "log-loss")
        losses = {c["method"]: found[c["method"]][data_set] for c in cells if c}
        overlap = overlaps(stored, experiments).get(data_set, 0.0)
        best = among_the_best(losses, overlap)
        there = sorted((c for c in cells if c), key=lambda c: fmean(losses[c["method"]].values()))
        for cell in there:
            cell["log_loss"] = fmean(losses[cell["method"]].values())
            cell["best"] = cell["method"] in best
            cell["within_rule"] = cell["log_loss"] <= max(there[0]["log_loss"], there[0]["threshold"])
        verdict = ", ".join(method_name(c["method"]) for c in there if c["best"])
        rows.append({"data_set": data_set, "cells": cells, "verdict": verdict})
    return names, rows


def headline_markdown(stored: Stored, published: Path) -> str:
    """Test log-loss of `RIVALS` by data set as a Markdown table that names the track, and the budget of their searches.

    They are those of the comparisons with a row per method, on the data sets that all of them share: means and standard
    deviations over the replicates, the published number in brackets; bold is what the replicates cannot tell from the
    best. A method with one replicate has no deviation and is not tested.
    """
    study = stored.study
    entries = study.config.get("comparisons", {}).values()
    compared = [entry["experiments"] for entry in entries if entry.get("rows") == "methods"]
    rivals = [run for run in study.runs.values() if run.method in RIVALS and run.data_sets]
    runs = [run for run in rivals if any(run.experiment in experiments for experiments in compared)]
    experiments = list(dict.fromkeys(run.experiment for run in runs))
    names = [method for method in RIVALS if any(run.method == method for run in runs)]
    losses, overlap = losses_by_method(stored, experiments, "log-loss"), overlaps(stored, experiments)
    wanted = ("final", "log_loss")
    printed = {
        (r["method"], r["dataset"]): r["value"]
        for r in read_rows(published)
        if r["experiment"] in experiments and (r["section"], r["quantity"]) == wanted
    }
    lines = [_line(f"test log-loss, {study.track}", map(method_name, names)), "|---" + "|---:" * len(names) + "|"]
    for data_set in study.data_sets:
        by_method = {m: losses[m][data_set] for m in names if losses[m].get(data_set)}
        if not by_method or len(by_method) < len(names):
            continue
        best = among_the_best(by_method, overlap[data_set])
        cells = [_text(values, printed.get((m, data_set)), m in best) for m, values in by_method.items()]
        lines.append(_line(data_set, cells))
    budgets = {m: [_budget(study, run, d) for run in runs if run.method == m for d in run.data_sets] for m in names}
    for i, what in enumerate(("candidates tried", "sizes on the path")):
        spans = [sorted({budget[i] for budget in found}) for found in budgets.values()]
        lines.append(_line(what, (" to ".join(map(str, dict.fromkeys((s[0], s[-1])))) for s in spans)))
    return "\n".join(lines) + "\n"


def _line(label, cells):
    return f"| {' | '.join([label, *cells])} |"


def _text(values, published, bold):
    mean = f"{fmean(values.values()):.3f}"
    text = f"**{mean}**" if bold else mean
    text += f" ± {stdev(values.values()):.3f}" if len(values) > 1 else ""
    return text if published is None else f"{text} ({published:.2f})"


def _budget(study, run, data_set):
    """Candidates of stage 1, and sizes of stage 2."""
    method = methods.get(run.method)
    sizes = run.stage("stage2", data_set)["complexity"] - method.min_complexity + 1
    return study.n_trials(run.name, data_set) if study.stage1_run(run) else 1, sizes


def _cell(stored, run, data_set):
    found = [f for f in stored.finals(data_set=data_set) if f.run == run]
    if not found:
        return None
    (final,) = found
    features = final.fit["summary"]["active_features"]
    return {"method": run.method, "run": run.name, "threshold": final.stage2["threshold"], "features": features}


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
