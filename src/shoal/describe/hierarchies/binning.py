"""Bounds of intervals that fit a column's numbers: with equally many rows, or the least loss for k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate

from shoal.errors import InputError

MOST_VALUES = 5000
"""The optimal split compares all pairs of values, so there may not be more."""


def quantile_bounds(counts: Mapping[Fraction, int], groups: int) -> list[Fraction]:
    """Return the first numbers of up to so many intervals, but the lowest, with about equally many rows each.

    >>> quantile_bounds({Fraction(n): 1 for n in range(8)}, 4)
    [Fraction(2, 1), Fraction(4, 1), Fraction(6, 1)]
    """
    values = sorted(counts)
    total = sum(counts.values())
    bounds: list[Fraction] = []
    before, made = 0, 1
    for value in values:
        if before * groups >= made * total:
            bounds.append(value)
            made = before * groups // total + 1
        before += counts[value]
    return bounds


def optimal_bounds(counts: Mapping[Fraction, int], k: int) -> list[Fraction]:
    """Return the first numbers, but the lowest, of the intervals with k rows or more that lose least.

    The loss is LM's: a row costs the number of other values in its interval. Of equally good splits the one
    whose last interval begins highest, then the one before it, and so on.

    The best split of the first j values ends in some interval (i, j]; what comes before is then a best
    split of the first i values, or it could be replaced by a cheaper one. So `best[j]` is the least of
    `best[i]` plus the cost of (i, j] over all i that leave k rows in it: O(m^2) for m values. Costs are
    whole numbers.

    >>> optimal_bounds({Fraction(n): rows for n, rows in ((1, 5), (2, 1), (3, 1), (9, 5))}, 5)
    [Fraction(3, 1)]
    """
    values = sorted(counts)
    starts = _split([counts[value] for value in values], [1] * len(values), k)
    return [values[start] for start in starts]


def nested_bounds(counts: Mapping[Fraction, int], k: int, levels: int = 3) -> list[list[Fraction]]:
    """Return bounds for several levels: the best for k, then of these intervals the best for 2k, 4k ...

    Each level loses least of all that hold whole intervals of the level before. Levels that would change
    nothing, or hold all values in one interval, are left out.
    """
    values = sorted(counts)
    rows, leaves = [counts[value] for value in values], [1] * len(values)
    found: list[list[Fraction]] = []
    while len(found) < levels and sum(rows) >= k:
        starts = [0, *_split(rows, leaves, k)]
        if len(starts) == 1:
            break
        if len(starts) < len(values):
            ends = [*starts[1:], len(values)]
            rows = [sum(rows[i:j]) for i, j in zip(starts, ends, strict=True)]
            leaves = [sum(leaves[i:j]) for i, j in zip(starts, ends, strict=True)]
            values = [values[i] for i in starts]
            found.append(values[1:])
        k *= 2
    return found


def _split(rows: Sequence[int], leaves: Sequence[int], k: int) -> list[int]:
    """Return where the intervals begin, but the first, that have k rows each and lose least.

    Each part has so many `rows`, and so many values (`leaves`), and stays whole.
    """
    if len(rows) > MOST_VALUES:
        raise InputError(
            f"{len(rows):,} different values are too many to split optimally; round them first"
        )
    above, below = [0, *accumulate(rows)], [0, *accumulate(leaves)]
    if above[-1] < k:
        raise InputError(f"{above[-1]:,} rows are fewer than {k:,}, so no interval has so many")
    best: list[int | None] = [0]
    begun = [0]
    for end in range(1, len(rows) + 1):
        found: tuple[int, int] | None = None
        for start in range(end - 1, -1, -1):
            before, held = best[start], above[end] - above[start]
            if before is None or held < k:
                continue
            cost = before + held * (below[end] - below[start] - 1)
            if found is None or cost < found[0]:
                found = cost, start
        best.append(None if found is None else found[0])
        begun.append(0 if found is None else found[1])
    starts: list[int] = []
    at = begun[-1]
    while at:
        starts.append(at)
        at = begun[at]
    return starts[::-1]
