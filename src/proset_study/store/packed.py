"""The records of a study as small archives: what a second person needs to check it."""

import hashlib
import io
import json
import lzma
import tarfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from proset.files import replacing
from proset_study.base.records import read_json, read_text, write_text
from proset_study.study import layout
from proset_study.study.config.study import Study

MAX_FILE, MAX_ARCHIVE = 2**28, 2**31  # bytes that are unpacked: of a file, of an archive
MAX_OTHERS = 10_000  # things in an archive that nobody asked for
# Most of an archive are digits of probabilities: this takes a sixth of the time of preset 9, for 6 % more bytes.
_SEARCH = {"mf": lzma.MF_HC4, "mode": lzma.MODE_NORMAL, "nice_len": 32, "depth": 8, "lc": 4, "pb": 0}
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9, **_SEARCH}]


def pack(folder: Path, names: Iterable[str], output: Path, first_fits: bool = False) -> None:
    """Write the records of these names in a folder as .tar.xz, if asked without refits; same records, same bytes."""
    names = sorted(names, key=lambda name: (Path(name).name, name))  # files of one kind next to each other pack best
    write_files(output, ((name, _text(folder, name, first_fits).encode()) for name in names))


def pack_records(study: Study, name: str) -> None:
    """Records of one replicate as one archive."""
    names, output = layout.record_names(study, name), Path(layout.report(study, layout.RECORDS, archive=name))
    pack(Path(layout.result(study, "")), names, output, name.endswith(layout.FIRST_FITS))


def _text(folder, name, first_fits):
    text = read_text(f"{folder}/{name}")  # a text: a report on many data sets asks for a million of them
    if not first_fits:
        return text
    path = folder / name
    if path.name == Path(layout.FIT).name and (record := read_json(path)).get("refits"):
        return json.dumps(record | {"refits": []}, indent=1, sort_keys=True) + "\n"
    if path.name == Path(layout.PREDICTIONS).name:
        rows = [line.split(",") for line in text.splitlines()]
        kept = sum("_" not in column for column in rows[0])  # see `fits.final.write_predictions`
        return "".join(",".join(row[:kept]) + "\n" for row in rows)
    return text


def write_files(output: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write files, of which names and contents are given, as .tar.xz; no times, no owners."""
    output.parent.mkdir(parents=True, exist_ok=True)
    with (
        replacing(output) as file,
        lzma.open(file, "wb", filters=FILTERS) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for name, content in files:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def read_files(archive: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes | None]]:
    """Names and contents of the files in an archive that may be a stranger's; None for files that are not `wanted`.

    A ValueError says that it is damaged or too large, that a wanted file is a duplicate or not a plain file.
    """
    read, n_others, size = set(), 0, 0
    try:
        with tarfile.open(archive, "r|xz") as packed:
            for entry in packed:
                size += entry.size
                for what, number, most in (
                    (f"{entry.name[:200]} has {entry.size:,} bytes", entry.size, MAX_FILE),
                    (f"its files have {size:,} bytes", size, MAX_ARCHIVE),
                    (f"{n_others:,} of its files are not asked for", n_others, MAX_OTHERS),
                ):
                    if number > most:
                        raise ValueError(f"{archive.name} is too large: {what}, at most {most:,} are allowed")
                if not wanted(entry.name):
                    n_others += 1
                    yield entry.name, None
                elif entry.type != tarfile.REGTYPE or entry.name in read:
                    raise ValueError(f"{archive.name}: {entry.name} is not a plain file, or is a duplicate")
                else:
                    read.add(entry.name)
                    file = packed.extractfile(entry)
                    assert file is not None  # it is one
                    yield entry.name, file.read()
    except (tarfile.TarError, EOFError, OSError, lzma.LZMAError) as error:
        raise ValueError(f"{archive.name} is damaged or not an archive: {error}") from error


def unpack(archive: Path, names: Iterable[str], folder: Path) -> list[str]:
    """Write the records of these names, and nothing else, below `folder`; the names of other files in the archive."""
    lacking, others = set(names), []
    for name, content in read_files(archive, set(lacking).__contains__):
        if content is None:
            others.append(name)
            continue
        lacking.remove(name)
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{archive.name}: {name} is not text: {error}") from error
        if not text.endswith("\n}\n" if name.endswith(".json") else "\n"):
            raise ValueError(f"{archive.name}: {name} is not a record")
        write_text(folder / name, text, durable=False)
    if lacking:
        raise ValueError(f"{archive.name}: {len(lacking)} record(s) are missing, the first is {min(lacking)}")
    return others


def records_sha256(folder: Path, names: Iterable[str], first_fits: bool = False) -> str:
    """SHA-256 of the records that `pack` takes, as far as they exist."""
    digest = hashlib.sha256()
    for name in sorted(names):
        with suppress(FileNotFoundError):
            digest.update(f"{name}\n{_text(folder, name, first_fits)}".encode())
    return digest.hexdigest()
