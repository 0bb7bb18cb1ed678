"""The same bits whatever the processor's level, the libraries' dispatch and the number of threads."""

import ctypes
import json
import math
import platform
import subprocess
import sys
from threading import Thread
from time import perf_counter

import numpy as np
import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__
from tests.build import run
from tests.proset.digests import GOLDEN

from proset import ProsetClassifier, arithmetic, library

LEVELS = {"x86_64": ("portable", "avx2", "avx512"), "aarch64": ("neon",)}.get(platform.machine(), ("portable",))


def golden():
    stored = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert stored["version"] == arithmetic.VERSION
    return stored["digests"]


def digests(n_threads, environment):
    return json.loads(run(sys.executable, "-m", "tests.proset.digests", n_threads, env=environment))


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_gives_the_golden_bits_with_several_threads(level, child_environment):
    if library.library().proset_use_level(level.encode()) is None:
        pytest.skip(f"this processor has no {level}")
    library.library().proset_use_level(None)
    found = digests(3, {**child_environment, "PROSET_LEVEL": level})
    assert found["level"] == level
    assert found["digests"] == [golden()]


@pytest.mark.parametrize(
    "libraries",
    [
        {
            "OPENBLAS_CORETYPE": "Prescott",
            "OPENBLAS_NUM_THREADS": "2",
            "NPY_DISABLE_CPU_FEATURES": " ".join(__cpu_dispatch__),
        },
        {"OPENBLAS_CORETYPE": "SkylakeX"},
    ],
    ids=lambda libraries: libraries["OPENBLAS_CORETYPE"],
)
def test_one_thread_gives_the_golden_bits_and_no_other_library_is_on_the_path_of_a_fit(libraries, child_environment):
    if libraries["OPENBLAS_CORETYPE"] == "SkylakeX" and library.library().proset_use_level(b"avx512") is None:
        pytest.skip("OpenBLAS would use instructions that this processor lacks")
    library.library().proset_use_level(None)
    found = digests(1, {**child_environment, **libraries})
    assert found["digests"] == [golden()]


@pytest.mark.skipif(sys.platform != "linux" or platform.machine() != "x86_64", reason="names a number of its libm")
def test_the_rounding_that_other_code_has_set_changes_nothing(rng):
    upwards, nearest, libm = 0x800, 0, ctypes.CDLL("libm.so.6")
    arguments = (*rng.normal(size=(2, 50, 3)), np.zeros(3), np.array([0, 25, 50]), np.ones(3), np.ones(50))
    expected = arithmetic.class_sums(*arguments)
    assert libm.fesetround(upwards) == 0
    found = arithmetic.class_sums(*arguments)
    still = libm.fegetround()
    libm.fesetround(nearest)
    assert still == upwards  # it is theirs
    assert found.tobytes() == expected.tobytes()


def test_an_unknown_level_is_refused(child_environment):
    command = [sys.executable, "-c", "from proset import arithmetic; arithmetic.level()"]
    done = subprocess.run(command, env={**child_environment, "PROSET_LEVEL": "avx1024"}, capture_output=True, text=True)
    assert "PROSET_LEVEL: 'avx1024' is not a level of this machine" in done.stderr


def test_the_logarithm_is_within_one_unit_in_the_last_place(rng):
    x = np.concatenate([np.exp(rng.uniform(-700, 700, 20_000)), 1 + rng.uniform(-1e-3, 1e-3, 20_000), [1.0, 0.5, 2.0]])
    exact = np.array([math.log(value) for value in x])
    assert (np.abs(arithmetic.log(x) - exact) <= np.spacing(np.abs(exact))).all()
    assert arithmetic.log(np.ones((2, 3))).tolist() == [[0.0] * 3] * 2


def test_n_jobs_changes_nothing(rng):
    X = rng.normal(size=(2100, 3))  # 512 a thread
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    fixed = {"lambda_v": 0.01, "lambda_w": 1e-4, "n_candidates": 50, "random_state": 0}
    one, *others = (ProsetClassifier(**fixed, n_jobs=n).fit(X, y) for n in (None, 2, 3, -1))
    for many in others:
        assert one.predict_proba(X).tobytes() == many.predict_proba(X).tobytes()


def test_the_prediction_of_a_row_does_not_depend_on_the_others(rng):
    for n_features in (2, 6, 20):
        X = rng.normal(size=(300, n_features))
        model = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4).fit(X, np.abs(X[:, :2]).sum(axis=1) > 1.5)
        alone = np.concatenate([model.predict_proba(X[i : i + 1]) for i in range(len(X))])
        assert alone.tobytes() == model.predict_proba(X).tobytes()


def test_work_in_a_thread_lets_others_work(rng):
    """The library does not hold Python's lock: another thread is not stopped for the time of one long call."""
    X, prototypes = rng.normal(size=(300_000, 4)), rng.normal(size=(2000, 4))
    arguments = X, prototypes, np.zeros(4), np.array([0, 1000, 2000]), np.ones(4), np.ones(2000)
    work = Thread(target=arithmetic.class_sums, args=arguments)
    longest, start = 0.0, perf_counter()
    last = start
    work.start()
    while work.is_alive():
        now = perf_counter()
        longest, last = max(longest, now - last), now
    assert longest < (last - start) / 2


def test_ctrl_c_ends_a_long_fit_at_the_next_iteration(child_environment):
    code = """
import signal, threading, traceback, numpy as np
from proset import ProsetClassifier, library
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have told its children to ignore it
X = np.random.default_rng(0).normal(size=(40_000, 5))
threading.Timer(1.0, lambda: signal.raise_signal(signal.SIGINT)).start()
try:
    ProsetClassifier.published(n_batches=50, random_state=0).fit(X, X[:, 0] * X[:, 1] > 0)
except KeyboardInterrupt as error:
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    (of_batch,) = (frame for frame in frames if frame.f_code is library.fit.__code__)
    print(library.MESSAGES[of_batch.f_locals["solution"].message])
"""
    assert run(sys.executable, "-c", code, env=child_environment) == "stopped\n"  # not at the end of the batch
