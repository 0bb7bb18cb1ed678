"""Fits whose bits are known: python -m tests.proset.digests prints their digests with 1, 2 and 3 threads, as JSON.

`golden.json` has what every processor has to give; `--write` writes it anew, once `VERSION` of `proset.arithmetic` is
raised. The numbers are fractions drawn from integers, so that the data are the same everywhere, too.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

from proset import arithmetic, model
from proset.objective import Penalty

GOLDEN = Path(__file__).with_name("golden.json")
CASES = {  # samples, features, classes, candidates, batches, factor of the features, sample weights
    "sorted": (300, 2, 3, 1000, 3, 1.0, False),
    "differences": (250, 6, 2, 1000, 2, 12.0, False),
    "products": (300, 20, 5, 120, 2, 1.0, True),
    "wide": (150, 3, 2, 1000, 1, 2e4, False),
    "strips": (9000, 5, 2, 60, 1, 1.0, False),  # more than one, so that threads have something to share
}


def digests(n_threads: int) -> dict[str, str]:
    """SHA-256 of the model and of its predictions, by case."""
    return {name: _digest(*case, n_threads) for name, case in CASES.items()}


def _digest(n, n_features, n_classes, n_candidates, n_batches, factor, weighted, n_threads):
    rng = np.random.default_rng(n)
    X = rng.integers(-1000, 1000, (n, n_features)) / 577.0
    y = (np.abs(X[:, :2]).sum(axis=1) * n_classes / 3.5).astype(int) % n_classes
    fitted = model.fit(
        factor * X,
        y,
        n_classes,
        n_batches=n_batches,
        n_candidates=n_candidates,
        max_fraction=0.5,
        penalty=Penalty(1e-3, 1e-7, 0.95, 0.9),
        max_iter=60 if n > 5000 else 300,
        tol=1e-5,
        seed=np.random.SeedSequence(n),
        sample_weight=rng.integers(1, 4, n) / 2.0 if weighted else None,
        n_threads=n_threads,
    )
    digest = hashlib.sha256()
    for name, array in sorted(fitted.arrays().items()):
        digest.update(f"{name} {array.shape}".encode() + array.tobytes())
    for p in fitted.staged_predict_proba(factor * X * 1.01, n_threads):
        digest.update(p.tobytes())
    digest.update(arithmetic.log(np.arange(1, 1000) / 1000.0).tobytes())
    return digest.hexdigest()


if __name__ == "__main__":
    if "--write" in sys.argv:
        golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
        if golden["version"] == arithmetic.VERSION:
            sys.exit(f"version {arithmetic.VERSION} has its digests; other bits need another version")
        golden = {"version": arithmetic.VERSION, "digests": digests(1)}
        GOLDEN.write_text(json.dumps(golden, indent=2) + "\n", encoding="utf-8")
    print(json.dumps({"level": arithmetic.level(), "digests": [digests(n) for n in (1, 2, 3)]}))
