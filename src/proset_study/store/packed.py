"""The records of a replicate as one small archive: what a second person needs to check a study."""

import hashlib
import io
import lzma
import tarfile
from pathlib import Path

from proset.files import replacing
from proset_study.config.study import Study
from proset_study.layout import record_files
from proset_study.records import read_text, write_text

MAX_FILE, MAX_ARCHIVE = 2**28, 2**31  # bytes that are unpacked: of a record, of an archive
MAX_OTHERS = 10_000  # things in an archive that are no records


def pack(folder: Path, study: Study, replicate: int, output: Path) -> None:
    """Write the records of a replicate below `folder` (results/<study>) as .tar.xz; same records, same bytes."""
    output.parent.mkdir(parents=True, exist_ok=True)
    with replacing(output) as file, tarfile.open(fileobj=file, mode="w:xz", preset=9) as archive:
        for name in sorted(record_names(study, replicate), key=lambda name: (Path(name).name, name)):  # packs best
            content = read_text(folder / name).encode()
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def record_names(study: Study, replicate: int) -> list[str]:
    """What is packed of a replicate: names below results/<study>."""
    return [file.removeprefix(f"results/{study.name}/") for file in record_files(study, replicate)]


def records_sha256(folder: Path, study: Study, replicate: int) -> str:
    """SHA-256 of all records of a replicate that are there."""
    digest = hashlib.sha256()
    for name in sorted(record_names(study, replicate)):
        if (folder / name).exists():
            digest.update(f"{name}\n{read_text(folder / name)}".encode())
    return digest.hexdigest()


def unpack(archive: Path, study: Study, replicate: int, folder: Path) -> list[str]:
    """Write the records of an archive below `folder`, each under a name that the config gives.

    Returns
    -------
    list of str
        What else is in the archive; it is not unpacked.

    Raises
    ------
    ValueError
        If a record is missing, there twice, no plain file or larger than `MAX_FILE`, or all is larger than
        `MAX_ARCHIVE`.
    """
    wanted = set(record_names(study, replicate))
    lacking, others, size = set(wanted), [], 0
    try:
        with tarfile.open(archive, "r|xz") as packed:
            for entry in packed:
                size += entry.size
                if entry.size > MAX_FILE or size > MAX_ARCHIVE or len(others) > MAX_OTHERS:
                    raise ValueError(f"{archive.name} is too large: at most {MAX_ARCHIVE:,} bytes are unpacked")
                if entry.name not in wanted:
                    others.append(entry.name)
                elif entry.type != tarfile.REGTYPE or entry.name not in lacking:
                    raise ValueError(f"{archive.name}: {entry.name} is no plain file, or is a duplicate")
                else:
                    lacking.remove(entry.name)
                    text = packed.extractfile(entry).read().decode("utf-8")
                    if not text.endswith("\n}\n" if entry.name.endswith(".json") else "\n"):
                        raise ValueError(f"{archive.name}: {entry.name} is no record")
                    write_text(folder / entry.name, text)
    except (tarfile.TarError, EOFError, OSError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise ValueError(f"{archive.name} is damaged or no archive of records: {error}") from error
    if lacking:
        raise ValueError(f"{archive.name}: {len(lacking)} record(s) are missing, the first is {min(lacking)}")
    return others
