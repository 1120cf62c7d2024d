"""The few classes by which a column's distribution is shown and compared with other columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.assess.utility.two_tables import Floats, Ints, TableColumn
from shoal.describe.hierarchies import Label
from shoal.numbers import figure

MOST = 12
"""The most classes that are shown of a column, besides what is missing."""
OTHERS = "(all others)"
GONE = "(in no released row)"
MISSING = "(missing)"


@dataclass(frozen=True)
class ShownClasses:
    """ShownClasses of a column's values: `of[value]` is the class, `names` what they are called.

    `recoded` says whether they are the released labels themselves.
    """

    of: Ints
    names: tuple[Label, ...]
    recoded: bool


def shown_class(name: Label) -> str:
    """Return the name of a class as people read it."""
    return MISSING if name is None else name


def classes_for(column: TableColumn, weights: Floats) -> ShownClasses:
    """Return the classes of a column, given how many original rows have each value.

    Where no two labels overlap they are the labels, as released. Otherwise (local recoding) numbers are cut
    into ranges with about as many rows each, and texts are shown on the lowest level of their hierarchy with
    few enough labels. The smallest classes beyond twelve are shown together; a missing value is always a
    class of its own.
    """
    found = _labels(column) if column.hierarchy is not None else None
    recoded = found is not None
    if found is None:
        found = _ranges(column, weights) if column.numbers is not None else _level(column)
    of, names = found
    if column.numbers is not None and len(names) > MOST and not recoded:
        of, names = _ranges(column, weights)
    return _few(column, of, names, weights, recoded)


def _labels(column: TableColumn) -> tuple[Ints, tuple[Label, ...]] | None:
    """Return the released labels as classes, unless some overlap."""
    of = np.full(len(column.values), -1, dtype=np.int64)
    if column.spread is None:
        labels, values = np.arange(len(column.place)), column.place
    else:
        meant = column.spread.meant
        if meant.sizes.sum() > len(of):
            return None  # more than there are: some lie under two labels, whichever they are
        labels = np.repeat(meant.of, meant.lengths)
        values = np.concatenate([of[:0], *(block.values for block in meant.blocks())])
    if (np.bincount(values, minlength=1) > 1).any():
        return None
    of[values] = labels
    names: tuple[Label, ...] = column.labels
    if (of < 0).any():
        of[of < 0] = len(names)
        names = (*names, GONE)
    return of, names


def _ranges(column: TableColumn, weights: Floats) -> tuple[Ints, tuple[Label, ...]]:
    """Return ranges of numbers with about as many rows each."""
    numbers = column.numbers
    assert numbers is not None
    known = np.flatnonzero(~np.isnan(numbers))
    order = known[np.argsort(numbers[known], kind="stable")]
    before = np.cumsum(weights[order]) - weights[order]
    total = max(float(weights[order].sum()), 1e-300)
    part = np.minimum((before / total * MOST).astype(np.int64), MOST - 1)
    if len(order) <= MOST:
        part = np.arange(len(order))
    _, part = np.unique(part, return_inverse=True)
    of = np.full(len(numbers), int(part.max(initial=-1)) + 1, dtype=np.int64)
    of[order] = part.reshape(-1)
    names: list[Label] = []
    for one in range(int(part.max(initial=-1)) + 1):
        inside = numbers[order[part == one]]
        low, high = inside.min(), inside.max()
        names.append(figure(low, 6) if low == high else f"{figure(low, 6)} to {figure(high, 6)}")
    if np.isnan(numbers).any():
        names.append(None)
    return of, tuple(names)


def _level(column: TableColumn) -> tuple[Ints, tuple[Label, ...]]:
    """Return the labels of the lowest level that has few enough; without a hierarchy the values."""
    values = column.values
    if column.hierarchy is None:
        return np.arange(len(values), dtype=np.int64), values
    tree = column.hierarchy.with_missing() if None in values else column.hierarchy
    places = {leaf: i for i, leaf in enumerate(tree.leaves)}
    leaves = np.array([places.get(value, 0) for value in values])
    for labels, codes in zip(tree.labels, tree.codes, strict=True):
        used, of = np.unique(np.asarray(codes)[leaves], return_inverse=True)
        if len(used) <= MOST:
            return of.reshape(-1).astype(np.int64), tuple(labels[code] for code in used.tolist())
    return np.zeros(len(values), dtype=np.int64), ("*",)


def _few(
    column: TableColumn, of: Ints, names: tuple[Label, ...], weights: Floats, recoded: bool
) -> ShownClasses:
    """Return the classes in a readable order, the smallest beyond the most together."""
    sizes = np.bincount(of, weights=weights, minlength=len(names))
    order = list(range(len(names)))
    if column.numbers is not None:
        least = np.full(len(names), np.inf)
        np.minimum.at(least, of, np.where(np.isnan(column.numbers), np.inf, column.numbers))
        order.sort(key=lambda c: (least[c], c))
    else:
        order.sort(key=lambda c: (-sizes[c], c))
    order.sort(key=lambda c: (names[c] is None, names[c] == GONE))
    plain = [c for c in order if names[c] is not None]
    if len(plain) > MOST:
        largest = set(sorted(plain, key=lambda c: (-sizes[c], c))[: MOST - 1])
        kept = [c for c in order if c in largest or names[c] is None]
    else:
        kept = order
    into = np.full(len(names), len(kept), dtype=np.int64)
    into[kept] = np.arange(len(kept))
    shown = [names[c] for c in kept]
    if len(kept) < len(order):
        shown.append(OTHERS)
    return ShownClasses(into[of], tuple(shown), recoded)
