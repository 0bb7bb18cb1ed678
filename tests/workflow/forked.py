"""Snakemake as forks of one process that has imported it, which takes four seconds of each start otherwise.

Of this project nothing is imported before the fork: a test may have changed it.
"""

import atexit
import json
import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    [
        *("snakemake.cli", "snakemake.api", "snakemake.workflow", "snakemake.scheduling.greedy"),
        *("snakemake.executors.local", "snakemake.logging", "snakemake_interface_executor_plugins.registry"),
        *("jinja2", "pandas", "pyarrow.parquet", "sklearn.ensemble", "sklearn.linear_model", "sklearn.svm"),
        *("sklearn.datasets", "sklearn.neighbors", "sklearn.neural_network", "scipy.optimize", "scipy.stats"),
    ]
)


class Run:
    """`python -m snakemake` at work in a folder, with the environment given."""

    def __init__(self, arguments: list[str], folder: Path, environment: dict[str, str]):
        self._arguments, self._kept = arguments, tempfile.TemporaryDirectory()
        self._files = [Path(self._kept.name, name) for name in ("out", "err")]
        given = arguments, str(folder), environment, _path(), self._files
        self._process = _CONTEXT.Process(target=_run, args=given)
        self._process.start()
        self.pid, self.kill = self._process.pid, self._process.kill

    def wait(self) -> subprocess.CompletedProcess:
        """What it said, when it has ended."""
        self._process.join()
        with self._kept:
            said = (file.read_text(encoding="utf-8") if file.exists() else "" for file in self._files)
            return subprocess.CompletedProcess(["snakemake", *self._arguments], self._process.exitcode, *said)


def snakemake(arguments: list[str], folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess:
    """What `python -m snakemake` gives in a folder, with the environment given."""
    return Run(arguments, folder, environment).wait()


@cache
def _path():
    """Where a Python that has just been started looks for modules."""
    command = [sys.executable, "-I", "-c", "import json, sys; print(json.dumps(sys.path))"]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def _run(arguments, folder, environment, path, files):
    for number, file in enumerate(files, start=1):
        with file.open("wb") as opened:
            os.dup2(opened.fileno(), number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["snakemake", *arguments]
    sys.path[:] = [folder, *environment["PYTHONPATH"].split(os.pathsep), *path]
    try:
        runpy.run_module("snakemake", run_name="__main__", alter_sys=True)
    finally:
        atexit._run_exitfuncs()
