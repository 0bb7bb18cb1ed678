"""The environment of a job: one thread, and the Python that runs the workflow."""

import os
import sys

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def use_one_thread() -> None:
    """Pin BLAS and OpenMP to one thread; works only before NumPy is imported, and for child processes."""
    for variable in THREAD_VARIABLES:
        os.environ[variable] = "1"


def import_xgboost_alone() -> None:
    """Import XGBoost without its scikit-learn interface, which takes three times as long as all the rest of it.

    For processes that use the native interface only. XGBoost takes scikit-learn as missing if it cannot be imported.
    """
    sys.modules["sklearn"] = None  # Python's way to make an import fail
    try:
        import xgboost  # noqa: F401
    finally:
        del sys.modules["sklearn"]


def put_python_first() -> None:
    """Make `python` in the shell commands of the rules the interpreter that runs now."""
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])
