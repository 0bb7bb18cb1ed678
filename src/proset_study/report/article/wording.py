"""Numbers as article and findings print them, and the words that follow from them."""

from math import floor, isfinite, log10
from typing import Any

from proset_study.report import wording
from proset_study.report.analysis.statistics import ALPHA
from proset_study.report.wording import fixed

_SMALL = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh")
TIMES = "\N{MULTIPLICATION SIGN}"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Printed(str):
    """A text with the number that it prints, or several of them, as `value`."""

    value: Any

    def __new__(cls, text: str, *values: float | None) -> "Printed":
        """The text of one number, or of a list of several."""
        number = super().__new__(cls, text)
        number.value = values[0] if len(values) == 1 else list(values)
        return number


def count(number: float) -> Printed:
    """A count, in words up to twelve; ValueError for what is none.

    >>> count(10), count(6400)
    ('ten', '6,400')
    """
    if number < 0 or number != round(number):
        raise ValueError(f"number: {number!r} is not allowed, a count is a whole number from 0 on")
    return Printed(_SMALL[round(number)], number) if number <= 12 else whole(number)


def ordinal(place: int) -> str:
    """A place, as a word up to the eleventh; ValueError for none.

    >>> ordinal(2), ordinal(12), ordinal(22)
    ('second', '12th', '22nd')
    """
    if place < 1:
        raise ValueError(f"place: {place} is not allowed, the first one is 1")
    ending = {1: "st", 2: "nd", 3: "rd"}.get(place % 10 if place % 100 // 10 != 1 else 0, "th")
    return _ORDINALS[place - 1] if place <= len(_ORDINALS) else f"{place}{ending}"


def counted(number: int, noun: str) -> Printed:
    """A count with what is counted: "one seed", "three seeds"."""
    return Printed(f"{count(number)} {noun}{'' if number == 1 else 's'}", number)


def whole(number: float) -> Printed:
    """A number without decimals, always in digits."""
    return Printed(f"{number:,.0f}", number)


def general(number: float) -> Printed:
    """A number with as many digits as it has."""
    return Printed(f"{number:g}", number)


def decimals(number: float, digits: int = 3, sign: bool = False) -> Printed:
    """A number with `digits` decimals and a typographic minus; ValueError if it is not finite.

    >>> decimals(0.0005929, sign=True)
    '+0.001'
    """
    if not isfinite(number):
        raise ValueError(f"number: {number!r} is not allowed, must be finite")
    return Printed(fixed(number, digits, "+" if sign else ""), number)


def interval(low: float, high: float) -> Printed:
    """Both ends, signed."""
    return Printed(f"{decimals(low, sign=True)} to {decimals(high, sign=True)}", low, high)


def difference(value: float, low: float, high: float) -> Printed:
    """Signed, with its interval in brackets."""
    return Printed(f"{decimals(value, sign=True)} ({interval(low, high)})", value, low, high)


def percent(proportion: float) -> Printed:
    """A proportion in percent, without decimals."""
    return Printed(f"{proportion:.0%}".replace("%", " %"), proportion)


def p_value(p: float | None) -> Printed:
    """A p-value with two digits, or that it is below 0.001; empty for None."""
    return Printed(wording.p_value(p), p)


def p_of(p: float) -> Printed:
    """The same in a sentence: "p = 0.071"."""
    text = p_value(p)
    return Printed(f"p {text}" if text.startswith("<") else f"p = {text}", p)


def power(number: float) -> Printed:
    """A number far from 1 with a power of ten.

    >>> power(1e-6), power(0.05)
    ('10⁻⁶', '0.05')
    """
    exponent = floor(log10(number) + 1e-9)
    if -3 < exponent < 4:
        return general(number)
    factor = round(number / 10**exponent, 6)
    ten = f"10{str(exponent).translate(_SUPERSCRIPTS)}"
    return Printed(ten if factor == 1 else f"{factor:g} {TIMES} {ten}", number)


def significant(p: float | None) -> bool:
    """Whether a test could be made and rejects."""
    return p is not None and p < ALPHA


def ratio(part: float, of: float) -> Printed:
    """Some of all."""
    return Printed(f"{part:.0f} of {of:.0f}", part, of)
