"""The methods that are compared; the study knows them only by the interface of `methods.base`.

Each is a module of this folder, of the same name. They are found, not listed: a new one makes no result stale.
"""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from proset_study.methods.base import Method, faults, takes_mixed

_FIRST = ("proset", "knn", "xgboost")  # in the published order
_OTHERS = (  # modules that are no methods
    *("base", "corrected", "costs", "estimators", "labels", "nearest_prototype", "prototypes", "weighted"),
)
METHODS = (*_FIRST, *sorted({module.name for module in iter_modules(__path__)} - {*_FIRST, *_OTHERS}))


@cache
def get(name: str) -> type[Method]:
    """The class of a method; importing its module does not import the library behind it.

    Raises
    ------
    ValueError
        If there is no such method, its module cannot be imported, or its class breaks the interface.
    """
    if name not in METHODS:
        raise ValueError(f"method: {name!r} is unknown, allowed are {', '.join(METHODS)}")
    module = f"proset_study.methods.{name}"
    try:
        method: Any = getattr(import_module(module), "METHOD", None)
    except Exception as error:  # whatever the module of somebody else may raise
        raise ValueError(f"method: {module} cannot be imported: {type(error).__name__}: {error}") from error
    if found := faults(method):
        raise ValueError(f"method: {module} breaks the interface of methods/base.py: {'; '.join(found)}")
    return method


def for_mixed() -> list[str]:
    """Names of the methods that take categories and missing values as they are; imports all of them."""
    return [name for name in METHODS if takes_mixed(get(name))]


def makes(name: str, kind: type) -> bool:
    """Whether the models of a method are of a kind, for example `methods.prototypes.PrototypeModel`."""
    return issubclass(get(name).model, kind)
