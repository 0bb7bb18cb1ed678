"""The form of messages about a value in a config: its key, what was given, what is allowed."""

from collections.abc import Iterable, Iterator


def refused(where: str, value: object, reason: str) -> str:
    return f"{where}: {value!r} is not allowed, {reason}"


def not_among(where: str, value: object, allowed: Iterable[str]) -> str:
    return refused(where, value, f"allowed are {', '.join(allowed) or 'none'}")


def unknown(where: str, kind: str, names: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    """A message for each name that is not known."""
    return (f"{where}: unknown {kind} {name!r}, allowed are {', '.join(known)}" for name in names if name not in known)
