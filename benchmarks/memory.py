"""Peak memory of a process by itself.

Linux counts in `ru_maxrss` also the process that started one: a child of a process of 300 MiB has 300 MiB at least.
"""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

UNIT = 2**20 if sys.platform == "darwin" else 2**10  # of `ru_maxrss` in a MiB
# A small process in between, so that what is measured is not the child of a large one.
_BETWEEN = """
import json, os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=sys.stderr)
_, status, used = os.wait4(process.pid, 0)
print(json.dumps([os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss]))
"""


def peak_mib() -> float:
    """Of this process so far, in MiB."""
    with suppress(OSError, StopIteration):  # not Linux
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith("VmHWM:"))) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / UNIT


def run(command: list[str], folder: Path, environment: Mapping[str, str] = os.environ) -> tuple[float, float]:
    """CPU seconds and peak memory in MiB of a command; ends with a message if it fails."""
    words = [sys.executable, "-c", _BETWEEN, *command]
    ended = subprocess.run(words, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    status, seconds, peak = json.loads(ended.stdout)
    if status:
        sys.exit(f"{' '.join(command[:4])} ended with status {status}")
    return seconds, peak / UNIT
