"""Records on disk: written whole or not at all, and refused by readers if they are damaged all the same."""

import hashlib
import json
import os
import re
import sys
import time
from collections.abc import Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np

from proset.archive import read_archive
from proset.files import replacing

try:
    import resource
except ModuleNotFoundError as error:
    raise ImportError(
        f"the study runs on Linux and macOS, not on {sys.platform}, where Python has no module `resource` to measure "
        "memory with; the classifiers in the package proset run there"
    ) from error

FORMAT_VERSION = 1  # to be raised when earlier records cannot be read any more: all results become stale


def write_text(path: str | Path, text: str, *, durable: bool = True) -> None:
    """Write a text file atomically, making its folder if needed; a result of a replicate gets a checksum at its end.

    The checksum counts the place of the file below results/, too: a copy of another result is not taken for this one.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix in _SEALS and (known := place(path)) is not None:
        tail, before, after = _SEALS[path.suffix]
        text = text.removesuffix(tail)
        text += before + _checksum(known, text) + after
    with replacing(path, durable=durable) as file:
        file.write(text.encode("utf-8"))


def read_text(path: str | Path) -> str:
    """Read a text file that `write_text` wrote, without its checksum; a ValueError names a damaged file."""
    try:
        with open(path, "rb") as file:
            text = file.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise damaged(path, error) from error
    if not text.endswith("\n"):
        raise damaged(path, "its end is missing")
    suffix = os.path.splitext(path)[1]
    if suffix not in _SEALS or (known := place(path)) is None:
        return text
    tail, before, after = _SEALS[suffix]
    content, _, end = text.rpartition(before)
    if end != _checksum(known, content) + after:
        raise damaged(path, "its checksum is wrong, or it is the result of something else")
    return content + tail


# By suffix of a result: the end of the text that its checksum is put before, and what is around the checksum.
_SEALS = {".csv": ("", "# sha256 ", "\n"), ".jsonl": ("", '{"sha256": "', '"}\n')}
_SEALS[".json"] = ("\n}\n", ',\n "sha256": "', '"\n}\n')

# Of a text: the report on many data sets reads a million records, and to take paths apart took a tenth of its time.
_PLACE = re.compile(r"(?:.*/)?([^/]+/replicate_\d+/.+)|(replicate_\d+/.+)")


def place(path: str | Path) -> str | None:
    """Where below results/ a result of a replicate is; None for everything else, for example a file of the report.

    >>> place("results/study/replicate_0/wine/E3/fit.json")
    'study/replicate_0/wine/E3/fit.json'
    >>> place("reports/study/results.csv") is None
    True
    """
    found = _PLACE.fullmatch(os.path.normpath(path))
    return (found[1] or found[2]) if found else None


def check_place(path: str | Path, header: dict) -> None:
    """Refuse (ValueError) an archive that is among the results of something else than it was written for."""
    if (known := place(path)) not in (None, header.get("place")):
        raise ValueError(f"it was written as {header.get('place')}, not as {known}")


def _checksum(place, text):
    return hashlib.sha256(f"{place}\n{text}".encode()).hexdigest()


def write_json(path: str | Path, record: dict) -> None:
    """Write one JSON document; NaN and infinity are refused (ValueError)."""
    write_text(path, json.dumps(record, indent=1, sort_keys=True, allow_nan=False) + "\n")


def write_json_lines(path: str | Path, records: Iterable[dict]) -> None:
    """Write one JSON document a line; NaN and infinity are refused (ValueError)."""
    write_text(path, "".join(json.dumps(r, sort_keys=True, allow_nan=False) + "\n" for r in records))


def damaged(path: str | Path, why: object) -> ValueError:
    """The error to raise of a file that is not what was written, for example after a loss of power."""
    return ValueError(f"{path} is damaged ({why}); remove it and run snakemake again")


def read_json(path: str | Path) -> dict:
    """Read one JSON document; a damaged file raises a ValueError that names it."""
    return _object(path, read_text(path))


def read_json_lines(path: str | Path) -> list[dict]:
    """Read one JSON document a line; a damaged file raises a ValueError that names it."""
    return [_object(path, line) for line in read_text(path).splitlines()]


def _object(path, text):
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise damaged(path, error) from error
    if not isinstance(record, dict):
        raise damaged(path, f"{text[:20].strip()} is no record")
    return record


def read_all(paths: Iterable[str | Path], **numbers: int) -> list[dict]:
    """Read the records of several files of JSON lines; a file that is damaged or ends too early raises a ValueError.

    `numbers`, for example fold=5, trial=50, say what records are numbered by and how many there are; files are in
    order.
    """
    by_file = {path: read_json_lines(path) for path in paths}
    places = {tuple(record[key] for key in numbers): path for path, records in by_file.items() for record in records}
    for number in product(*map(range, numbers.values())):
        if number not in places:
            which = ", ".join(f"{key} {i}" for key, i in zip(numbers, number, strict=True))
            cut_short = places[max((n for n in places if n < number), default=min(places))]
            raise damaged(cut_short, f"the record of {which} is missing")
    return [record for records in by_file.values() for record in records]


def read_table(path: str | Path, n_rows: int) -> np.ndarray:
    """Read the numbers of a CSV file with one line of names, shape (n_rows, columns); as `read_text` otherwise."""
    text = read_text(path)
    try:
        table = np.loadtxt(text.splitlines(), delimiter=",", skiprows=1, ndmin=2)
    except ValueError as error:
        raise damaged(path, error) from error
    if len(table) != n_rows:
        raise damaged(path, f"{len(table)} rows instead of {n_rows}")
    return table


def is_number(text: str) -> bool:
    """Whether Python reads a text as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def fingerprint(*parts: object) -> str:
    """Hash of everything that a record depends on, 32 hexadecimal digits.

    A Path counts by the bytes of its file when this process first read it (the inputs of a job do not change),
    everything else as canonical JSON.
    """
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, Path):
            digest.update(file_digest(part.resolve()))
        else:
            digest.update(hashlib.sha256(json.dumps(part, sort_keys=True).encode()).digest())
    return digest.hexdigest()[:32]


