"""The environment of a run and its jobs; this module imports neither NumPy nor `proset`, which may be another one."""

import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, requires, version
from pathlib import Path

from proset_study import PROJECT as FOLDER

PACKAGE = Path(__file__).parents[1]
PROJECT = "proset-study"
PLANNING, PAGES = ("", "workflow"), ("plot", "pages")  # extras of the project that a run needs, and its report
DIRTY = "-dirty"  # end of a commit to which changes were made that are not committed
COPIES = "PROSET_STUDY_COPIES"  # environment variable: the folder in which jobs work if results are on a shared storage
LEFT_FOR_GOOD_S = 3600
CLOCK_TOLERANCE_S = 1  # between machines that share a disk
_THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
# What NumPy and OpenBLAS would choose by the processor, whose last digits differ. NumPy ignores names that it does not
# know: the first line are those of version 2.4, the second those of earlier ones.
_AVX2_ONLY = {
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR "
    "AVX512F AVX512CD AVX512_KNL AVX512_KNM AVX512_SKX AVX512_CLX AVX512_CNL",
}


def check_packages(*extras: str) -> None:
    """End with a message of one line and status 1 unless all packages of extras are installed in versions they allow.

    Those of the classifiers are of the extra "". What is needed later is asked for then: packages of single methods
    when a job of theirs is planned (`study.fingerprints`), those of a command when it is called (`cli`).
    """
    try:
        needed = [requirement for extra in extras for requirement in _requirements(extra)]
    except PackageNotFoundError:
        sys.exit(f"{PROJECT} is not installed for {sys.executable}; install it with: {install_command()}")
    faults = {str(r): f"{r.name} is {found}, needed is {r.specifier}" for r in needed if (found := _misfit(r))}
    if faults:
        sys.exit(f"packages of {sys.executable} do not fit: {'; '.join(faults.values())}; {_install(faults)}")


def how_to_install(package: str) -> str:
    """How a package is installed that the project needs for some of its extras."""
    extras = distribution(PROJECT).metadata.get_all("Provides-Extra") or []
    known = (
        str(requirement) for extra in extras for requirement in _requirements(extra) if requirement.name == package
    )
    return _install([next(known, package)])


def _install(packages: Iterable[str]) -> str:
    return f"install with: {sys.executable} -m pip install {shlex.join(packages)}"


def _requirements(extra):
    """What one extra adds to the project, and "" without any, as `Requirement`s without markers."""
    from packaging.requirements import Requirement

    for line in requires(PROJECT) or ():
        requirement = Requirement(line)
        belongs = not extra if requirement.marker is None else extra and requirement.marker.evaluate({"extra": extra})
        if belongs and requirement.name != PROJECT:
            requirement.marker = None
            yield requirement


def _misfit(requirement):
    """The installed version if it is not allowed, "missing" if there is none, and "" if all is well."""
    try:
        installed = version(requirement.name)
    except PackageNotFoundError:
        return "missing"
    return "" if requirement.specifier.contains(installed, prereleases=True) else installed


def check_core() -> None:
    """Raise an ImportError unless the package `proset` is ours: another one on PyPI has the same name."""
    try:
        import proset
    except ImportError as error:
        fault = f"cannot be imported: {error}"
    else:
        if "SetCoverClassifier" in getattr(proset, "__all__", ()):
            return
        fault = f"is another one: {vars(proset).get('__file__') or 'a folder without __init__.py'}"
    raise ImportError(
        f"the package proset of {sys.executable} {fault}; the distribution proset on PyPI installs a package of the "
        f"same name; put ours back, from the folder of the study, with `{sys.executable} -m pip install "
        "--force-reinstall --no-deps .`, and keep the other one in an environment of its own"
    )


def install_command() -> str:
    """What installs all packages that the study needs: from the folder of a checkout, or next to a wheel."""
    what = f"'{PROJECT}[study]'" if FOLDER.is_relative_to(PACKAGE) else "--editable '.[study]'"
    return f"{sys.executable} -m pip install {what}"


def use_one_thread() -> None:
    """Pin BLAS and OpenMP to one thread; works only before NumPy is imported, and for child processes."""
    os.environ.update(_THREADS)


def pin_libraries() -> None:
    """`use_one_thread`, and pin NumPy and BLAS to the instructions that all processors of a class have."""
    os.environ.update(pins())


@cache
def pins() -> dict[str, str]:
    """Environment variables that `pin_libraries` sets; the instructions are left alone where AVX2 is missing."""
    return {**_THREADS, **(_AVX2_ONLY if processor_class().endswith("AVX2") else {})}


@cache
def processor_class() -> str:
    """Machines of one class get the same numbers from the same pinned libraries; for example "x86_64 with AVX2"."""
    machine = platform.machine().lower().replace("amd64", "x86_64")
    with suppress(OSError):
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
        if machine == "x86_64" and {"avx2", "fma"} <= set(flags):
            return f"{machine} with AVX2"
    return machine


def library_arithmetic() -> str:
    """What the numbers of NumPy, SciPy, scikit-learn and XGBoost depend on here, besides their versions."""
    is_pinned = all(os.environ.get(variable) == value for variable, value in pins().items())
    return processor_class() + (", pinned" if is_pinned else "")


def import_xgboost_alone() -> None:
    """Import XGBoost without its scikit-learn interface, which takes three times as long as all the rest of it."""
    if {"xgboost", "sklearn"} & sys.modules.keys():
        return
    sys.modules["sklearn"] = None  # type: ignore[assignment]  # Python's way to make an import fail
    try:
        import xgboost  # noqa: F401
    finally:
        del sys.modules["sklearn"]


def prepare(folders: Iterable[Path], inputs: Iterable[str]) -> None:
    """Make the folders of results, remove what killed processes left half written there, date nothing after now.

    Snakemake takes what is older than its input for failed. An OSError names a folder that is read-only or full, or an
    input of the run that is dated after now.
    """
    from proset.files import LEFTOVERS

    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=folder) as file:
                file.write(bytes(2**16))  # as much as a few records
        except OSError as error:
            raise OSError(f"{folder} cannot be written to: {error.strerror}") from error
        now = time.time()
        for path in list(folder.rglob("*")):
            with suppress(FileNotFoundError):  # another run, of other targets, may be at work
                written = path.stat().st_mtime
                if path.match(LEFTOVERS) and written < now - LEFT_FOR_GOOD_S:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                elif written > now + CLOCK_TOLERANCE_S:
                    os.utime(path, (now, now))
    future = [f for f in inputs if os.path.exists(f) and os.path.getmtime(f) > time.time() + CLOCK_TOLERANCE_S]
    if future:
        command = shlex.join(["touch", *future])
        raise OSError(f"input is dated after now (has the clock been set back?), give it the present time: {command}")


def put_python_first() -> None:
    """Make `python` in the shell commands of the rules the interpreter that runs now."""
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])


def commit() -> str | None:
    """The commit that is run, `DIRTY` after it if anything but reports has changes; None outside of a checkout.

    New files count where there may be code or settings, in src and workflow.
    """
    try:
        described = _git("describe", "--always", "--abbrev=12")
        changed = _git("status", "--porcelain", "--untracked-files=no", "--", ":/", ":/!reports")
        new = _git("ls-files", "--others", "--exclude-standard", "--", ":/src", ":/workflow")
    except (OSError, subprocess.CalledProcessError):
        return None
    return described + (DIRTY if changed or new else "")


def _git(*command: str) -> str:
    return subprocess.run(["git", *command], capture_output=True, text=True, check=True).stdout.strip()
