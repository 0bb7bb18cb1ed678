"""Build step: compile the kernel to a plain shared library that ctypes loads (no Python headers needed).

The compiler comes from PyPI (ziglang), so that a machine without one can install the package; $CC is used instead if
it is set.
"""

import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

SOURCES = Path(__file__).parent / "src/proset/compiled"
# Products and sums become one operation where the source says so, nowhere else: the bits are those of the source.
OPTIONS = ["-O3", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-fvisibility=hidden", "-Wno-psabi"]
AVX2 = ["-mavx2", "-mfma"]
AVX512 = [*AVX2, "-mavx512f", "-mavx512dq", "-mavx512bw", "-mavx512vl", "-mprefer-vector-width=512"]
LEVELS = {"x86_64": {"portable": [], "avx2": AVX2, "avx512": AVX512}, "aarch64": {"neon": []}}

# What the workflow reads besides the packages: in a wheel it is `proset_study/project`, laid out as here.
ROOT = Path(__file__).parent
PROJECT = ["workflow", "data/published", "environment.yml", "environment.post-deploy.sh"]
PROJECT += [f"reports/open_track/{name}" for name in ("manifest.json", "results.csv.xz")]

# For wheels of other platforms than this one's: tag -> what zig compiles for, machine, system. Linux from 2014 on.
PLATFORMS = {
    "manylinux2014_x86_64": ("x86_64-linux-gnu.2.17", "x86_64", "linux"),
    "manylinux2014_aarch64": ("aarch64-linux-gnu.2.17", "aarch64", "linux"),
    "macosx_11_0_x86_64": ("x86_64-macos.11.0", "x86_64", "darwin"),
    "macosx_11_0_arm64": ("aarch64-macos.11.0", "arm64", "darwin"),
    "win_amd64": ("x86_64-windows-gnu", "AMD64", "win32"),
}


def compiler(target: str | None = None) -> list[str]:
    """Command of the compiler, for this machine or a target of zig."""
    if target is None and os.environ.get("CC"):
        return shlex.split(os.environ["CC"])
    zig = [sys.executable, "-m", "ziglang", "cc", "-mcpu=baseline", "-fno-sanitize=all"]
    return zig if target is None else [*zig, "-target", target]


def objects(folder: Path, compiler: list[str], machine: str, environment: dict[str, str] | None = None) -> list[str]:
    """Compile the sources into `folder`: level.c once for each level of instructions of the machine, and the rest."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine.lower(), machine)  # as Windows and macOS say
    levels = LEVELS.get(machine, {"portable": []})
    sources = [(name, f"{name}.c", []) for name in ("library", "threads")]
    sources += [(name, "level.c", [*instructions, f"-DLEVEL={name}"]) for name, instructions in levels.items()]
    commands = [
        [*compiler, *OPTIONS, *options, "-c", "-o", f"{folder}/{name}.o", str(SOURCES / source)]
        for name, source, options in sources
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # a compiler has one thread, and an installation waits for it
        list(pool.map(partial(subprocess.run, check=True, env=environment), commands))
    return [f"{folder}/{name}.o" for name, _, _ in sources]


def link(
    library: Path, compiler: list[str], built: list[str], system: str, environment: dict[str, str] | None = None
) -> None:
    """Link what `objects` has compiled; `system` as in `sys.platform`."""
    options = [] if system == "win32" else ["-pthread", "-lm"]
    if system == "darwin":  # otherwise the library keeps the folder that it was linked in
        options += [f"-Wl,-install_name,@rpath/{library.name}"]
    subprocess.run([*compiler, "-shared", "-s", "-o", str(library), *built, *options], check=True, env=environment)


def compile_library(folder: Path, platform_tag: str | None = None) -> None:
    """Compile the library into `folder`, for this machine or one of `PLATFORMS`."""
    target, machine, system = PLATFORMS[platform_tag] if platform_tag else (None, platform.machine(), sys.platform)
    name = "_kernel.dll" if system == "win32" else "_kernel.so"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        environment = {"ZIG_GLOBAL_CACHE_DIR": scratch, **os.environ, "ZIG_LOCAL_CACHE_DIR": scratch}
        built = objects(Path(scratch), compiler(target), machine, environment)
        link(Path(scratch, name), compiler(target), built, system, environment)
        (folder / f"{name}.new").write_bytes(Path(scratch, name).read_bytes())
    os.replace(folder / f"{name}.new", folder / name)


def copy_project(folder: Path) -> None:
    """Copy `PROJECT` into a folder."""
    for name in PROJECT:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        else:
            shutil.copy2(source, target)


class BuildWithKernel(build_py):
    """Python files, the kernel and the workflow next to them."""

    def run(self):
        if not self.editable_mode:  # a module or rule that was removed since a former build is in no wheel
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        if not self.editable_mode:
            copy_project(Path(self.build_lib, "proset_study/project"))
        wheel = self.distribution.get_command_obj("bdist_wheel")
        platform_tag = wheel.plat_name if wheel.plat_name_supplied else None
        if platform_tag not in (None, *PLATFORMS):
            raise SystemExit(f"plat-name: {platform_tag!r} is not allowed, must be one of {', '.join(PLATFORMS)}")
        try:
            compile_library(SOURCES.parent if self.editable_mode else Path(self.build_lib, "proset"), platform_tag)
        except (OSError, subprocess.CalledProcessError) as error:
            if platform_tag:  # a wheel for others
                raise
            print(
                f"warning: proset is installed without its compiled library ({error}); set CC to a C compiler and "
                "install it again. Until then fits and predictions end in an ImportError.",
                file=sys.stderr,
            )


class PlatformWheel(bdist_wheel):
    """The library depends on the platform, not on the version of Python."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class PlatformDistribution(Distribution):
    """Tells setuptools that the wheel is not a pure one."""

    def has_ext_modules(self):
        return True


if __name__ == "__main__":  # tests compile for other machines
    setup(cmdclass={"build_py": BuildWithKernel, "bdist_wheel": PlatformWheel}, distclass=PlatformDistribution)
