"""Prototype selection by set cover: time and memory against rows, and the gap between greedy, rounding and bound.

Each measurement of time and memory is a process of its own. The dense reference holds all distances in float64 and
looks at all candidates of a class again after each of its steps; it runs where it ends within minutes.
"""

import json
import subprocess
import sys
import time

import numpy as np
import yaml
from benchmarks.growth import make_data
from benchmarks.memory import peak_mib

COLUMNS = ("rows", "method", "seconds", "peak_mib", "data_mib", "prototypes", "objective")
GAP_COLUMNS = (
    "data_set",
    "step",
    "radius",
    "samples",
    "greedy",
    "rounded",
    "bound",
    "prototypes",
    "rounded_prototypes",
)
GAP_COLUMNS += ("greedy_seconds", "lp_seconds")
ROWS = (1_000, 10_000, 50_000, 100_000)
DENSE_ROWS = 10_000
EPS = 0.8  # in five dimensions: 0.3 % of the rows are in a ball
DATA_SETS = ("iris_2f", "wine", "cancer", "digits", "xor_3f", "xor_4f", "xor_5f", "checker", "xor_6f")
STEPS = range(1, 19)  # all radii of the study
DRAWN = ("digits", "checker", "xor_6f")


def run(rows: tuple[int, ...] = ROWS) -> list[dict]:
    """Rows with `COLUMNS`."""
    found = []
    for n in rows:
        for method in ("packed", "dense") if n <= DENSE_ROWS else ("packed",):
            command = [sys.executable, "-m", "benchmarks.set_cover", method, str(n)]
            measured = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            found.append({"rows": n, "method": method, **json.loads(measured)})
    return found


def measure(method: str, n: int) -> dict:
    """Choose the prototypes of `n` rows in one process."""
    import scipy.spatial.distance  # noqa: F401 - not a part of the time

    from proset import SetCoverClassifier

    X, y = make_data(n, 5, 2)
    data_mib = peak_mib()
    start = time.perf_counter()
    if method == "packed":
        fitted = SetCoverClassifier(eps=EPS).fit(X, y)
        prototypes, objective = len(fitted.prototype_index_), fitted.objective_
    else:
        prototypes, objective = dense(X, y)
    seconds = time.perf_counter() - start
    peak = peak_mib()
    measured = {"seconds": seconds, "peak_mib": peak, "data_mib": data_mib}
    return {**measured, "prototypes": prototypes, "objective": objective}


def dense(X: np.ndarray, y: np.ndarray) -> tuple[int, float]:
    """Number of prototypes and objective of the greedy algorithm on the full matrix of distances."""
    from scipy.spatial.distance import cdist

    inside = (cdist(X, X) < EPS).astype(np.float32)
    chosen, objective, cost = 0, float(len(y)), 1 / len(y)
    for k in range(y.max() + 1):
        wrong = (y != k).astype(np.float32) @ inside  # whole numbers, so that equal gains are equal in float32
        uncovered = (y == k).astype(np.float32)
        while (gains := uncovered @ inside - wrong).max() > cost:
            j = int(gains.argmax())
            objective -= float(gains[j]) - cost
            uncovered[inside[:, j] > 0] = 0
            chosen += 1
    return chosen, objective


def gap(data_sets: list[str] | None) -> list[dict]:
    """Rows with `GAP_COLUMNS`: all algorithms on the training part of data sets of the study, for some of its radii."""
    from scipy.spatial.distance import cdist

    from proset.cover import ball_bits, greedy
    from proset.cover_lp import round_relaxed
    from proset_study.base.seeds import integer_seed
    from proset_study.data.sources import make
    from proset_study.data.splits import TEST, select_fold
    from proset_study.data.splitting import split
    from proset_study.methods.set_cover import find_radii

    with open("config.yaml", encoding="utf-8") as file:
        config = yaml.safe_load(file)
    rows = []
    for name in data_sets or DATA_SETS:
        data = make(config["data_sets"][name], config["seed"], name, 0)
        key = integer_seed(config["seed"], "split", name, 0)
        fold = select_fold(data, split(data.y, config["folds"], config["test_fraction"], key), TEST, scaled=True)
        X, y, n = fold.X, fold.y, len(fold.y)
        radii = find_radii(fold, max(STEPS))
        for step in STEPS:
            (bits,) = ball_bits(lambda these, X=X: cdist(X[these], X), n, n, [radii[step - 1]])
            start = time.process_time()
            by_greedy = greedy(bits, y, np.ones(n), 1 / n)
            middle = time.process_time()
            rounded = round_relaxed(bits, y, np.ones(n), 1 / n, n, np.random.default_rng(0))
            end = time.process_time()
            row = (name, step, radii[step - 1], n, by_greedy.objective, rounded.objective, rounded.lower_bound)
            sizes = len(by_greedy.index), len(rounded.index)
            rows.append(dict(zip(GAP_COLUMNS, (*row, *sizes, middle - start, end - middle), strict=True)))
    return rows


def plot(rows: list[dict], stem: str) -> None:
    """Objective and CPU time by radius, greedy and as a linear program, as PNG and SVG."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shown = [name for name in DRAWN if any(row["data_set"] == name for row in rows)]
    figure, axes = plt.subplots(2, len(shown), figsize=(9, 5.5), layout="constrained", sharex="col", squeeze=False)
    for (above, below), name in zip(axes.T, shown, strict=True):
        of_set = [row for row in rows if row["data_set"] == name]
        radius = [row["radius"] for row in of_set]
        above.plot(radius, [row["greedy"] for row in of_set], ".-", color="#0072b2", label="greedy")
        above.plot(radius, [row["rounded"] for row in of_set], ".-", color="#e69f00", label="linear program, rounded")
        above.plot(radius, [row["bound"] for row in of_set], color="black", linewidth=0.8, label="lower bound")
        below.semilogy(radius, [row["greedy_seconds"] for row in of_set], ".-", color="#0072b2")
        below.semilogy(radius, [row["lp_seconds"] for row in of_set], ".-", color="#e69f00")
        above.set_title(f"{name}, {of_set[0]['samples']:,} samples")
        below.set_xlabel("radius")
        for ax in (above, below):
            ax.grid(alpha=0.3)
    axes[0, 0].set_ylabel("objective")
    axes[1, 0].set_ylabel("CPU time, s")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    for suffix in ("png", "svg"):
        figure.savefig(f"{stem}.{suffix}", dpi=120)


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
