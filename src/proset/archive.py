"""NumPy archives (.npz) of plain arrays with one JSON header; reading them executes nothing."""

import json
import zipfile
from pathlib import Path

import numpy as np

from proset.files import replacing

FORMAT = "proset"
FORMAT_VERSION = 1


def write_archive(path: str | Path, header: dict, arrays: dict[str, np.ndarray]) -> None:
    """Write arrays and a JSON header as .npz: beside the target first, then renamed.

    Raises TypeError for arrays of Python objects, which only pickle could store.
    """
    for name, array in arrays.items():
        if np.asarray(array).dtype.hasobject:
            raise TypeError(f"array {name!r} holds Python objects; only numbers, booleans and strings can be saved")
    header = {"format": FORMAT, "version": FORMAT_VERSION, **header}
    with replacing(path) as file:
        np.savez_compressed(file, header=np.array(json.dumps(header, sort_keys=True)), **arrays)


def read_archive(path: str | Path) -> tuple[dict, dict[str, np.ndarray]]:
    """Header and arrays of an archive; ValueError if it is damaged, of another kind or of another version."""
    try:
        with zipfile.ZipFile(path) as archive:  # NumPy stops reading before the checksums
            if (member := archive.testzip()) is not None:
                raise zipfile.BadZipFile(f"checksum of {member} is wrong")
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
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
