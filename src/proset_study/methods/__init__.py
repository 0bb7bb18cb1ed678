"""The methods that are compared; the study knows them only by the interface of `methods.base`.

Each is a module of this folder, or of one in `base.additions`, of the same name, with one class that inherits from
`methods.base.Method`. Modules are discovered, so that adding one makes no result stale.
"""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from proset_study.base.additions import folders
from proset_study.methods.base import Method, faults

__path__ += folders("methods")

_FIRST = ("proset", "knn", "xgboost")  # in the published order
_OTHERS = (  # modules that are no methods
    *("base", "corrected", "costs", "coupling", "estimators", "labels", "nearest_prototype", "optional"),
    *("prototypes", "weighted"),
)
METHODS = (*_FIRST, *sorted({module.name for module in iter_modules(__path__)} - {*_FIRST, *_OTHERS}))


@cache
def get(name: str) -> type[Method]:
    """The class of a method; importing its module does not import the library behind it.

    ValueError if there is no such method, its module cannot be imported, or its class breaks the interface.
    """
    if name not in METHODS:
        raise ValueError(f"method: {name!r} is unknown, allowed are {', '.join(METHODS)}")
    full_name = f"proset_study.methods.{name}"
    try:
        module = import_module(full_name)
    except Exception as error:  # whatever the module of somebody else may raise
        raise ValueError(f"method: {full_name} cannot be imported: {type(error).__name__}: {error}") from error
    method = class_in(module)
    if found := faults(method):
        raise ValueError(f"method: {full_name} breaks the interface of methods/base.py: {'; '.join(found)}")
    return method


def class_in(module: ModuleType) -> type[Method]:
    """The one class of a module that inherits from `Method`; ValueError if there is none, or there are several."""
    own = [value for value in vars(module).values() if isinstance(value, type) and value.__module__ == module.__name__]
    classes = [value for value in dict.fromkeys(own) if issubclass(value, Method)]
    if len(classes) != 1:
        names = ", ".join(value.__name__ for value in classes) or "none"
        raise ValueError(
            f"method: {module.__name__} must have one class that inherits from proset_study.methods.base.Method,"
            f" it has {names}"
        )
    return classes[0]


def for_mixed() -> list[str]:
    """Names of the methods that take categories and missing values as they are; imports all of them."""
    return [name for name in METHODS if get(name).takes_mixed]


def makes(name: str, kind: type) -> bool:
    """Whether the models of a method are of a kind, for example `methods.prototypes.PrototypeModel`."""
    return issubclass(get(name).model, kind)
