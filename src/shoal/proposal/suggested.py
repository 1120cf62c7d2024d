"""Initial hierarchies for columns that nobody has described: valid, and easy to edit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

from shoal.proposal.suggested_groups import LETTERS, Rows, assemble, group_categories

Number = int | float
LONGEST_MASK = 12
"""More characters would make more levels than anyone wants to choose from."""


TAXONOMY_LEVELS = 4
"""The levels of the taxonomies that are suggested: countries and states, each in two steps to the root."""


@dataclass(frozen=True)
class Suggestion:
    """A hierarchy for a study: a description, or rows for a file; `note` says what to check in it."""

    description: Mapping[str, Any] | None = None
    rows: Rows | None = None
    note: str = ""

    @property
    def last_resort(self) -> bool:
        """Whether the groups mean nothing, and somebody should make better ones."""
        return "last resort" in self.note

    @property
    def levels(self) -> int:
        """How many levels the hierarchy has, the values and the root included.

        >>> suggest_mask(5).levels, suggest_dates("2024-01-01", "2025-12-31", birth=False).levels
        (6, 5)
        """
        if self.description is None:
            return len(self.rows[0]) if self.rows else 0
        ((kind, given),) = self.description.items()
        if kind == "mask":
            return int(given["digits"]) + 1
        if kind == "taxonomy":
            return TAXONOMY_LEVELS
        return 2 + len(given["widths"] if kind == "intervals" else given)


def suggest_intervals(low: float, high: float, *, whole: bool, age: bool = False) -> Suggestion:
    """Return nested intervals for numbers from low to high, about ten of the narrowest.

    >>> suggest_intervals(17, 90, whole=True, age=True).description
    {'intervals': {'origin': 0, 'widths': [5, 10, 20, 40]}}
    >>> suggest_intervals(35.5, 41.9, whole=False).description
    {'intervals': {'origin': 32, 'widths': [0.5, 1, 2, 4]}}
    """
    span = Fraction(high) - Fraction(low)
    years = age and span >= 20 and high <= 150
    first = Fraction(5) if years else next(_round_widths(low, high, whole))
    widths = [first * 2**i for i in range(4)]
    # An interval that holds all numbers would repeat the root; but at least one level is needed.
    widths = [width for width in widths if width < span] or [first]
    # A multiple of the widest width, so that all intervals begin at multiples of their own.
    origin = floor(Fraction(low) / widths[-1]) * widths[-1]
    numbers = {"origin": _number(origin), "widths": [_number(width) for width in widths]}
    return Suggestion({"intervals": numbers})


def _round_widths(low: float, high: float, whole: bool) -> Iterator[Fraction]:
    """Yield 1, 2 or 5 times a power of ten, rising, from a twentieth of the range.

    If a bound is not whole, its label has six digits, so a width must not need more.
    """
    least = (Fraction(high) - Fraction(low)) / 20
    largest = max(abs(Fraction(low)), abs(Fraction(high)))
    for exponent in range(0 if whole else -12, 400):
        unit = Fraction(10) ** exponent
        for digit in (1, 2, 5):
            width = digit * unit
            readable = unit >= 1 or largest + 16 * width < unit * 10**6
            if width >= least and readable and not (whole and width == 1):
                yield width


def suggest_digit_intervals(high: float) -> Suggestion:
    """Return intervals of powers of ten, like masks, for codes that lost their leading zeros.

    >>> suggest_digit_intervals(98196).description
    {'intervals': {'origin': 0, 'widths': [10, 100, 1000, 10000]}}
    """
    widths = [10**i for i in range(1, 15) if 10**i < high] or [10]
    return Suggestion({"intervals": {"origin": 0, "widths": widths}})


def suggest_mask(length: int) -> Suggestion:
    """Return the masking of codes of one length, one character per level."""
    return Suggestion({"mask": {"digits": length}})


def suggest_dates(first: str, last: str, *, birth: bool, timed: bool = False) -> Suggestion:
    """Return units of time, each a multiple of the one before, for dates from first to last.

    Dates that are `timed` have a time of day.

    >>> suggest_dates("1950-03-01", "2004-12-31", birth=True).description
    {'dates': ['month', 'year', '5 years', 'decade']}
    """
    over_years = birth or int(last[:4]) - int(first[:4]) >= 20
    units = ["month", "year", "5 years", "decade"] if over_years else ["month", "quarter", "year"]
    return Suggestion({"dates": ["day", *units] if timed else units})


def suggest_categories(values: Iterable[str]) -> Suggestion:
    """Return categories, in simple groups if they are many, as rows for a file.

    >>> suggest_categories(["yes", "no"]).rows
    (('no', '*'), ('yes', '*'))
    """
    rows, how = group_categories(values)
    if how == LETTERS:
        return Suggestion(
            rows=rows, note=f"Grouped by {how}, a last resort that means nothing; edit the file"
        )
    return Suggestion(rows=rows, note=f"Grouped by {how}, as a start; edit the file" if how else "")


def suggest_codes(values: Iterable[str]) -> Suggestion:
    """Return codes that stand for kinds, which intervals would mix: they go straight to the root.

    >>> suggest_codes(["1", "2", "7"]).rows
    (('1', '*'), ('2', '*'), ('7', '*'))
    """
    return Suggestion(rows=assemble(sorted(set(values), key=lambda value: (len(value), value))))


def _number(value: Fraction) -> Number:
    return value.numerator if value.denominator == 1 else float(value)
