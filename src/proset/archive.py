"""NumPy archives (.npz) of plain arrays with one JSON header; reading them executes nothing."""

import json
import zipfile
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from proset.files import replacing

FORMAT = "proset"
FORMAT_VERSION = 1
MAX_BYTES = 2**31  # of an archive of the study, whose data sets may have 500 MB


def write_archive(path: str | Path, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Write arrays and a JSON header as .npz: next to the target first, then renamed.

    Parameters
    ----------
    path : str or Path
    header : dict
        Of what JSON can hold.
    arrays : dict of str to ndarray

    Raises
    ------
    TypeError
        For arrays of Python objects, which only pickle could store.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_archive(f"{folder}/a.npz", {"what": "squares"}, {"x": np.array([1, 4, 9])})
    ...     header, arrays = read_archive(f"{folder}/a.npz")
    >>> header["what"], arrays["x"].tolist()
    ('squares', [1, 4, 9])
    """
    for name, array in arrays.items():
        if np.asarray(array).dtype.hasobject:
            raise TypeError(f"array {name!r} holds Python objects; only numbers, booleans and strings can be saved")
    header = {"format": FORMAT, "version": FORMAT_VERSION, **header}
    named: dict[str, Any] = {"header": np.array(json.dumps(header, sort_keys=True)), **arrays}
    with replacing(path) as file:
        np.savez_compressed(file, **named)


def read_archive(path: str | Path, max_bytes: int = MAX_BYTES) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of an archive.

    Parameters
    ----------
    path : str or Path
    max_bytes : int
        Of all arrays together; what is larger is refused before it is unpacked.

    Raises
    ------
    ValueError
        If the file is damaged, too large, of another kind or of another version; names it.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if (size := sum(member.file_size for member in members)) > max_bytes:
                raise ValueError(f"its arrays have {size:,} bytes, at most {max_bytes:,} are allowed")
            arrays = {member.filename.removesuffix(".npy"): _read(archive, member) for member in members}
        if len(arrays) < len(members):
            raise ValueError("an array is a duplicate")
        header = json.loads(str(arrays.pop("header")))
        kind, version = header["format"], header["version"]
    except (FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except Exception as error:  # what zipfile and NumPy raise on damaged bytes is not limited to a few types
        raise ValueError(f"{path} is damaged or not a proset file: {error}") from error
    if kind != FORMAT or version != FORMAT_VERSION:
        raise ValueError(
            f"{path} has format {kind!r} version {version!r}; this version of proset reads {FORMAT!r} version "
            f"{FORMAT_VERSION}"
        )
    return header, arrays


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    """One array, to the end of its bytes, where the checksum is; other compressions than this could swell unseen."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{member.filename} is compressed in another way")
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        read_header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        shape, _, dtype = read_header[version](file)
        if not dtype.hasobject and prod(shape) * dtype.itemsize != member.file_size - file.tell():
            raise ValueError(f"{member.filename} is not of the size it claims")
        file.seek(0)
        array: np.ndarray = np.lib.format.read_array(file, allow_pickle=False)
        return array
