"""The compiled code as ARM64 runs it, as another compiler makes it, and under sanitizers.

`make test-native` runs this; `make test` does not. It needs root for Debian's packages qemu-user and gcc.
"""

import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from tests.build import ROOT, run, setup
from tests.proset.digests import GOLDEN, mixed

from proset import arithmetic, library
from proset.objective import Objective, Penalty
from proset.solver import PATH_ITERATIONS

SIZES = [  # references, features, classes, candidates, factor of the features
    *[(150, 2, 3, 60, 1.0), (120, 6, 2, 50, 1.0), (120, 6, 2, 50, 12.0), (100, 20, 5, 64, 1.0), (60, 3, 2, 20, 2e4)],
    (4500, 4, 2, 20, 1.0),
    *[(120, 6, 2, 50, 1.0, True), (110, 20, 3, 64, 1.0, True), (90, 5, 2, 30, 3e4, True)],
]
LEVELS = tuple(setup.LEVELS[os.uname().machine])


def driver(folder, compiler, machine, *libraries):
    objects = setup.objects(folder, compiler, machine)
    program = folder / "driver"
    run(*compiler, "-I", setup.SOURCES, "-o", program, ROOT / "tests/native/driver.c", *objects, *libraries)
    return program


def problem(n, n_features, n_classes, n_candidates, factor, is_mixed=False):
    """Objective, start and scale; numbers are fractions drawn from integers."""
    rng = np.random.default_rng(n + n_features)
    X, C = (factor * rng.integers(-1000, 1000, (size, n_features)) / 577.0 for size in (n, n_candidates))
    labels, of_candidate = ((np.abs(Z[:, :2]).sum(axis=1) * n_classes / factor).astype(int) % n_classes for Z in (X, C))
    order = np.argsort(of_candidate, kind="stable")
    C, class_offsets = C[order], np.searchsorted(of_candidate[order], np.arange(n_classes + 1))
    columns = None
    if is_mixed:
        both, columns = mixed(np.vstack([X, C]) / factor, factor)
        X, C = both[:n], both[n:]
    is_sorted = n_features <= arithmetic.SORTED_FEATURES and not is_mixed
    if is_sorted:
        rows = arithmetic.sort_neighbours(X, np.arange(n))
        X, labels = X[rows], labels[rows]
    weights, previous_q = rng.integers(1, 4, n) / (2.0 * n), rng.integers(1, 300, (n, n_classes)) / 100.0
    penalty = Penalty(1e-3, 1e-7, 0.95, 0.9)
    own = np.where(rng.random(n) < 0.5, rng.integers(0, len(C), n), -1)  # of half of the samples
    own_kernel = rng.integers(0, 3, n) / 3.0
    arrays = X, labels, weights, previous_q, C, class_offsets, penalty, own, own_kernel, columns
    return Objective(*arrays, is_sorted=is_sorted, n_threads=2)


def start(objective):
    """With a part of the candidates held at zero in the first phase."""
    v, w = objective.unpack(objective.start())
    return objective.pack(v, np.where(np.arange(len(w)) % 3 == 0, 0.0, w))


def stored(objective, max_iter):
    """What the driver reads."""
    numbers = [
        *objective.X.shape,
        objective.previous_q.shape[1],
        len(objective.candidates),
        objective.is_sorted,
        2,
        PATH_ITERATIONS,
        max_iter,
        objective.columns is not None,
    ]
    arrays = (
        objective.X,
        objective.labels,
        objective.own,
        library.own_distance(objective.own_kernel),
        objective.row_weights,
        objective.previous_q,
        objective.candidates,
        *(of for of in library.of_columns(objective.columns) if of is not None),
    )
    p = objective.penalty
    penalty = np.array([p.lambda_v, p.lambda_w, p.alpha_v, p.alpha_w])
    rest = (objective.class_offsets, penalty, start(objective), objective.scale())
    return b"".join(np.ascontiguousarray(a).tobytes() for a in (np.array(numbers, dtype=np.int64), *arrays, *rest))


