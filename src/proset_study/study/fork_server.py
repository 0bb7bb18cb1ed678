"""Start the jobs of a run on this machine as forks of one process that has the libraries imported.

To import scikit-learn and what it brings takes more than a second of CPU time; most fits of the study take less. So a
run starts one process that has imported it. `python -m proset_study` hands it arguments, environment, folder and open
files, and ends as the fork ends that does the job. Without that process, as on a cluster, it does the job itself.
"""

import gc
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NoReturn

ADDRESS = "PROSET_STUDY_FORK_SERVER"  # environment variable: folder of Python, socket of the process
_STANDARD_FILES = [0, 1, 2]
_MODULES = [f"proset_study.{name}" for name in ("study.steps", "store.scores")]
_MODULES += [f"sklearn.{name}" for name in ("ensemble", "linear_model", "neighbors", "neural_network", "svm")]


def start() -> None:
    """Start the process that forks, for all commands started from here; it ends with this process."""
    if not hasattr(os, "fork"):
        return
    with socket.socket(socket.AF_UNIX) as listener:
        if (address := _bound(listener)) is None:
            return
        listener.listen(socket.SOMAXCONN)  # from now on: jobs wait until the libraries are imported
        number, (end, _) = listener.fileno(), os.pipe()  # of which the other end is closed when this process ends
        command = [sys.executable, "-m", "proset_study", "fork-server", "--socket", str(number)]
        subprocess.Popen(command, stdin=end, pass_fds=[number])
        os.close(end)
    os.environ[ADDRESS] = os.pathsep.join([sys.prefix, address])


def _bound(listener: socket.socket) -> str | None:
    """Where a socket is now; None if it can be nowhere: its path may have about 100 characters, and TMPDIR has more."""
    for place in (None, "/tmp"):
        with suppress(OSError):
            folder = Path(tempfile.mkdtemp(prefix="proset-study-", dir=place))
            try:
                listener.bind(str(folder / "socket"))
            except OSError:
                folder.rmdir()
                continue
            return str(folder / "socket")
    return None


def hand_over() -> None:
    """Have this command done by a fork, end as it ends; returns if no process forks for this Python."""
    prefix, _, address = os.environ.get(ADDRESS, "").rpartition(os.pathsep)
    if prefix != sys.prefix:
        return
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(address)
        except OSError:  # its run has ended
            return
        socket.send_fds(connection, [b"\n"], _STANDARD_FILES)
        connection.sendall(json.dumps([sys.argv, os.getcwd(), dict(os.environ)]).encode())
        connection.shutdown(socket.SHUT_WR)
        with connection.makefile() as answers:
            job = _number(answers.readline())
            signal.signal(signal.SIGTERM, lambda number, _: os.kill(job, number))
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the job is in the same group and gets it, too
            status = _number(answers.readline())
    if status < 0:  # killed by this signal
        with suppress(OSError):  # SIGKILL has no handler
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    sys.exit(status)


def _number(answer: str) -> int:
    """What the server said; nothing if it was killed."""
    return int(answer) if answer else sys.exit("the process that forks for this run has ended; run it again")


def serve(number: int, main: Callable[[], None]) -> NoReturn:
    """Be the process that forks: `main` runs the command of each connection to the socket of this number."""
    from proset_study.base.environment import import_xgboost_alone  # not for each command that is handed over

    import_xgboost_alone()
    for name in _MODULES:
        import_module(name)
    gc.freeze()  # a collection in a fork would copy every page of what is imported
    with socket.socket(fileno=number) as listener:
        _become(_wait(listener))
    status = _status(main)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # to take the libraries apart would copy their pages, too


def _wait(listener: socket.socket) -> socket.socket:
    """Fork for every connection until the input is closed; returns in each fork, with the connection it is for."""
    woken, wakes = socket.socketpair()
    wakes.setblocking(False)
    signal.set_wakeup_fd(wakes.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)  # ends the wait below
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    jobs: dict[int, socket.socket] = {}
    while True:
        ready, _, _ = select.select([listener, woken, sys.stdin], [], [])
        if sys.stdin in ready:
            shutil.rmtree(Path(listener.getsockname()).parent)
            sys.exit()
        if woken in ready:
            woken.recv(1024)
            while jobs and (ended := os.waitpid(-1, os.WNOHANG))[0]:
                with jobs.pop(ended[0]) as connection, suppress(BrokenPipeError):
                    connection.sendall(b"%d\n" % os.waitstatus_to_exitcode(ended[1]))
        if listener in ready:
            connection, _ = listener.accept()
            if not (job := os.fork()):
                for other in (woken, wakes, *jobs.values()):
                    other.close()
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                signal.signal(signal.SIGINT, signal.default_int_handler)
                return connection
            jobs[job] = connection
            with suppress(BrokenPipeError):
                connection.sendall(b"%d\n" % job)


def _become(connection: socket.socket) -> None:
    """Take over what the command at the other end has: files, arguments, folder, environment."""
    _, files, _, _ = socket.recv_fds(connection, 1, len(_STANDARD_FILES))
    with connection, connection.makefile() as request:
        sys.argv, folder, environment = json.load(request)
    for file, number in zip(files, _STANDARD_FILES, strict=True):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    del os.environ[ADDRESS]  # what it starts does its job itself


def _status(main: Callable[[], None]) -> int:
    """Run the command; the status that Python would end with."""
    try:
        main()
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        return 1
    return 0
