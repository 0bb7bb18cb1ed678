"""Files that are whole or not there: written next to their target, then renamed."""

import os
import platform
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

LEFTOVERS = ".*.tmp"  # what a process that was killed while writing leaves behind


@contextmanager
def replacing(path: str | Path, *, durable: bool = True) -> Iterator[BinaryIO]:
    """A binary file to write to, which takes the place of `path` at the end of the block, unless that raises.

    Its content reaches the disk before the name does, so that not even a loss of power leaves half a file under `path`,
    unless `durable` is false, which is faster and does for what has a checksum and can be made again.
    FileNotFoundError without the folder. (On Windows a target that another process has open cannot be replaced:
    PermissionError.)

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(f"{folder}/a.txt") as file:
    ...         _ = file.write(b"whole")
    ...     Path(f"{folder}/a.txt").read_text()
    'whole'
    """
    path = Path(path)
    if not path.parent.is_dir():  # else the error would name the temporary file
        raise FileNotFoundError(f"{path}: there is no folder {path.parent}")
    own = f"{platform.node()}.{os.getpid()}.{threading.get_ident()}"  # also on a disk that machines share
    temporary = path.with_name(f".{path.name}.{own}.tmp")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
