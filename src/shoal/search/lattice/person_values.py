"""How many values of different persons the classes of nodes have, where persons have several rows.

It is a largest matching between the values and the persons of a class (`criteria.different_values`, the slow
twin). Persons whose rows share a cell have one value each, which is theirs at once. Who else has a value that
is given away needs it no more: it is left out, and so are most entries of large classes. Of the rest, whose
only value is left gets it: nobody needs them for another one. The others are matched as there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.criteria.different_values import different_values
from shoal.data.person_rows import PersonRows
from shoal.data.tally import Tally

Ints = npt.NDArray[np.int64]


class PersonValues:
    """Counts the values of one column that different persons have, in any classes of a tally."""

    def __init__(self, tally: Tally, whose: PersonRows, column: str) -> None:
        known = np.array([value is not None for value in tally.domain(column)], dtype=np.bool_)
        self._width = int(known.sum())
        value = np.where(known, np.cumsum(known) - 1, -1)[tally.in_cells(column)]
        combination = tally.cell_combinations
        alone = (whose.cell_persons > 0) & (value >= 0)
        pairs = np.unique(combination[alone] * max(self._width, 1) + value[alone])
        self._alone = np.divmod(pairs, max(self._width, 1))
        here = value[whose.cells] >= 0
        cells = whose.cells[here]
        self._combination, self._value, self._person = (
            combination[cells],
            value[cells],
            whose.persons[here],
        )

    def at(self, of: Ints, count: int) -> Ints:
        """Return how many values different persons have in each class, given that of each combination."""
        width = self._width
        taken = np.zeros(count * width, dtype=np.bool_)
        taken[of[self._alone[0]] * width + self._alone[1]] = True
        place = of[self._combination] * width + self._value
        left, more = np.flatnonzero(~taken[place]), np.zeros(count, dtype=np.int64)
        if len(left):
            # Each person's different values that are left, by class: places are in the order of classes.
            entries = np.unique(self._person[left] * (count * width) + place[left])
            person, place = np.divmod(entries, count * width)
            group = place // width
            same = (person[1:] == person[:-1]) & (group[1:] == group[:-1])
            single = np.ones(len(entries), dtype=np.bool_)
            single[1:] &= ~same
            single[:-1] &= ~same
            taken[place[single]] = True
            open_ = ~single & ~taken[place]
            more = self._matched(person[open_], place[open_], count)
        found: Ints = taken.reshape(count, width).sum(axis=1) + more
        return found

    def _matched(self, person: Ints, place: Ints, count: int) -> Ints:
        """Return how many more values are matched, of persons with several that nobody has yet."""
        more = np.zeros(count, dtype=np.int64)
        if not len(person):
            return more
        groups, group = np.unique(place // self._width, return_inverse=True)
        inner = group.reshape(-1) * self._width + place % self._width
        nobody = np.zeros(len(groups) * self._width, dtype=np.int64)
        whose = PersonRows(nobody, inner, person, np.ones(len(person), dtype=np.int64))
        more[groups] = different_values(whose, len(groups))
        return more
