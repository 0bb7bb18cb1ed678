"""Limits of a check: memory by the operating system, time by a watchdog, and how much of a report is read."""

import os
import resource
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MEMORY = 2**33  # bytes of address space
MAX_FILES = 100_000  # of a report; `store.packed` limits their bytes
MAX_LINES = 2_000_000  # of a table, whose rows are in memory
MAX_DATA = 2**32  # bytes of all data sets that are made again


@contextmanager
def bounded(minutes: float, scratch: Path) -> Iterator[None]:
    """Within the block, more than `MEMORY` raises MemoryError; after so many minutes the process says so and ends.

    The folder `scratch` is then removed.
    """
    process = os.getpid()

    def end():
        sys.stdout.flush()
        os.write(2, f"not finished after {minutes:g} minutes; allow more of them: make verify MINUTES=...\n".encode())
        if os.fork():
            os._exit(1)  # whatever the other threads are at
        while os.getppid() == process:  # as long as they can write
            time.sleep(0.01)
        shutil.rmtree(scratch, ignore_errors=True)
        os._exit(0)

    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY if before[1] < 0 else min(MEMORY, before[1]), before[1]))
    watchdog = threading.Timer(60 * minutes, end)
    watchdog.daemon = True
    watchdog.start()
    try:
        yield
    finally:
        watchdog.cancel()
        resource.setrlimit(resource.RLIMIT_AS, before)
