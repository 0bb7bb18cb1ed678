"""Log-loss on generated tables with categories and missing values, and the time that these take."""

import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from benchmarks.mixed_families import DEVELOPMENT, JUDGED, draw
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from proset import ProsetClassifier
from proset.columns import Columns
from proset.objective import Objective, Penalty

COLUMNS = ("family", "missing", "replicate", "method", "log_loss", "error", "cpu_seconds", "prototypes", "features")
COST_COLUMNS = ("replicate", "informative", "what", "of", "seconds")
N_TRAIN, N_TEST = 600, 3000
MISSING = {"none": (0.0, False), "30 % at random": (0.3, False), "30 % by value": (0.3, True)}
GRID = {"learning_rate": [0.05, 0.15], "max_leaf_nodes": [4, 8, 31], "max_iter": [50, 150]}


def _proset() -> Any:
    return ProsetClassifier()


def _one_hot() -> Any:
    numbers = make_column_selector(dtype_include="number")
    encoded = make_column_transformer(
        (SimpleImputer(strategy="median"), numbers),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), make_column_selector(dtype_exclude="number")),
    )
    return make_pipeline(encoded, ProsetClassifier())


def _histogram() -> Any:
    boosting = HistGradientBoostingClassifier(categorical_features="from_dtype", early_stopping=False, random_state=0)
    return GridSearchCV(boosting, GRID, cv=3, scoring="neg_log_loss")


def _ebm() -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(n_jobs=1, random_state=0)


def _lightgbm() -> Any:
    from lightgbm import LGBMClassifier

    grid = {"learning_rate": [0.05, 0.15], "num_leaves": [4, 8, 31], "n_estimators": [50, 150]}
    return GridSearchCV(LGBMClassifier(n_jobs=1, verbose=-1, random_state=0), grid, cv=3, scoring="neg_log_loss")


def _catboost() -> Any:
    from catboost import CatBoostClassifier

    return CatBoostClassifier(iterations=300, thread_count=1, verbose=False, allow_writing_files=False, random_seed=0)


METHODS: dict[str, Callable[[], Any]] = {
    "proset": _proset,
    "one-hot, median": _one_hot,
    "histogram boosting": _histogram,
    "EBM": _ebm,
    "LightGBM": _lightgbm,
    "CatBoost": _catboost,
}
SLOW = ("EBM",)  # 20 s a fit
NEEDS = {"EBM": "interpret", "LightGBM": "lightgbm", "CatBoost": "catboost"}


def run(families: list[str], replicates: range, methods: list[str]) -> list[dict]:
    """Rows with `COLUMNS`; rivals that are not installed are left out."""
    chosen = [name for name in methods if name not in NEEDS or find_spec(NEEDS[name])]
    found = []
    for replicate in replicates:
        for family in families:
            for missing, settings in MISSING.items():
                key = [replicate, *map(ord, family + missing)]
                X, y = draw(family, N_TRAIN + N_TEST, np.random.default_rng(key), *settings)
                for name in chosen:
                    values = (family, missing, replicate, name, *_scores(name, X, y))
                    found.append(dict(zip(COLUMNS, values, strict=True)))
                    print(*values, flush=True)
    return found


def _scores(name: str, X: pd.DataFrame, y: np.ndarray) -> tuple:
    """Log-loss, error and CPU seconds; of proset the numbers of prototypes and of columns that count."""
    categories = [column for column in X if not pd.api.types.is_numeric_dtype(X[column])]
    if name in ("histogram boosting", "LightGBM"):
        X = X.astype(dict.fromkeys(categories, "category"))
    if name in ("CatBoost", "EBM"):
        X = X.assign(**{column: X[column].astype(object).fillna("missing") for column in categories})
    settings = {"cat_features": categories} if name == "CatBoost" else {}
    model, started = METHODS[name](), time.process_time()
    with warnings.catch_warnings(action="ignore"):
        model.fit(X[:N_TRAIN], y[:N_TRAIN], **settings)
        seconds, p = time.process_time() - started, model.predict_proba(X[N_TRAIN:])
    own = np.clip(p[np.arange(N_TEST), y[N_TRAIN:]], 1e-15, 1.0)
    error = float((p.argmax(axis=1) != y[N_TRAIN:]).mean())
    last = model[-1] if name == "one-hot, median" else model
    sizes = (last.n_prototypes_, len(last.active_features_)) if isinstance(last, ProsetClassifier) else ("", "")
    return round(float(-np.log(own).mean()), 5), round(error, 5), round(seconds, 3), *sizes


