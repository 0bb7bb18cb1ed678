"""The class that a module of a discovered kind defines: a method, a generated data set, an evaluation."""

from types import ModuleType
from typing import TypeVar

T = TypeVar("T")


def class_in(module: ModuleType, kind: type[T]) -> type[T]:
    """The one class of a module that inherits from `kind`; ValueError if there is none, or there are several."""
    own = dict.fromkeys(value for value in vars(module).values() if isinstance(value, type))
    classes = [value for value in own if value.__module__ == module.__name__ and issubclass(value, kind)]
    if len(classes) != 1:
        needed = f"{kind.__module__}.{kind.__name__}"
        names = ", ".join(value.__name__ for value in classes) or "none"
        raise ValueError(f"{module.__name__} must have one class that inherits from {needed}, it has {names}")
    return classes[0]
