"""What counts as the same number or text, and how a difference is said."""

import math
import re
from collections.abc import Iterator

CANCELLED = 1e-11  # absolute, of numbers that are differences of others
NUMBER = re.compile(r"([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)")
SHOWN = 10  # differences of one file


def line_differences(name: str, ours: list[str], theirs: list[str], relative: float, absolute: float) -> Iterator[str]:
    """What differs between the lines of a file and those computed again; numbers may by one tolerance or the other."""
    if len(ours) != len(theirs):
        yield f"{name}: {len(theirs) - 1} lines, computed again {len(ours) - 1}"
    differing = [
        (number, a, b)
        for number, (a, b) in enumerate(zip(ours, theirs, strict=False), start=1)
        if a != b and not (relative and same(_pieces(a), _pieces(b), relative, absolute))
    ]
    lines = [f"{name}, line {number}: {brief(b)}, computed again {brief(a)}" for number, a, b in differing]
    yield from first(lines, "lines differ", f"{name}: ")


def first(lines: list[str], what: str, where: str = "") -> Iterator[str]:
    """The first lines, and how many more there are."""
    yield from lines[:SHOWN]
    if len(lines) > SHOWN:
        yield f"{where}{len(lines) - SHOWN} more {what}"


def _pieces(line):
    """Text and numbers of a line in turn, the numbers as such."""
    return [float(piece) if i % 2 else piece for i, piece in enumerate(NUMBER.split(line))]


def same(a: object, b: object, relative: float, absolute: float) -> bool:
    """Whether two JSON values are the same; floats may differ by the one tolerance or the other."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key], relative, absolute) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y, relative, absolute) for x, y in zip(a, b, strict=True))
    if isinstance(a, bool) or isinstance(b, bool) or not isinstance(a, float | int) or not isinstance(b, float | int):
        return type(a) is type(b) and a == b
    return a == b or math.isclose(a, b, rel_tol=relative, abs_tol=absolute)


def brief(value: object) -> str:
    """A value in one line without control characters."""
    text = repr(value)
    return text if len(text) <= 300 else f"{text[:300]}..."
