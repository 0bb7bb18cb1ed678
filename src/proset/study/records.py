"""Records on disk: written beside the target and renamed, so that a reader never sees half of one."""

import hashlib
import json
import os
import resource
import sys
import time
from collections.abc import Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path


def write_text(path: str | Path, text: str) -> None:
    """Write a text file atomically, making its folder if needed."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def write_json(path: str | Path, record: object) -> None:
    """Write one JSON document; NaN and infinity are refused (ValueError)."""
    write_text(path, json.dumps(record, indent=1, sort_keys=True, allow_nan=False) + "\n")


def write_json_lines(path: str | Path, records: Iterable[dict]) -> None:
    """Write one JSON document a line; NaN and infinity are refused (ValueError)."""
    write_text(path, "".join(json.dumps(r, sort_keys=True, allow_nan=False) + "\n" for r in records))


def read_json(path: str | Path) -> dict:
    """Read one JSON document; a damaged file raises a ValueError that names it."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is damaged ({error}); remove it and run snakemake again") from error


def read_json_lines(path: str | Path) -> list[dict]:
    """Read one JSON document a line; a damaged file raises a ValueError that names it."""
    try:
        return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    except ValueError as error:
        raise ValueError(f"{path} is damaged ({error}); remove it and run snakemake again") from error


def fingerprint(*parts: object) -> str:
    """Hash of everything that a record depends on: files (as Path) by their bytes, all else as canonical JSON."""
    digest = hashlib.sha256()
    for part in parts:
        content = part.read_bytes() if isinstance(part, Path) else json.dumps(part, sort_keys=True).encode()
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()[:32]


@dataclass
class Resources:
    """CPU and wall seconds by phase of this process, and its peak memory so far in MiB."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def measure(self, phase: str):
        """Time a block of code; its seconds are kept as `<phase>_cpu_s` and `<phase>_wall_s`."""
        cpu, wall = time.process_time(), time.perf_counter()
        try:
            yield
        finally:
            self.seconds[f"{phase}_cpu_s"] = round(time.process_time() - cpu, 6)
            self.seconds[f"{phase}_wall_s"] = round(time.perf_counter() - wall, 6)

    def record(self) -> dict[str, float]:
        """All of it as one flat dictionary."""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        peak_mib = peak / (1024**2 if sys.platform == "darwin" else 1024)
        return {**self.seconds, "peak_memory_mib": round(peak_mib, 1)}
