"""The wheels of `make wheels`: what is in them, and what two of them do. Needs root for the ARM64 Python of Debian."""

import os
import re
import sys
import zipfile
from pathlib import Path

import lief
import pytest
from tests.build import ROOT, run, setup

ARM64, X86_64 = lief.Header.ARCHITECTURES.ARM64, lief.Header.ARCHITECTURES.X86_64
FORMATS = lief.Binary.FORMATS
LINUX = {"libc.so.6", "libm.so.6", "libpthread.so.0"}
MACOS = {"@rpath/_kernel.so", "/usr/lib/libSystem.B.dylib"}
CONTENTS = {  # format, architecture and libraries that it may load, by tag
    "manylinux2014_x86_64": (FORMATS.ELF, X86_64, LINUX),
    "manylinux2014_aarch64": (FORMATS.ELF, ARM64, LINUX),
    "macosx_11_0_x86_64": (FORMATS.MACHO, X86_64, MACOS),
    "macosx_11_0_arm64": (FORMATS.MACHO, ARM64, MACOS),
    "win_amd64": (FORMATS.PE, X86_64, {"KERNEL32.dll"}),  # and the C library of Windows 10
}
BUILT = ("manylinux2014_x86_64", "manylinux2014_aarch64")
INSTALL = ["-m", "pip", "install", "--quiet", "--only-binary=:all:", "--constraint", ROOT / "requirements.txt"]
CORE = """
import warnings
warnings.simplefilter("error", RuntimeWarning)  # the library cannot be loaded
import numpy as np
from proset import arithmetic, model
from proset.objective import Penalty
X = np.random.default_rng(0).integers(-1000, 1000, (400, 3)) / 577.0
y = (X[:, 0] * X[:, 1] > 0).astype(int)
settings = {"n_batches": 2, "n_candidates": 100, "max_fraction": 0.5, "sample_weight": None, "n_threads": 2}
settings |= {"max_iter": 300, "tol": 1e-5, "seed": np.random.SeedSequence(0)}
fitted = model.fit(X, y, 2, penalty=Penalty(1e-3, 1e-7, 0.95, 0.9), **settings)
print(arithmetic.name(), *(p.tobytes().hex() for p in fitted.staged_predict_proba(X, 2)))
"""
FIT = """
import warnings
warnings.simplefilter("error", RuntimeWarning)  # the library cannot be loaded
import numpy as np
from proset import ProsetClassifier, SetCoverClassifier, arithmetic
X = np.random.default_rng(0).integers(-1000, 1000, (400, 3)) / 577.0
y = (X[:, 0] * X[:, 1] > 0).astype(int)
assert SetCoverClassifier(eps=0.5).fit(X, y).score(X, y) > 0.7
model = ProsetClassifier(n_batches=2, random_state=0).fit(X, y)
print(arithmetic.name(), model.predict_proba(X).tobytes().hex())
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """Path of the wheel by its tag, built as for a release: those that can be run here."""
    folder = tmp_path_factory.mktemp("wheels")
    asked = (f"BIN={Path(sys.executable).parent}", f"WHEELS={folder}", f"PLATFORMS={' '.join(BUILT)}")
    run("make", "--assume-old=.venv/installed", "wheels", *asked, cwd=ROOT)
    return {path.stem.rpartition("-")[2]: path for path in folder.iterdir()}


def test_there_is_a_wheel_for_each_platform(wheels):
    (listed,) = re.findall(r"^PLATFORMS := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(listed.split()) == set(CONTENTS) == set(setup.PLATFORMS)
    assert set(wheels) == set(BUILT)
    assert all("-py3-none-" in path.name for path in wheels.values())


@pytest.mark.parametrize("tag", BUILT)
def test_what_is_in_a_wheel(wheels, tag):
    with zipfile.ZipFile(wheels[tag]) as archive:
        names = archive.namelist()
        (kernel,) = [name for name in names if re.search(r"\.(so|dll|dylib|o|pdb|new)$", name)]
        assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
        assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"proset", "proset_study"}
        data = archive.read(kernel)
    assert kernel == "proset/_kernel.so"
    check_library(data, tag)


@pytest.mark.parametrize("tag", [tag for tag in CONTENTS if tag not in BUILT])
def test_the_library_for_another_platform(tag, tmp_path, monkeypatch):
    """By the commands of a wheel, but not optimized."""
    monkeypatch.setattr(setup, "OPTIONS", ["-O0" if option == "-O3" else option for option in setup.OPTIONS])
    setup.compile_library(tmp_path, tag)
    (kernel,) = tmp_path.iterdir()
    assert kernel.name == f"_kernel.{'dll' if tag.startswith('win') else 'so'}"
    check_library(kernel.read_bytes(), tag)


def check_library(data, tag):
    """What a library is for and loads; it has its functions and no path of this machine."""
    of_format, architecture, libraries = CONTENTS[tag]
    library = lief.parse(list(data))
    assert (library.format, library.abstract.header.architecture) == (of_format, architecture)
    loaded = {getattr(needed, "name", needed) for needed in library.libraries}
    assert {name for name in loaded if not name.startswith("api-ms-win-crt-")} <= libraries
    assert "proset_fit" in {function.name.lstrip("_") for function in library.exported_functions}
    paths = set(re.findall(rb"/[A-Za-z]{3,}/[\w./-]{3,}", data))
    assert paths <= {b"/usr/lib/libSystem.B.dylib", b"/usr/lib/dyld"}  # none of the machine that built it
    if of_format is FORMATS.ELF:
        versions = {s.name for r in library.symbols_version_requirement for s in r.get_auxiliary_symbols()}
        assert versions
        assert max([int(part) for part in v.removeprefix("GLIBC_").split(".")] for v in versions) <= [2, 17]
    elif of_format is FORMATS.MACHO:
        assert library.build_version.minos <= [11, 0, 0]
        assert library.has_code_signature or architecture is X86_64  # ARM64 runs nothing without one


def test_a_bare_environment_without_a_compiler(wheels, tmp_path):
    run(sys.executable, "-m", "venv", tmp_path)
    bare = {**os.environ, "PATH": "/nowhere", "PYTHONPATH": ""}
    run(tmp_path / "bin/python", *INSTALL, wheels["manylinux2014_x86_64"], env=bare)
    assert run(tmp_path / "bin/python", "-c", FIT, env=bare, cwd=tmp_path) == run(sys.executable, "-c", FIT)


def test_an_arm64_python_in_an_emulator(wheels, arm64, tmp_path):
    """Debian's Python with what the wheel needs from the package index; the core, which imports NumPy only, fits."""
    python = [*arm64, arm64[-1] / "usr/bin/python3"]
    version = run(*python, "-c", "import sys; print('{}.{}'.format(*sys.version_info))").strip()
    platforms = [f"--platform=manylinux{glibc}_aarch64" for glibc in ("2014", "_2_27", "_2_28")]
    where = [f"--target={tmp_path}", f"--python-version={version}", "--implementation=cp", *platforms]
    run(sys.executable, *INSTALL, *where, wheels["manylinux2014_aarch64"])
    said = run(*python, "-c", CORE, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert said == run(sys.executable, "-c", CORE)
