"""Files that are whole or not there: written beside their target, then renamed."""

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

LEFTOVERS = ".*.tmp"  # what a process that was killed while writing leaves behind


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """A binary file to write to, which takes the place of `path` at the end of the block, unless that raises.

    Its content reaches the disk before the name does, so that not even a loss of power leaves half a file under `path`.
    The folder must exist.
    """
    path = Path(path)
    beside = path.with_name(f".{path.name}.{platform.node()}.{os.getpid()}.tmp")  # unique on a shared disk
    try:
        with beside.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