@cache
def file_digest(path: Path) -> bytes:
    """SHA-256 of a file when this process first read it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def content_hash(path: Path) -> str:
    """SHA-256 of the arrays in an archive, whatever compressed them."""
    digest = hashlib.sha256()
    for name, array in sorted(read_archive(path)[1].items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


PRODUCT_SIZE, PRODUCT_REPEATS = 160, 5  # of square matrices that stay in the second-level cache


def matrix_product_ms() -> float:
    """CPU milliseconds of a matrix product of a fixed size, the median of a few: a unit for times of other machines."""
    a = np.linspace(-1.0, 1.0, PRODUCT_SIZE**2).reshape(PRODUCT_SIZE, PRODUCT_SIZE)
    seconds = []
    for _ in range(PRODUCT_REPEATS + 1):
        start = time.process_time_ns()
        a @ a
        seconds.append(time.process_time_ns() - start)
    return round(1e-6 * float(np.median(seconds[1:])), 6)


@dataclass
class Resources:
    """CPU and wall seconds by phase, peak memory so far in MiB, and the speed of this process at the time.

    Programs that a phase starts and waits for count; of memory the largest of them, or this process, does.
    """

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def measure(self, phase: str):
        """Time a block of code; its seconds are kept as `<phase>_cpu_s` and `<phase>_wall_s`."""
        cpu, wall = _cpu_seconds(), time.perf_counter()
        try:
            yield
        finally:
            self.seconds[f"{phase}_cpu_s"] = round(_cpu_seconds() - cpu, 6)
            self.seconds[f"{phase}_wall_s"] = round(time.perf_counter() - wall, 6)

    def record(self) -> dict[str, float]:
        """All of it as one flat dictionary."""
        who = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
        peak = max(resource.getrusage(of).ru_maxrss for of in who)  # bytes on macOS, KiB on Linux
        peak_mib = peak / (1024**2 if sys.platform == "darwin" else 1024)
        return {**self.seconds, "peak_memory_mib": round(peak_mib, 1), "matrix_product_ms": matrix_product_ms()}


def _cpu_seconds():
    """CPU time of this process, and of those that it started and has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