def expected(objective, max_iter):
    """What the driver writes, computed by the library here."""
    value, gradient = objective(start(objective))
    solution = library._Solution()
    x, scale = start(objective), objective.scale()
    progress = library._Progress()  # none
    arrays = objective._problem, x.ctypes.data, scale.ctypes.data
    library.library().proset_fit(*arrays, PATH_ITERATIONS, max_iter, 1e-5, progress, solution)
    centre = arithmetic.means(objective.X) if objective.columns is None else np.zeros(objective.X.shape[1])
    v, w = objective.unpack(x)
    arrays = objective.X, objective.candidates, centre, objective.class_offsets, v, w
    sums = arithmetic.class_sums(*arrays, objective.own, objective.own_kernel, objective.columns)
    order = arithmetic.sort_neighbours(objective.X, np.arange(len(objective.X)))
    previous_q = objective.previous_q
    tail = (x, centre, sums, arithmetic.row_sums(previous_q), arithmetic.log(previous_q), order)
    increases = objective.increases(start(objective))
    head = np.float64(value).tobytes() + gradient.tobytes() + increases.tobytes() + bytes(solution)
    return head + b"".join(a.tobytes() for a in tail)


def check_driver(command, folder, level):
    for size in SIZES:
        objective, max_iter = problem(*size), 40 if size[0] > 1000 else 300
        (folder / "input").write_bytes(stored(objective, max_iter))
        assert run(*command, folder / "input", folder / "output").strip() == level
        assert (folder / "output").read_bytes() == expected(objective, max_iter), size


def test_arm64_gives_the_same_bits(arm64, tmp_path):
    """Compiled for ARM64 with NEON, as for a wheel, run by an emulator."""
    compiler = setup.compiler(setup.PLATFORMS["manylinux2014_aarch64"][0])
    check_driver([*arm64, driver(tmp_path, compiler, "aarch64", "-pthread", "-lm")], tmp_path, "neon")


def test_without_a_compiler_the_installation_goes_on_and_says_what_to_do(tmp_path):
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("_kernel*", "*.egg-info"))
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    setup.copy_project(tmp_path)
    command = [sys.executable, "setup.py", "-q", "build_py", "--build-lib", "built"]
    environment = {**os.environ, "CC": "no-such-compiler"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "installed without its compiled library" in done.stderr
    assert "set CC to a C compiler" in done.stderr
    assert (tmp_path / "built/proset/classifier.py").exists()


def has(level):
    """Whether this processor can run a level."""
    found = library.library().proset_use_level(level.encode()) is not None
    library.library().proset_use_level(None)
    return found


def package(folder, *options):
    """The package with a library by GCC, as the environment of a process that uses it.

    Levels that this processor cannot run are there to be linked, by the fastest compilation.
    """
    shutil.copytree(ROOT / "src/proset", folder / "proset", ignore=shutil.ignore_patterns("_kernel*"))
    compiler, machine, fastest = ["gcc", *options], os.uname().machine, ["-O0", "-fno-sanitize=all"]
    levels = {level: [*given, *([] if has(level) else fastest)] for level, given in setup.LEVELS[machine].items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(setup.LEVELS, machine, levels)
        objects = setup.objects(folder, compiler, machine)
    run(*compiler, "-shared", "-o", folder / "proset/_kernel.so", *objects, "-pthread", "-lm")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}


@pytest.fixture(scope="session")
def optimized(tmp_path_factory):
    return package(tmp_path_factory.mktemp("optimized"))


@pytest.fixture(scope="session")
def sanitized(tmp_path_factory):
    """Stops at undefined behaviour and at accesses out of bounds."""
    with pytest.MonkeyPatch.context() as patch:
        few = ["-O1" if option == "-O3" else option for option in setup.OPTIONS]
        patch.setattr(setup, "OPTIONS", few)  # checks of every access, optimized as far as can be, take GCC minutes
        options = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
        environment = package(tmp_path_factory.mktemp("sanitized"), *options)
    return {
        **environment,
        "LD_PRELOAD": run("gcc", "-print-file-name=libasan.so").strip(),
        # Python's own leaks are not ours to judge; memory that cannot be had is what a test asks for.
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


def test_the_tests_of_objective_and_solver_under_sanitizers(sanitized):
    tests = [ROOT / "tests/proset" / name for name in ("test_leave_one_out.py", "test_objective.py", "test_solver.py")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, "-k", "not no_array_grows"]
    said = run(*command, cwd=ROOT, env=sanitized)
    assert " passed" in said


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("made", ["optimized", "sanitized"])
def test_another_compiler_gives_the_same_bits_and_no_sanitizer_objects(made, level, request):
    if not has(level):
        pytest.skip(f"this processor has no {level}")
    environment = {**request.getfixturevalue(made), "PROSET_LEVEL": level}
    said = json.loads(run(sys.executable, "-m", "tests.proset.digests", 3, cwd=ROOT, env=environment))
    assert said == {"level": level, "digests": [json.loads(GOLDEN.read_text(encoding="utf-8"))["digests"]]}
