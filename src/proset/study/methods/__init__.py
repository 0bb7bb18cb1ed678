"""The methods that are compared; the study knows them only by the interface of `methods.base`."""

from importlib import import_module

from proset.study.methods.base import Method

METHODS = ("proset", "knn", "xgboost")  # one module each, of the same name


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
