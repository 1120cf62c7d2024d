"""Promises that are made of two numbers: recursive (c, l)-diversity, and delta-presence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.describe.promise.shares import share
from shoal.describe.quantities import exactly
from shoal.errors import InputError, show

LARGEST = 10**9
"""Of l and c: no table is as diverse, and numbers stay small enough to be compared."""


def diversity(
    given: str | float | Fraction, what: str = "entropy l", most: int | None = LARGEST
) -> Fraction:
    """Return how many values a group must look like it has, exactly: 2, 2.5 or 5/2.

    >>> diversity("2.5")
    Fraction(5, 2)
    """
    try:
        value = exactly(given)
    except ValueError:
        raise InputError(f"{what} {show(str(given))} is no number; write 4, 2.5 or 7/2") from None
    if value < 1:
        raise InputError(f"{what} is {given}; use 1 or more")
    if most is not None and value > most:
        raise InputError(f"{what} is {given}; use {most:,} or less")
    return value


@dataclass(frozen=True)
class Recursive:
    """Recursive (c, l)-diversity: the most frequent value is rarer than c times the l-th and all after it."""

    c: Fraction
    l: int  # noqa: E741  the literature's name

    @classmethod
    def of(cls, c: str | float | Fraction, l: str | float | Fraction) -> Recursive:  # noqa: E741
        """Return c and l as they are written, or refuse them.

        >>> Recursive.of("1.5", "3")
        Recursive(c=Fraction(3, 2), l=3)
        """
        try:
            factor = exactly(c)
        except ValueError:
            raise InputError(f"recursive c {show(str(c))} is no number; write 2, 1.5 or 3/2") from None
        if not 0 < factor <= LARGEST:
            raise InputError(f"recursive c is {c}; use more than 0, and {LARGEST:,} or less")
        text = str(l).strip()
        if not (text.isascii() and text.isdecimal() and 1 <= len(text) < 10 and int(text) >= 1):
            raise InputError(f"recursive l is {show(text)}; use a whole number, 1 or more")
        return cls(factor, int(text))

    def to_dict(self) -> dict[str, Any]:
        """Return both as documents show them."""
        return {"c": str(self.c), "l": self.l}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Recursive:
        """Return both of a document."""
        return cls.of(given["c"], given["l"])


@dataclass(frozen=True)
class Presence:
    """Delta-presence: how likely it may be at least, and at most, that a person is in the release."""

    low: Fraction
    high: Fraction

    @classmethod
    def of(cls, low: str | float | Fraction, high: str | float | Fraction) -> Presence:
        """Return both shares as they are written, or refuse them.

        >>> Presence.of("0", "1/3")
        Presence(low=Fraction(0, 1), high=Fraction(1, 3))
        """
        found = cls(share(low, "delta"), share(high, "delta"))
        if found.low > found.high:
            raise InputError(f"delta from {low} to {high}; give the smaller first")
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return both as documents show them."""
        return {"low": str(self.low), "high": str(self.high)}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Presence:
        """Return both of a document."""
        return cls.of(given["low"], given["high"])
