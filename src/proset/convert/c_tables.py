"""Arrays and strings as definitions of C."""

import json
import re
from collections.abc import Iterable

import numpy as np

from proset.encoding import Category, text_of


def table(name: str, values: np.ndarray, scope: str = "static ") -> str:
    """One array."""
    inner = f"[{values.shape[1]}]" if values.ndim == 2 else ""
    numbers = (
        json.dumps(values.tolist())
        .replace("NaN", "NAN")
        .translate({ord("["): "{", ord("]"): "}"})
        .replace("}, {", "},\n    {")
    )
    if not len(values):
        numbers = "{{0}}" if inner else "{0}"  # never read: C has no empty arrays
    return f"{scope}const {name}[]{inner} = {numbers};\n"


def levels(levels: list[tuple[Category, ...] | None]) -> str:
    """Levels of each feature, NULL for a missing one, and how many there are."""
    texts = [
        [] if of is None else ["NULL" if level is None else _string(text_of(level)) for level in of] for of in levels
    ]
    tables = "".join(
        f"static const char *const levels_{a}[] = {{{', '.join(of or ['NULL'])}}};\n" for a, of in enumerate(texts)
    )
    tables += f"static const char *const *const levels[] = {{{', '.join(f'levels_{a}' for a in range(len(texts)))}}};\n"
    return tables + f"static const int n_levels[] = {{{', '.join(str(len(of)) for of in texts)}}};\n"


def strings(name: str, strings: Iterable[object]) -> str:
    """An array of strings."""
    return f"const char *const {name}[] = {{{', '.join(_string(str(text)) for text in strings)}}};\n"


def _string(text: str) -> str:
    """A literal with everything but letters, digits and blanks as octal escapes, so that nothing has a meaning in C."""
    if "\0" in text:
        raise ValueError(f"model: {text!r} is not allowed as a class, category or column, text in C ends at a NUL")
    octets = text.encode("utf-8", "backslashreplace")
    return '"' + "".join(chr(c) if re.match(rb"[A-Za-z0-9 ]", bytes([c])) else f"\\{c:03o}" for c in octets) + '"'
