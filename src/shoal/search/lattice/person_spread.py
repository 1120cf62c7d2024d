"""The values of persons with several rows, as the kernel rolls them up from node to node.

Persons whose rows share a cell add to their combination what they add to every class around it. Those of
several cells are listed with their values: when classes merge, a person who was in both weighs one in the
merged class instead of one in each, and stands for one value there. Weights are whole multiples of 1 / scale
of a person, where the scale can be divided by every number of rows that a person may have in a class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd, lcm

import numpy as np
import numpy.typing as npt

from shoal.data.person_rows import PersonRows
from shoal.data.tally import Tally
from shoal.search.lattice.value_sets import ValueSets, value_sets

Ints = npt.NDArray[np.int64]

MOST_ROWS = 40
"""A person with more rows needs a scale of more than 64 bits."""
LARGEST = 1 << 60
"""The largest product of weights that the kernel adds up."""


@dataclass(frozen=True)
class PersonSpread:
    """What the kernel needs to know of persons in some columns.

    `weights` has for each combination and column the weights of those whose rows share a cell, then
    everybody's; and at last its number of persons. Distances times `unit` are whole numbers divided by
    persons; it is 0 if no column is weighed. `sets` has the values of those whose rows share a cell.
    """

    weights: Ints
    sets: ValueSets
    values: tuple[list[int], list[int], int, list[Ints]]
    """The widths of the weighed columns, the table's weights, the scale, and the listed persons' values."""
    unit: int


def person_spread(tally: Tally, diverse: Sequence[str], close: Sequence[str]) -> PersonSpread | None:
    """Return the values of persons in columns that are counted or weighed; None if weights are too large."""
    whose = tally.persons
    assert whose is not None
    scale, size, whole = 1, 0, []
    if close:
        most = int(np.bincount(whose.persons, weights=whose.rows).max(initial=1))
        if most > MOST_ROWS:
            return None
        scale = lcm(*range(1, most + 1))
        whole = _whole(tally, close)
        size = sum(whole[0])
        pairs = int(whose.cell_persons.sum()) + len(whose.cells)
        if 4 * len(close) * scale * pairs * size > LARGEST:
            return None
    combination = tally.cell_combinations
    blocks = [np.zeros((len(tally), 0), dtype=np.int64)]
    for name in close:
        blocks += _weights(tally, whose, name, scale)
    if close:
        blocks.append(whose.in_groups(combination, len(tally))[:, None])
    entries = [_entries(whose, combination, tally.in_cells(name)) for name in close]
    for name in diverse:
        domain, values = tally.domain(name), tally.in_cells(name)
        known = values < len(domain) - (None in domain)  # the missing value is the last of its domain
        entries.append(_entries(whose, combination, values, known))
    return PersonSpread(
        np.concatenate(blocks, axis=1),
        value_sets(tally, diverse, whose.cell_persons > 0),
        ([len(one) for one in whole], [weight for one in whole for weight in one], scale, entries),
        2 * scale * size,
    )


def _whole(tally: Tally, columns: Sequence[str]) -> list[list[int]]:
    """Return what each value weighs in the table, by column, with the same sum for all columns."""
    everything = np.zeros(len(tally), dtype=np.int64)
    found = []
    for name in columns:
        weights = [int(weight) for weight in tally.weights(name, everything, 1).counts[0]]
        divisor = gcd(*weights)
        found.append([weight // divisor for weight in weights])
    size = lcm(*(sum(one) for one in found))
    return [[weight * (size // sum(one)) for weight in one] for one in found]


def _weights(tally: Tally, whose: PersonRows, column: str, scale: int) -> tuple[Ints, Ints]:
    """Return what those whose rows share a cell weigh in each combination, and what everybody does."""
    height, width = len(tally), len(tally.domain(column))
    place = tally.cell_combinations * width + tally.in_cells(column)
    # Weights are added as doubles, which is exact up to 2^53; they are persons.
    alone = np.bincount(place, weights=whose.cell_persons, minlength=height * width).astype(np.int64)
    every = alone * scale
    # A person's cells are in the order of combinations, so equal ones are adjacent.
    combination = tally.cell_combinations[whose.cells]
    first = np.ones(len(combination), dtype=np.bool_)
    first[1:] = (whose.persons[1:] != whose.persons[:-1]) | (combination[1:] != combination[:-1])
    run = np.cumsum(first) - 1
    own = np.bincount(run, weights=whose.rows).astype(np.int64)[run]
    np.add.at(every, place[whose.cells], scale // own * whose.rows)
    return (alone * scale).reshape(height, width), every.reshape(height, width)


def _entries(
    whose: PersonRows,
    combination: Ints,
    values: npt.NDArray[np.int32],
    known: npt.NDArray[np.bool_] | None = None,
) -> Ints:
    """Return rows of combination, person, value and number of rows of those listed, by person."""
    here = slice(None) if known is None else known[whose.cells]
    cells = whose.cells[here]
    columns = (combination[cells], whose.persons[here], values[cells], whose.rows[here])
    return np.ascontiguousarray(np.stack(columns, axis=1).astype(np.int64))
