import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from proset_study.data.dissimilarities import blocks

BOTH = """
import hashlib, json
import numpy as np
from proset_study.data.dissimilarities import mismatch, tangent
from proset_study.data.dissimilarities.blocks import square
rng = np.random.default_rng(0)
images = np.kron(rng.integers(0, 256, (150, 4, 4)), np.ones((3, 3)))
strings = ["".join(rng.choice(list(mismatch.ALPHABET), size)) for size in rng.integers(30, 100, 150)]
found = {}
for name, block in (("tangent", tangent.distances(images)), ("mismatch", mismatch.distances(strings))):
    out = np.empty((150, 150))
    square(block, out)
    found[name] = hashlib.sha256(out.tobytes()).hexdigest()
print(json.dumps(found))
"""


def digests(environment):
    run = subprocess.run([sys.executable, "-c", BOTH], env=environment, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def test_no_library_and_no_processor_changes_a_bit(child_environment):
    """OpenBLAS as on processors of three kinds that this one can stand for, and NumPy without what it has for it."""
    from numpy._core._multiarray_umath import __cpu_dispatch__

    expected = digests(child_environment)
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").exists() else ""
    needed = {"Prescott": "", "Haswell": "avx2", "SkylakeX": "avx512f"}
    others = [{"OPENBLAS_CORETYPE": core} for core, flag in needed.items() if flag in flags]
    for other in [*others, {"NPY_DISABLE_CPU_FEATURES": " ".join(__cpu_dispatch__), "OPENBLAS_NUM_THREADS": "2"}]:
        assert digests({**child_environment, **other}) == expected, other


@pytest.mark.parametrize("rows", [1, 3, 7, 100])
def test_blocks_of_any_size_give_the_same_matrix(rows, rng, monkeypatch):
    monkeypatch.setattr(blocks, "ROWS", rows)
    x, out = rng.normal(size=7), np.full((7, 7), np.nan, dtype=np.float32)
    blocks.square(lambda a, b: np.abs(x[a, None] - x[b]), out)
    np.testing.assert_array_equal(out, np.abs(x[:, None] - x).astype(np.float32))


def test_half_of_the_matrix_is_computed(monkeypatch):
    """It is symmetric with zeros on its diagonal, whatever the last digits of the other half."""
    monkeypatch.setattr(blocks, "ROWS", 2)
    asked, out = [], np.empty((5, 5))

    def block(rows, columns):
        asked.append((rows.start, columns.start))
        return np.random.default_rng(len(asked)).random((rows.stop - rows.start, columns.stop - columns.start))

    blocks.square(block, out)
    assert asked == [(0, 0), (0, 2), (0, 4), (2, 2), (2, 4), (4, 4)]
    assert (out == out.T).all()
    assert (out.diagonal() == 0).all()
