"""What persons with several rows weigh in the combinations of a search over cuts, as the kernels take it.

A person weighs one in a group, spread evenly over their rows there. If all their rows are in one
combination, these weights are the same in every group, and add up as whole numbers over a common
denominator, the `scale`. Everybody else is listed with their rows: `kernels/cuts/person_shares.hpp` says
what is counted for them, and why that bounds what they weigh.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd, lcm

import numpy as np
import numpy.typing as npt

from shoal.data.tally import Tally
from shoal.search.kernel_persons import GivenPersons

Ints = npt.NDArray[np.int64]
Cells = tuple[Ints, npt.NDArray[np.int32], Ints]
"""Combinations, slots of their histograms, and the rows in each."""

MOST_WEIGHT = 2**31 - 1
"""What all persons of all combinations may weigh together, in the kernels."""
MOST_SHARE = 2**62
"""The largest denominator of a limit or share of persons, in the kernels."""


@dataclass(frozen=True)
class PersonWeights:
    """What the persons of combinations weigh: `scale` each, `total` in all combinations.

    `cells` has for each column what its values weigh. `listed` has the combination, the person, the slot, the
    rows and what `cells` counts for them; `persons` names the same persons. `largest` is the largest common
    denominator that a share can have, or 0 if that is above `MOST_SHARE`.
    """

    scale: int
    total: int
    persons: GivenPersons
    cells: list[Cells]
    listed: npt.NDArray[np.int32]
    largest: int


def weigh_persons(
    tally: Tally, columns: Sequence[str], of: Ints, count: int, *, several: bool
) -> PersonWeights:
    """Return what the values of some columns weigh in `count` combinations.

    Combination i of the tally is part of combination `of[i]`. With `several`, everybody who has several
    values of a column is listed.
    """
    rows = tally.persons
    assert rows is not None
    at = of[tally.cell_combinations]
    firsts = np.cumsum([0, *(len(tally.domain(column)) for column in columns)])[:-1].tolist()
    slots = [tally.in_cells(column) + first for column, first in zip(columns, firsts, strict=True)]
    who, where = rows.persons, at[rows.cells]
    people = rows.spread
    owned = np.bincount(who, weights=rows.rows, minlength=people).astype(np.int64)
    pairs = np.unique(np.stack([where, who], axis=1), axis=0)
    apart = np.bincount(pairs[:, 1], minlength=people) > 1
    parts = [_added(where, who, slot[rows.cells], rows.rows) for slot in slots]
    denominators = np.ones(people, dtype=np.int64)
    listed = apart.copy()
    for _, person, _, n in parts:
        common = owned.copy()
        np.gcd.at(common, person, n)
        denominators = np.lcm(denominators, owned // common)
        if several:
            listed |= np.bincount(person, minlength=people) > 1
    heads = int(rows.cell_persons.sum()) + len(pairs)
    scale = _scale(denominators[~listed], heads) if people else 1
    listed |= scale % denominators != 0
    scale = _scale(denominators[listed], heads, scale)
    cells, entries = [], []
    for slot, (place, person, value, n) in zip(slots, parts, strict=True):
        part = scale * n // owned[person]
        cells.append(
            (
                np.concatenate([at, place]),
                np.concatenate([slot, value]).astype(np.int32),
                np.concatenate([rows.cell_persons * scale, part]),
            )
        )
        here = listed[person]
        entries.append(np.stack([place, person, value, n, part], axis=1)[here])
    named = pairs[listed[pairs[:, 1]]]
    number = np.cumsum(listed) - 1
    single = np.bincount(at, weights=rows.cell_persons, minlength=count).astype(np.int64)
    alone = pairs[~listed[pairs[:, 1]]]
    single += np.bincount(alone[:, 0], minlength=count)
    entry = np.concatenate(entries)
    entry[:, 1] = number[entry[:, 1]]
    entry = entry[np.argsort(entry[:, 0], kind="stable")]
    given = np.stack([named[:, 0], number[named[:, 1]]], axis=1)
    return PersonWeights(
        scale,
        scale * heads,
        (single[:, None], np.ascontiguousarray(given, dtype=np.int32)),
        cells,
        np.ascontiguousarray(entry, dtype=np.int32),
        _largest(scale, owned[listed], tally.people),
    )


def _added(
    where: Ints, who: Ints, slots: npt.NDArray[np.int64], n: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return combination, person, slot and rows, with the rows of the same three added up."""
    keys = np.stack([where, who, slots.astype(np.int64)], axis=1)
    found, place = np.unique(keys, axis=0, return_inverse=True)
    rows = np.bincount(place.reshape(-1), weights=n, minlength=len(found)).astype(np.int64)
    return found[:, 0], found[:, 1], found[:, 2], rows


def _scale(denominators: Ints, heads: int, scale: int = 1) -> int:
    """Return a common multiple of a scale and of as many denominators as fit, the most frequent first."""
    found, often = np.unique(denominators, return_counts=True)
    for one in found[np.argsort(-often, kind="stable")].tolist():
        more = lcm(scale, one)
        if more * heads <= MOST_WEIGHT:
            scale = more
    return scale


def _largest(scale: int, listed: Ints, people: int) -> int:
    """Return the largest denominator that a share of persons can have; 0 if it is above what fits.

    A group may hold any number of a listed person's rows, so each such number may be a denominator.
    """
    all_ = scale
    for n in range(2, int(listed.max(initial=1)) + 1):
        all_ = all_ // gcd(all_, n) * n
        if all_ * people > MOST_SHARE:
            return 0
    return all_ * people
