"""The limits that promises set: shares of a group, l-diversity by entropy and recursive, delta-presence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from shoal.describe.quantities import number
from shoal.errors import InputError, show


def share(given: str | float | Fraction, what: str = "theta") -> Fraction:
    """Return a share between 0 and 1, exactly as its decimal or fraction says.

    >>> share("1/3"), share(0.1)
    (Fraction(1, 3), Fraction(1, 10))
    """
    value = number(given, f"{what} {show(str(given))} is not a share; write 0.25 or 1/4")
    if not 0 <= value <= 1:
        raise InputError(f"{what} {given} is not between 0 and 1")
    return value


@dataclass(frozen=True)
class ShareLimits:
    """How large a share of a group each sensitive value may have; None is no limit.

    `values` overrides `uniform` for the values it names; the missing value is never limited. The limits of
    `counted` values were computed from their frequencies in the whole table, suppressed rows included, so
    only the curator may see them; `counted` is None if nobody asked for such limits. Shares are parts of a
    group's rows, or with `known` of those rows that have a value: then missing ones hide nothing.
    """

    uniform: Fraction | None = None
    values: Mapping[str, Fraction] = field(default_factory=dict)
    counted: frozenset[str] | None = None
    known: bool = False

    @property
    def finest(self) -> int:
        """The largest denominator of a limit."""
        limits = (self.uniform, *self.values.values())
        return max((limit.denominator for limit in limits if limit is not None), default=1)

    def of(self, value: str | None) -> Fraction | None:
        """Return the limit of a value."""
        if value is None:
            return None
        return self.values.get(value, self.uniform)

    @classmethod
    def by_frequency(cls, base: Fraction, counts: Mapping[str, int]) -> ShareLimits:
        """Return limits that are stricter for rare values, which count as more sensitive.

        A value of at most average frequency may have the share `base`, a more frequent one in proportion to
        its frequency (Liu and Wang, section VIII-A-2), but never more than 1.

        >>> ShareLimits.by_frequency(Fraction(1, 4), {"flu": 6, "cold": 2, "gout": 1}).values["flu"]
        Fraction(1, 2)
        """
        total = sum(counts.values())
        frequent = {value: count for value, count in counts.items() if count * len(counts) > total}
        values = {v: min(Fraction(1), base * n * len(counts) / total) for v, n in frequent.items()}
        return cls(base, values, frozenset(values))

    def marked(self, counts: Mapping[str, int]) -> ShareLimits:
        """Return the limits, marking as counted those that are proportional to these frequencies.

        Somebody may have computed them elsewhere and stated them by name. A limit counts as computed if its
        ratio to the frequency is the uniform limit's, or that of another limit with a different frequency.
        """
        total = sum(counts.values())
        bases = {
            value: (limit * total / (counts[value] * len(counts)), counts[value])
            for value, limit in self.values.items()
            if limit < 1 and counts.get(value, 0) * len(counts) > total
        }
        found = {
            value
            for value, (base, count) in bases.items()
            if base == self.uniform or any(b == base and n != count for b, n in bases.values())
        }
        if found:
            found |= {value for value, limit in self.values.items() if limit == 1}
        return replace(self, counted=(self.counted or frozenset()) | found) if found else self

    def public(self, counts: Mapping[str, int], shares: Mapping[str, Fraction]) -> ShareLimits:
        """Return limits that reveal no more than the released rows do, and that these rows keep.

        `counts` and `shares` give, for every released value, its frequency and its largest share of a
        released group. Limits of other values are dropped. Limits by frequency are computed again from the
        released rows, except for values limited by name, and raised to the share that the value has there.
        """
        counted = self.counted or frozenset()
        limits = {v: limit for v, limit in self.values.items() if v in counts and v not in counted}
        if self.counted is not None:
            again = {} if self.uniform is None else self.by_frequency(self.uniform, counts).values
            for value, share_of in shares.items():
                limit = max(again.get(value, self.uniform or Fraction(0)), share_of)
                if value not in limits and limit != self.uniform:
                    limits[value] = limit
        return ShareLimits(self.uniform, dict(sorted(limits.items())), known=self.known)

    def to_dict(self) -> dict[str, Any]:
        """Return the limits as documents show them, fractions as text."""
        return {
            "uniform": None if self.uniform is None else str(self.uniform),
            "values": {value: str(limit) for value, limit in self.values.items()},
            **({} if self.counted is None else {"by_frequency": sorted(self.counted)}),
            **({"of_known": True} if self.known else {}),
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> ShareLimits:
        """Return the limits of a document."""
        uniform, counted = given.get("uniform"), given.get("by_frequency")
        return cls(
            None if uniform is None else share(uniform),
            {value: share(limit) for value, limit in given.get("values", {}).items()},
            None if counted is None else frozenset(counted),
            bool(given.get("of_known", False)),
        )


LARGEST = 10**9
"""The largest l and c: no table is that diverse, and the numbers stay small enough to compare."""


def diversity(
    given: str | float | Fraction, what: str = "entropy l", most: int | None = LARGEST
) -> Fraction:
    """Return an entropy l exactly: the number of equally frequent values that a group must amount to.

    >>> diversity("2.5")
    Fraction(5, 2)
    """
    value = number(given, f"{what} {show(str(given))} is not a number; write 4, 2.5 or 7/2")
    if value < 1:
        raise InputError(f"{what} is {given}; use 1 or more")
    if most is not None and value > most:
        raise InputError(f"{what} is {given}; use {most:,} or less")
    return value


def gain(given: str | float | Fraction, what: str = "delta_disclosure") -> Fraction:
    """Return how far shares may be apart, exactly as it is written: a number above 0.

    >>> gain("0.5")
    Fraction(1, 2)
    """
    value = number(given, f"{what} {show(str(given))} is not a number; write 2, 0.5 or 1/2")
    if not 0 < value <= LARGEST:
        raise InputError(f"{what} is {given}; use more than 0, and {LARGEST:,} or less")
    return value


def risk_limit(given: str | float | Fraction, what: str) -> Fraction:
    """Return the limit of a risk, exactly as it is written: a share above 0.

    >>> risk_limit(0.09, "max_risk")
    Fraction(9, 100)
    """
    value = share(given, what)
    if not value:
        raise InputError(f"{what} is 0, which no released row keeps; use more than 0, such as 0.09")
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
        factor = number(c, f"recursive c {show(str(c))} is not a number; write 2, 1.5 or 3/2")
        if not 0 < factor <= LARGEST:
            raise InputError(f"recursive c is {c}; use more than 0, and {LARGEST:,} or less")
        text = str(l).strip()
        if not (text.isascii() and text.isdecimal() and 1 <= len(text) < 10 and int(text) >= 1):
            raise InputError(f"recursive l is {show(text)}; use a whole number, 1 or more")
        return cls(factor, int(text))

    def to_dict(self) -> dict[str, Any]:
        """Return c and l as documents show them."""
        return {"c": str(self.c), "l": self.l}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Recursive:
        """Return the c and l of a document."""
        return cls.of(given["c"], given["l"])


@dataclass(frozen=True)
class Presence:
    """Delta-presence: the least and the largest allowed probability that a person is in the release."""

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
        """Return both shares as documents show them."""
        return {"low": str(self.low), "high": str(self.high)}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Presence:
        """Return both shares of a document."""
        return cls.of(given["low"], given["high"])
