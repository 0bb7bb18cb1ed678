"""What a stranger gets without arguments, on noisy tables: proset, its search, and three rivals with theirs.

Tables ship with statsmodels and scikit-learn. Ten stratified splits 75 : 25 each; every method sees the same parts. The
choice of penalties was designed on generated data with noise and on iris, cancer, penguins, affairs_1969 and
travel_mode (docs/penalties.md); the tables here are others, but for affairs_1969, which is marked.
"""

import json
import subprocess
import sys
import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import yaml
from benchmarks.memory import peak_mib
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import RandomizedSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier, ProsetClassifierCV, leave_one_out
from proset.model import Model
from proset.objective import Penalty
from proset.solver import MAX_ITER, TOL
from proset_study.base.seeds import integer_seed
from proset_study.data.sources import make
from proset_study.data.splits import TEST, select_fold
from proset_study.data.splitting import split

COLUMNS = ("table", "split", "method", "log_loss", "error", "cpu_seconds", "prototypes", "features")
ORACLE_COLUMNS = ("table", "lambda_v", "lambda_w", "log_loss", "prototypes")
STUDY_COLUMNS = ("data_set", "replicate", "log_loss", "former_log_loss", "prototypes", "former_prototypes")
COST_COLUMNS = ("rows", "features", "what", "cpu_seconds", "peak_mib", "log_loss")
NOISE_COLUMNS = ("table", "split", "log_loss", "prior_log_loss")
SPLITS, SEED, SIZES = range(100, 110), 20210, (10_000, 100_000)
GRID = tuple(product((1e-4, 1e-3, 3e-3, 1e-2, 2e-2, 4e-2, 8e-2, 0.16), (1e-8, 1e-6, 1e-5, 1e-4, 1e-3)))
HARD = ("affairs", "party", "visits")  # of which the best pair of the grid is looked for


def tables() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Features and classes by name."""
    from statsmodels import datasets

    def of(name):
        return getattr(datasets, name).load_pandas().data

    fair, anes, randhie, star = of("fair"), of("anes96"), of("randhie"), of("star98")
    doctor = randhie.sample(5000, random_state=0)
    tables_1969 = make(_suite()["affairs_1969"], SEED, "affairs_1969", 0)
    share = star["NABOVE"] / (star["NABOVE"] + star["NBELOW"])
    diabetes = load_diabetes()
    return {
        "affairs": (fair.drop(columns="affairs"), fair["affairs"] > 0),
        "party": (anes.drop(columns="PID"), anes["PID"]),
        "visits": (doctor.drop(columns="mdvis"), np.minimum(doctor["mdvis"], 3)),
        "doctor_visits": (doctor.drop(columns="mdvis"), doctor["mdvis"] > 0),
        "election": (anes.drop(columns="vote"), anes["vote"]),
        "diabetes": (diabetes.data, diabetes.target > np.median(diabetes.target)),
        "star98": (star.drop(columns=["NABOVE", "NBELOW"]), share > share.median()),
        "affairs_1969 (development)": (tables_1969.X, tables_1969.y),
    }


def _suite():
    return yaml.safe_load(Path("workflow/suites/bundled.yaml").read_text(encoding="utf-8"))["data_sets"]


def methods(seed: int) -> dict:
    """Unfitted, by name. XGBoost: 12 draws, 4 folds, 150 trees."""
    from xgboost import XGBClassifier

    boosting = {
        "max_depth": [2, 3, 4, 6],
        "learning_rate": [0.02, 0.05, 0.1],
        "subsample": [0.6, 0.8, 1],
        "colsample_bytree": [0.5, 0.8, 1],
        "min_child_weight": [1, 5, 10],
    }
    trees = XGBClassifier(n_estimators=150, n_jobs=1, verbosity=0, random_state=seed)
    logistic = LogisticRegressionCV(Cs=8, cv=4, scoring="neg_log_loss", max_iter=500)
    return {
        "proset": ProsetClassifier(random_state=seed),
        "proset, all prototypes": ProsetClassifier(max_prototypes=None, random_state=seed),
        "proset, fixed penalties": ProsetClassifier(
            lambda_v=1e-3, lambda_w=1e-8, max_prototypes=None, random_state=seed
        ),
        "former default": Former(),
        "search": ProsetClassifierCV(random_state=seed),
        "search, 15 draws, 4 folds, 2 batches": ProsetClassifierCV(n_iter=15, cv=4, n_batches=2, random_state=seed),
        "logistic regression": make_pipeline(StandardScaler(), logistic),
        "random forest": RandomForestClassifier(500, min_samples_leaf=5, random_state=seed),
        "XGBoost": RandomizedSearchCV(trees, boosting, n_iter=12, cv=4, scoring="neg_log_loss", random_state=seed),
    }


class Former:
    """The defaults before penalties were chosen: leave-one-out references, 1e-3 and 1e-8, up to 5,000 candidates."""

    model: Model

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Former":
        """Scale and fit."""
        self.scaler = StandardScaler().fit(X)
        settings = {"n_batches": 1, "n_candidates": 5000, "max_iter": MAX_ITER, "tol": TOL}
        penalty, seed = Penalty(1e-3, 1e-8, 0.95, 0.95), np.random.SeedSequence(0)
        self.model = leave_one_out.fit(
            self.scaler.transform(X), y, int(y.max()) + 1, **settings, penalty=penalty, seed=seed
        )
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Class probabilities."""
        *_, found = self.model.staged_predict_proba(self.scaler.transform(X))
        return found


