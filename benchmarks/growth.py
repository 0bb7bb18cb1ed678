"""Time and memory against rows, features, candidates and classes: proset, KNN and XGBoost on the same data.

Each measurement is a process of its own, so that its peak memory is its own. The class depends on the cell of three
features; a tenth of the labels is noise. `proset` 0.6.1 runs where it ends within minutes.
"""

import json
import subprocess
import sys
import time

import numpy as np
from benchmarks.memory import peak_mib

COLUMNS = ("axis", "value", "method", "fit_seconds", "predict_us_per_row", "peak_mib", "data_mib", "evaluations")
BASE = {"n": 20_000, "d": 20, "m": 1000, "k": 2}
AXES = {
    "n": [1_000, 2_000, 10_000, 100_000, 1_000_000],
    "d": [5, 20, 100, 500],
    "m": [300, 1000, 5000],
    "k": [2, 10, 50],
}
# KNN in 20 dimensions compares with every row; the published implementation takes minutes for 2,000 rows.
MAX_ROWS = {"proset": 10**9, "knn": 100_000, "xgboost": 10**9, "published": 2_000}


def run(published: str, axes: dict[str, list[int]] | None = None) -> list[dict]:
    """Rows with `COLUMNS`: one per axis, value and method; `published` is the Python that has `proset` 0.6.1."""
    rows = []
    for axis, values in (axes or AXES).items():
        for value in values:
            for method, limit in MAX_ROWS.items():
                size = {**BASE, axis: value}
                if size["n"] <= limit and not (axis == "m" and method != "proset"):
                    python = published if method == "published" else sys.executable
                    command = [python, "-m", "benchmarks.growth", method, json.dumps(size)]
                    measured = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
                    rows.append({"axis": axis, "value": value, "method": method, **json.loads(measured)})
    return rows


def make_data(n: int, d: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Standardised uniform features; the class is that of one of 64 cells, with 10 % of labels drawn anew."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-np.sqrt(3), np.sqrt(3), (n, d))
    cell = ((np.floor((X[:, :3] / np.sqrt(3) + 1) * 2)).astype(int) @ [1, 4, 16]) % 64
    y = np.random.default_rng(1).permutation(64)[cell] % k
    noisy = rng.random(n) < 0.1
    y[noisy] = rng.integers(0, k, noisy.sum())
    return X, y


def measure(method: str, size: dict) -> dict:
    """Fit all rows and predict 10,000 of them with one method."""
    X, y = make_data(size["n"], size["d"], size["k"])
    Z = X[:10_000]
    data_mib = peak_mib()
    evaluations = None
    if method == "proset":
        from proset import model
        from proset.objective import Penalty
        from proset.solver import MAX_ITER, TOL

        start = time.perf_counter()
        fitted = model.fit(
            X,
            y,
            size["k"],
            n_batches=1,
            n_candidates=size["m"],
            max_fraction=0.5,
            penalty=Penalty(1e-3, 1e-8, 0.95, 0.95),
            max_iter=MAX_ITER,
            tol=TOL,
            seed=np.random.SeedSequence(0),
        )
        evaluations = fitted.batches[0].n_evaluations

        def predict():
            return list(fitted.staged_predict_proba(Z))
    elif method == "published":
        from proset import ClassifierModel

        start = time.perf_counter()
        fitted = ClassifierModel(n_iter=1, alpha_v=0.05, alpha_w=0.05, num_candidates=size["m"], random_state=0)
        fitted.fit(X, y)

        def predict():
            return fitted.predict_proba(Z)
    elif method == "knn":
        from sklearn.neighbors import KNeighborsClassifier

        start = time.perf_counter()
        fitted = KNeighborsClassifier(10, n_jobs=1).fit(X, y)

        def predict():
            return fitted.predict_proba(Z)
    else:
        import xgboost

        start = time.perf_counter()
        objective = {"objective": "multi:softprob", "num_class": size["k"], "max_depth": 6, "nthread": 1}
        booster = xgboost.train(objective, xgboost.DMatrix(X, y, nthread=1), 100)

        def predict():
            return booster.inplace_predict(Z)

    fit_seconds = time.perf_counter() - start
    peak = peak_mib()
    start = time.perf_counter()
    predict()
    return {
        "fit_seconds": fit_seconds,
        "predict_us_per_row": (time.perf_counter() - start) * 1e6 / len(Z),
        "peak_mib": peak,
        "data_mib": data_mib,
        "evaluations": evaluations,
    }


def plot(rows: list[dict], stem: str) -> None:
    """Time and peak memory against each axis, as PNG and SVG."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullFormatter

    names = {"n": "rows", "d": "features", "m": "candidates", "k": "classes"}
    panels = [
        ("fit_seconds", "fit, s"),
        ("predict_us_per_row", "prediction, µs per row"),
        ("peak_mib", "peak memory, MiB"),
    ]
    figure, axes = plt.subplots(3, 4, figsize=(13, 9), layout="constrained", sharex="col", sharey="row")
    for column, axis in enumerate(names):
        for row, (quantity, label) in enumerate(panels):
            ax = axes[row, column]
            for method, marker, colour in (
                ("proset", "o", "#0072b2"),
                ("knn", "s", "#e69f00"),
                ("xgboost", "^", "#009e73"),
                ("published", "x", "#666666"),
            ):
                points = [(r["value"], r[quantity]) for r in rows if (r["axis"], r["method"]) == (axis, method)]
                if points:
                    name = "proset 0.6.1" if method == "published" else method
                    ax.loglog(*zip(*points, strict=True), marker=marker, color=colour, label=name)
            ax.set_ylabel(label if column == 0 else "")
            ax.set_xlabel(names[axis] if row == 2 else "")
            ax.grid(alpha=0.3)
            for direction in (ax.xaxis, ax.yaxis):
                direction.set_minor_formatter(NullFormatter())
    axes[0, 0].legend()
    for suffix in ("png", "svg"):
        figure.savefig(f"{stem}.{suffix}", dpi=120)


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], json.loads(sys.argv[2]))))
