"""The stored dissimilarities of a data set: computed from its items, or those of a file of the user, checked."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import numpy as np

from proset.files import replacing
from proset_study.data.dataset import DataSet
from proset_study.data.dissimilarities.blocks import ROWS, square
from proset_study.data.metrics import PRECOMPUTED

MAX_ITEMS = 20_000
TOLERANCE = 1e-5  # relative difference of two numbers that must be the same


def module_of(settings: dict) -> str:
    """Name below `proset_study` of the module that dissimilarities come from; settings as in `write_matrix`."""
    return "data.custom_matrix" if settings["of"] == PRECOMPUTED else f"data.dissimilarities.{settings['of']}"


def write_matrix(path: Path, data: DataSet, settings: dict, source: dict) -> None:
    """Write the dissimilarities of all samples from each other to a .npy file, which `distances.read_matrix` reads.

    `settings` are `Study.metric_settings`, `source` is what the data set was made from, as in `sources.make`.
    ValueError if there are more than `MAX_ITEMS`, if they are not of the kind that is compared, or if those of a file
    are none.
    """
    n = len(data.y)
    if n > MAX_ITEMS:
        raise ValueError(f"{n:,} items are not allowed, at most {MAX_ITEMS:,}: their dissimilarities are stored")
    module = import_module(f"proset_study.{module_of(settings)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        out = np.lib.format.open_memmap(file.name, mode="w+", dtype=np.float32, shape=(n, n))
        if settings["of"] == PRECOMPUTED:
            copy_checked(module.read_blocks(**source), out, source["file"])
        else:
            items = data.X.reshape(n, *settings["image"]) if data.items is None else data.items.tolist()
            square(module.distances(items, **settings.get("parameters", {})), out)
        out.flush()


def copy_checked(blocks: Iterator[np.ndarray], out: np.ndarray, file: str) -> None:
    """Copy a matrix that comes in blocks of rows; ValueError if it is not that of dissimilarities."""
    first = 0
    for block in blocks:
        rows = slice(first, first + len(block))
        out[rows] = block
        for wrong, what in ((~np.isfinite(out[rows]), "finite"), (out[rows] < 0, "0 or more")):
            if wrong.any():
                i, j = np.argwhere(wrong)[0]
                raise ValueError(f"{file}: {_entry(first + i, j, block[i, j])}; dissimilarities must be {what}")
        first = rows.stop
    if (diagonal := np.diagonal(out)).any():
        i = int(np.argmax(diagonal != 0))
        raise ValueError(f"{file}: {_entry(i, i, out[i, i])}; of a sample from itself it must be 0")
    for i in range(0, len(out), ROWS):
        for j in range(i, len(out), ROWS):
            above, below = out[i : i + ROWS, j : j + ROWS], out[j : j + ROWS, i : i + ROWS].T
            apart = np.abs(above - below)
            if (apart > TOLERANCE * np.maximum(above, below)).any():
                k, m = (int(n) for n in np.unravel_index(apart.argmax(), apart.shape))
                both = f"{_entry(i + k, j + m, above[k, m])}, but {_entry(j + m, i + k, below[k, m])}"
                raise ValueError(f"{file}: {both}; dissimilarities must be symmetric")


def _entry(row, column, value):
    return f"row {row + 1}, column {column + 1} is {value:g}"
