"""The population of groups while they are searched for: whoever has the values of a row in the group.

A released group stands for everybody whom its labels cover, and labels are known only when the search is
over. So the search counts those persons of the population who have exactly the values of one of the group's
rows, each person once. The labels cover all of them, so a group that has k of them has k by its labels
(k-map), and one whose rows are at most a share of them is at most that share (delta-presence). The release
counts again, by the labels.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.coding import placed
from shoal.errors import InputError
from shoal.search.task import Task

Ints = npt.NDArray[np.int64]


def own_crowd(task: Task) -> Ints | None:
    """Return the persons of the population for each combination of the table; None if nobody asks for them.

    Someone with rows in several combinations counts in the first that the table has, so that no sum over
    combinations counts a person twice.
    """
    if not task.promise.needs_population:
        return None
    assert task.population is not None
    tally, other = task.tally, task.population.tally
    codes = np.empty((len(other), len(tally.attributes)), dtype=np.int32)
    for a, (name, domain) in enumerate(zip(tally.attributes, tally.domains, strict=True)):
        place = {value: code for code, value in enumerate(domain)}
        there = np.array([place.get(value, -1) for value in other.domain(name)], dtype=np.int32)
        codes[:, a] = there[other.codes[:, other.attributes.index(name)]]
    found, at = placed(np.concatenate([tally.codes, codes]))
    mine = np.full(len(found), -1, dtype=np.int64)
    mine[at[: len(tally)]] = np.arange(len(tally))
    home = mine[at[len(tally) :]]
    crowd = np.zeros(len(tally), dtype=np.int64)
    persons = other.in_combinations
    alone = other.counts if persons is None else persons.cell_persons
    np.add.at(crowd, home[home >= 0], alone[home >= 0])
    if persons is not None:
        inside = home[persons.cells] >= 0
        _, first = np.unique(persons.persons[inside], return_index=True)
        np.add.at(crowd, home[persons.cells[inside][first]], 1)
    return crowd


def check_presence(task: Task, *, overlap: bool) -> None:
    """Refuse delta-presence that groups cannot keep."""
    delta = task.promise.delta
    if delta is None:
        return
    if overlap:
        raise InputError(
            "the labels of these groups may overlap, and who fits several groups may be in any of them, so "
            "delta-presence cannot be promised; use mondrian with strict regions, or ask for k-map"
        )
    if delta.low:
        raise InputError(
            "groups need not cover the whole population, and who is in no group is certainly not in the "
            "release; give delta a low of 0, or choose a full-domain algorithm"
        )
