"""The environment of a run and its jobs: packages, folders, one thread, and the Python that runs the workflow."""

import os
import shlex
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from proset.files import LEFTOVERS

PROJECT = "proset-study"
LEFT_FOR_GOOD_S = 3600
CLOCK_TOLERANCE_S = 1  # between machines that share a disk
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def check_packages() -> None:
    """End with a message and status 1 unless every package of the project is installed in a version it allows."""
    from packaging.requirements import Requirement

    try:
        needed = [Requirement(line) for line in requires(PROJECT)]
    except PackageNotFoundError:
        sys.exit(f"{PROJECT} is not installed for {sys.executable}; install it with: {install_command()}")
    faults = []
    for requirement in needed:
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            found = version(requirement.name)
        except PackageNotFoundError:
            found = "missing"
        if found == "missing" or not requirement.specifier.contains(found, prereleases=True):
            faults.append(f"- {requirement.name} is {found}, needed is {requirement.specifier}")
    if faults:
        end = f"install with: {install_command()}"
        sys.exit("\n".join([f"packages of {sys.executable} do not fit:", *faults, end]))


def install_command() -> str:
    """What installs all packages of the project, from its folder."""
    return f"{sys.executable} -m pip install --editable ."


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


def prepare(folders: Iterable[Path], inputs: Iterable[str]) -> None:
    """See that a run can write its results, and undo what a crash or a change of the clock left behind.

    What killed processes left half written, long ago, is removed. Results dated after now, because the clock has been
    set back since, are given the present time: Snakemake takes what is older than its input for failed.

    Parameters
    ----------
    folders : iterable of Path
        Where results go; they are made.
    inputs : iterable of str
        Files the run is going to read; some may not be there yet.

    Raises
    ------
    OSError
        If a folder is read-only or its disk is full, or if an input that is no result is dated after now; names it.
    """
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=folder) as file:
                file.write(bytes(2**16))  # as much as a few records
        except OSError as error:
            raise OSError(f"{folder} cannot be written to: {error.strerror}") from error
        now = time.time()
        for path in folder.rglob("*"):
            with suppress(FileNotFoundError):  # another run, of other targets, may be at work
                written = path.stat().st_mtime
                if path.match(LEFTOVERS) and written < now - LEFT_FOR_GOOD_S:
                    path.unlink()
                elif written > now + CLOCK_TOLERANCE_S:
                    os.utime(path, (now, now))
    future = [f for f in inputs if os.path.exists(f) and os.path.getmtime(f) > time.time() + CLOCK_TOLERANCE_S]
    if future:
        command = shlex.join(["touch", *future])
        raise OSError(f"input is dated after now (has the clock been set back?), give it the present time: {command}")


def put_python_first() -> None:
    """Make `python` in the shell commands of the rules the interpreter that runs now."""
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])
