"""Every criterion as its paper defines it, over rows, slowly; and random groups of rows."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
from hypothesis import strategies as st

from shoal.criteria import Groups
from shoal.data.engine import Cells
from shoal.describe.promise import Distance, DistanceKind

DOMAIN = ("1", "2", "3", "10", None)
TREE = (("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*"), ("10", "high", "*"))
ORDER = ("3", "1", "10", "2", "7")
DISTANCES = (
    Distance(),
    Distance(DistanceKind.ORDERED),
    Distance(DistanceKind.ORDERED, order=ORDER),
    Distance(DistanceKind.HIERARCHICAL, rows=TREE),
)

shares = st.fractions(0, 1, max_denominator=12)
values = st.sampled_from(DOMAIN)
full_values = st.sampled_from(DOMAIN[:-1])


def tables(value=values, most_groups=4, most_rows=6):
    """Groups of rows, a row being its sensitive value."""
    return st.lists(st.lists(value, min_size=1, max_size=most_rows), min_size=1, max_size=most_groups)


def groups_of(table, population=None) -> Groups:
    """The groups as criteria get them, with the column s."""
    counts = [[group.count(value) for value in DOMAIN] for group in table]
    histogram = np.array(counts, dtype=np.int64).reshape(len(table), len(DOMAIN))
    crowd = None if population is None else np.array(population, dtype=np.int64)
    return Groups(histogram.sum(axis=1), {"s": histogram}, crowd)


def cells_of(table) -> Cells:
    """The rows as an engine counts them, over the column q, which names the group, and s."""
    cells = sorted({(g, DOMAIN.index(value)) for g, rows in enumerate(table) for value in rows})
    present = sorted({v for _, v in cells})
    codes = np.array([(g, present.index(v)) for g, v in cells], dtype=np.int32)
    counts = np.array([table[g].count(DOMAIN[v]) for g, v in cells], dtype=np.int64)
    groups = tuple(f"group {g}" for g in range(len(table)))
    return Cells(("q", "s"), (groups, tuple(DOMAIN[v] for v in present)), codes, counts)


def completions(group):
    """The group with its missing values filled in, in every way."""
    holes = group.count(None)
    known = [value for value in group if value is not None]
    for filled in product(DOMAIN[:-1], repeat=holes):
        yield known + list(filled)


def has_entropy(group, l: Fraction) -> bool:  # noqa: E741
    """Entropy l-diversity: -sum p log p >= log l, raised to the power n."""
    n = len(group)
    return all(prod(m**m for m in Counter(full).values()) * l**n <= n**n for full in completions(group))


def has_recursive(group, c: Fraction, l: int) -> bool:  # noqa: E741
    """Recursive (c, l)-diversity: r_1 < c * (r_l + ... + r_m)."""
    return all(
        ranked[0] < c * sum(ranked[l - 1 :])
        for full in completions(group)
        for ranked in [sorted(Counter(full).values(), reverse=True)]
    )


def between(distance: Distance, one, other, released) -> Fraction:
    """The ground distance of two values, 1 or more between a value and the missing one."""
    if one == other:
        return Fraction(0)
    if distance.kind is DistanceKind.EQUAL:
        return Fraction(1)
    if distance.kind is DistanceKind.ORDERED:
        present = {v for v in released if v is not None}
        line = [v for v in distance.order if v in present] or sorted(present, key=float)
        steps = max(len(line) - 1, 1)
        # The missing value lies a whole range behind the last.
        place = {value: Fraction(i, steps) for i, value in enumerate(line)}
        place[None] = place[line[-1]] + 1 if line else Fraction(0)
        return abs(place[one] - place[other])
    paths = {row[0]: row for row in TREE} | {None: (None, None, "*")}
    height = next(i for i, (a, b) in enumerate(zip(paths[one], paths[other], strict=True)) if a == b)
    return Fraction(height, 2)
