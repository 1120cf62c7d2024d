"""Anatomy for persons with several rows: deals persons, with all that they have, to buckets.

A person's rows all lie in one bucket: whoever finds them by their exact values would otherwise learn what
the buckets have in common. A person has a set of values, one or more, and the second table counts, for each
bucket and value, the persons who have it. In a bucket of s persons, whose sets have N values one by one:

- no value is of more than s / l persons (the promise: a share of at most 1 / l of the persons);
- nobody has more than N / l values. Otherwise who knows how many values somebody has knows too much: of the
  sets {a, b, c} and {d} every value is one person's of two, but three of four are the first one's.

With one value a person the second follows from the first, and both are Anatomy's l.

Guarantee: a deal is found exactly if one exists, which is where both hold for the whole table as one bucket.
Proof. If a value is of more than 1 in l of all persons, then also of those of some bucket, since the shares
average to it; and no bucket has more values than the table. Conversely, both shares fall or stay when buckets
are merged, since (c + c') / (s + s') is at most the larger of c / s and c' / s', and N grows. So merging ends
with buckets that keep them, at the latest with one.

What follows from the promise. There are l persons with different values in each bucket, as distinct l asks
(`criteria.different_values`): let everybody give l / s of a person, spread over the own values. No value is
given more than c * l / s <= 1, and all that is given is l. A matching in parts that large is no larger than a
whole one (Koenig). And if every value of a bucket is one person's, somebody who knows how many values
everybody has, and nothing else, holds every way to deal the N values for equally likely; then a person with m
of them has any given one with probability m / N <= 1 / l.

How persons are dealt decides how many buckets there are, and is not proved to be best. Persons with the
same set are interchangeable, so sets are dealt, the largest first: a bucket takes persons with disjoint sets,
those with the most frequent values first, until it keeps both; if nobody is disjoint, values may repeat. Once
all have one value, the rest is dealt as a line, like rows. Whoever remains joins a bucket that stays good,
and otherwise buckets are merged.

Cost: about O(persons * log(values)) steps for persons with several values, O(values) for the others.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from shoal.data.tally import Tally
from shoal.describe.hierarchies import Label
from shoal.errors import NoSolutionError, show
from shoal.search.groups.bucket_table import BucketTable, Kind, PersonDeal

LARGE = 2
"""A bucket that is still not good at so many times the least size is given up: its persons join others."""
TRIED = 64
"""So many sets with a value are tried for a bucket, before the next value is."""


def kinds_of(tally: Tally, column: str) -> dict[Kind, int]:
    """Return how many persons have each set of a column's values, where some person has several rows."""
    assert tally.persons is not None
    values = tally.in_cells(column).astype(np.int64)
    whose = tally.persons.regrouped(values, len(tally.domain(column)))
    found: dict[Kind, int] = {
        (value,): int(n) for value, n in enumerate(whose.cell_persons.tolist()) if n
    }
    starts = np.flatnonzero(np.diff(whose.persons, prepend=-1))
    for cells in np.split(whose.cells, starts[1:]) if len(starts) else []:
        kind = tuple(cells.tolist())
        found[kind] = found.get(kind, 0) + 1
    return found


def deal_persons(
    column: str,
    values: Sequence[Label],
    kinds: Mapping[Kind, int],
    l: int,  # noqa: E741
) -> PersonDeal:
    """Return the buckets of the persons with each set of values, or say which value is too frequent.

    >>> kinds = {(0, 1): 1, (2, 3): 1, (0,): 1, (1,): 1}
    >>> dealt = deal_persons("illness", ["cold", "flu", "gout", "mumps"], kinds, 2)
    >>> dealt.groups, {kind: places.tolist() for kind, places in dealt.places.items()}
    (2, {(0, 1): [0], (2, 3): [0], (0,): [1], (1,): [1]})
    """
    _check_possible(column, values, kinds, l)
    left = dict(sorted(kinds.items(), key=lambda item: (-len(item[0]), item[0])))
    table = BucketTable(l)
    homeless = _deal_sets(table, left)
    homeless += _deal_line(table, left)
    table.place(homeless)
    return table.dealt(kinds)


