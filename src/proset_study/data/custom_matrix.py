"""The data set of a matrix of dissimilarities: what is known of its samples besides them, and the matrix in blocks.

The file is a table (.csv, .parquet) with a column of dissimilarities for each row, in the order of the rows, and one
of classes; or an archive of NumPy (.npz) with an array `MATRIX` of shape (N, N), and one of shape (N,) for each other.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile, ZipFile, is_zipfile

import numpy as np

from proset_study.data.columns import class_labels, proportional, read_columns, refuse_missing, test_part
from proset_study.data.dataset import DataSet
from proset_study.data.dissimilarities.blocks import ROWS
from proset_study.data.table_file import check_file, listed

MATRIX = "dissimilarities"  # the array with them


def make(file: str, target: str, metric: str, **settings: Any) -> DataSet:
    """The data set, whose samples have no features; settings as in `columns.read_columns`."""
    read = _archive if file.endswith(".npz") else _table
    labels, weights, groups, tested, names = read(file, target, **settings)
    class_names, y = np.unique(labels, return_inverse=True)
    return DataSet(
        X=np.empty((len(y), 0)),
        y=y.astype(int),
        feature_names=np.array([], dtype=str),
        class_names=class_names.astype(str),
        sample_weight=None if weights is None else proportional(weights),
        group=None if groups is None else np.unique(groups, return_inverse=True)[1].astype(int),
        items=names,
        test=tested,
    )


def read_blocks(file: str, target: str, metric: str, **settings: Any) -> Iterator[np.ndarray]:
    """The matrix in blocks of rows, shapes (rows, N); parameters as in `make`."""
    if not file.endswith(".npz"):
        yield _columns(file, target, **settings).features.to_numpy(dtype=np.float64)
        return
    with ZipFile(check_file(file)) as archive, archive.open(f"{MATRIX}.npy") as array:
        (n, _), dtype = header(array)
        for first in range(0, n, ROWS):
            rows = min(ROWS, n - first)
            yield np.frombuffer(array.read(rows * n * dtype.itemsize), dtype=dtype).reshape(rows, n)


def _columns(file, target, **settings):
    columns = read_columns(file, target, gaps=True, **settings)  # which `matrix.copy_checked` refuses
    if len(columns.labels) != (number := columns.features.shape[1]):
        raise ValueError(
            f"{file} has {len(columns.labels):,} rows and {number:,} columns of dissimilarities, must have as many;"
            " leave out others in drop"
        )
    return columns


def _table(file, target, **settings) -> tuple[Any, ...]:
    found = _columns(file, target, **settings)
    weights = None if found.weights is None else found.weights.to_numpy()
    groups = None if found.groups is None else found.groups.astype(str).to_numpy()
    return found.labels.to_numpy(dtype=str), weights, groups, found.test, np.array(found.features.columns, dtype=str)


def _archive(file, target, weight=None, group=None, test=None) -> tuple[Any, ...]:
    from pandas import Series

    path = check_file(file)
    try:
        if not is_zipfile(path):  # np.load takes other files for single arrays or pickles
            raise ValueError("it is no archive of arrays, as numpy.savez writes it")
        with np.load(path, allow_pickle=False) as archive:
            names = archive.files
            used = [name for name in (MATRIX, target, weight, group, test) if name is not None]
            if twice := sorted({name for name in used if used.count(name) > 1}):
                raise ValueError(
                    f"array {twice[0]!r} is named twice; it can only be one of target, weight, group and test"
                )
            roles = {"metric: precomputed": MATRIX, "target": target, "weight": weight, "group": group, "test": test}
            for role, name in roles.items():
                if name is not None and name not in names:
                    raise ValueError(f"it has no array {name!r} ({role}); its arrays are {listed(names)}")
            with ZipFile(path) as raw, raw.open(f"{MATRIX}.npy") as array:
                shape, dtype = header(array)
            if len(shape) != 2 or shape[0] != shape[1] or dtype.kind not in "fiub":
                raise ValueError(f"{MATRIX} has shape {shape} and type {dtype}, must be a square of numbers")
            found: list[Any] = [None if name is None else archive[name] for name in (target, weight, group, test)]
            found[0] = np.char.decode(found[0], "utf-8") if found[0].dtype.kind == "S" else found[0]
    except (ValueError, OSError, KeyError, BadZipFile) as error:
        raise ValueError(f"{file} cannot be read as .npz: {error}") from error
    for name, values in zip((target, weight, group, test), found, strict=True):
        if values is not None and values.shape != shape[:1]:
            raise ValueError(f"{file}: array {name!r} has shape {values.shape}, must be {shape[:1]}, one entry a row")
    labels, weights, groups, tested = found
    if not len(labels):
        raise ValueError(f"{file} has no rows")
    if weights is not None and weights.dtype.kind not in "fiub":
        raise ValueError(f"{file}: array {weight!r} has type {weights.dtype}, must be numbers")
    if weights is not None and not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError(f"{file}: array {weight!r} has a weight that is negative or not finite")
    labels = class_labels(file, Series(labels), f"array {target!r}", None if weights is None else Series(weights))
    labels = labels.to_numpy(dtype=str)
    if groups is not None:
        refuse_missing(file, Series(groups), f"array {group!r}", "give every row a group")
    if tested is not None:
        tested = test_part(file, f"array {test!r}", tested, labels, groups)
    return labels, weights, groups, tested, None


def header(array: IO[bytes]) -> tuple[tuple[int, ...], np.dtype]:
    """Shape and type of an array in an archive, whose numbers come next; by rows or columns, since it is symmetric."""
    version = np.lib.format.read_magic(array)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(array)
    return shape, dtype


def n_items(path: Path) -> int:
    """Number of samples whose dissimilarities are in an archive."""
    with ZipFile(path) as archive, archive.open(f"{MATRIX}.npy") as array:
        return header(array)[0][0]
