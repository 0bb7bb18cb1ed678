"""Snakemake, the process that forks for its jobs, and commands as forks of one that has imported their libraries.

Otherwise each start takes seven seconds more. Of this project nothing is imported before: a test may have changed it.
"""

import atexit
import json
import multiprocessing
import os
import runpy
import socket
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

_SERVER = ["fork-server", "--socket"]
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    [
        "tests.workflow.xgboost_alone",  # the first, as in the process that forks for jobs
        *("snakemake.cli", "snakemake.api", "snakemake.workflow", "snakemake.scheduling.greedy"),
        *("snakemake.executors.local", "snakemake.logging", "snakemake_interface_executor_plugins.registry"),
        *("jinja2", "pandas", "pyarrow.parquet", "sklearn.ensemble", "sklearn.linear_model", "sklearn.svm"),
        *("sklearn.datasets", "sklearn.neighbors", "sklearn.neural_network", "scipy.optimize", "scipy.stats"),
        *("matplotlib.figure", "matplotlib.backends.backend_svg", "altair", "openpyxl"),
    ]
)


class Run:
    """`python -m snakemake`, or another module, at work in a folder, with the environment given."""

    def __init__(self, arguments: list[str], folder: Path, environment: dict[str, str], module: str = "snakemake"):
        self._arguments, self._kept = [module, *arguments], tempfile.TemporaryDirectory()
        self._files = [Path(self._kept.name, name) for name in ("out", "err")]
        given = self._arguments, str(folder), environment, _path(), self._files
        self._process = _CONTEXT.Process(target=_run, args=given)
        self._process.start()
        self.pid, self.kill = self._process.pid, self._process.kill

    def wait(self) -> subprocess.CompletedProcess:
        """What it said, when it has ended."""
        self._process.join()
        with self._kept:
            said = (file.read_text(encoding="utf-8") if file.exists() else "" for file in self._files)
            return subprocess.CompletedProcess(self._arguments, self._process.exitcode, *said)


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
    sys.argv = arguments
    sys.path[:] = [folder, *environment["PYTHONPATH"].split(os.pathsep), *path]
    if arguments[0] == "snakemake":
        _stand_by()
    try:
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    finally:
        atexit._run_exitfuncs()


def _stand_by():
    """Fork the process that this one is going to start as `python -m proset_study fork-server`."""
    ours, theirs = socket.socketpair()
    if not os.fork():
        ours.close()
        _, files, _, _ = socket.recv_fds(theirs, 1, 2)
        if files:  # else the run has ended without a job
            sys.stdin = os.fdopen(files[0])
            sys.argv = ["proset_study", *_SERVER, str(files[1])]
            try:
                runpy.run_module("proset_study", run_name="__main__", alter_sys=True)
            except SystemExit as end:  # of a job, too, whose disk is full
                os._exit(end.code if isinstance(end.code, int) else int(end.code is not None))
        os._exit(0)
    theirs.close()

    class Popen(subprocess.Popen):  # a class, because libraries ask for instances of it
        def __init__(self, command, *given, **options):
            if command[3:5] != _SERVER:
                super().__init__(command, *given, **options)
                return
            self.returncode = 0
            socket.send_fds(ours, [b"\n"], [options["stdin"], *options["pass_fds"]])

    subprocess.Popen = Popen
