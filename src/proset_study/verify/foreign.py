"""A report that somebody else sent: nothing but plain files of bounded size is read, and nothing of it is believed."""

import json
import os
import stat
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from proset_study import layout
from proset_study.config.checks import load
from proset_study.config.study import Study
from proset_study.data.openml import table_of
from proset_study.data.sizes import size_of
from proset_study.store.packed import read_files
from proset_study.store.results import text_of

MAX_FILE = 2**28  # bytes of one file of a report
MAX_FILES = 100_000
MAX_DATA = 2**32  # bytes of all data sets that are made again
TIMESTAMP = ".snakemake_timestamp"  # an empty file of Snakemake's own in each folder that is an output
_MANIFEST = {"config": dict, "data_sha256": dict, "cost": dict, "not_converged": dict, "missing": list}


class Refused(ValueError):
    """The report cannot be checked; the message says why, in one line."""


class ForeignReport:
    """The plain files of a report by their names, the sizes as values of `files`.

    Parameters
    ----------
    folder : Path

    Raises
    ------
    Refused
        If there is a link, a device or the like among them, or if there are too many of them.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.files: dict[str, int] = {}
        self._packed: set[str] = set()  # names in the archive
        self._unpacked: dict[str, Path] = {}  # of those that the folder has not
        waiting = [""]
        while waiting:
            for entry in os.scandir(folder / (below := waiting.pop())):
                name, status = f"{below}{entry.name}", entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(status.st_mode):
                    waiting.append(f"{name}/")
                elif stat.S_ISREG(status.st_mode):
                    if entry.name != TIMESTAMP:
                        self.files[name] = status.st_size
                else:
                    raise Refused(f"{name!r} is a link or a device, a report has plain files only")
                if len(self.files) + len(waiting) > MAX_FILES:
                    raise Refused(f"there are more than {MAX_FILES:,} files")

    def path(self, name: str) -> Path:
        """Where a file is; Refused if there is none or if it is too large."""
        if name not in self.files:
            raise Refused(f"{name} is missing")
        if self.files[name] > MAX_FILE:
            raise Refused(f"{name} has {self.files[name]:,} bytes, at most {MAX_FILE:,} are read")
        return self._unpacked.get(name, self.folder / name)

    def unpack(self, archive: Path, study: Study, folder: Path) -> list[str]:
        """Add the files of an archive that `report.release` wrote; they are unpacked below a folder.

        Returns
        -------
        list of str
            What else is in it.

        Raises
        ------
        Refused
            If it has another file than the report under the same name.
        ValueError
            If it is damaged, or too large.
        """
        others = []
        for packed, content in read_files(archive, lambda packed: layout.belongs(study, packed.partition("/")[2])):
            name = packed.partition("/")[2]
            if content is None:
                others.append(packed)
                continue
            self._packed.add(name)
            if name not in self.files:
                self.files[name], self._unpacked[name] = len(content), folder / name
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(content)
            elif self.path(name).read_bytes() != content:
                raise Refused(f"{name} is another file in {archive.name} than in the report")
        return others

    def wrong_checksums(self, whole: bool) -> Iterator[str]:
        """What is wrong with the checksums of the files of the archive, if they are there.

        Parameters
        ----------
        whole : bool
            Whether the report is a release by itself, which has checksums of all its files.
        """
        if layout.CHECKSUMS not in (self._packed or self.files):
            if whole or self._packed:
                yield f"{layout.CHECKSUMS} is missing, a release has it"
            return
        known = dict(line.split("  ", 1)[::-1] for line in self.text(layout.CHECKSUMS).splitlines() if "  " in line)
        for name, digest in known.items():
            if name in self.files and sha256(self.path(name).read_bytes()).hexdigest() != digest:
                yield f"{name} has another checksum than in {layout.CHECKSUMS}"
        summed = self.files if whole else {layout.MANIFEST, *self._unpacked}
        for name in sorted(set(summed) - {layout.CHECKSUMS, *known}):
            yield f"{name} is not in {layout.CHECKSUMS}"
        if lost := sorted(known.keys() - (self._packed or self.files.keys())):
            yield f"{len(lost)} file(s) of {layout.CHECKSUMS} are missing, the first is {lost[0][:200]!r}"

    def text(self, name: str) -> str:
        """What is in a file, which may be compressed."""
        content = self.path(name).read_bytes()
        try:
            return text_of(name, content)
        except ValueError as error:
            raise Refused(f"{name} cannot be read: {error}") from error

    def manifest(self) -> dict:
        """manifest.json, with its keys of the right kind; the config in it has not been checked."""
        try:
            found = json.loads(self.text("manifest.json"), object_pairs_hook=_once)
        except (ValueError, RecursionError) as error:
            raise Refused(f"manifest.json: {one_line(error)}") from error
        for key, kind in _MANIFEST.items():
            if not isinstance(found, dict) or not isinstance(found.get(key), kind):
                raise Refused(f"manifest.json: {key} is missing or of the wrong kind")
        if "arithmetic" in found:  # not in older reports
            said = found["arithmetic"]
            if not isinstance(said, dict) or not isinstance(said.get("proset"), str):
                raise Refused("manifest.json: arithmetic does not name that of proset")
            if not isinstance(found.get("records_sha256"), dict):
                raise Refused("manifest.json: records_sha256 is missing or of the wrong kind")
        return found


def unpacked(archive: Path, folder: Path) -> Path:
    """Write the files in the archive of a release below a folder.

    Returns
    -------
    Path
        The report.

    Raises
    ------
    Refused
        If there is anything but one folder with files in it.
    ValueError
        If it is damaged, or too large.
    """
    reports = set()
    for name, content in read_files(archive, _is_below_a_folder):
        if content is None:
            raise Refused(f"{name[:200]!r} is not a file of a report")
        reports.add(name.partition("/")[0])
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    if len(reports) != 1:
        raise Refused(f"{len(reports)} folders are not allowed, the archive of a release has one")
    return folder / reports.pop()


def _is_below_a_folder(name: str) -> bool:
    parts = name.split("/")
    return len(parts) > 1 and not {"", ".", ".."}.intersection(parts)


def checked_study(config: dict, files: Iterable[str]) -> Study:
    """The study of a config that somebody else wrote.

    Parameters
    ----------
    config : dict
    files : iterable of str
        Files of custom data that may be read.

    Raises
    ------
    Refused
        If the config is wrong, names another file, or asks for more data than `MAX_DATA`.
    """
    allowed = set(files)
    for name, settings in config.get("data_sets", {}).items() if isinstance(config.get("data_sets"), dict) else ():
        file = settings.get("file") if isinstance(settings, dict) else None
        if isinstance(settings, dict) and isinstance(settings.get("openml"), dict):
            file = table_of(settings["openml"])
        if file is not None and file not in allowed:
            raise Refused(
                f"data set {name!r} is made of {file!r}, which is not part of the report; it is read only if it is "
                f"named: make verify FILES={file!r}, or --files {file!r}"
            )
    try:
        study = load(config)
    except Exception as error:  # a config from elsewhere can make any check of it fail
        raise Refused(f"manifest.json: {one_line(error)}") from error
    size = sum(_bytes(study, Path(file).parent.name) for file in layout.data_files(study))
    if size > MAX_DATA:
        raise Refused(f"manifest.json: the config makes {size:,} bytes of data, at most {MAX_DATA:,} are made again")
    return study


def _bytes(study, data_set):
    """Of the features of a data set and of its dissimilarities."""
    size = size_of(study.config["data_sets"][data_set])
    return 8 * size.values + 4 * size.rows**2 * len(study.stored_metrics(data_set))


def _once(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is a duplicate")
    return found


def one_line(error: BaseException, length: int = 500) -> str:
    """What an error says, in one line that is not too long."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= length else f"{text[:length]}..."
