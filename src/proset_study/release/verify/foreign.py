"""A report that somebody else sent: nothing but plain files of bounded size is read, and nothing of it is believed.

Memory is limited by the operating system, time by a watchdog.
"""

import json
import os
import resource
import shutil
import stat
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from sysconfig import get_path
from typing import Any

from proset_study.data.openml import table_of
from proset_study.data.sizes import size_of
from proset_study.data.table_file import located
from proset_study.report.pages.links import as_committed
from proset_study.store.packed import MAX_FILE, read_files
from proset_study.store.results import text_of
from proset_study.study import layout
from proset_study.study.config.checks import load
from proset_study.study.config.study import Study

MEMORY = 2**33  # bytes of address space
MAX_FILES = 100_000  # of a report; `store.packed` limits their bytes
MAX_LINES = 2_000_000  # of a table, whose rows are in memory
MAX_DATA = 2**32  # bytes of all data sets that are made again
MAX_LINE = 500  # characters of what an error says
TIMESTAMP = ".snakemake_timestamp"  # an empty file of Snakemake's own in each folder that is an output
_MANIFEST = {
    **dict.fromkeys(
        ("arithmetic", "config", "cost", "data_sha256", "not_converged", "records_sha256", "rendered"), dict
    ),
    "missing": list,
}


class Refused(ValueError):
    """The report cannot be checked; the message says why, in one line."""


class ForeignReport:
    """The plain files of a report, or of a release, by their names; Refused if there is anything else."""

    def __init__(self, folder: Path, is_release: bool = False):
        self.folder, self.is_release = folder, is_release
        self.files: dict[str, Path] = {}
        self._packed: set[str] = set()  # names in the archive
        for path in folder.rglob("*"):
            name, mode = str(path.relative_to(folder)), path.lstat().st_mode
            if stat.S_ISREG(mode):
                if path.name != TIMESTAMP:
                    self.files[name] = path
            elif not stat.S_ISDIR(mode):
                raise Refused(f"{name!r} is a link or a device, a report has plain files only")
            if len(self.files) > MAX_FILES:
                raise Refused(f"there are more than {MAX_FILES:,} files")

    def path(self, name: str) -> Path:
        """Where a file is; Refused if there is none or if it is too large."""
        if name not in self.files:
            raise Refused(f"{name} is missing")
        if (size := self.files[name].stat().st_size) > MAX_FILE:
            raise Refused(f"{name} has {size:,} bytes, at most {MAX_FILE:,} are read")
        return self.files[name]

    def add(self, archive: Path, study: Study, folder: Path) -> list[str]:
        """Add the files of the archive of a release, which are extracted below a folder; gives what else is in it.

        A page of the report may lack links of the one in the archive, see `links.as_committed`.
        """
        packed = ForeignReport(extracted(archive, folder))
        self._packed = {name for name in packed.files if layout.belongs(study, name)}
        for name in sorted(self._packed):
            self.files.setdefault(name, packed.files[name])
            ours, theirs = self.path(name).read_bytes(), packed.path(name).read_bytes()
            if ours == theirs:
                continue
            if name.endswith(".html") and ours == as_committed(packed.text(name), study, packed.files).encode():
                self.files[name] = packed.files[name]
            else:
                raise Refused(f"{name} is another file in {archive.name} than in the report")
        return [f"{packed.folder.name}/{name}" for name in packed.files.keys() - self._packed]

    def wrong_checksums(self) -> Iterator[str]:
        """What is wrong with the checksums: those of all files of a release, otherwise those of its archive."""
        packed = set(self.files) if self.is_release else self._packed
        if layout.CHECKSUMS not in (packed or self.files):
            if packed:
                yield f"{layout.CHECKSUMS} is missing, a release has it"
            return
        lines = [line.split("  ", 1) for line in self.text(layout.CHECKSUMS).splitlines() if "  " in line]
        known = {name: digest for digest, name in lines}
        if len(known) < len(lines):
            yield f"{layout.CHECKSUMS} has a file twice"
        for name, digest in known.items():
            if name in self.files and sha256(self.path(name).read_bytes()).hexdigest() != digest:
                yield f"{name} has another checksum than in {layout.CHECKSUMS}"
        for name in sorted((packed or {layout.MANIFEST}) - {layout.CHECKSUMS, *known}):
            yield f"{name} is not in {layout.CHECKSUMS}"
        if lost := sorted(known.keys() - (packed or self.files.keys())):
            yield f"{len(lost)} file(s) of {layout.CHECKSUMS} are missing, the first is {lost[0][:200]!r}"

    def text(self, name: str) -> str:
        """What is in a file, which may be compressed."""
        content = self.path(name).read_bytes()
        try:
            text = text_of(name, content)
        except ValueError as error:
            raise Refused(f"{name} cannot be read: {error}") from error
        if (lines := text.count("\n")) > MAX_LINES:
            raise Refused(f"{name} has {lines:,} lines, at most {MAX_LINES:,} are read")
        return text

    @cached_property
    def manifest(self) -> dict:
        """manifest.json, with its keys of the right kind; the config in it has not been checked."""
        try:
            found = json.loads(self.text("manifest.json"), object_pairs_hook=_once)
        except (ValueError, RecursionError) as error:
            raise Refused(f"manifest.json: {one_line(error)}") from error
        for key, kind in _MANIFEST.items():
            if not isinstance(found, dict) or not isinstance(found.get(key), kind):
                raise Refused(f"manifest.json: {key} is missing or of the wrong kind")
        if not isinstance(found["arithmetic"].get("proset"), str):
            raise Refused("manifest.json: arithmetic does not name that of proset")
        return found


