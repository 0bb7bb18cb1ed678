"""Which costs survive a change of machine: the same fits on a whole processor, and on one with a quota.

The quota is kept by a process that stops and continues this one, so that it needs no privilege. Rounds alternate
between the two settings, and each has a fit of every method and one matrix product: whatever else runs meets both.
"""

import multiprocessing
import os
import signal
import time
from contextlib import contextmanager, nullcontext
from statistics import median

from proset_study import methods
from proset_study.base.records import matrix_product_ms
from proset_study.base.seeds import seed_sequence
from proset_study.data.sources import make
from proset_study.data.splits import FoldData, select_fold
from proset_study.data.splitting import split

ROUNDS = 20
PERIOD, LEFT = 0.02, 0.15  # seconds, and the part of them that is left to this process
METHODS = {  # parameters and size of a fit
    "proset": ({"lambda_v": 1e-3, "lambda_w": 1e-8}, 2),
    "knn": ({}, 30),
    "xgboost": ({"learning_rate": 0.1, "max_depth": 6, "colsample": 0.8, "subsample": 0.8, "exact": 1}, 50),
    "random_forest": ({"min_samples_leaf": 1}, 20),
    "svm": ({"C": 10.0, "gamma": 1.0}, 1),
    "logistic_regression": ({"l1_ratio": 0.5}, 15),
}
COLUMNS = ("method", "cpu_ms", "times_wall", "times_cpu", "matrix_products", "times_matrix_products")


def run(rounds: int = ROUNDS) -> list[dict]:
    """Rows with `COLUMNS`: medians on the whole processor, and how many times as much it is with the quota."""
    data = {name: fold_data(name) for name in METHODS}
    bound = {name: methods.get(name)(data[name]) for name in METHODS}
    for name in METHODS:
        fit_ms(bound[name], data[name], *METHODS[name])  # warms up
    found: dict = {(limited, name): [] for limited in (False, True) for name in METHODS}
    for number in range(2 * rounds):
        limited = bool(number % 2)
        with quota() if limited else nullcontext():
            times = {name: fit_ms(bound[name], data[name], *METHODS[name]) for name in METHODS}
            unit = matrix_product_ms()
        for name, (cpu, wall) in times.items():
            found[limited, name].append((cpu, wall, cpu / unit))
    rows = []
    for name in METHODS:
        whole, part = ([median(values) for values in zip(*found[h, name], strict=True)] for h in (False, True))
        cpu, wall, products = (b / a for a, b in zip(whole, part, strict=True))
        rows.append(dict(zip(COLUMNS, (name, whole[0], wall, cpu, whole[2], products), strict=True)))
    return rows


def fold_data(name: str) -> FoldData:
    """What a method fits on one fold of xor_5f: 1,792 rows of 5 features."""
    data = make({"generator": "xor", "features": 5, "samples_per_orthant": 100}, 0, "xor_5f", 0)
    return select_fold(data, split(data.y, 5, 0.3, 0), 0, methods.get(name).scaled)


def fit_ms(method, data: FoldData, parameters: dict, complexity: int) -> tuple[float, float]:
    """CPU and wall milliseconds of a fit and of scoring the fold."""
    cpu, wall = time.process_time(), time.perf_counter()
    method.fit(parameters, complexity, seed_sequence(0, "machine")).predict_proba(data.X_score)
    return 1000 * (time.process_time() - cpu), 1000 * (time.perf_counter() - wall)


@contextmanager
def quota():
    """Leave this process a part of every `PERIOD`."""
    throttle = multiprocessing.get_context("spawn").Process(target=_throttle, args=(os.getpid(),), daemon=True)
    throttle.start()
    time.sleep(1.0)  # until it has started
    try:
        yield
    finally:
        throttle.terminate()
        throttle.join()
        os.kill(os.getpid(), signal.SIGCONT)


def _throttle(process):
    signal.signal(signal.SIGTERM, lambda *_: (os.kill(process, signal.SIGCONT), os._exit(0)))
    while True:
        os.kill(process, signal.SIGSTOP)
        time.sleep(PERIOD * (1 - LEFT))
        os.kill(process, signal.SIGCONT)
        time.sleep(PERIOD * LEFT)
