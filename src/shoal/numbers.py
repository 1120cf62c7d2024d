"""Numbers as people read them, on the command line, in reports, on pages, in errors and in notebooks.

There is one rounding rule: half up in decimal, from the exact value. A float counts as the decimal that it
prints as (0.15 is fifteen hundredths, whatever its bits say). So 1/16 is 6.3% wherever it is shown. A share
above 0 never reads as 0%, and one below 1 never as 100%: such shares are shown as "<0.1%" and ">99.9%".

Whole numbers in full (`f"{rows:,}"`) need no rounding and may be written anywhere.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from math import floor, isfinite, log10
from typing import SupportsFloat

Number = int | float | Fraction | SupportsFloat

UNKNOWN = "not known"
BYTES = {"T": 10**12, "G": 10**9, "M": 10**6, "K": 10**3}


def rounded(number: Number, digits: int = 0) -> str:
    """Return a number with so many decimals, rounded half up, and commas between thousands.

    >>> rounded(2.5), rounded(0.15, 1), rounded(Fraction(1, 16), 3), rounded(-1234.5678, 2)
    ('3', '0.2', '0.063', '-1,234.57')
    """
    if isinstance(number, int | Fraction):
        exact = Fraction(number)
    elif not isfinite(plain := float(number)):
        return str(plain)
    else:
        exact = Fraction(str(plain))
    parts = floor(abs(exact) * 10**digits + Fraction(1, 2))
    sign = "-" if exact < 0 and parts else ""
    whole, rest = divmod(parts, 10**digits)
    return f"{sign}{whole:,}" + (f".{rest:0{digits}}" if digits else "")


def percent(share: Number | None, digits: int = 1) -> str:
    """Return a share in percent, with a decimal if it has one.

    >>> percent(Fraction(1, 16)), percent(0.5), percent(0), percent(1), percent(None)
    ('6.3%', '50%', '0%', '100%', 'not known')
    >>> percent(0.00001), percent(0.99999), percent(0.004, 0)
    ('<0.1%', '>99.9%', '<1%')
    """
    if share is None:
        return UNKNOWN
    exact = share if isinstance(share, int | Fraction) else Fraction(str(float(share)))
    least = Fraction(1, 10 ** (2 + digits))
    if 0 < exact < least:
        return f"<{_short(100 * least, digits)}%"
    if 1 - least < exact < 1:
        return f">{_short(100 - 100 * least, digits)}%"
    return f"{_short(100 * exact, digits)}%"


def share_of(part: int, whole: int) -> str:
    """Return a part of a whole in percent; a part of nothing is 0%.

    >>> share_of(1, 8), share_of(0, 0)
    ('12.5%', '0%')
    """
    return percent(Fraction(part, whole) if whole else 0)


def much_suppressed(suppressed: int | None, rows: int | None) -> str:
    """Return a sentence that comes first where more than a tenth of the rows is suppressed; else nothing.

    >>> much_suppressed(32527, 32561), much_suppressed(10, 100)
    ('32,527 of 32,561 rows are suppressed (99.9%), more than a tenth. ', '')
    """
    if not suppressed or not rows or 10 * suppressed <= rows:
        return ""
    gone = f"{suppressed:,} of {rows:,} rows are suppressed ({share_of(suppressed, rows)})"
    return f"{gone}, more than a tenth. "


def _short(number: Number, digits: int) -> str:
    text = rounded(number, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def count(number: Number | None) -> str:
    """Return a whole number, or an average rounded to one.

    >>> count(45222), count(2.5), count(None)
    ('45,222', '3', 'not known')
    """
    return UNKNOWN if number is None else rounded(number)


def many(number: int | None, noun: str, plural: str = "") -> str:
    """Return a number with its noun.

    >>> many(1, "row"), many(1200, "row"), many(2, "class", "classes")
    ('1 row', '1,200 rows', '2 classes')
    """
    return f"{count(number)} {noun if number == 1 else plural or noun + 's'}"


def amount(number: Number | None) -> str:
    """Return a loss or a cost, with a decimal if it has one.

    >>> amount(168193.44), amount(241296.0), amount(0.01)
    ('168,193.4', '241,296', '<0.1')
    """
    if number is None:
        return UNKNOWN
    return "<0.1" if 0 < float(number) < 0.1 else _short(number, 1)


def figure(number: Number, digits: int = 4) -> str:
    """Return any measure with four significant digits, but whole numbers in full.

    >>> figure(0.0123456), figure(12.5), figure(168193.44), figure(0), figure(2 / 3, 3)
    ('0.01235', '12.5', '168,193', '0', '0.667')
    """
    size = abs(float(number))
    if not size or not isfinite(size):
        return _short(number, 0)
    before = floor_log10(size) + 1
    return _short(number, max(0, min(digits - before, 12)))


def floor_log10(number: float) -> int:
    """Return the power of ten at or below a positive number.

    >>> floor_log10(1000), floor_log10(999.9), floor_log10(0.01)
    (3, 2, -2)
    """
    return int(f"{number:e}".partition("e")[2])


def short_number(number: float) -> str:
    """Return a number as axes show it.

    >>> [short_number(n) for n in (0, 0.25, 12, 1500, 241296, 3_000_000)]
    ['0', '0.25', '12', '1.5k', '241k', '3M']
    """
    for name, unit in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if abs(number) >= unit:
            return figure(number / unit, 3) + name
    return figure(number, 3)


def large_number(number: int) -> str:
    """Return a whole number of any size in a readable form.

    >>> large_number(356_440_500), large_number(24_389_204_037_320_013), large_number(999 * 10**12)
    ('356,440,500', '2.4 × 10¹⁶', '1.0 × 10¹⁵')
    >>> large_number(2**15_000), large_number(10**400)
    ('2.8 × 10⁴⁵¹⁵', '1.0 × 10⁴⁰⁰')
    """
    if number < 10**12:
        return f"{number:,}"
    power = int(log10(number))  # of any size, where a float would be too small; it may be off by one
    while 10**power > number:
        power -= 1
    while 10 ** (power + 1) <= number:
        power += 1
    power += rounded(Fraction(number, 10**power), 1) == "10.0"
    raised = str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{rounded(Fraction(number, 10**power), 1)} × 10{raised}"


MOST_DIGITS = 200_000
"""Digits of the longest number that documents may have: Python needs half a second to write or read it."""


def whole_number(text: str) -> int:
    """Return the whole number of a document, which may be longer than what Python reads by itself.

    >>> whole_number("1" + "0" * 5000) == 10**5000
    True
    """
    _let_digits(len(text))
    return int(text)


def writable(number: int) -> int:
    """Return a number, and see to it that it can be written to a document.

    >>> len(str(writable(2**15_000)))
    4516
    """
    _let_digits(number.bit_length() * 302 // 1000 + 2)
    return number


def _let_digits(needed: int) -> None:
    """Raise Python's limit on the digits of numbers as text as far as needed: hierarchies of ten thousands
    of values have more cuts than its 4,300 digits can tell."""
    if sys.get_int_max_str_digits() < needed <= MOST_DIGITS and sys.get_int_max_str_digits():
        sys.set_int_max_str_digits(needed)


def seconds(number: float) -> str:
    """Return how long something took.

    >>> seconds(0.05), seconds(0.0001), seconds(0), seconds(12.345), seconds(300.4)
    ('0.05 s', '<0.01 s', '0 s', '12.35 s', '300 s')
    """
    if 0 < number < 0.01:
        return "<0.01 s"
    return ("0" if number <= 0 else rounded(number, 2 if number < 100 else 0)) + " s"


def milliseconds(number: float) -> str:
    """Return how long something short took.

    >>> milliseconds(0.04), milliseconds(2.25), milliseconds(1500)
    ('<0.1 ms', '2.3 ms', '1,500 ms')
    """
    return f"{amount(number)} ms"


def size(number: int) -> str:
    """Return a number of bytes.

    >>> size(1_610_612_736), size(999)
    ('1.6 GB', '999 bytes')
    """
    for unit, scale in BYTES.items():
        if number >= scale:
            return f"{rounded(Fraction(number, scale), 1)} {unit}B"
    return f"{number:,} bytes"
