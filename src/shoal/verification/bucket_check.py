"""Checks a release in buckets (Anatomy): whether its two tables fit together, and what they contain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.engine import Cells, Value
from shoal.data.files import sources
from shoal.data.opening import opened
from shoal.describe.table_reading import AS_WRITTEN
from shoal.errors import show

_NUMBER = re.compile("[1-9][0-9]{0,17}")


@dataclass(frozen=True)
class Buckets:
    """How many groups there are, and how many rows the smallest and the largest have."""

    groups: int
    smallest: int
    largest: int

    def to_dict(self) -> dict[str, int]:
        """Return the figures as certificates show them."""
        return asdict(self)


@dataclass(frozen=True)
class Columns:
    """The names of the second table's columns; the first has the column of the group too."""

    group: str
    sensitive: str
    count: str

    @property
    def names(self) -> list[str]:
        """The columns in their order."""
        return [self.group, self.sensitive, self.count]


def second_suffix(out: Path) -> str:
    """Return the suffix that gives the second table's name from the released file's.

    >>> second_suffix(Path("adult.csv"))
    '.sensitive.csv'
    """
    return f".sensitive{sources.ending_of(out)}"


def second_path(out: Path) -> Path:
    """Return the path of the second table of a released file."""
    return out.with_name(out.name + second_suffix(out))


def read_buckets(
    rows: Any, second: Any, columns: Columns, limit: Fraction | None
) -> tuple[Buckets, Cells | None, list[str]]:
    """Return the groups of the first table, the second as cells of group and value, and what is wrong.

    Every group must have as many rows in the first table as the counts of its values add up to; every value
    must appear once per group, with a count of 1 or more; and the missing value must keep the `limit` on
    shares like any other value. There are no cells if the second table makes no sense.
    """
    first, entries = cells_of(rows, [columns.group]), cells_of(second, columns.names)
    sizes = dict(zip(first.domains[0], first.counts.tolist(), strict=True))
    found = Buckets(len(sizes), min(sizes.values(), default=0), max(sizes.values(), default=0))
    groups, values, counts = entries.domains
    total = int(first.counts.sum())
    numbers = np.array([_number(text, total) for text in counts], dtype=np.int64)

    def where(entry: int) -> str:
        return f"{show(values[entries.codes[entry, 1]])} in the group {show(groups[entries.codes[entry, 0]])}"

    def at_first(wrong: Any, what: str) -> list[str]:
        hits = np.flatnonzero(wrong)
        return [f"counts: {where(int(hits[0]))} {what}"] if len(hits) else []

    counted = numbers[entries.codes[:, 2]]
    keys, places = np.unique(entries.codes[:, :2], axis=0, return_inverse=True)
    stands = np.bincount(places.reshape(-1), weights=entries.counts)
    failures = at_first(counted == 0, "has an impossible number of rows")
    failures += at_first(stands[places.reshape(-1)] > 1, "appears there more than once")
    if failures:
        return found, None, failures
    expected = np.array([sizes.get(group, 0) for group in groups], dtype=np.int64)
    held = np.bincount(entries.codes[:, 0], weights=counted, minlength=len(groups)).astype(np.int64)
    differing = np.flatnonzero(held != expected)
    if len(differing):
        g = int(differing[0])
        failures.append(
            f"counts: the group {show(groups[g])} has {int(expected[g]):,} rows and {int(held[g]):,} "
            f"values of {show(columns.sensitive)}"
        )
    valued = frozenset(groups)
    alone = next((group for group in sizes if group not in valued and group is not None), None)
    if alone is not None:
        failures.append(f"counts: the group {show(alone)} has no values of {show(columns.sensitive)}")
    if None in sizes:
        failures.append(f"counts: {sizes[None]:,} rows are in no group")
    if limit is not None and None in values:
        missing = entries.codes[:, 1] == values.index(None)
        over = missing & (counted * limit.denominator > limit.numerator * held[entries.codes[:, 0]])
        failures += at_first(over, f"has a share of more than {limit}")
    cells = Cells((columns.group, columns.sensitive), (groups, values), keys, counted)
    return found, cells, failures


def cells_of(table: Any, columns: Sequence[str]) -> Cells:
    """Return the distinct rows of a path, a frame or an open engine over some columns."""
    with opened(table, AS_WRITTEN) as engine:
        return engine.cells(list(columns))


def _number(text: Value, most: int) -> int:
    """Return a count of rows, or 0 if it is not one."""
    number = int(text) if text is not None and _NUMBER.fullmatch(text) else 0
    return number if number <= most else 0