def extracted(archive: Path, folder: Path) -> Path:
    """The report in the archive of a release, written below a folder; Refused if that is not one folder with files."""
    reports = set()
    for i, (name, content) in enumerate(read_files(archive, _is_below_a_folder)):
        if content is None:
            raise Refused(f"{name[:200]!r} is not a file of a report")
        if i >= MAX_FILES:
            raise Refused(f"there are more than {MAX_FILES:,} files")
        reports.add(name.partition("/")[0])
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    if len(reports) != 1:
        raise Refused(f"{len(reports)} folders are not allowed, the archive of a release has one")
    return folder / reports.pop()


def _words_elsewhere(config: dict) -> set[str]:
    """All texts and keys of a config outside of the definitions of its data sets."""
    found: set[str] = set()
    left: list[Any] = [{**config, "data_sets": None}]
    while left:
        entry = left.pop()
        if isinstance(entry, str):
            found.add(entry)
        elif isinstance(entry, dict):
            left += [*entry, *entry.values()]
        elif isinstance(entry, list):
            left += entry
    return found


def _is_below_a_folder(name: str) -> bool:
    parts = name.split("/")
    return len(parts) > 1 and not {"", ".", ".."}.intersection(parts)


def checked_study(config: dict, files: Iterable[str]) -> Study:
    """The study of somebody else's config, which may read these files and those of installed packages only.

    A data set that the config names nowhere else is read by nothing. It may make no more data than `MAX_DATA`.
    """
    allowed, named = set(files), _words_elsewhere(config)
    for name, settings in config.get("data_sets", {}).items() if isinstance(config.get("data_sets"), dict) else ():
        file = settings.get("file") if isinstance(settings, dict) else None
        if isinstance(settings, dict) and isinstance(settings.get("openml"), dict):
            file = table_of(settings["openml"])
        if name in named and isinstance(file, str) and file not in allowed and not _is_shipped(file):
            raise Refused(
                f"data set {name!r} is made of {file!r}, which is not part of the report; it is read only if it is "
                f"named: make verify FILES={file!r}, or --files {file!r}"
            )
    try:
        study = load(config)
    except Exception as error:  # a config from elsewhere can make any check of it fail
        raise Refused(f"manifest.json: {one_line(error)}") from error
    size = 0
    for data_set in (Path(file).parent.name for file in layout.data_files(study)):
        of_one = size_of(study.config["data_sets"][data_set])
        size += 8 * of_one.values  # features
        size += 4 * of_one.rows**2 * len(study.stored_metrics(data_set))  # dissimilarities
    if size > MAX_DATA:
        raise Refused(f"manifest.json: the config makes {size:,} bytes of data, at most {MAX_DATA:,} are made again")
    return study


def _is_shipped(file):
    """Whether a table is one of an installed package, which everybody may read."""
    try:
        path = located(file).resolve()
    except ValueError:  # the package is not installed
        return False
    return any(path.is_relative_to(Path(get_path(kind)).resolve()) for kind in ("purelib", "platlib"))


def _once(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is a duplicate")
    return found


def one_line(error: BaseException) -> str:
    """What an error says, in one line that is not too long."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= MAX_LINE else f"{text[:MAX_LINE]}..."


@contextmanager
def bounded(minutes: float, scratch: Path) -> Iterator[None]:
    """Within the block, more than `MEMORY` raises MemoryError; after that many minutes the process says so and ends."""
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
