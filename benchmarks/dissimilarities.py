"""Dissimilarities of images and strings: CPU time of one thread for all pairs, by pair, and memory.

Each measurement is a process of its own, in turn for all of them; a pair is computed once, for both of its orders.
"""

import json
import subprocess
import sys
import time

import numpy as np
from benchmarks.memory import peak_mib

COLUMNS = ("metric", "items", "seconds", "nanoseconds_per_pair", "peak_mib", "data_mib")
ITEMS = {"tangent": (500, 2_000), "mismatch": (500, 1_700)}  # images of 16 x 16, sequences of 400 letters
ROUNDS = 3


def run(items: dict[str, tuple[int, ...]] = ITEMS) -> list[dict]:
    """Rows with `COLUMNS`, one for each round."""
    rows = []
    for _ in range(ROUNDS):
        for metric, numbers in items.items():
            for n in numbers:
                command = [sys.executable, "-m", "benchmarks.dissimilarities", metric, str(n)]
                measured = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
                rows.append({"metric": metric, "items": n, **json.loads(measured)})
    return rows


def measure(metric: str, n: int) -> dict:
    """Compute the matrix of `n` items in one process."""
    import scipy.sparse  # noqa: F401 - not a part of the time

    from proset_study.data.dissimilarities import mismatch, tangent
    from proset_study.data.dissimilarities.blocks import square

    rng = np.random.default_rng(0)
    if metric == "tangent":
        distances, items = tangent.distances, rng.integers(0, 256, (n, 16, 16))
    else:
        distances, items = mismatch.distances, ["".join(rng.choice(list(mismatch.ALPHABET), 400)) for _ in range(n)]
    out = np.zeros((n, n), dtype=np.float32)
    data_mib = peak_mib()
    start = time.process_time()
    square(distances(items), out)
    seconds = time.process_time() - start
    peak = peak_mib()
    by_pair = seconds / (n * (n - 1) / 2) * 1e9
    return {"seconds": seconds, "nanoseconds_per_pair": by_pair, "peak_mib": peak, "data_mib": data_mib}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
