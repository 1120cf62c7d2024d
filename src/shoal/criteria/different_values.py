"""How many values of a group belong to as many different persons: a system of distinct representatives.

Give each of l values to somebody who has it, and nobody two: the largest such l is the size of a maximum
matching between the values and the persons of a group. A person with a single value there can be given no
other, so values of such persons are matched at once; the rest are matched one by one along augmenting
paths (Berge 1957: a matching without such a path is a largest one).
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import numpy.typing as npt

from shoal.data.person_rows import PersonRows

Ints = npt.NDArray[np.int64]


def different_values(whose: PersonRows, count: int, enough: int | None = None) -> Ints:
    """Return for each group how many values different persons have, or `enough` or more if it has so many.

    `whose` says whose rows are in cell g * width + v, value v in group g.

    >>> five = PersonRows.listed(np.zeros(5, dtype=np.int64), np.arange(5), np.zeros(5, int), np.ones(5, int))
    >>> different_values(five, 1).tolist()  # one person, five values
    [1]
    """
    width = len(whose.cell_persons) // max(count, 1)
    taken = whose.cell_persons.reshape(count, width) > 0
    groups = whose.cells // max(width, 1)
    alone = _alone(whose.persons * count + groups)
    taken.reshape(-1)[whose.cells[alone]] = True
    found = taken.sum(axis=1)
    rest = ~alone & ~taken.reshape(-1)[whose.cells]
    if enough is not None:
        rest &= found[groups] < enough
    holders: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for cell, person in zip(whose.cells[rest].tolist(), whose.persons[rest].tolist(), strict=True):
        holders[cell // width][cell].append(person)
    for group, values in holders.items():
        given: dict[int, int] = {}
        holder: dict[int, int] = {}
        found[group] += sum(_given(value, values, given, holder) for value in values)
    return np.asarray(found, dtype=np.int64)


def _given(
    value: int, holders: dict[int, list[int]], given: dict[int, int], holder: dict[int, int]
) -> bool:
    """Give a value to a person, moving others if need be; return whether that is possible.

    `given[p]` is the value of person p, and `holder` its inverse. Breadth first, since paths may be long.
    """
    came: dict[int, int] = {}  # the value from which a person was reached
    for asked in (open_ := [value]):
        for person in holders[asked]:
            if person in came:
                continue
            came[person] = asked
            if person in given:
                open_.append(given[person])
                continue
            free = person
            while (here := came[free]) != value:
                given[free], holder[here], free = here, free, holder[here]
            given[free], holder[value] = value, free
            return True
    return False


def _alone(keys: Ints) -> npt.NDArray[np.bool_]:
    """Return which of the keys occur once."""
    _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return np.asarray(counts[inverse.reshape(-1)] == 1, dtype=np.bool_)
