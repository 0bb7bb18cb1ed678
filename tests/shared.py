"""What tests in several processes share: the first one that asks for it makes it, the others wait."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path


def made_once(tmp_path_factory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder of this test run, filled by `make`; nobody may change it."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    folder, is_made = base / name, base / f"{name}_is_made"
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_made.exists():
            make(folder)
            is_made.touch()
    return folder
