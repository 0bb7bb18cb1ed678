"""A real Slurm of three nodes on this machine, in a folder of its own, without systemd or an accounting database."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

NODES = ("n1", "n2", "n3")
MARK = "PROSET_TEST_CLUSTER"  # in the environment of every process that is started here, and of their children
CONFIG = """\
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={controller}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000,bf_interval=2
ReturnToService=2
SlurmdTimeout=10
KillWait=5
MinJobAge=86400
SlurmdParameters=config_overrides
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def wait_for(what: str, condition: Callable, seconds: float = 300, every: float = 0.05):
    """The first true value of `condition()`; AssertionError that names `what` if there is none in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(every)
    raise AssertionError(f"no {what} in {seconds} seconds")


def processes(folder: Path, *marks: str) -> dict[int, str]:
    """Process ids and command lines of what was started here, with all of these NAME=value in the environment.

    Slurm's daemons work in the folder, some write over their environment; all else has the folder's mark in it.
    """
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            environment = (path / "environ").read_bytes().split(b"\0")
            command = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
            ours = f"{MARK}={folder}".encode() in environment or (path / "cwd").readlink() == folder
        except OSError:  # it has ended
            continue
        if command and ours and all(mark.encode() in environment for mark in marks):
            found[int(path.name)] = command
    return found


def _has_open(number: int, file: Path) -> bool:
    try:
        return any(link.readlink() == file for link in Path(f"/proc/{number}/fd").iterdir())
    except OSError:
        return False


def state(number: int) -> str:
    """State of a process as `ps` gives it; "Z" if its last thread has ended, or if there is no such process."""
    try:
        said = Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        # "Z" is said of a process as soon as its first thread has ended.
        return "S" if said == "Z" and len(os.listdir(f"/proc/{number}/task")) > 1 else said
    except OSError:
        return "Z"


def kill(numbers: Iterable[int]) -> None:
    for number in numbers:
        try:
            os.kill(number, signal.SIGKILL)
        except ProcessLookupError:
            continue


class Slurm:
    """The cluster; its commands and those that use it run with `environment`."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.environment = {
            **os.environ,
            MARK: str(folder),
            "SLURM_CONF": str(folder / "slurm.conf"),
            "PATH": f"{folder}/bin:{os.environ['PATH']}",
        }

    def start(self) -> None:
        self.folder.chmod(0o755)  # munged insists
        for name in ("state", "bin", *(f"spool-{node}" for node in NODES)):
            (self.folder / name).mkdir()
        controller, *ports = _free_ports(1 + len(NODES))
        config = CONFIG.format(folder=self.folder, controller=controller)
        for node, port in zip(NODES, ports, strict=True):
            config += f"NodeName={node} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs=4 RealMemory=32000\n"
        (self.folder / "slurm.conf").write_text(config, encoding="utf-8")
        srun = self.folder / "bin/srun"  # the executor plugin takes SLURM_CONF away before it calls srun
        srun.write_text(f'#!/bin/sh\nSLURM_CONF={self.folder}/slurm.conf exec {shutil.which("srun")} "$@"\n')
        srun.chmod(0o755)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        files = {
            "socket": "munge.socket",
            "pid-file": "munged.pid",
            "log-file": "munged.log",
            "seed-file": "munge.seed",
        }
        self.run(
            "/usr/sbin/munged",
            f"--key-file={key}",
            *(f"--{option}={self.folder}/{name}" for option, name in files.items()),
        )
        self.run("/usr/sbin/slurmctld", "-c", "-f", f"{self.folder}/slurm.conf")
        for node in NODES:
            self.start_node(node)

    def run(self, *command: str) -> str:
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def jobs(self, *states: str) -> list[tuple[str, str]]:
        """Number and node of the jobs in some state."""
        lines = self.run(
            "squeue", "--noheader", "--array", "--states", ",".join(states), "--format", "%i %N"
        ).splitlines()
        return [(number, node) for number, _, node in (line.partition(" ") for line in lines)]

    def tasks(self) -> Counter:
        """Numbers of finished tasks in arrays."""
        said = self.run("squeue", "--noheader", "--array", "--states", "COMPLETED", "--format", "%K")
        return Counter(number for number in said.split() if number != "N/A")

    def start_node(self, node: str) -> None:
        self.run("/usr/sbin/slurmd", "-c", "-N", node, "-f", f"{self.folder}/slurm.conf")
        wait_for(f"idle {node}", lambda: self.run("sinfo", "-h", "-n", node, "-o", "%T").strip() == "idle")

    def on_node(self, node: str) -> dict[int, str]:
        """The processes of the jobs on a node."""
        return processes(self.folder, f"SLURMD_NODENAME={node}")

    def kill_daemons(self, node: str) -> None:
        """Kill Slurm's own processes on a node; those of its jobs live on, as on a node that has lost its network.

        Returns when they have ended: if slurmstepd ends while a process of its job is stopped, the kernel hangs the job
        up, because nobody is left who could let it go on (setpgid(2), orphaned process groups).
        """
        log = self.folder / f"{node}.log"
        kill(daemons := [number for number in processes(self.folder) if _has_open(number, log)])
        wait_for(f"end of the daemons of {node}", lambda: all(state(number) == "Z" for number in daemons))

    def kill_node(self, node: str) -> None:
        """Kill all processes of a node, as if its power had failed."""
        self.kill_daemons(node)
        wait_for(f"end of {node}", lambda: kill(left := self.on_node(node)) or not left)

    def stop(self) -> None:
        """End all that was started, jobs and daemons."""

        def ended():
            kill(left := processes(self.folder))
            return not left

        wait_for("end of all processes", ended, 30)


def _free_ports(number):
    sockets = [socket.socket() for _ in range(number)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@pytest.fixture(scope="session")
def slurm():
    folder = Path(tempfile.mkdtemp(prefix="slurm-"))
    cluster = Slurm(folder)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(folder)
