"""Hierarchies of numbers: intervals of some widths, or between some bounds, with open ends if wanted."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from shoal.describe.hierarchies.levels import ROOT, Label
from shoal.errors import InputError, did_you_mean, show

INTERVALS = ("origin", "widths", "bounds", "bottom", "top")
# A longer exponent would be written out in digits, and fill the memory.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")

Span = tuple[Fraction | None, Fraction | None]
"""An interval from its first number to the first one after it; None where it is open."""


def checked_options(given: Any, known: Sequence[str], needed: str, source: str) -> Mapping[str, Any]:
    """Return the options of a description, after a check of their names."""
    if not isinstance(given, Mapping):
        raise InputError(f"write the options as a mapping, such as {{{needed}: ...}}", file=source)
    for name in map(str, given):
        if name not in known:
            raise InputError(f"unknown option {show(name)}; {did_you_mean(name, known)}", file=source)
    if needed not in given:
        raise InputError(f"the option {needed} is missing", file=source)
    return given


def plain_number(text: Any, what: str, source: str) -> Fraction:
    """Return a number that is written out, or refuse the text."""
    number = str(text).strip()
    try:
        if not _NUMBER.fullmatch(number):
            raise ValueError
        return Fraction(number)
    except ValueError:
        raise InputError(f"{what} {show(str(text))} is not a number", file=source) from None


def interval_rows(given: Any, values: list[str], source: str) -> list[tuple[Label, ...]]:
    """Return the rows of a description by widths or bounds.

    >>> interval_rows({"widths": [10, 20], "top": 90, "bottom": 16}, ["3", "17", "85", "95"], "age")[1:3]
    [('17', '16-19', '16-19', '*'), ('85', '80-89', '80-89', '*')]
    >>> interval_rows({"bounds": [[18, 65, 80], [65]]}, ["17", "70"], "age")
    [('17', '<18', '<65', '*'), ('70', '65-79', '65+', '*')]
    """
    by_bounds = isinstance(given, Mapping) and "bounds" in given
    options = checked_options(given, INTERVALS, "bounds" if by_bounds else "widths", source)
    if by_bounds and set(map(str, options)) != {"bounds"}:
        raise InputError(
            "bounds say where every interval begins; leave the other options out", file=source
        )
    numbers = [plain_number(value, "the value", source) for value in values]
    levels, fixed = _by_bounds(options, source) if by_bounds else _by_widths(options, source)
    whole = all(number.denominator == 1 for number in [*fixed, *numbers])
    return [
        (value, *(_label(level(number), whole) for level in levels), ROOT)
        for value, number in zip(values, numbers, strict=True)
    ]


Levels = tuple[list[Callable[[Fraction], Span]], list[Fraction]]
"""For each level the interval of a number, and every number of the description."""


def _by_widths(options: Mapping[str, Any], source: str) -> Levels:
    origin = plain_number(options.get("origin", 0), "the origin", source)
    widths = _numbers(options["widths"], "widths", "the width", source)
    for narrow, wide in zip([Fraction(0), *widths], widths, strict=False):
        if wide <= narrow:
            raise InputError("widths are positive and rise from level to level", file=source)
        if narrow and wide % narrow:
            raise InputError(
                f"an interval of {wide} does not hold whole intervals of {narrow}; "
                "make every width a multiple of the one before",
                file=source,
            )
    ends = {
        name: plain_number(options[name], f"the {name}", source)
        for name in ("bottom", "top")
        if name in options
    }
    bottom, top = ends.get("bottom"), ends.get("top")
    if bottom is not None and top is not None and bottom >= top:
        raise InputError(f"the bottom {bottom} is not below the top {top}", file=source)

    def level(width: Fraction) -> Callable[[Fraction], Span]:
        def span(number: Fraction) -> Span:
            if top is not None and number >= top:
                return top, None
            if bottom is not None and number < bottom:
                return None, bottom
            low = origin + (number - origin) // width * width
            # An interval ends where the open class begins, on every level, so that levels nest.
            high = low + width if top is None else min(low + width, top)
            return low if bottom is None else max(low, bottom), high

        return span

    return [level(width) for width in widths], [origin, *widths, *ends.values()]


def _by_bounds(options: Mapping[str, Any], source: str) -> Levels:
    raw = options["bounds"]
    if isinstance(raw, str) or not isinstance(raw, Sequence) or not raw:
        raise InputError(
            "bounds has a list of numbers for each level, such as [[18, 40, 65], [40]]", file=source
        )
    found = [_numbers(each, "bounds", "the bound", source) for each in raw]
    for i, bounds in enumerate(found):
        if any(low >= high for low, high in pairwise(bounds)):
            raise InputError("the bounds of a level rise from number to number", file=source)
        if i and not set(bounds) < set(found[i - 1]):
            raise InputError(
                "a level has some of the bounds of the level before, and fewer, so that its intervals hold "
                "whole intervals",
                file=source,
            )

    def level(bounds: list[Fraction]) -> Callable[[Fraction], Span]:
        def span(number: Fraction) -> Span:
            at = bisect_right(bounds, number)
            return bounds[at - 1] if at else None, bounds[at] if at < len(bounds) else None

        return span

    return [level(bounds) for bounds in found], [each for bounds in found for each in bounds]


def _numbers(raw: Any, name: str, what: str, source: str) -> list[Fraction]:
    if isinstance(raw, str) or not isinstance(raw, Sequence) or not raw:
        raise InputError(f"{name} is a list of numbers, such as [5, 10, 20]", file=source)
    return [plain_number(each, what, source) for each in raw]


def _label(span: Span, whole: bool) -> str:
    low, high = span
    if low is None:
        return f"<{_plain(high or Fraction(0))}"
    if high is None:
        return f"{_plain(low)}+"
    if not whole:
        return f"[{_plain(low)}, {_plain(high)})"
    return f"{low}" if high - low == 1 else f"{low}-{high - 1}"


def _plain(number: Fraction) -> str:
    """Return a decimal number with all its digits."""
    places = 0
    while (number * 10**places).denominator != 1:
        places += 1
    whole, rest = divmod(abs(number * 10**places).numerator, 10**places)
    sign = "-" if number < 0 else ""
    return f"{sign}{whole}.{rest:0{places}d}" if places else f"{sign}{whole}"