def _check_possible(column: str, values: Sequence[Label], kinds: Mapping[Kind, int], l: int) -> None:  # noqa: E741
    persons, pairs = sum(kinds.values()), sum(len(kind) * n for kind, n in kinds.items())
    having = [0] * len(values)
    for kind, n in kinds.items():
        for value in kind:
            having[value] += n
    most = max(having, default=0)
    if most * l > persons:
        possible = persons // max(most, 1)
        advice = (
            f"ask for l = {possible} at most"
            if possible >= 2
            else "no l can be kept: make its values coarser, or protect it by generalization"
        )
        raise NoSolutionError(
            f"{most:,} of {persons:,} persons have {show(values[having.index(most)])} of {show(column)}, "
            f"more than 1 in {l}; {advice}"
        )
    longest = max(map(len, kinds), default=0)
    if longest * l > pairs:
        possible = pairs // longest
        raise NoSolutionError(
            f"one person has {longest:,} values of {show(column)}, and all persons together {pairs:,}: more "
            f"than 1 in {l} would be that person's; "
            + (f"ask for l = {possible} at most" if possible >= 2 else "no l can be kept")
        )


def _deal_sets(table: BucketTable, left: dict[Kind, int]) -> list[Kind]:
    """Deal persons with several values, and others with them; return who found no bucket.

    `left` is what is still to be dealt, the largest sets first; it is counted down.
    """
    sets = [kind for kind in left if len(kind) > 1]
    masks = {kind: sum(1 << value for value in kind) for kind in left}
    having: dict[int, int] = {}
    with_value: dict[int, list[Kind]] = {}
    for kind, n in left.items():
        for value in kind:
            having[value] = having.get(value, 0) + n
            if len(kind) > 1:
                with_value.setdefault(value, []).append(kind)
    order = [(-n, value) for value, n in having.items()]
    heapq.heapify(order)

    def take(kind: Kind) -> None:
        left[kind] -= 1
        for value in kind:
            having[value] -= 1

    def somebody(value: int, full: int) -> Kind | None:
        """Return the set of a person who has a value and none of the full ones."""
        here = with_value.get(value, [])
        while here and not left[here[0]]:
            here.pop(0)
        for kind in here[:TRIED]:
            if left[kind] and not masks[kind] & full:
                return kind
        return (value,) if left.get((value,)) else None

    made: list[list[Kind]] = []
    homeless: list[Kind] = []
    for first in sets:
        while left[first]:
            take(first)
            inside, good = _filled(table.l, first, order, having, take, somebody)
            if good:
                made.append(inside)
            else:
                homeless += inside
    table.put_all(made)
    return homeless


def _filled(
    l: int,  # noqa: E741
    first: Kind,
    order: list[tuple[int, int]],
    having: Mapping[int, int],
    take: Callable[[Kind], None],
    somebody: Callable[[int, int], Kind | None],
) -> tuple[list[Kind], bool]:
    """Return a bucket that begins with a person, and whether it is good; it is not if nobody fits.

    `order` is a heap of the values by how many persons `having` says are left; an entry may be outdated.
    """
    inside, counts, pairs = [first], dict.fromkeys(first, 1), len(first)
    most, allowed, full = 1, 1, sum(1 << value for value in first)

    def good() -> bool:
        return most * l <= len(inside) and len(first) * l <= pairs

    while not good() and len(inside) < LARGE * len(first) * l:
        passed, before = [], len(inside)
        while order and not good():
            negative, value = heapq.heappop(order)
            if having[value] != -negative:
                if having[value]:
                    heapq.heappush(order, (-having[value], value))
                continue
            passed.append(value)
            kind = None if full >> value & 1 else somebody(value, full)
            if kind is None:
                continue
            take(kind)
            inside.append(kind)
            pairs += len(kind)
            for one in kind:
                counts[one] = counts.get(one, 0) + 1
                most = max(most, counts[one])
                if counts[one] == allowed:
                    full |= 1 << one
        for value in passed:
            if having[value]:
                heapq.heappush(order, (-having[value], value))
        if len(inside) == before and not good():
            if not full:
                break
            allowed += 1
            full = sum(1 << value for value, n in counts.items() if n >= allowed)
    return inside, good()


def _deal_line(table: BucketTable, left: dict[Kind, int]) -> list[Kind]:
    """Deal persons with one value as Anatomy deals rows; return who would meet the own value.

    Of a value no more are dealt than there are buckets. So as many buckets get l or more persons as there
    are with l * buckets <= the sum of min(n, buckets) over the numbers n of persons with each value; both
    sides are 0 for none, and the right one bends down, so that all smaller numbers will do too.
    """
    counts = np.array(list(left.values()), dtype=np.int64)
    low, high = 0, int(counts.sum()) // table.l
    while low < high:
        groups = (low + high + 1) // 2
        if int(np.minimum(counts, groups).sum()) >= table.l * groups:
            low = groups
        else:
            high = groups - 1
    begin, place, homeless = table.open(low), 0, []
    for kind, n in left.items():
        dealt = min(n, low)
        if dealt:
            table.put(kind, begin + (place + np.arange(dealt)) % low)
            place += dealt
        homeless += [kind] * (n - dealt)
    return homeless
