"""How methods, their parameters and their complexity look in figures and tables: what each method says of itself."""

from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from inspect import getsource

from proset_study.methods import METHODS, get
from proset_study.methods.base import Method, Name


def method_name(method: str) -> str:
    """A method as pages, tables and figures write it."""
    return get(method).label or method.replace("_", " ")


def place(method: str) -> int:
    """Place of a method in the palette, from 0: the one it asks for, or one of those behind all that are asked for."""
    if asked := get(method).place:
        return asked - 1
    places = {name: known.place for name, known in _known().items()}
    return max(places.values()) + [name for name, asked in places.items() if not asked].index(method)


def name_of(quantity: str) -> Name:
    """How a parameter or complexity of any method is written; the first method that names it decides."""
    names = (name for method in _known().values() for name in method.names if name.key == quantity)
    return next(names, Name(quantity))


def appearance(methods: Iterable[str]) -> str:
    """All of this for some methods, as text, and what else reports ask of them that no result counts: `base.ABOUT`."""
    kinds = [(m, get(m)) for m in methods]
    return repr([(method_name(m), place(m), k.names, k.is_baseline, getsource(k.operations)) for m, k in kinds])


@cache
def _known() -> dict[str, type[Method]]:
    """All methods but those whose file is broken, which no experiment uses: they must not stop a report."""
    known = {}
    for name in METHODS:
        with suppress(ValueError):
            known[name] = get(name)
    return known
