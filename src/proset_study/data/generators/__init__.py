"""Generated data sets: each is a module of this folder, or of one in `base.additions`, of the name in the config.

They are found, not listed, so that nothing but its own module has to be changed for a new one.
"""

from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules

from proset_study.base.additions import folders
from proset_study.base.modules import class_in
from proset_study.data.generators.base import Generator

__path__ += folders("generators")

GENERATORS = tuple(sorted({module.name for module in iter_modules(__path__)} - {"base", "posterior"}))


def get(name: str) -> type[Generator]:
    """The class of a generated data set; ValueError if its module has none, or several."""
    return class_in(import_module(f"{__name__}.{name}"), Generator)


def of(settings: dict) -> Generator | None:
    """The generator with the settings of an entry of the config's `data_sets`; None if that is not generated."""
    return get(settings["generator"]).of(settings) if "generator" in settings else None


def schema(names: Iterable[str] = GENERATORS) -> dict:
    """JSON schema of an entry of `data_sets` that has the key `generator`; it refers to `$defs` of the config's.

    It has the settings of the generators named; only these are imported, and some take a second.
    """
    return {
        "properties": {"generator": {"description": "Kind of the data.", "enum": list(GENERATORS)}},
        "allOf": [{"if": {"properties": {"generator": {"const": name}}}, "then": get(name).schema()} for name in names],
    }
