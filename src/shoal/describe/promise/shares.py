"""Shares of a group, and how large they may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from shoal.describe.quantities import exactly
from shoal.errors import InputError, show


def share(given: str | float | Fraction, what: str = "theta") -> Fraction:
    """Return a share between 0 and 1, exactly as its decimal or fraction says.

    >>> share("1/3"), share(0.1)
    (Fraction(1, 3), Fraction(1, 10))
    """
    try:
        value = exactly(given)
    except ValueError:
        raise InputError(f"{what} {show(str(given))} is no share; write 0.25 or 1/4") from None
    if not 0 <= value <= 1:
        raise InputError(f"{what} {given} is not between 0 and 1")
    return value


@dataclass(frozen=True)
class ShareLimits:
    """How large a share of a group each sensitive value may have; None is no limit.

    `values` overrides `uniform` for the values it names; the missing value is never limited. The limits of
    `counted` values were worked out from how frequent these are in the table, suppressed rows included, so
    that they stay with the curator; it is None where nobody asked for such limits.
    """

    uniform: Fraction | None = None
    values: Mapping[str, Fraction] = field(default_factory=dict)
    counted: frozenset[str] | None = None

    def of(self, value: str | None) -> Fraction | None:
        """Return the limit of a value."""
        if value is None:
            return None
        return self.values.get(value, self.uniform)

    @classmethod
    def by_frequency(cls, base: Fraction, counts: Mapping[str, int]) -> ShareLimits:
        """Return limits that are stricter for rarer values, which are deemed more sensitive.

        A value of less than average frequency may have the share `base`, a more frequent one in proportion
        to its frequency (Liu and Wang, section VIII-A-2), but never more than all.

        >>> ShareLimits.by_frequency(Fraction(1, 4), {"flu": 6, "cold": 2, "gout": 1}).values["flu"]
        Fraction(1, 2)
        """
        total = sum(counts.values())
        frequent = {value: count for value, count in counts.items() if count * len(counts) > total}
        values = {v: min(Fraction(1), base * n * len(counts) / total) for v, n in frequent.items()}
        return cls(base, values, frozenset(values))

    def marked(self, counts: Mapping[str, int]) -> ShareLimits:
        """Return the limits with those marked as counted that are in proportion to these frequencies.

        Somebody may have worked them out elsewhere and stated them by name. A limit is taken for counted
        where its share of the frequency is the uniform limit's, or the same as that of a limit of another
        frequency.
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
        """Return limits that tell nothing but what released rows do, and are kept by them.

        `counts` and `shares` are, of every value that a released row has, its frequency and its largest share
        of a released group. Limits of other values are left out. Where limits are by frequency, those of all
        values that are not limited by name are counted again on the released rows, and raised to the share
        that the value has there.
        """
        counted = self.counted or frozenset()
        limits = {v: limit for v, limit in self.values.items() if v in counts and v not in counted}
        if self.counted is not None:
            again = {} if self.uniform is None else self.by_frequency(self.uniform, counts).values
            for value, share_of in shares.items():
                limit = max(again.get(value, self.uniform or Fraction(0)), share_of)
                if value not in limits and limit != self.uniform:
                    limits[value] = limit
        return ShareLimits(self.uniform, dict(sorted(limits.items())))

    def to_dict(self) -> dict[str, Any]:
        """Return the limits as documents show them, fractions as text."""
        return {
            "uniform": None if self.uniform is None else str(self.uniform),
            "values": {value: str(limit) for value, limit in self.values.items()},
            **({} if self.counted is None else {"by_frequency": sorted(self.counted)}),
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> ShareLimits:
        """Return the limits of a document."""
        uniform, counted = given.get("uniform"), given.get("by_frequency")
        return cls(
            None if uniform is None else share(uniform),
            {value: share(limit) for value, limit in given.get("values", {}).items()},
            None if counted is None else frozenset(counted),
        )
