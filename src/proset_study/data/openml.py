"""Data sets of OpenML: the tables that `data.download` has put below data/, and what is known of them."""

import json
from collections.abc import Iterator
from typing import Any

TABLE = "data/openml/{name}.parquet"


def table_of(openml: dict) -> str:
    """The table of a key `openml` of the config, whether it is there or not.

    >>> table_of({"task_id": 31, "version": 1})
    'data/openml/task_31.parquet'
    """
    kind = "task" if "task_id" in openml else "data"
    return TABLE.format(name=f"{kind}_{openml.get(f'{kind}_id')}")


def description(table: str) -> dict[str, Any]:
    """What the download wrote into a table, see `download`; empty if that is not there, or of somebody else.

    "size" has rows, features with all categories, classes of the target; "target" is None if there is no default.
    """
    from pyarrow.parquet import read_schema

    try:
        return json.loads((read_schema(table).metadata or {}).get(b"PANDAS_ATTRS", "{}"))
    except (OSError, ValueError):
        return {}


def differences(openml: dict, found: dict) -> Iterator[str]:
    """How a description differs from what the config says."""
    for key in ("data_id", "version", "md5"):
        if key in openml and key in found and openml[key] != found[key]:
            yield f"{key}: {openml[key]!r} is not allowed, that of {table_of(openml)} is {found[key]!r}"
