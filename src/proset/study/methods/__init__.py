"""The methods that are compared; the study knows them only by the interface of `methods.base`.

Each is a module of this folder, of the same name. They are found, not listed: a new one makes no result stale.
"""

from importlib import import_module
from pkgutil import iter_modules

from proset.study.methods.base import Method

_FIRST = ("proset", "knn", "xgboost")  # in the published order
METHODS = (*_FIRST, *sorted({module.name for module in iter_modules(__path__)} - {*_FIRST, "base"}))


def get(name: str) -> type[Method]:
    """The class of a method; importing its module does not import the library behind it.

    Raises
    ------
    ValueError
        If there is no such method.
    """
    if name not in METHODS:
        raise ValueError(f"method: {name!r} is unknown, allowed are {', '.join(METHODS)}")
    return import_module(f"proset.study.methods.{name}").METHOD
