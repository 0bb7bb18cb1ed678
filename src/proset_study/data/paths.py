"""Where the tables of data sets are; it imports nothing large, since every command asks."""

import re
from importlib.util import find_spec
from pathlib import Path


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
    if (spec := find_spec(package)) is None or not spec.submodule_search_locations:
        raise ValueError(f"file: {file!r} is part of the package {package}, which is not installed")
    return Path(spec.submodule_search_locations[0], path)
