"""Python runs this at its start if PYTHONPATH has this folder: commands of the study note what they read and write."""

import atexit
import json
import os
import sys
from pathlib import Path

WRITES = os.O_WRONLY | os.O_RDWR


def note(folder: str, copies: str) -> None:
    """Leave a file in a folder: the command, and paths below `copies` that it has read or listed, and written."""
    used: dict[str, set[str]] = {"read": set(), "written": set()}

    def hook(event, arguments):
        if event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
            add("written" if arguments[2] & WRITES else "read", arguments[0])
        elif event == "os.rename":
            add("written", arguments[1])
        elif event in ("os.listdir", "os.scandir") and isinstance(arguments[0], str | os.PathLike):
            add("read", arguments[0])

    def add(kind, path):
        if (found := os.path.abspath(os.fsdecode(path))).startswith(copies):
            used[kind].add(os.path.relpath(found, copies))

    def leave():
        noted = {"command": sys.orig_argv[1:], **{kind: sorted(names) for kind, names in used.items()}}
        Path(folder, f"{os.getpid()}.json").write_text(json.dumps(noted), encoding="utf-8")

    sys.addaudithook(hook)
    atexit.register(leave)


is_job = sys.orig_argv[1:3] == ["-m", "proset_study"] and sys.orig_argv[3:4] != ["fork-server"]
if is_job and "PROSET_STUDY_COPIES" in os.environ and "NOTES" in os.environ:
    os.environ.pop("PROSET_STUDY_FORK_SERVER", None)  # the command does its job itself: a fork would not have this hook
    note(os.environ["NOTES"], os.environ["PROSET_STUDY_COPIES"])
