"""Error rate against the number of prototypes, of the methods that have them."""

from collections.abc import Iterable
from operator import itemgetter
from statistics import fmean, stdev

import numpy as np

from proset_study.methods import METHODS
from proset_study.report.analysis.losses import final_loss, overlaps
from proset_study.report.analysis.paired import among_the_best
from proset_study.report.analysis.runs import finals_of, prototype_runs
from proset_study.store.results import FINAL, by_fit_seed
from proset_study.store.stored import Final, Stored

COLUMNS = (
    *("replicate", "dataset", "experiment", "method", "step", "prototypes", "error", "standard_error", "chosen"),
    *("final_prototypes", "test_error", "test_standard_error"),
)


def error_path(final: Final) -> dict[str, np.ndarray]:
    """Prototypes and error at every step of the path of stage 2, means over the folds; all of shape (steps,)."""
    errors = np.array([record["error"] for record in final.paths])
    return {
        "step": np.array(final.stage2["settings"]),
        "prototypes": np.mean([record["staged_summary"]["prototypes"] for record in final.paths], axis=0),
        "error": errors.mean(axis=0),
        "standard_error": errors.std(axis=0, ddof=1) / np.sqrt(len(errors)),
    }


def trial_means(records: list[dict]) -> dict[str, np.ndarray]:
    """Prototypes and losses of every trial of stage 1, means over the folds, from the records of its fits."""
    trials = sorted({record["trial"] for record in records})

    def mean_of(value):
        return np.array([np.mean([value(r) for r in records if r["trial"] == trial]) for trial in trials])

    scores = {score: mean_of(lambda record, score=score: record[score]) for score in ("log_loss", "error")}
    return {"prototypes": mean_of(lambda record: record["summary"]["prototypes"]), **scores}


def least_loss(prototypes: np.ndarray, loss: np.ndarray) -> np.ndarray:
    """The least loss with at most that number of prototypes; both of shape (n,), sorted by `prototypes`.

    >>> least_loss(np.array([3, 5, 5, 9]), np.array([0.4, 0.5, 0.2, 0.3])).tolist()
    [0.4, 0.2, 0.2, 0.2]
    """
    upto = np.searchsorted(prototypes, prototypes, side="right") - 1
    return np.minimum.accumulate(loss)[upto]


def prototype_finals(stored: Stored, replicate: int, data_set: str) -> list[Final]:
    """Final models of the compared methods that have prototypes; see `runs.prototype_runs`."""
    return finals_of(stored, prototype_runs(stored.study, data_set), data_set, replicate)


def prototype_rows(stored: Stored, replicates: Iterable[int] | None = None) -> list[dict]:
    """A row per step on the path of each model, with `COLUMNS` as keys; that of the chosen one has the test error.

    By default of all replicates but the additional ones, which have only some of the methods.
    """
    rows = []
    if replicates is None:
        replicates = [r for r in stored.study.config["replicates"] if r in stored.searched]
    for replicate in replicates:
        for data_set in stored.study.data_sets:
            for final in prototype_finals(stored, replicate, data_set):
                names = (replicate, data_set, final.run.experiment, final.run.method)
                for i, values in enumerate(zip(*error_path(final).values(), strict=True)):
                    chosen = i == final.stage2["selected"]
                    scores = (
                        (final.fit["summary"]["prototypes"], *final_loss(final, "error")) if chosen else (None,) * 3
                    )
                    numbers = [value.item() for value in values]
                    rows.append(dict(zip(COLUMNS, (*names, *numbers, chosen, *scores), strict=True)))
    return rows


def mean_test_errors(stored: Stored) -> tuple[list[str], list[dict]]:
    """Methods that are compared and have prototypes, and by data set a cell for each, None if it was not run.

    A cell has run and prototypes of the first replicate's model, the number of "replicates", the mean "error" over them
    and the fit seeds, its "deviation" over replicates (None if there is one), and whether it is among the "best"
    (`paired.among_the_best`). Only rows are read, so that a report without records is enough.
    """
    runs = {d: prototype_runs(stored.study, d) for d in stored.study.data_sets}
    experiments = list(dict.fromkeys(run.experiment for of_data_set in runs.values() for run in of_data_set))
    values = {
        quantity: _of_models(stored, experiments, quantity, by_seed)
        for quantity, by_seed in (("error", fmean), ("prototypes", itemgetter(0)))
    }
    overlap = overlaps(stored, list(stored.study.experiments))
    found: dict[str, dict[str, dict]] = {}
    for data_set, of_data_set in runs.items():
        there = {run.method: run for run in of_data_set if (run.name, data_set) in values["error"]}
        errors = {method: values["error"][run.name, data_set] for method, run in there.items()}
        most = max(map(len, errors.values()), default=0)  # others are marked, and shorten no test
        whole = {method: of for method, of in errors.items() if len(of) == most}
        best = among_the_best(whole, overlap.get(data_set, 0.0))
        for method, run in there.items():
            by_replicate = list(errors[method].values())
            cell = {"run": run.name, "prototypes": next(iter(values["prototypes"][run.name, data_set].values()))}
            cell |= {"best": method in best, "replicates": len(by_replicate), "error": fmean(by_replicate)}
            cell |= {"deviation": stdev(by_replicate) if len(by_replicate) > 1 else None}
            found.setdefault(data_set, {})[method] = cell
    names = [method for method in METHODS if any(method in cells for cells in found.values())]
    return names, [{"data_set": d, "cells": [cells.get(name) for name in names]} for d, cells in found.items()]


def _of_models(stored, experiments, quantity, by_seed):
    """A quantity of final models by run and data set, and by replicate, from those of all fit seeds."""
    names = {(run.experiment, run.variant): run.name for run in stored.study.runs.values()}
    found: dict[tuple[str, str], dict[int, float]] = {}
    for row, values in by_fit_seed(stored.rows_of(experiments, FINAL, quantity)):
        found.setdefault((names[row.experiment, row.variant], row.dataset), {})[row.replicate] = by_seed(values)
    return found
