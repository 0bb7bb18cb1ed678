"""The numbers of a large study: a Parquet data set, partitioned by replicate and experiment, that is read in pieces.

DuckDB, polars and pandas read the folder results/<study>/scores as one table with the columns of `Row`; replicate and
experiment are in the names of its folders.
"""

import gc
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from typing import Any

from proset.files import replacing
from proset_study.base.records import damaged
from proset_study.store.results import Row, as_cell, read_rows
from proset_study.study import layout

SUFFIX = Path(layout.PARTITION).suffix
TEXTS = ("method", "dataset", "variant", "section", "quantity", "role")
_PLACE = re.compile(r"replicate=(\d+)/experiment=(\w+)/")


def write_parquet(path: str | Path, rows: Iterable[Row]) -> None:
    """Write the rows of one replicate and experiment, with numbers of as many digits as in a CSV file."""
    import pyarrow
    from pyarrow import parquet

    path, rows = Path(path), list(rows)
    text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    columns = {name: pyarrow.array([getattr(row, name) for row in rows], pyarrow.string()).cast(text) for name in TEXTS}
    columns["value"] = pyarrow.array([as_cell(row.value) for row in rows], pyarrow.float64())
    columns["fit_seed"] = pyarrow.array([row.fit_seed for row in rows], pyarrow.int32())
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        parquet.write_table(pyarrow.table(columns), file, compression="zstd")


def read_scores(path: Path) -> list[Row]:
    """The rows of a file of numbers, Parquet or CSV; a ValueError names a damaged one."""
    return read_parquet(path) if path.suffix == SUFFIX else read_rows(path, Row)


def read_parquet(path: Path) -> list[Row]:
    """The rows of one replicate and experiment; a ValueError names a damaged file."""
    import pyarrow
    from pyarrow import parquet

    replicate, experiment = _PLACE.findall(path.as_posix())[-1]
    try:
        table = parquet.read_table(path, partitioning=None)
        texts = [_texts(table[name]) for name in TEXTS]
        values, seeds = table["value"].to_pylist(), table["fit_seed"].to_pylist()
    except (pyarrow.ArrowException, KeyError, OSError) as error:
        raise damaged(path, error) from error
    *names, roles = texts
    with without_collections():
        rows = list(map(Row, repeat(int(replicate)), repeat(experiment), *names, values, roles, seeds))
    gc.freeze()  # later collections leave them out, too
    return rows


def _texts(column: Any) -> list[str]:
    """The values of a column, equal ones as one object."""
    encoded = column.combine_chunks()
    known = [sys.intern(text) for text in encoded.dictionary.to_pylist()]
    return [known[i] for i in encoded.indices.to_pylist()]


@contextmanager
def without_collections() -> Iterator[None]:
    """Suspend garbage collection, which would look again and again at very many objects, all of which are in use."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
