"""Time of one evaluation of objective and gradient, against the limit of this machine.

The limit counts fused multiply-adds: 2 D + 7 per kernel entry (D for the distance, D for the contraction, 5 for the
polynomial of the exponential, 2 for the sums), at the rate that a matrix product reaches on one thread. Entries whose
points are too far apart count as well, although they may cost nothing.
"""

import time
from statistics import median

import numpy as np
from benchmarks.cases import all_cases, at, first_batch, first_fold, levels

from proset.solver import MAX_ITER, TOL

COLUMNS = (
    "data_set",
    "setting",
    "point",
    "level",
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
    rows = []
    for case in all_cases(data_sets):
        objective = first_batch(first_fold(case.data_set), case.penalty, seed=0)
        solution = objective.minimum(MAX_ITER, TOL).x
        for point, theta in (("start", objective.start()), ("solution", solution)):
            features = int((objective.unpack(theta)[0] > 0).sum())
            limit = (2 * features + 7) / multiply_adds_per_ns()
            for level in levels():
                with at(level):
                    seconds = timed(lambda o=objective, t=theta: o(t), repeats)
                ns = seconds * 1e9 / (len(objective.X) * len(objective.candidates))
                sizes = (len(objective.X), len(objective.candidates), features)
                values = (case.data_set, case.setting, point, level, *sizes, seconds * 1e3, ns, limit, limit / ns)
                rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows


def timed(call, repeats: int) -> float:
    """Median CPU seconds of a call, after some that are not counted; short ones are timed a millisecond at a time."""
    start, calls = time.process_time(), 0
    while time.process_time() - start < 1e-3:
        call()
        calls += 1
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        for _ in range(calls):
            call()
        seconds.append((time.process_time() - start) / calls)
    return median(seconds)


def multiply_adds_per_ns() -> float:
    """Multiply-adds per nanosecond of a float32 matrix product on one thread."""
    n = 768
    a = np.random.default_rng(0).random((n, n), dtype=np.float32)
    out = np.empty_like(a)
    return n**3 / (timed(lambda: np.matmul(a, a, out=out), 15) * 1e9)
