"""The published implementation beside ours: seconds of a fit and log-loss on the fold held out, seed by seed.

It runs in an environment of its own, as a process per fit that gets arrays and leaves numbers; the two sides alternate.
A fit takes it minutes, so that every row is written at once and rows that are there are not computed again.
"""

import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from benchmarks.cases import PENALTIES, Case, all_cases, at, first_fold, fit, levels, training_part
from benchmarks.evaluations import timed

from proset.losses import log_loss
from proset.objective import Penalty
from proset_study.data.splits import FoldData

COLUMNS = (
    *("data_set", "setting", "seed", "seconds", "avx2_seconds", "log_loss", "features", "prototypes"),
    *("published_seconds", "published_log_loss", "published_features", "published_prototypes"),
)
SMALL_COLUMNS = ("data_set", "rows", "seconds", "avx2_seconds", "published_seconds", "times_faster")


def run(out: Path, python: str, data_sets: list[str] | None = None, seeds: range = range(5)) -> None:
    """Append the rows that `out` lacks; `python` is the interpreter that has `proset` 0.6.1."""
    done = set()
    if out.exists():
        with out.open(encoding="utf-8", newline="") as file:
            done = {(r["data_set"], r["setting"], int(r["seed"])) for r in csv.DictReader(file)}
    for seed in seeds:
        for case in all_cases(data_sets):
            if (case.data_set, case.setting, seed) in done:
                continue
            row = {"data_set": case.data_set, "setting": case.setting, "seed": seed}
            row |= fit_ours(case, seed) | fit_published(case, seed, python)
            new = not out.exists()
            with out.open("a", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                if new:
                    writer.writeheader()
                writer.writerow(row)


def fit_ours(case: Case, seed: int) -> dict:
    """Our fit of one batch, at the processor's best level and at AVX2."""
    fold = first_fold(case.data_set)
    seconds = {}
    for level in levels():
        with at(level):
            start = time.process_time()
            fitted = fit(fold, case.penalty, seed)
            seconds[level] = time.process_time() - start
    *_, p = fitted.staged_predict_proba(fold.X_score)
    counts = {"features": len(fitted.active_features()), "prototypes": fitted.n_prototypes()}
    best = seconds[levels()[0]]
    return {"seconds": best, "avx2_seconds": seconds.get("avx2", best), "log_loss": log_loss(p, fold.y_score), **counts}


def small(python: str, repeats: int = 30) -> list[dict]:
    """Rows with `SMALL_COLUMNS`: warm fits with the default penalties to whole training parts, median CPU seconds."""
    rows = []
    penalty = Penalty(1e-3, 1e-8, 0.95, 0.95)
    for data_set in ("cancer", "wine", "iris_2f"):
        fold = training_part(data_set)
        result, _ = published_implementation(
            fold, {"lambda_v": 1e-3, "lambda_w": 1e-8, "random_state": 0}, python, repeats
        )
        ours = {}
        for level in levels():
            with at(level):
                ours[level] = timed(lambda b=fold, p=penalty: fit(b, p, 0), repeats)
        best, theirs = ours[levels()[0]], result["seconds"]
        values = (data_set, len(fold.y), best, ours.get("avx2", best), theirs, theirs / best)
        rows.append(dict(zip(SMALL_COLUMNS, values, strict=True)))
    return rows


def fit_published(case: Case, seed: int, python: str) -> dict:
    """The published fit of one batch."""
    fold = first_fold(case.data_set)
    lambda_v, lambda_w = PENALTIES[case.setting][case.data_set]
    settings = {"lambda_v": lambda_v, "lambda_w": lambda_w, "random_state": seed}
    result, p = published_implementation(fold, settings, python)
    return {
        "published_seconds": result["seconds"],
        "published_log_loss": log_loss(p, fold.y_score),
        "published_features": result["features"],
        "published_prototypes": result["prototypes"],
    }


def published_implementation(fold: FoldData, settings: dict, python: str, repeats: int = 1) -> tuple[dict, np.ndarray]:
    """CPU seconds, features and prototypes of a fit by `proset` 0.6.1 in a process of its own, and its probabilities.

    With `repeats` the median of so many fits after the first, which is not counted.
    """
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder, "in.npz"), X=fold.X, y=fold.y, X_score=fold.X_score)
        script = Path(__file__).with_name("published_fit.py")
        command = [python, str(script), folder, json.dumps(settings), str(repeats)]
        subprocess.run(command, check=True, stdout=sys.stderr)
        return json.loads(Path(folder, "out.json").read_text(encoding="utf-8")), np.load(Path(folder, "out.npy"))
