"""The process that forks for every job of a run: commands end as they would without it."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from tests.shared import ROOT

from proset_study.base.environment import pins
from proset_study.study import fork_server
from proset_study.study.fork_server import ADDRESS

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")

STARTS = "from proset_study.study.fork_server import ADDRESS, os, start; start(); print(os.environ[ADDRESS])"
# A package that is found before ours, whose commands end in all ways in which a process can.
COMMANDS = """
import os, signal, sys, time
from proset_study.study.fork_server import hand_over, serve

def main():
    print(os.getcwd(), os.environ.get("COLOUR"), sys.modules.get("sklearn") is not None, flush=True)
    if sys.argv[1] == "wait":
        time.sleep(60)
    if sys.argv[1] == "error":
        raise KeyError("key")
    if sys.argv[1] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    sys.exit(int(sys.argv[1]) if sys.argv[1].isdigit() else sys.argv[1])

if __name__ == "__main__":
    hand_over()
    if sys.argv[1] == "fork-server":
        serve(int(sys.argv[3]), main)
    sys.exit("this process does it itself")
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The process that started the server, and the environment of the commands."""
    folder = tmp_path_factory.mktemp("package")
    source = ROOT / "src/proset_study"
    (folder / "proset_study").mkdir()
    for path in source.iterdir():
        if path.name not in ("__main__.py", "__pycache__"):
            (folder / "proset_study" / path.name).symlink_to(path)
    (folder / "proset_study" / "__main__.py").write_text(COMMANDS, encoding="utf-8")
    environment = {**os.environ, **pins(), "PYTHONPATH": f"{folder}{os.pathsep}{source.parent}"}
    holds = [sys.executable, "-c", f"{STARTS}; input()"]
    with subprocess.Popen(holds, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:
        yield process, {**environment, ADDRESS: process.stdout.readline().strip()}
        process.stdin.close()


def start(server, word, folder, **variables):
    command = [sys.executable, "-m", "proset_study", word]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=folder, env={**server[1], **variables}, **pipes)


@pytest.mark.parametrize(
    ("word", "status", "error"),
    [
        ("0", 0, ""),
        ("3", 3, ""),
        ("wrong input", 1, "wrong input\n"),
        ("error", 1, "KeyError: 'key'"),
        ("kill", -9, ""),
    ],
)
def test_a_command_ends_as_its_fork_ends(server, tmp_path, word, status, error):
    command = start(server, word, tmp_path, COLOUR="green")
    printed, errors = command.communicate()
    assert (printed, command.returncode) == (f"{tmp_path} green True\n", status)
    assert error in errors


def test_commands_run_at_the_same_time_and_end_with_a_signal(server, tmp_path):
    waiting = [start(server, "wait", tmp_path) for _ in range(3)]
    for command in waiting:
        assert command.stdout.readline()
    command = start(server, "0", tmp_path)
    command.communicate()
    assert command.returncode == 0
    for command in waiting:
        command.send_signal(signal.SIGTERM)
        command.communicate()
        assert command.returncode == -signal.SIGTERM


def test_a_command_of_another_python_does_its_job_itself(server, tmp_path):
    address = server[1][ADDRESS].rpartition(os.pathsep)[2]
    _, errors = start(server, "0", tmp_path, **{ADDRESS: f"/another/python{os.pathsep}{address}"}).communicate()
    assert errors == "this process does it itself\n"


def test_the_server_ends_with_the_process_that_started_it(server, tmp_path):
    process, environment = server
    address = Path(environment[ADDRESS].rpartition(os.pathsep)[2])
    assert address.exists()
    process.kill()
    until = time.monotonic() + 30
    while address.parent.exists() and time.monotonic() < until:
        time.sleep(0.1)
    assert not address.parent.exists()
    _, errors = start(server, "0", tmp_path).communicate()
    assert errors == "this process does it itself\n"


def test_a_long_name_of_the_folder_of_temporary_files_stops_no_run(tmp_path, monkeypatch):
    folder = tmp_path / (10 * "long_name_")
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with socket.socket(socket.AF_UNIX) as listener:
        address = fork_server._bound(listener)
    assert address.startswith("/tmp/proset-study-")
    assert list(folder.iterdir()) == []
    shutil.rmtree(Path(address).parent)
