"""Time of one evaluation of objective and gradient, against the limit of this machine.

The limit counts fused multiply-adds: 2 D + 7 per kernel entry (D for the distance, D for the contraction, 5 for the
polynomial of the exponential, 2 for the sums), at the rate that a matrix product reaches on one thread.
"""

import time
from statistics import median

import numpy as np
from benchmarks.cases import all_cases, first_batch, first_fold

from proset.solver import MAX_ITER, TOL

COLUMNS = (
    "data_set",
    "setting",
    "point",
    "references",
    "candidates",
    "features",
    "ms",
    "ns_per_entry",
    "limit_ns",
    "share",
)


def run(data_sets: list[str] | None = None, repeats: int = 40) -> list[dict]:
    """Rows with `COLUMNS`; "features" is the number with positive weight, "share" is limit over time."""
    rate = multiply_adds_per_ns()
    rows = []
    for case in all_cases(data_sets):
        objective = first_batch(first_fold(case.data_set), case.penalty, seed=0)
        solution = objective.minimum(MAX_ITER, TOL).x
        for point, theta in (("start", objective.start()), ("solution", solution)):
            seconds = timed(lambda o=objective, t=theta: o(t), repeats)
            features = int((objective.unpack(theta)[0] > 0).sum())
            ns = seconds * 1e9 / (len(objective.X) * len(objective.candidates))
            limit = (2 * features + 7) / rate
            rows.append(
                {
                    "data_set": case.data_set,
                    "setting": case.setting,
                    "point": point,
                    "references": len(objective.X),
                    "candidates": len(objective.candidates),
                    "features": features,
                    "ms": seconds * 1e3,
                    "ns_per_entry": ns,
                    "limit_ns": limit,
                    "share": limit / ns,
                }
            )
    return rows


def timed(call, repeats: int) -> float:
    """Median seconds of a call, after one that is not counted."""
    call()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return median(seconds)


def multiply_adds_per_ns() -> float:
    """Multiply-adds per nanosecond of a float32 matrix product on one thread."""
    n = 768
    a = np.random.default_rng(0).random((n, n), dtype=np.float32)
    out = np.empty_like(a)
    return n**3 / (timed(lambda: np.matmul(a, a, out=out), 15) * 1e9)
