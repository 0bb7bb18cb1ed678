"""Numbers as the article prints them, and the words that follow from them."""

from math import floor, isfinite, log10

from proset_study.report.analysis.statistics import ALPHA
from proset_study.report.wording import fixed, p_value

_SMALL = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
TIMES = "\N{MULTIPLICATION SIGN}"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def count(number: float) -> str:
    """A count, in words up to twelve; ValueError for what is none.

    Examples
    --------
    >>> count(10), count(6400)
    ('ten', '6,400')
    """
    if number < 0 or number != round(number):
        raise ValueError(f"number: {number!r} is not allowed, a count is a whole number from 0 on")
    return _SMALL[round(number)] if number <= 12 else f"{number:,.0f}"


def decimals(number: float, digits: int = 3, sign: bool = False) -> str:
    """A number with so many decimals and a typographic minus; ValueError if it is not finite.

    Examples
    --------
    >>> decimals(0.0005929, sign=True)
    '+0.001'
    """
    if not isfinite(number):
        raise ValueError(f"number: {number!r} is not allowed, must be finite")
    return fixed(number, digits, "+" if sign else "")


def interval(low: float, high: float) -> str:
    """Both ends, signed."""
    return f"{decimals(low, sign=True)} to {decimals(high, sign=True)}"


def difference(value: float, low: float, high: float) -> str:
    """Signed, with its interval in brackets."""
    return f"{decimals(value, sign=True)} ({interval(low, high)})"


def percent(proportion: float) -> str:
    """Of a whole, without decimals."""
    return f"{proportion:.0%}".replace("%", " %")


def p_of(p: float) -> str:
    """The same in a sentence: "p = 0.071"."""
    text = p_value(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def power(number: float) -> str:
    """A number far from 1 with a power of ten.

    Examples
    --------
    >>> power(1e-6), power(0.05)
    ('10⁻⁶', '0.05')
    """
    exponent = floor(log10(number) + 1e-9)
    factor = round(number / 10**exponent, 6)
    if -3 < exponent < 4:
        return f"{number:g}"
    ten = f"10{str(exponent).translate(_SUPERSCRIPTS)}"
    return ten if factor == 1 else f"{factor:g} {TIMES} {ten}"


def significant(p: float | None) -> bool:
    """Whether a test could be made and rejects."""
    return p is not None and p < ALPHA


def ratio(found: float, of: float) -> str:
    """Some of all."""
    return f"{found:.0f} of {of:.0f}"
