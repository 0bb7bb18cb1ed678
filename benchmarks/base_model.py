"""Prototypes on top of three models: noisy tables that nothing was chosen on, and the data sets of the study.

Bases have the parameters below on all data. Each is cross-fitted and fitted to all by `ProsetClassifier(base=...)`,
which chooses penalties and sizes itself. Nothing is chosen on the test parts.
"""

import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from benchmarks.few_prototypes import overlap, study_part
from benchmarks.out_of_the_box import log_loss, parts, tables
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegressionCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier, base_model
from proset_study.report.analysis.paired import mean_difference

TABLES, SPLITS = ("affairs", "party", "visits"), range(200, 210)  # others than those of `out_of_the_box`
COLUMNS = (
    *("data_set", "split", "base", "base_log_loss", "log_loss", "proset_log_loss", "prototypes"),
    *("cross_fit_seconds", "proset_seconds", "seconds"),
)


def bases() -> dict[str, Any]:
    """Unfitted, by name."""
    from xgboost import XGBClassifier

    logistic = LogisticRegressionCV(Cs=6, cv=4, scoring="neg_log_loss", max_iter=500)
    return {
        "logistic regression": make_pipeline(StandardScaler(), logistic),
        "random forest": RandomForestClassifier(300, min_samples_leaf=5, random_state=0),
        "XGBoost": XGBClassifier(n_estimators=100, max_depth=3, learning_rate=0.1, n_jobs=1, random_state=0),
    }


def of_tables(names: tuple[str, ...] | list[str], splits: range) -> list[dict]:
    """Rows with `COLUMNS`."""
    found = tables()
    return [row for name in names for split in splits for row in _rows(name, split, *parts(*found[name], split))]


def of_study(names: list[str] | None, replicates: range) -> list[dict]:
    """Rows with `COLUMNS`; splits are replicates."""
    config = yaml.safe_load(Path("config.yaml").read_text(encoding="utf-8"))
    rows = []
    for name, settings in config["data_sets"].items():
        if name != "mixture" and (not names or name in names):
            for replicate in replicates:
                part = study_part(settings, config["seed"], name, replicate)
                rows += _rows(name, replicate, part.X, part.X_score, part.y, part.y_score)
    return rows


def _rows(
    name: str, split: int, X: np.ndarray, X_test: np.ndarray, y: np.ndarray, y_test: np.ndarray
) -> Iterator[dict]:
    alone, proset_seconds = _timed(ProsetClassifier().fit, X, y)
    for base_name, base in bases().items():
        fitted, fit_seconds = _timed(clone(base).fit, X, y)
        arguments = base, fitted, X, y, np.unique(y), None, None
        _, held_out_seconds = _timed(base_model.held_out, *arguments)
        both, seconds = _timed(ProsetClassifier(base=base).fit, X, y)
        losses = [
            log_loss(p, y_test)
            for p in (fitted.predict_proba(X_test), both.predict_proba(X_test), alone.predict_proba(X_test))
        ]
        times = fit_seconds + held_out_seconds, proset_seconds, seconds
        values = (name, split, base_name, *(round(v, 5) for v in losses), both.n_prototypes_)
        yield dict(zip(COLUMNS, (*values, *(round(s, 3) for s in times)), strict=True))


def _timed(call: Any, *arguments: Any) -> tuple[Any, float]:
    started = time.process_time()
    with warnings.catch_warnings(action="ignore"):
        found = call(*arguments)
    return found, time.process_time() - started


def summary(rows: list[dict]) -> list[dict]:
    """For each data set and base: mean losses, what prototypes change with a 95 % interval, sizes and relative cost."""
    groups: dict[tuple[str, str], list[dict]] = {}
    for row in rows:
        groups.setdefault((row["data_set"], row["base"]), []).append(row)
    found = []
    for (data_set, base), group in groups.items():
        numbers = {name: np.array([float(row[name]) for row in group]) for name in COLUMNS[3:]}
        change = numbers["log_loss"] - numbers["base_log_loss"]
        reach = np.nan
        if len(group) > 1:
            mean = mean_difference(change.tolist(), overlap(data_set))
            reach = mean.interval(0.95)[1] - mean.value
        means = {name: float(numbers[name].mean()) for name in COLUMNS[3:6]}
        cost = numbers["seconds"] / (numbers["cross_fit_seconds"] + numbers["proset_seconds"])
        found.append(
            {
                **{"data set": data_set, "base": base, "base alone": means["base_log_loss"]},
                **{"with prototypes": means["log_loss"], "change": float(change.mean()), "95 %: +-": float(reach)},
                **{"proset alone": means["proset_log_loss"], "prototypes": float(np.median(numbers["prototypes"]))},
                "cost": float(np.median(cost)),
            }
        )
    return found
