"""Build step: compile the kernel to a plain shared library that ctypes loads (no Python headers needed).

The compiler comes from PyPI (ziglang), so that a machine without one can install the package; $CC is used instead if
it is set.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

SOURCE = Path("src/proset/kernel.c")
LIBRARY = "_kernel.dll" if sys.platform == "win32" else "_kernel.so"
OPTIONS = ["-O3", "-ffp-contract=fast", "-fno-math-errno", "-shared", "-fPIC", "-fvisibility=hidden"]


def compile_kernel(folder: Path) -> None:
    """Compile the kernel into `folder`."""
    zig = [sys.executable, "-m", "ziglang", "cc", "-mcpu=baseline", "-fno-sanitize=all"]
    compiler = shlex.split(os.environ["CC"]) if os.environ.get("CC") else zig
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        built = Path(scratch, LIBRARY)
        environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": scratch, "ZIG_LOCAL_CACHE_DIR": scratch}
        subprocess.run([*compiler, *OPTIONS, "-o", str(built), str(SOURCE)], check=True, env=environment)
        (folder / f"{LIBRARY}.new").write_bytes(built.read_bytes())
    os.replace(folder / f"{LIBRARY}.new", folder / LIBRARY)


class BuildWithKernel(build_py):
    """Python files and the kernel beside them."""

    def run(self):
        super().run()
        compile_kernel(SOURCE.parent if self.editable_mode else Path(self.build_lib, "proset"))


class PlatformWheel(bdist_wheel):
    """The library depends on the platform, not on the version of Python."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class PlatformDistribution(Distribution):
    """Tells setuptools that the wheel is not a pure one."""

    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": BuildWithKernel, "bdist_wheel": PlatformWheel}, distclass=PlatformDistribution)
