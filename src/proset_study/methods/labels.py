"""How methods, their parameters and their complexity look in figures and tables: what each method says of itself."""

from collections.abc import Iterable
from contextlib import suppress
from functools import cache

from proset_study.methods import METHODS, get
from proset_study.methods.base import Name


def method_name(method: str) -> str:
    """A method as pages, tables and figures write it."""
    return get(method).label or method.replace("_", " ")


def place(method: str) -> int:
    """Place of a method in the palette, from 0: the one it asks for, or one behind those of all the others."""
    return (get(method).place or len(METHODS) + 1 + METHODS.index(method)) - 1


def name_of(quantity: str) -> Name:
    """How a parameter or complexity of any method is written; the first method that names it decides."""
    return _names().get(quantity, Name(quantity))


def appearance(methods: Iterable[str]) -> str:
    """All of this for some methods, as text: what figures and tables depend on besides numbers."""
    return repr([(method_name(m), place(m), get(m).names) for m in methods])


@cache
def _names():
    found: dict[str, Name] = {}
    for method in METHODS:
        with suppress(ValueError):  # a broken file that no experiment uses must not stop a report
            found = {**{name.key: name for name in get(method).names}, **found}
    return found
