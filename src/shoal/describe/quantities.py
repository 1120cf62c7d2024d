"""Numbers as users write them: shares, percentages and counts, read exactly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from shoal.errors import InputError, show

# A longer exponent would be written out in digits, and fill the memory.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_LEVEL = re.compile(r"((?:[^,=]*,)*[^,]*)=([^,=]*)(?:,|$)")

MOST_WEIGHT = 1_000_000
MOST_SHIFT = 36_500
"""The most days by which dates may be shifted: a century."""


def exactly(given: str | float | Fraction) -> Fraction:
    """Return a number exactly as its decimal or its fraction says, or raise a ValueError.

    >>> exactly("1/3"), exactly(0.1)
    (Fraction(1, 3), Fraction(1, 10))
    """
    if isinstance(given, Fraction):
        return given
    above, bar, below = str(given).strip().partition("/")
    if not _NUMBER.fullmatch(above) or (bar and not (below.isascii() and below.isdecimal())):
        raise ValueError(f"{given} is not a number")
    if bar and not int(below):
        raise ValueError(f"{given} divides by zero")
    return Fraction(above) / Fraction(below or 1)


def number(given: str | float | Fraction, refusal: str) -> Fraction:
    """Return a number exactly as it is written, or refuse it with a sentence."""
    try:
        return exactly(given)
    except ValueError:
        raise InputError(refusal) from None


def weight(given: str | float | Fraction) -> Fraction:
    """Return the weight of an attribute exactly as it is written, or refuse it.

    >>> weight("2"), weight(0.3)
    (Fraction(2, 1), Fraction(3, 10))
    """
    value = number(given, f"a weight is a number such as 2 or 0.5, not {show(str(given))}")
    if not 0 <= value <= MOST_WEIGHT:
        raise InputError(f"a weight of {given}; use 0 to {MOST_WEIGHT:,}")
    return value


def shift_days(given: Any) -> int | None:
    """Return by how many days dates are shifted at most, from `{days: 180}` or the number alone.

    >>> shift_days({"days": "180"}), shift_days(30), shift_days(None)
    (180, 30, None)
    """
    if given is None:
        return None
    refusal = "a shift is written as {days: 180}, from 1 to " + f"{MOST_SHIFT:,} days"
    if isinstance(given, Mapping):
        if set(given) != {"days"}:
            raise InputError(refusal)
        given = given["days"]
    days = number(given if isinstance(given, int) else str(given or ""), refusal)
    if days.denominator != 1 or not 1 <= days <= MOST_SHIFT:
        raise InputError(refusal)
    return int(days)


def suppression_limit(given: str | float, rows: int, what: str = "rows") -> int:
    """Return how many rows may be suppressed, or values: floor(share * rows), or a count as it is.

    A text ends in % or is a number; a number with a decimal point is a share of the rows.

    >>> suppression_limit("1%", 30162), suppression_limit(0.01, 30162), suppression_limit("301", 30162)
    (301, 301, 301)
    """
    text = str(given).strip()
    digits = text.removesuffix("%").strip()
    try:
        if not _NUMBER.fullmatch(digits):
            raise ValueError
        value = Fraction(digits)  # which refuses thousands of digits
    except ValueError:
        raise InputError(
            f"{show(text)} is not an amount of suppression; write 1%, 0.01 or a number of rows"
        ) from None
    whole = text == digits and value.denominator == 1 and "." not in digits and "e" not in digits.lower()
    if value < 0:
        raise InputError(f"suppression of {text} is negative; write 0 or more")
    if whole:
        if value > rows:
            raise InputError(f"suppression of {text} {what}, but the table has {rows:,}")
        return int(value)
    share = value / 100 if text != digits else value
    if share > 1:
        raise InputError(f"suppression of {text} is more than the whole table; write at most 100%")
    return int(share * rows)


def parse_levels(text: str, known: Iterable[str] = (), what: str = "level") -> dict[str, int]:
    """Return the levels of a text such as `age=1,workclass=2`; `what` is what errors call them.

    A name may contain commas, and `=` after the last comma; a known name may contain anything.

    >>> parse_levels("age=1, a,b=2"), parse_levels("a=b,c=2", ["a=b,c"])
    ({'age': 1, 'a,b': 2}, {'a=b,c': 2})
    """
    levels: dict[str, int] = {}
    names = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
    of_known = re.compile(rf"\s*({names})\s*=\s*([0-9]+)\s*(?:,|$)") if names else _LEVEL
    while found := of_known.match(text) or _LEVEL.match(text):
        text = text[found.end() :]
        name, level = found[1].strip(), found[2].strip()
        if not (level.isascii() and level.isdigit() and len(level) < 10):
            raise InputError(f"the {what} of {show(name)} is {show(level)}; write it as in age=1")
        if name in levels:
            raise InputError(f"the {what} of {show(name)} is given twice; keep one")
        levels[name] = int(level)
    if text.strip(", "):
        raise InputError(f"{show(text.strip(', '))} has no {what}; write it as in age=1,workclass=2")
    return levels
