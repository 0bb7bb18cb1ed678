"""Whether costs survive a change of machine: fits of several methods on a free processor and beside a rival for it.

Rounds alternate between the two settings, and each round has one fit of every method and one matrix product, so that
whatever else runs meets both. The rival streams through more memory than the caches hold, on every processor.
"""

import multiprocessing
import time
from itertools import combinations
from statistics import median

import numpy as np

from proset_study import methods
from proset_study.data.sources import make
from proset_study.data.splits import FoldData, select_fold
from proset_study.data.splitting import split
from proset_study.methods.base import Method
from proset_study.records import matrix_product_ms
from proset_study.seeds import seed_sequence

ROUNDS = 15
METHODS = {  # parameters and size of a fit of some 20 to 200 ms
    "proset": ({"lambda_v": 1e-3, "lambda_w": 1e-8}, 1),
    "knn": ({}, 30),
    "xgboost": ({"learning_rate": 0.1, "max_depth": 6, "colsample": 0.8, "subsample": 0.8, "exact": 1}, 50),
    "random_forest": ({"min_samples_leaf": 1}, 20),
    "svm": ({"C": 10.0, "gamma": 1.0}, 1),
    "logistic_regression": ({"l1_ratio": 0.5}, 8),
}
COLUMNS = ("first", "second", "free_first_ms", "free_second_ms", "free_ratio", "beside_a_rival", "change")


def run(rounds: int = ROUNDS) -> list[dict]:
    """Rows with `COLUMNS`: the ratio of two methods' CPU times in both settings; the product is one of the methods."""
    data = {name: fold_data(name) for name in METHODS}
    bound = {name: methods.get(name)(data[name]) for name in METHODS}
    found: dict[bool, dict[str, list[float]]] = {crowded: {} for crowded in (False, True)}
    for number in range(2 * rounds + 1):
        crowded = bool(number % 2)
        rivals = [
            multiprocessing.Process(target=stream, daemon=True) for _ in range(crowded * multiprocessing.cpu_count())
        ]
        for rival in rivals:
            rival.start()
        times = {name: fit_ms(bound[name], data[name], *METHODS[name]) for name in METHODS}
        times["matrix product"] = matrix_product_ms()
        for rival in rivals:
            rival.terminate()
            rival.join()
        if number:  # the first round warms up
            for name, value in times.items():
                found[crowded].setdefault(name, []).append(value)
    medians = {crowded: {name: median(values) for name, values in of.items()} for crowded, of in found.items()}
    free, beside = medians[False], medians[True]
    rows = []
    for a, b in combinations(free, 2):
        ratios = free[a] / free[b], beside[a] / beside[b]
        rows.append(dict(zip(COLUMNS, (a, b, free[a], free[b], *ratios, ratios[1] / ratios[0] - 1), strict=True)))
    rows += [dict.fromkeys(COLUMNS, None) | {"first": name, "change": beside[name] / free[name] - 1} for name in free]
    return rows


def fold_data(name: str) -> FoldData:
    """What a method fits on one fold of a study's data set with 3,200 rows and 5 features."""
    data = make({"generator": "xor", "features": 5, "samples_per_orthant": 100}, 0, "xor_5f", 0)
    return select_fold(data, split(data.y, 5, 0.3, 0), 0, methods.get(name).scaled)


def fit_ms(method: Method, data: FoldData, parameters: dict, complexity: int) -> float:
    """CPU milliseconds of a fit and of scoring the fold."""
    start = time.process_time_ns()
    method.fit(parameters, complexity, seed_sequence(0, "machine")).predict_proba(data.X_score)
    return 1e-6 * (time.process_time_ns() - start)


def stream() -> None:
    """Go through 64 MiB for ever."""
    values = np.ones(2**23)
    while True:
        values += 1.0