def costs(replicates: range, n: int = 2000) -> list[dict]:
    """Rows with `COST_COLUMNS`: fits of the same classes from 10 numbers and 10 categories of 12 levels.

    Of both, 3 or all are informative.
    """
    found = []
    for replicate, informative in product(replicates, (3, 10)):
        rng, case = np.random.default_rng([replicate, 12]), (replicate, informative)
        x, c = rng.normal(size=(n, 20)), rng.integers(0, 12, (n, 10))
        effects = np.random.default_rng(12).normal(size=(informative, 12))
        of_categories = np.column_stack([effects[d][c[:, d]] for d in range(informative)])
        logit = (of_categories + x[:, :informative]).sum(axis=1) * np.sqrt(3.0 / informative)
        y = (rng.random(n) < 1.0 / (1.0 + np.exp(-logit))).astype(int)
        text = pd.DataFrame(np.char.add("level ", c.astype(str))).add_prefix("c")
        mixed = pd.DataFrame(x[:, :10]).add_prefix("x").join(text)
        gaps = mixed.copy()
        gaps.iloc[:, :10] = gaps.iloc[:, :10].mask(rng.random((n, 10)) < 0.3)
        one_hot = np.hstack([x[:, :10], *((c[:, [d]] == np.arange(12)) for d in range(10))]).astype(float)
        numbers = x.copy()
        numbers[:, 10 : 10 + informative] = of_categories
        tables = {"20 numbers": numbers, "mixed": mixed, "mixed, 30 % missing": gaps, "one-hot": one_hot}
        fixed = ProsetClassifier(lambda_v=0.003, lambda_w=1e-4, max_prototypes=None)
        for what, X in tables.items():
            found.append(_row(*case, what, "default fit", partial(ProsetClassifier().fit, X, y)))
            found.append(_row(*case, what, "fit with fixed penalties", partial(fixed.fit, X, y)))
        for what, objective in _objectives(x, c, y).items():
            start = np.r_[np.full(objective.X.shape[1], 0.5), np.ones(n)]
            objective(start)
            found.append(_row(*case, what, "evaluation", lambda f=objective, at=start: [f(at) for _ in range(5)]))
    return found


def _row(replicate: int, informative: int, what: str, of: str, call: Callable[[], Any]) -> dict:
    started = time.process_time()
    with warnings.catch_warnings(action="ignore"):
        call()
    values = (replicate, informative, what, of, round(time.process_time() - started, 4))
    print(*values, flush=True)
    return dict(zip(COST_COLUMNS, values, strict=True))


def _objectives(x: np.ndarray, c: np.ndarray, y: np.ndarray) -> dict[str, Objective]:
    n, order = len(y), np.argsort(y, kind="stable")
    x, c, y = x[order], c[order], y[order]
    levels = np.repeat([0, 12], 10)
    mixed, gaps = np.hstack([x[:, :10], c]), np.hstack([x[:, :10], c])
    gaps[:, :10][np.random.default_rng(0).random((n, 10)) < 0.3] = np.nan
    one_hot = np.hstack([x[:, :10], *((c[:, [d]] == np.arange(12)) / np.sqrt(2.0) for d in range(10))])
    tables = {"20 numbers": (x, None), "one-hot": (one_hot, None)}
    tables |= {name: (X, Columns.of(X, levels, None)) for name, X in (("mixed", mixed), ("mixed, 30 % missing", gaps))}
    return {
        name: Objective(
            X=X,
            labels=y,
            row_weights=np.full(n, 1.0 / n),
            previous_q=np.full((n, 2), 0.5),
            candidates=X,
            class_offsets=np.searchsorted(y, np.arange(3)),
            penalty=Penalty(1e-3, 1e-5, 0.95, 0.95),
            own=np.arange(n),
            own_kernel=np.zeros(n),
            columns=columns,
        )
        for name, (X, columns) in tables.items()
    }


__all__ = ["COLUMNS", "COST_COLUMNS", "DEVELOPMENT", "JUDGED", "METHODS", "SLOW", "costs", "run"]
