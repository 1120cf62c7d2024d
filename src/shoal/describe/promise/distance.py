"""How far apart two values of a sensitive column are, for t-closeness."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

from shoal.describe.hierarchies import Label
from shoal.describe.hierarchies.date_forms import by_date
from shoal.describe.quantities import number
from shoal.errors import InputError, did_you_mean, show


class DistanceKind(StrEnum):
    """The distances of the t-closeness paper."""

    EQUAL = "equal"
    ORDERED = "ordered"
    HIERARCHICAL = "hierarchical"

    @classmethod
    def of(cls, word: str) -> DistanceKind:
        """Return the distance of a name, or refuse it."""
        try:
            return cls(word)
        except ValueError:
            hint = did_you_mean(word, [kind.value for kind in cls])
            raise InputError(f"unknown distance {show(word)}; {hint}") from None


FORMULAS = ("=", "+", "@", "-", "\t", "\r")
"""How texts begin that a spreadsheet would run as formulas; a release may put an apostrophe before them."""


@dataclass(frozen=True)
class Distance:
    """The ground distance of t-closeness. Equal: 1 between any two values.

    Ordered: |i - j| / (m - 1) for the i-th and the j-th of the m released values, in the stated `order`, or
    else in that of numbers or dates. Hierarchical: the lowest level on which the labels of two values agree,
    divided by the level of the root; `rows` go from a value to the root.

    The missing value is 1 away from every other value; in an order it comes 1 after the last, so it is never
    nearer.
    """

    kind: DistanceKind = DistanceKind.EQUAL
    order: tuple[str, ...] = ()
    rows: tuple[tuple[Label, ...], ...] = ()

    @property
    def height(self) -> int:
        """The level of the tree's root."""
        return len(self.rows[0]) - 1 if self.rows else 0

    def ordered(self, released: Iterable[str]) -> tuple[str, ...]:
        """Return the released values in their order, or refuse one that has no place in it.

        Values that no released row has are not counted: the distance would reveal that they exist.

        >>> Distance(DistanceKind.ORDERED).ordered(["10", "9", "-1"])
        ('-1', '9', '10')
        """
        if self.order:
            places = {plain(value, self.order) for value in released}
            for value in places.difference(self.order):
                raise InputError(f"the value {show(value)} has no place in the stated order; add it")
            return tuple(value for value in self.order if value in places)
        values = list(released)
        return by_date(values) or tuple(sorted(values, key=lambda value: (_number(value), value)))

    def path(self, value: Label) -> tuple[Label, ...]:
        """Return the labels of a value from itself to the root, or refuse a value that the tree lacks.

        >>> rows = (("flu", "lungs", "*"), ("gout", "joints", "*"))
        >>> Distance(DistanceKind.HIERARCHICAL, rows=rows).path(None)
        (None, None, '*')
        """
        paths = {row[0]: row for row in self.rows}
        found = paths.get(plain(value, paths))
        if found is None and value is None:
            return (None,) * self.height + (self.rows[0][-1] if self.rows else None,)
        if found is None:
            raise InputError(f"the value {show(value)} has no place in the hierarchy; add it")
        return found

    def only(self, values: Collection[Label]) -> Distance:
        """Return the distance restricted to some values, so that it says nothing about the others."""
        rows = [row for row in self.rows if row[0] in values]
        return replace(
            self,
            order=tuple(value for value in self.order if value in values),
            rows=tuple(sorted(rows, key=lambda row: (row[0] is None, row[0] or ""))),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the distance as documents show it."""
        document: dict[str, Any] = {"kind": self.kind.value}
        if self.order:
            document["order"] = list(self.order)
        if self.rows:
            document["rows"] = [list(row) for row in self.rows]
        return document

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Distance:
        """Return the distance of a document, or refuse rows of different heights."""
        rows = tuple(tuple(row) for row in given.get("rows", ()))
        if len({len(row) for row in rows}) > 1 or len({row[0] for row in rows}) < len(rows):
            raise InputError("rows of a hierarchy differ in length, or two have the same value")
        return cls(DistanceKind.of(given["kind"]), tuple(given.get("order", ())), rows)


def plain(value: Label, known: Collection[Label]) -> Label:
    """Return a value without the apostrophe that makes it safe for spreadsheets, if only that form is known.

    >>> plain("'=1+1", ["=1+1"]), plain("'x", ["x"])
    ('=1+1', "'x")
    """
    if value is not None and value not in known and value[:1] == "'" and value[1:2] in FORMULAS:
        return value[1:]
    return value


def _number(value: str) -> Fraction:
    return number(
        value,
        f"the value {show(value)} is not a number or a date of one form, so its place in the order is "
        "unknown; state the order of the column's values",
    )
