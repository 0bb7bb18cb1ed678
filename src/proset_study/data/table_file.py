"""The file of a custom table: found, measured, and read, whatever is in its columns; in messages rows count from 1."""

import csv
import gzip
import os
import re
import zlib
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from proset_study.base.records import is_number

if TYPE_CHECKING:
    import pandas as pd

MAX_BYTES = 500_000_000  # of the file, and of its numbers in memory; the methods need several times as much
MAX_ARCHIVE = 4_000_000_000  # bytes of dissimilarities: those of 20,000 items in double precision, and some
SHOWN = 12  # names in a message
BLOCK = 2**24  # bytes that are read at a time to count lines


def located(file: str) -> Path:
    """Where a file is: "package:path" is one that ships with an installed package, which is not imported for that.

    >>> located("data/private/penguins.csv")
    PosixPath('data/private/penguins.csv')
    >>> located("statsmodels:datasets/fair/fair.csv").is_file()
    True
    """
    if not (shipped := re.match(r"([A-Za-z]\w*):(.+)", file)):
        return Path(file)
    package, path = shipped.groups()
    if path.startswith("//"):
        raise ValueError(f"file: {file!r} is a URL; download it, and name the path of the file")
    if (spec := find_spec(package)) is None or not spec.submodule_search_locations:
        raise ValueError(f"file: {file!r} is part of the package {package}, which is not installed")
    return Path(spec.submodule_search_locations[0], path)


def check_file(file: str) -> Path:
    """Where a file is; one that is not there or too large is refused without reading it, ValueError says which."""
    path = located(file)
    try:
        os.fsencode(file)
    except UnicodeEncodeError as error:
        raise ValueError(f"file: {file!r} cannot be named in this locale; set LC_ALL=C.UTF-8") from error
    if not path.is_file():
        state = "is a folder" if path.is_dir() else "does not exist"
        raise ValueError(f"file: {file!r} {state}; it is looked for from {Path.cwd()}")
    size = path.stat().st_size
    max_bytes = MAX_ARCHIVE if file.endswith(".npz") else MAX_BYTES
    if size > max_bytes:
        raise ValueError(
            f"file: {file!r} has {size / 1e6:,.0f} MB, at most {max_bytes / 1e6:,.0f} MB are allowed; "
            "leave out columns or take a sample of the rows"
        )
    if size == 0:
        raise ValueError(f"file: {file!r} is empty; a header and rows are needed")
    return path


def read_table(
    file: str, as_written: list[str], n_dropped: int = 0, sep: str = ",", decimal: str = "."
) -> "pd.DataFrame":
    """All columns of a .csv, .csv.gz or .parquet file, whose names are all different; ValueError if it cannot be read.

    Of a .csv file the columns `as_written` are text: as numbers, 01 and 1 would be the same.
    """
    path = check_file(file)
    if file.endswith(".parquet"):
        return _read_parquet(file, path)
    return _read_csv(file, path, as_written, n_dropped, sep, decimal)


def refuse_large(file: str, size: int) -> None:
    """Refuse (ValueError) a table of that many numbers if they need more than `MAX_BYTES`."""
    if size * 8 > MAX_BYTES:
        raise ValueError(
            f"{file} has {size:,} numbers, at most {MAX_BYTES // 8:,} are allowed; "
            "leave out columns or take a sample of the rows"
        )


def refuse_duplicates(file: str, names: list[str]) -> None:
    """Refuse (ValueError) names of columns that are not all different."""
    duplicates = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if duplicates:
        raise ValueError(
            f"{file}: column {listed(duplicates)} occurs more than once; names must differ{name_hint(names)}"
        )


def name_hint(names: list[str]) -> str:
    """What is probably wrong with a header of these names, for the end of a message; empty if nothing is."""
    if len(names) == 1 and (marks := [mark for mark in ",;\t|" if mark in names[0]]):
        return f"; fields seem to be separated by {marks[0]!r}: name it in sep"
    if sum(map(is_number, names)) > len(names) / 2:
        return "; the first line looks like data, a header is needed"
    return ""


def listed(names: list[str]) -> str:
    """The first names, for a message."""
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return ", ".join(map(repr, names[:SHOWN])) + more


def _read_csv(file, path, as_written, n_dropped, sep, decimal):
    import pandas as pd

    with _csv_errors(file):
        header, first = _first_lines(path, sep)
        with opened(path, "rb") as lines:
            n_lines = sum(block.count(b"\n") for block in iter(lambda: lines.read(BLOCK), b""))
    refuse_large(file, (len(header) - n_dropped) * (n_lines - 1))  # before it takes several times its size
    with _csv_errors(file):
        table = pd.read_csv(path, sep=sep, decimal=decimal, low_memory=False, dtype=dict.fromkeys(as_written, str))
    refuse_duplicates(file, header)
    if len(first) > len(header):  # pandas would take the first fields as names of the rows
        raise ValueError(
            f"{file}: row 1 has {len(first)} fields, the header has {len(header)}; they must agree{name_hint(header)}"
        )
    with _csv_errors(file):
        short = _short_row(path, sep, len(header))
    if short:  # pandas would take what is not there as missing values
        row, fields = short
        raise ValueError(
            f"{file}: row {row} has {len(fields)} of {len(header)} fields ({listed(fields):.60}), none for column "
            f"{header[len(fields)]!r}; write an empty field for a missing value"
        )
    return table


@contextmanager
def _csv_errors(file):
    """Errors of readers in words that name the file."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{file} is not UTF-8 text (byte {error.object[error.start]:#04x}); save it as CSV in UTF-8"
        ) from error
    except (ValueError, csv.Error, EOFError, gzip.BadGzipFile, zlib.error) as error:  # pandas' own are ValueErrors
        raise ValueError(f"{file} cannot be read as .csv: {str(error).strip()}") from error


def opened(path: Path, mode: str, **how):
    """An open file, which may be compressed; `how` as in `open`."""
    return gzip.open(path, mode, **how) if path.suffix == ".gz" else path.open(mode, **how)


def _lines(path, sep):
    """Fields of each line as they are, the header's first; pandas leaves out blank lines, too."""
    csv.field_size_limit(MAX_BYTES)
    with opened(path, "rt", encoding="utf-8-sig", newline="") as lines:
        yield from (fields for fields in csv.reader(lines, delimiter=sep) if fields)


def _first_lines(path, sep):
    """Fields of the header and of the first row: pandas would rename columns that repeat."""
    lines = _lines(path, sep)
    return next(lines, []), next(lines, [])


def _short_row(path, sep, n_fields):
    """Number and fields of the first row with fewer fields, or None."""
    rows = enumerate(fields for fields in _lines(path, sep) if len(fields) > 1 or fields[0].strip())
    return next(((row, fields) for row, fields in rows if len(fields) < n_fields), None)


def _read_parquet(file, path):
    import pandas as pd
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as opened:
            names, size = opened.schema_arrow.names, opened.metadata.num_rows * opened.metadata.num_columns
        refuse_duplicates(file, names)
        if size * 8 > MAX_BYTES:  # before it is unpacked
            raise ValueError(f"{size:,} numbers, at most {MAX_BYTES // 8:,} are allowed")
        table = pd.read_parquet(path)
        # Names of an index are columns of the file, too, but not that of a range, which is metadata of pandas alone.
        named = [name for name in table.index.names if name is not None and str(name) in names]
        return table.reset_index(named).reset_index(drop=True).rename(columns=str)
    except (ValueError, OSError, ArrowException) as error:
        raise ValueError(f"{file} cannot be read as .parquet: {error}") from error
