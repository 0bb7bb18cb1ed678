"""The environment of a job: one thread, and the Python that runs the workflow."""

import os
import sys
import tempfile
import time
from pathlib import Path

from proset.files import LEFTOVERS

LEFT_FOR_GOOD_S = 3600
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


def require_writable(*folders: Path) -> None:
    """Make folders and check that files can be written there; what killed processes left there long ago is removed.

    Raises
    ------
    OSError
        If a folder is read-only, or its disk full; names it.
    """
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=folder) as file:
                file.write(bytes(2**16))  # as much as a few records
        except OSError as error:
            raise OSError(f"{folder} cannot be written to: {error.strerror}") from error
        for path in folder.rglob(LEFTOVERS):
            if path.stat().st_mtime < time.time() - LEFT_FOR_GOOD_S:  # else another run may be writing it
                path.unlink()


def put_python_first() -> None:
    """Make `python` in the shell commands of the rules the interpreter that runs now."""
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])
