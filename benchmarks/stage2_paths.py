"""Does it matter that stage 2 takes all numbers of batches from one path? The same choice from separate fits.

With the settings of E6 on ten replicates: a path of ten batches for each fold, as the study has it, and for every
number of batches fits of their own, whose candidates have nothing in common with those of other numbers.
"""

from collections.abc import Iterator
from statistics import fmean

import numpy as np
from benchmarks.cases import SEED

from proset import model
from proset.losses import log_loss
from proset.objective import Penalty
from proset.selection import select
from proset.solver import MAX_ITER, TOL
from proset_study.base.seeds import integer_seed, seed_sequence
from proset_study.data.sources import make
from proset_study.data.splits import TEST, select_fold
from proset_study.data.splitting import split

DATA = {"iris_2f": {"sklearn": "iris", "features": [0, 1]}, "wine": {"sklearn": "wine"}}
COLUMNS = (
    *("data_set", "replicate", "way", "batches", "threshold", "mean_log_loss", "mean_step", "test_log_loss"),
    *("first_batch", "last_batch"),
)
SIZES, FOLDS = range(11), range(5)
PENALTY = Penalty(1e-3, 1e-8, 0.95, 0.95)


def run(data_sets: list[str] | None = None, replicates: range = range(10)) -> Iterator[dict]:
    """A row for each way of each replicate: what the rule chooses, and the test log-loss of the final model.

    "mean_step" is the mean distance of the mean losses of neighbouring numbers of batches from two on; of paths also
    the mean number of prototypes of the first and the last batch.
    """
    for data_set in data_sets or DATA:
        for replicate in replicates:
            data = make(DATA[data_set], SEED, data_set, replicate)
            folds = split(data.y, len(FOLDS), 0.3, integer_seed(SEED, "split", data_set, replicate))
            parts = [select_fold(data, folds, fold, scaled=True) for fold in FOLDS]
            paths = [_fit(part, SIZES[-1], data_set, replicate, fold) for fold, part in enumerate(parts)]
            path = np.array([_losses(fitted, part) for fitted, part in zip(paths, parts, strict=True)]).T
            apart = np.array(
                [
                    [_losses(_fit(part, n, data_set, replicate, fold, n), part)[-1] for fold, part in enumerate(parts)]
                    for n in SIZES
                ]
            )
            whole = select_fold(data, folds, TEST, scaled=True)
            test = _losses(_fit(whole, SIZES[-1], data_set, replicate, TEST), whole)
            n_prototypes = np.mean([[len(batch.labels) for batch in fitted.batches] for fitted in paths], axis=0)
            for way, losses in (("path", path), ("separate", apart)):
                chosen = select(losses, [(-n,) for n in SIZES], "one_standard_deviation")
                means = losses.mean(axis=1)
                yield {
                    "data_set": data_set,
                    "replicate": replicate,
                    "way": way,
                    "batches": chosen["selected"],
                    "threshold": round(chosen["threshold"], 6),
                    "mean_log_loss": round(means[chosen["selected"]], 6),
                    "mean_step": round(abs(np.diff(means[2:])).mean(), 6),
                    "test_log_loss": round(test[chosen["selected"]], 6),
                    "first_batch": n_prototypes[0] if way == "path" else "",
                    "last_batch": n_prototypes[-1] if way == "path" else "",
                }


def _fit(part, n_batches, *names):
    return model.fit(
        part.X,
        part.y,
        part.n_classes,
        n_batches=n_batches,
        n_candidates=1000,
        max_fraction=0.5,
        penalty=PENALTY,
        max_iter=MAX_ITER,
        tol=TOL,
        seed=seed_sequence(SEED, "stage2 paths", *names),
        n_threads=1,
    )


def _losses(fitted, part):
    return [log_loss(p, part.y_score) for p in fitted.staged_predict_proba(part.X_score)]


def summary(rows: list[dict]) -> list[dict]:
    """By data set: how often both ways choose the same, the means of what they choose, and of its test log-loss."""
    found = []
    for data_set in dict.fromkeys(row["data_set"] for row in rows):
        path, apart = (
            [r for r in rows if (r["data_set"], r["way"]) == (data_set, way)] for way in ("path", "separate")
        )
        same = sum(a["batches"] == b["batches"] for a, b in zip(path, apart, strict=True))
        means = {
            f"{name}_{way}": fmean(float(row[name]) for row in part)
            for way, part in (("path", path), ("separate", apart))
            for name in ("batches", "mean_step", "test_log_loss")
        }
        found.append({"data_set": data_set, "replicates": len(path), "same": same, **means})
    return found
