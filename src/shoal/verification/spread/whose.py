"""Whose rows a table's groups hold: distinct persons, what their values weigh, and distinct values by person.

A person weighs one in a group, spread evenly over the person's rows in it, and one in the table. It is
counted from the list of whose rows lie in which cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.engine import Cells

Ints = npt.NDArray[np.int64]

EXACT = 2**53
"""Sums of weights below this are exact in doubles; larger ones are Python's integers."""


def persons_in(cells: Cells, group: Ints, groups: int) -> Ints:
    """Return how many persons have a row in each group, given the group of each cell."""
    whose = cells.persons
    if whose is None:  # every row is a person's only one
        return np.bincount(group, weights=cells.counts, minlength=groups).astype(np.int64)
    alone = np.bincount(group, weights=whose.cell_persons, minlength=groups).astype(np.int64)
    both = np.unique(np.stack([group[whose.cells], whose.persons], axis=1), axis=0)
    return alone + np.bincount(both[:, 0], minlength=groups)


def persons_of(cells: Cells) -> int:
    """Return how many persons have a row."""
    return int(persons_in(cells, np.zeros(len(cells.counts), dtype=np.int64), 1)[0])


def weights(cells: Cells, group: Ints, groups: int) -> Any:
    """Return what each cell weighs in its group, in units that are the same for all cells of a group.

    They are 64-bit integers if their sums are small, and Python's otherwise.
    """
    whose = cells.persons
    if whose is None:
        return cells.counts
    place = group[whose.cells]
    _, pair = np.unique(np.stack([whose.persons, place], axis=1), axis=0, return_inverse=True)
    pair = pair.reshape(-1)
    # Of each person in each group all rows, as often as there are entries.
    all_rows = np.bincount(pair, weights=whose.rows).astype(np.int64)[pair]
    units = [1] * groups
    for g, part, whole in {*zip(place.tolist(), whose.rows.tolist(), all_rows.tolist(), strict=True)}:
        units[g] = lcm(units[g], whole // gcd(part, whole))
    sizes = persons_in(cells, group, groups).tolist()
    small = all(unit * size < EXACT for unit, size in zip(units, sizes, strict=True))
    kind: Any = np.int64 if small else object
    unit = np.array(units, dtype=kind)
    found = unit[group] * whose.cell_persons.astype(kind)
    parts = whose.rows.astype(kind) * unit[place] // all_rows.astype(kind)
    np.add.at(found, whose.cells, parts)
    return found


def added(place: Ints, amounts: Any, size: int) -> Any:
    """Return the sums of amounts by their place, exactly."""
    if amounts.dtype != object:
        return np.bincount(place, weights=amounts, minlength=size).astype(np.int64)
    found = np.zeros(size, dtype=object)
    np.add.at(found, place, amounts)
    return found


def distinct_values(cells: Cells, group: Ints, value: Ints, groups: int) -> Ints:
    """Return for each group how many values can be given to as many persons, each of whom has theirs.

    Missing values, below 0, do not count. Whoever has one value only is its best representative, because
    nobody else needs that person; the others are matched by augmenting paths.
    """
    whose = cells.persons
    known = value >= 0
    if whose is None:
        return np.bincount(group[known], minlength=groups)
    taken: list[set[int]] = [set() for _ in range(groups)]
    alone = known & (whose.cell_persons > 0)
    for g, v in zip(group[alone].tolist(), value[alone].tolist(), strict=True):
        taken[g].add(v)
    choices: list[dict[int, set[int]]] = [{} for _ in range(groups)]
    here = known[whose.cells]
    listed = whose.cells[here]
    for g, v, p in zip(
        group[listed].tolist(), value[listed].tolist(), whose.persons[here].tolist(), strict=True
    ):
        choices[g].setdefault(p, set()).add(v)
    for g, persons in enumerate(choices):
        for values in persons.values():
            if len(values) == 1:
                taken[g] |= values
    return np.array(
        [
            len(taken[g]) + _matched([sorted(values - taken[g]) for values in persons.values()])
            for g, persons in enumerate(choices)
        ],
        dtype=np.int64,
    )


def _matched(choices: Sequence[Sequence[int]]) -> int:
    """Return how many values can be given to different persons; `choices` are the values of each.

    >>> _matched([[1, 2], [1, 2], [1, 2]]), _matched([[1, 2], [2, 3], [1, 2]])
    (2, 3)
    """
    holder: dict[int, int] = {}
    held: dict[int, int] = {}
    for person in range(len(choices)):
        came: dict[int, int] = {}
        waiting, free = [person], None
        while waiting and free is None:
            one = waiting.pop()
            for v in choices[one]:
                if v in came:
                    continue
                came[v] = one
                if v not in holder:
                    free = v
                    break
                waiting.append(holder[v])
        while free is not None:
            one = came[free]
            holder[free], held[one], free = one, free, held.get(one)
    return len(holder)
