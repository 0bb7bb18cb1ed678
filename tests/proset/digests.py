"""Fits whose bits are known: python -m tests.proset.digests prints their digests with 1, 2 and 3 threads, or as many as
numbers behind it say, as JSON.

`golden.json` has what every processor has to give; `--write` adds new cases to it, and writes it anew once `VERSION` of
`proset.arithmetic` is raised. The numbers are fractions drawn from integers, so that the data are the same everywhere.
"""

import hashlib
import json
import sys
from functools import partial
from pathlib import Path

import numpy as np

from proset import arithmetic, leave_one_out, model
from proset.columns import Columns
from proset.elimination import Settings, eliminate
from proset.leave_one_out import Samples, Task
from proset.objective import Penalty

GOLDEN = Path(__file__).with_name("golden.json")


def few(X, y, n_classes, *, penalty, max_iter, tol, sample_weight, n_threads, **settings):
    """The model in the middle of a path of sizes."""
    given = {"penalty": penalty, "max_iter": max_iter, "tol": tol, "sample_weight": sample_weight}
    fitted = leave_one_out.fit(X, y, n_classes, **given, n_threads=n_threads, **settings)
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    task = Task.of(Samples.of(X, y, weight), n_classes, n_threads)
    path = eliminate(fitted, X, y, task, Settings(penalty, max_iter, tol, 3, (17,)))
    return path[len(path) // 2].model


split = partial(model.fit, max_fraction=0.5)
CASES = {  # fit; samples, features, classes, candidates, batches, factor of the features, sample weights
    "sorted": (split, 300, 2, 3, 1000, 3, 1.0, False),
    "differences": (split, 250, 6, 2, 1000, 2, 12.0, False),
    "products": (split, 300, 20, 5, 120, 2, 1.0, True),
    "wide": (split, 150, 3, 2, 1000, 1, 2e4, False),
    "strips": (split, 9000, 5, 2, 60, 1, 1.0, False),  # more than one, so that threads have something to share
    "leave one out": (leave_one_out.fit, 1300, 2, 3, None, 2, 1.0, True),
    "leave one out, products": (leave_one_out.fit, 1100, 12, 4, None, 1, 1.0, False),
    "leave one out, drawn": (leave_one_out.fit, 300, 6, 2, 100, 2, 1.0, False),
    "mixed, split": (split, 280, 7, 3, 120, 2, 1.0, True),
    "mixed": (leave_one_out.fit, 310, 4, 2, None, 1, 1.0, False),
    "mixed, many columns": (leave_one_out.fit, 330, 19, 3, None, 1, 1.0, False),
    "mixed, wide": (leave_one_out.fit, 150, 5, 2, None, 1, 3e4, False),
    "few prototypes": (few, 160, 6, 3, None, 2, 1.0, True),
    "few prototypes, sorted": (few, 140, 2, 2, None, 1, 1.0, False),
}


def digests(n_threads: int) -> dict[str, str]:
    """SHA-256 of the model and of its predictions, by case; "mixed" are those with categories and missing values."""
    return {name: _digest(*case, n_threads, is_mixed=name.startswith("mixed")) for name, case in CASES.items()}


def mixed(X, factor):
    """Categories of 5 or of 100 levels, and gaps, in the place of some numbers, and what the columns are."""
    rows, D = np.arange(len(X)), X.shape[1]
    X, levels = factor * X, np.zeros(D, dtype=int)
    for d in range(D):
        if d % 4 == 1:
            X[(7 * rows + d) % 3 == 0, d] = np.nan
        if d % 4 == 3:
            levels[d] = 5 if d % 8 == 3 else 100
            X[:, d] = np.floor(np.abs(X[:, d]) / factor * 8.0) % (levels[d] + 1)
    return X, Columns(levels, np.where(levels > 0, 1.25, 0.0), np.full(D, factor), np.isnan(X).any(axis=0))


def _digest(fit, n, n_features, n_classes, n_candidates, n_batches, factor, weighted, n_threads, is_mixed):
    rng = np.random.default_rng(n)
    X = rng.integers(-1000, 1000, (n, n_features)) / 577.0
    y = (np.abs(X[:, :2]).sum(axis=1) * n_classes / 3.5).astype(int) % n_classes
    X, columns = mixed(X, factor) if is_mixed else (factor * X, None)
    fitted = fit(
        X,
        y,
        n_classes,
        n_batches=n_batches,
        n_candidates=n_candidates,
        penalty=Penalty(1e-3, 1e-7, 0.95, 0.9),
        max_iter=60 if n > 5000 else 300,
        tol=1e-5,
        seed=np.random.SeedSequence(n),
        sample_weight=rng.integers(1, 4, n) / 2.0 if weighted else None,
        n_threads=n_threads,
        **({"columns": columns} if is_mixed else {}),
    )
    digest = hashlib.sha256()
    for name, array in sorted(fitted.arrays().items()):
        digest.update(f"{name} {array.shape}".encode() + array.tobytes())
    fresh = X * 1.01
    if columns is not None:
        fresh[:, columns.levels > 0] = X[::-1, columns.levels > 0]
        fresh[::3, ~columns.has_gaps & columns.are_numbers] = np.nan  # where the training data have none
    for p in fitted.staged_predict_proba(fresh, n_threads):
        digest.update(p.tobytes())
    digest.update(arithmetic.log(np.arange(1, 1000) / 1000.0).tobytes())
    return digest.hexdigest()


if __name__ == "__main__":
    if "--write" in sys.argv:
        known, found = json.loads(GOLDEN.read_text(encoding="utf-8")), digests(1)
        if known["version"] == arithmetic.VERSION and not known["digests"].items() <= found.items():
            sys.exit(f"version {arithmetic.VERSION} has other digests; other bits need another version")
        golden = {"version": arithmetic.VERSION, "digests": found}
        GOLDEN.write_text(json.dumps(golden, indent=2) + "\n", encoding="utf-8")
    numbers = [int(argument) for argument in sys.argv[1:] if argument.isdigit()] or [1, 2, 3]
    print(json.dumps({"level": arithmetic.level(), "digests": [digests(n) for n in numbers]}))
