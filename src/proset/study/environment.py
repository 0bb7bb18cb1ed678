"""The environment of a job: its packages, one thread, and the Python that runs the workflow."""

import os
import sys
from importlib.metadata import PackageNotFoundError, requires, version

PROJECT = "proset-study"
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


def put_python_first() -> None:
    """Make `python` in the shell commands of the rules the interpreter that runs now."""
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])
