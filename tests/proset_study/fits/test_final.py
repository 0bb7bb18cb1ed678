"""The same numbers whatever instructions NumPy and BLAS would choose: child processes, each told something else."""

import json
import os
import platform
import subprocess
import sys

import pytest

from proset_study.base.environment import pins, processor_class

NUMPY_FEATURES = "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"
OUTSIDE = [
    {},
    {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": NUMPY_FEATURES, "OPENBLAS_NUM_THREADS": "2"},
]

pytestmark = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="names of x86 processors")

LIBRARIES = """
import hashlib, sys
if sys.argv[1] == "pinned":
    from proset_study.base.environment import pin_libraries
    pin_libraries()
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from threadpoolctl import threadpool_info
from proset_study.base.environment import library_arithmetic
X, y = load_digits(return_X_y=True)
X = X[:300] / 16
digest = hashlib.sha256()
for array in (
    LogisticRegression(max_iter=50).fit(X, y[:300]).coef_,
    SVC(gamma=0.1).fit(X, y[:300]).dual_coef_,
    np.log(X + 1), np.exp(X), X @ X.T, np.linalg.svd(X)[1],
):
    digest.update(np.ascontiguousarray(array).tobytes())
print(digest.hexdigest(), sorted({i["architecture"] for i in threadpool_info() if "architecture" in i}))
print(library_arithmetic())
"""

DERIVED = """
import hashlib, json, sys
from pathlib import Path
from proset_study.study.config.study import Study
from proset_study.store.stored import Stored
from proset_study.report.write import write_report
from proset_study.store.results import Row, case_rows, write_rows
from proset_study.fits.final import fit_final
from proset_study.fits.search import Case
import tempfile
study, published, out = Study.of(json.load(open(sys.argv[1]))), Path(sys.argv[3]), Path(sys.argv[4])
stored = Stored(Path(sys.argv[2]), study)
write_rows(out / "rows.csv", [row for c in study.cases([0]) for row in case_rows(stored.folder, c)], Row)
write_report(stored, out, published, ["tables", "numbers", "models"])
(out / "tables.xlsx").unlink()  # it has a date
model = out / "m.npz"
for final in stored.finals():
    if final.run.method in ("knn", "xgboost"):
        case = Case(study.config["seed"], 0, final.data_set, final.run.name, final.run.method)
        fitted = fit_final(final.data, final.folds, final.fit["parameters"], final.fit["complexity"], case, model)
        (out / f"{final.run.name} {final.data_set}.predictions").write_text(json.dumps(fitted[2].tolist()))
model.unlink()
for path in sorted(p for p in out.rglob("*") if p.is_file()):
    print(path.relative_to(out), hashlib.sha256(path.read_bytes()).hexdigest())
"""


def run(code, outside, *arguments):
    inherited = {name: value for name, value in os.environ.items() if name not in pins()}
    child = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**inherited, **outside},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    return child.stdout.splitlines()


@pytest.mark.skipif(not processor_class().endswith("AVX2"), reason="nothing to pin to")
def test_pins_win_against_what_is_set_outside():
    pinned = {tuple(run(LIBRARIES, outside, "pinned")) for outside in OUTSIDE}
    assert len(pinned) == 1
    ((numbers, arithmetic),) = pinned
    assert numbers.endswith("['Haswell']")
    assert arithmetic == f"{processor_class()}, pinned"
    free = {tuple(run(LIBRARIES, outside, "free")) for outside in OUTSIDE}
    assert len(free) > 1  # else the test could not fail
    assert {arithmetic for _, arithmetic in free} == {processor_class()}


def test_derived_files_and_the_fits_of_two_methods_are_the_same_without_pins(whole, published, tmp_path):
    config = tmp_path / "config.json"
    config.write_text(json.dumps(whole.study.config), encoding="utf-8")
    found = []
    for i, outside in enumerate(OUTSIDE):
        out = tmp_path / str(i)
        out.mkdir()
        found.append(run(DERIVED, outside, config, whole.folder, published, out))
    assert len(found[0]) > 30
    assert found[1] == found[0]


def test_the_commands_of_the_study_pin_before_anything_else():
    code = "import sys, proset_study.__main__; print('numpy' in sys.modules)\nimport numpy, os\n"
    code += "print(*(os.environ[name] for name in " + repr(sorted(pins())) + "), sep='|')"
    loaded, said = run(code, OUTSIDE[-1])
    assert loaded == "False"
    assert said.split("|") == [pins()[name] for name in sorted(pins())]


def test_explainable_boosting_is_pinned_too():
    """Its library looks at the processor by itself; with AVX-512 a trial on digits had another third digit."""
    from interpret import develop

    from proset_study.methods.explainable_boosting import AVX2, ExplainableBoosting

    ExplainableBoosting.estimator({"max_rounds": 1}, 1, 0)
    assert develop.get_option("acceleration") == AVX2
