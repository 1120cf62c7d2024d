"""Checks a release in buckets (Anatomy): whether its two tables fit together, and what they contain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.engine import Cells, Value
from shoal.data.files import sources
from shoal.data.opening import opened
from shoal.describe.table_reading import AS_WRITTEN
from shoal.errors import show
from shoal.verification.spread.measure import Spread
from shoal.verification.spread.whose import persons_in, persons_of

Ints = npt.NDArray[np.int64]
_NUMBER = re.compile("[1-9][0-9]{0,17}")


@dataclass(frozen=True)
class Buckets:
    """How many groups there are, and how many rows (or persons) the smallest and the largest have."""

    groups: int
    smallest: int
    largest: int

    @classmethod
    def of(cls, sizes: Ints) -> Buckets:
        """Return the figures of groups of these sizes."""
        return cls(len(sizes), int(sizes.min()) if len(sizes) else 0, int(sizes.max(initial=0)))

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


@dataclass(frozen=True)
class FoundBuckets:
    """What the two tables of a release in buckets hold, and what is wrong with them.

    `cells` are the second table's groups and values with their counts; there are none if it makes no sense.
    If the first table tells whose its rows are, `persons` are those of each group of the cells.
    """

    buckets: Buckets
    cells: Cells | None
    failures: list[str]
    persons: Ints | None = None
    in_persons: Buckets | None = None


def read_buckets(
    rows: Any,
    second: Any,
    columns: Columns,
    limit: Fraction | None,
    persons: Sequence[str] | None = (),
) -> FoundBuckets:
    """Return what the two tables hold, and what is wrong with them.

    Every value must appear once per group, with a count of 1 or more. Every group must have as many rows in
    the first table as the counts of its values add up to, and the missing value must keep the `limit` on
    shares like any other value.

    If the columns `persons` tell whose the rows are, the second table counts persons: all rows of a person
    must be in one group, everybody has one value or more, no more than there are rows, and every value must
    keep the limit on shares of the group's persons. If the first table does not tell them (None), it is
    checked what must hold whoever they are: a group has no more persons than rows, or than the counts of its
    values add up to.
    """
    first = cells_of(rows, [columns.group], list(persons or ()))
    entries = cells_of(second, columns.names)
    sizes = dict(zip(first.domains[0], first.counts.tolist(), strict=True))
    found = Buckets.of(first.counts)
    groups, values, counts = entries.domains
    total = int(first.counts.sum())
    numbers = np.array([_number(text, total) for text in counts], dtype=np.int64)

    def where(entry: int) -> str:
        return f"{show(values[entries.codes[entry, 1]])} in the group {show(groups[entries.codes[entry, 0]])}"

    def at_first(wrong: Any, what: str) -> list[str]:
        hits = np.flatnonzero(wrong)
        return [f"counts: {where(int(hits[0]))} {what}"] if len(hits) else []

    by_rows = persons == ()
    counted = numbers[entries.codes[:, 2]]
    keys, places = np.unique(entries.codes[:, :2], axis=0, return_inverse=True)
    stands = np.bincount(places.reshape(-1), weights=entries.counts)
    failures = at_first(counted == 0, f"has an impossible number of {'rows' if by_rows else 'persons'}")
    failures += at_first(stands[places.reshape(-1)] > 1, "appears there more than once")
    if failures:
        return FoundBuckets(found, None, failures)
    expected = np.array([sizes.get(group, 0) for group in groups], dtype=np.int64)
    held = np.bincount(entries.codes[:, 0], weights=counted, minlength=len(groups)).astype(np.int64)
    differing = np.flatnonzero(held != expected if by_rows else held > expected)
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
    cells = Cells((columns.group, columns.sensitive), (groups, values), keys, counted)
    if not by_rows:
        people, in_persons = np.minimum(held, expected), None
        if persons:
            inside, broken = _persons_inside(first)
            by_group = dict(zip(first.domains[0], inside.tolist(), strict=True))
            people = np.array([by_group.get(group, 0) for group in groups], dtype=np.int64)
            in_persons, failures = Buckets.of(inside), failures + broken
            for g in np.flatnonzero(held < people)[:1].tolist():
                failures.append(
                    f"counts: the group {show(groups[g])} has {int(people[g]):,} persons and "
                    f"{int(held[g]):,} values of {show(columns.sensitive)}"
                )
        here = people[entries.codes[:, 0]]
        failures += at_first(counted > here, "is of more persons than the group has")
        if limit is not None:
            over = counted * limit.denominator > limit.numerator * here
            failures += at_first(over, f"is of more than {limit} of the persons")
        return FoundBuckets(found, cells, failures, people if persons else None, in_persons)
    if limit is not None and None in values:
        missing = entries.codes[:, 1] == values.index(None)
        over = missing & (counted * limit.denominator > limit.numerator * held[entries.codes[:, 0]])
        failures += at_first(over, f"has a share of more than {limit}")
    return FoundBuckets(found, cells, failures)


def _persons_inside(first: Cells) -> tuple[Ints, list[str]]:
    """Return how many persons each group has, and whether one is in several."""
    inside = persons_in(first, np.arange(len(first.counts)), len(first.counts))
    beyond = int(inside.sum()) - persons_of(first)
    said = f"persons: rows of one person are in several groups ({beyond:,} too many)"
    return inside, [said] if beyond else []


class PersonShares(Spread):
    """What a second table that counts persons tells, who may have several values: `l` and `share`.

    `share` is the largest share of a group's persons that have one value. Who has which values is not told,
    so other figures are unknown, and `l` is how many values of different persons every group has at least.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return what is known as certificates show it."""
        return {"l": self.l, "largest_share": str(self.share)}


def person_shares(found: FoundBuckets) -> PersonShares:
    """Return how values are spread over the persons of the groups.

    For `l`, let everybody with a known value give one, spread over the own values. No value gets more than c,
    the persons with the most frequent one. Divided by c these are a matching in parts between persons and
    values, and some whole matching is as large.
    """
    assert found.cells is not None
    assert found.persons is not None
    groups, values = found.cells.codes[:, 0], found.cells.codes[:, 1]
    known = np.array([value is not None for value in found.cells.domains[1]], dtype=np.bool_)[values]
    counts, people = found.cells.counts, found.persons
    most = np.zeros(len(people), dtype=np.int64)
    np.maximum.at(most, groups[known], counts[known])
    valued = people.copy()
    np.subtract.at(valued, groups[~known], counts[~known])
    fewest = -(-np.maximum(valued, 0) // np.maximum(most, 1)) * (most > 0)
    share, value = Fraction(0), None
    for entry in np.flatnonzero(known).tolist():
        one = Fraction(int(counts[entry]), max(int(people[groups[entry]]), 1))
        if one > share:
            share, value = one, found.cells.domains[1][values[entry]]
    return PersonShares(int(fewest.min()) if len(fewest) else 0, share, value, Fraction(0))


def cells_of(table: Any, columns: Sequence[str], persons: Sequence[str] = ()) -> Cells:
    """Return the distinct rows of a path, a frame or an open engine over some columns, and whose they are."""
    with opened(table, AS_WRITTEN) as engine:
        return engine.cells(list(columns), persons=list(persons))


def _number(text: Value, most: int) -> int:
    """Return a count of rows or persons, or 0 if it is not one."""
    number = int(text) if text is not None and _NUMBER.fullmatch(text) else 0
    return number if number <= most else 0
