"""Archives of NumPy that are looked at without reading their arrays."""

from pathlib import Path
from typing import IO
from zipfile import ZipFile

import numpy as np

MATRIX = "dissimilarities"  # the array with them


def header(array: IO[bytes]) -> tuple[tuple[int, ...], np.dtype]:
    """Shape and type of an array in an archive; the file is then at its numbers.

    Numbers are taken row by row: a matrix that is stored by columns is its own transpose, since it is symmetric.
    """
    version = np.lib.format.read_magic(array)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(array)
    return shape, dtype


def n_items(path: Path) -> int:
    """Number of samples whose dissimilarities are in an archive."""
    with ZipFile(path) as archive, archive.open(f"{MATRIX}.npy") as array:
        return header(array)[0][0]
