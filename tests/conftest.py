import os
import shutil
from pathlib import Path

from proset_study.base.environment import pin_libraries

pin_libraries()
os.environ.setdefault("SCIPY_ARRAY_API", "1")  # so that scikit-learn runs its check of array API input

import numpy as np
import pytest

pytest.register_assert_rewrite("proset_study.study.contract")

SLOW = (  # parts of the names of tests; with `@pytest.mark.slow` on single tests, what `make check` leaves out
    "tests/workflow/",
    *(f"tests/proset/test_arithmetic.py::test_{name}" for name in ("ctrl_c", "every_level", "n_jobs")),
    *(f"tests/proset/test_{name}.py" for name in ("drift", "influence", "skore")),
    "tests/proset/convert/",
    "tests/proset/test_attributions.py::test_shap",
    "tests/proset_study/data/generators/test_posterior.py",
    "[Data files: data_file(wide(20_000))]",
    "tests/proset/test_model_io.py::test_a_hundred_hostile_models",
    "tests/proset/test_model_io.py::test_archives_that_swell",
    "tests/proset_study/fits/test_final.py",
    "tests/proset_study/study/test_contract.py",
    *(f"tests/proset_study/report/{name}" for name in ("article/", "figures/", "test_catalogue.py", "test_renew.py")),
    *(f"tests/proset_study/report/analysis/test_{n}.py" for n in ("explanations", "over_data_sets", "prototypes")),
    *(f"tests/proset_study/report/pages/test_{n}.py" for n in ("charts", "data_set", "evaluation", "when_it_pays")),
    "tests/proset_study/release/verify/",
)


def pytest_addoption(parser):
    parser.addoption(
        "--method", action="append", metavar="NAME", help="run only the contract test, and only for this method"
    )
    parser.addoption(
        "--configfile",
        action="append",
        default=[],
        metavar="FILE",
        help="look for the experiment of --method in this file, too",
    )


def pytest_ignore_collect(collection_path, config):
    if config.getoption("method") and collection_path.suffix == ".py":
        return collection_path.name != "test_contract.py" or None
    return None


def pytest_collection_modifyitems(items):
    for item in items:
        if any(part in item.nodeid for part in SLOW):
            item.add_marker("slow")
    # The longest files first, so that no worker is alone with one of them at the end.
    slow = {item.path for item in items if "slow" in item.keywords}
    items.sort(key=lambda item: ("tests/workflow/" not in item.nodeid, item.path not in slow))


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_the_disk():
    """No test takes the power away."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="module")  # not "session": its event loop runs as long as it is open
def browser():
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("Debian's chromium is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def batch(rng):
    """A small second batch: samples of 3 classes, a previous q that is not the prior, candidates, weights."""
    n, n_features, n_classes = 60, 4, 3
    X = rng.normal(size=(n, n_features))
    y = np.sort(rng.integers(0, n_classes, n))
    rng.shuffle(y)
    candidates = rng.choice(n, 20, replace=False)
    candidates = candidates[np.argsort(y[candidates], kind="stable")]
    return {
        "X": X,
        "y": y,
        "previous_q": rng.uniform(0.2, 3.0, (n, n_classes)),
        "candidates": candidates,
        "v": np.array([0.9, 0.0, 0.4, 1.7]),
        "w": rng.uniform(0.0, 5.0, 20) * (rng.random(20) > 0.3),
        "sample_weight": rng.uniform(0.1, 4.0, n),
    }


@pytest.fixture
def child_environment():
    """The environment for Python in a process of its own, run from any folder."""
    root = str(Path(__file__).parent.parent)
    return {**os.environ, "PYTHONPATH": os.pathsep.join([f"{root}/src", root])}
