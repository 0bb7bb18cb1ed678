"""Wall time of a fit with one thread and with as many as there are processors, on the data of `growth`."""

import os
import time

import numpy as np
from benchmarks.growth import make_data

from proset import model
from proset.objective import Penalty
from proset.solver import TOL

COLUMNS = ("rows", "max_iter", "threads", "seconds", "cpu_seconds", "times_faster")
ROWS = (50_000, 200_000, 1_000_000)
MAX_ITER = 40  # a shorter fit than usual; every iteration costs about the same


def run(sizes: tuple[int, ...] = ROWS, repeats: int = 3) -> list[dict]:
    """Rows with `COLUMNS`: the fastest of some fits, numbers of threads in turn; 20 features, 1,000 candidates."""
    rows = []
    for n in sizes:
        X, y = make_data(n, 20, 2)
        counts = (1, os.cpu_count() or 1)
        times: dict[int, list[tuple[float, float]]] = {count: [] for count in counts}
        for _ in range(repeats if n < 10**6 else 1):
            for count in counts:
                start = (time.perf_counter(), time.process_time())
                _fit(X, y, count)
                times[count].append((time.perf_counter() - start[0], time.process_time() - start[1]))
        for count in counts:
            seconds, cpu = min(times[count])
            values = (n, MAX_ITER, count, seconds, cpu, min(times[1])[0] / seconds)
            rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows


def _fit(X, y, n_threads):
    return model.fit(
        *(X, y, 2),
        n_batches=1,
        n_candidates=1000,
        max_fraction=0.5,
        penalty=Penalty(1e-3, 1e-8, 0.95, 0.95),
        max_iter=MAX_ITER,
        tol=TOL,
        seed=np.random.SeedSequence(0),
        n_threads=n_threads,
    )