def log_loss(p: np.ndarray, y: np.ndarray) -> float:
    """Of classes 0, 1, ..., with probabilities clipped at 1e-15."""
    return float(-np.log(np.clip(p[np.arange(len(y)), y], 1e-15, 1.0)).mean())


def parts(X, y, seed):
    X, y = np.asarray(X, dtype=float), np.unique(np.asarray(y), return_inverse=True)[1]
    return train_test_split(X, y, test_size=0.25, stratify=y, random_state=seed)


def run(names: list[str] | None, splits: range) -> list[dict]:
    """Rows with `COLUMNS`."""
    rows = []
    for table, (X, y) in tables().items():
        if names and table not in names:
            continue
        for seed in splits:
            train, test, y_train, y_test = parts(X, y, seed)
            for name, method in methods(seed).items():
                started = time.process_time()
                with warnings.catch_warnings(action="ignore"):
                    method.fit(train, y_train)
                seconds = time.process_time() - started
                p = method.predict_proba(test)
                model = getattr(method, "best_estimator_", method)
                model = model.model if isinstance(method, Former) else getattr(model, "_model", None)
                sizes = (model.n_prototypes(), len(model.active_features())) if model else ("", "")
                values = (round(log_loss(p, y_test), 5), round(float((p.argmax(1) != y_test).mean()), 5))
                rows.append(dict(zip(COLUMNS, (table, seed, name, *values, round(seconds, 3), *sizes), strict=True)))
    return rows


def oracle(names: tuple[str, ...] | list[str], splits: range) -> list[dict]:
    """Rows with `ORACLE_COLUMNS`: mean test loss of each pair of a grid; the best one is chosen on the test part."""
    rows = []
    for table in names:
        X, y = tables()[table]
        for lambda_v, lambda_w in GRID:
            found = []
            for seed in splits:
                train, test, y_train, y_test = parts(X, y, seed)
                with warnings.catch_warnings(action="ignore"):
                    model = ProsetClassifier(lambda_v=lambda_v, lambda_w=lambda_w, max_prototypes=None).fit(
                        train, y_train
                    )
                found.append((log_loss(model.predict_proba(test), y_test), model.n_prototypes_))
            loss, prototypes = np.mean(found, axis=0)
            values = (table, lambda_v, lambda_w, round(loss, 5), round(prototypes, 1))
            rows.append(dict(zip(ORACLE_COLUMNS, values, strict=True)))
    return rows


def study(names: list[str] | None, replicates: range) -> list[dict]:
    """Rows with `STUDY_COLUMNS`: both defaults on the data sets and splits of the study."""
    config = yaml.safe_load(Path("config.yaml").read_text(encoding="utf-8"))
    rows = []
    for name, settings in config["data_sets"].items():
        for replicate in replicates if not names or name in names else ():
            data = make(settings, config["seed"], name, replicate)
            folds = split(data.y, 5, 0.3, integer_seed(config["seed"], "split", name, replicate))
            part = select_fold(data, folds, TEST, scaled=True)
            with warnings.catch_warnings(action="ignore"):
                model, former = ProsetClassifier().fit(part.X, part.y), Former().fit(part.X, part.y)
            losses = [round(log_loss(m.predict_proba(part.X_score), part.y_score), 5) for m in (model, former)]
            sizes = model.n_prototypes_, former.model.n_prototypes()
            rows.append(dict(zip(STUDY_COLUMNS, (name, replicate, *losses, *sizes), strict=True)))
    return rows


def noise(splits: range) -> list[dict]:
    """Rows with `NOISE_COLUMNS`: five tables with permuted classes, where the class proportions are the best model."""
    rows = []
    for table, seed in product(("affairs", "party", "visits", "diabetes", "star98"), splits):
        X, y = tables()[table]
        train, test, y_train, y_test = parts(X, np.random.default_rng(seed).permutation(y), seed)
        with warnings.catch_warnings(action="ignore"):
            model = ProsetClassifier().fit(train, y_train)
        prior = np.tile(model.class_prior_, (len(test), 1))
        losses = [round(log_loss(p, y_test), 5) for p in (model.predict_proba(test), prior)]
        rows.append(dict(zip(NOISE_COLUMNS, (table, seed, *losses), strict=True)))
    return rows


def cost(sizes: tuple[int, ...]) -> list[dict]:
    """Rows with `COST_COLUMNS`; each is a process of its own."""
    rows = []
    for n, what in product(sizes, ("auto", "fixed")):
        command = [sys.executable, "-m", "benchmarks.out_of_the_box", str(n), what]
        measured = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        rows.append({"rows": n, "features": 20, "what": what, **json.loads(measured)})
    return rows


def _measured(n, what):
    settings = {"samples": n, "test_samples": 10_000, "irrelevant": 18, "label_noise": 0.2}
    data = make({"generator": "clusters", **settings}, SEED, "noise", 0)
    train, test, y_train, y_test = data.X[~data.test], data.X[data.test], data.y[~data.test], data.y[data.test]
    model = ProsetClassifier(random_state=0)
    if what == "fixed":
        model.set_params(lambda_v=1e-3, lambda_w=1e-8)
    started = time.process_time()
    model.fit(train, y_train)
    seconds = time.process_time() - started
    peak = peak_mib()
    loss = log_loss(model.predict_proba(test), y_test)
    print(json.dumps({"cpu_seconds": round(seconds, 2), "peak_mib": round(peak), "log_loss": round(loss, 5)}))


if __name__ == "__main__":
    _measured(int(sys.argv[1]), sys.argv[2])
