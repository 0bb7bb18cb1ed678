"""Single samples in figures: what is given as one, and its values as text."""

from typing import Any

import numpy as np

from proset.plot import style
from proset.units import table_of

CATEGORY_WIDTH = 18  # of names of categories next to that of their feature
DIGITS = 4


def one_sample(x: Any) -> Any:
    """A table of one row, of that row or of the table; ValueError if it is not one."""
    table = table_of(x)
    if np.shape(table)[0] != 1:
        raise ValueError(f"x: {np.shape(table)[0]} samples are not allowed, one is shown")
    return table


def text(value: Any) -> str:
    """A value as it stands next to the name of its feature.

    Examples
    --------
    >>> [text(value) for value in (0.123456, 5.0, 12345.6, "red", None)]
    ['0.1235', '5', '12,346', 'red', 'missing']
    """
    if isinstance(value, float | int | np.number) and not isinstance(value, bool):
        return "missing" if np.isnan(value) else _number(float(value), DIGITS)
    return "missing" if value is None else style.plain(value, CATEGORY_WIDTH)


def change(before: Any, after: Any) -> str:
    """Two values with an arrow, numbers with as few digits as tell them apart.

    Examples
    --------
    >>> change(4.91234, 4.91241), change("red", "blue")
    ('4.9123 → 4.9124', 'red → blue')
    """
    pair = [text(value) for value in (before, after)]
    digits = DIGITS
    while pair[0] == pair[1] and isinstance(before, float) and digits < 15:
        digits += 1
        pair = [_number(float(value), digits) for value in (before, after)]
    return " → ".join(pair)


def _number(value: float, digits: int) -> str:
    if abs(value) >= 10.0**digits:
        return f"{value:,.0f}" if abs(value) < 1e9 else f"{value:.{digits}g}"
    return f"{value:,.{digits}g}"
