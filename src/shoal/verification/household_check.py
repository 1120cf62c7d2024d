"""How many households look alike in released rows that still tell which of them live together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from shoal.data.engine import Cells, Engine
from shoal.data.person_rows import PersonRows


def fewest_alike(rows: Engine, quasi: Sequence[str], household: str, persons: Sequence[str] = ()) -> int:
    """Return how many households have the same members as the one that the fewest are like; 0 without any.

    If the columns `persons` tell whose the rows are, a member is a person, with the set of values that the
    person's rows in the household have.
    """
    cells = rows.cells([*quasi, household], persons=list(persons))
    if cells.persons is not None:
        return _fewest_of_persons(cells, cells.persons)
    members: defaultdict[int, list[tuple[int, ...]]] = defaultdict(list)
    for codes, count in zip(cells.codes.tolist(), cells.counts.tolist(), strict=True):
        members[codes[-1]].append((*codes[:-1], count))
    crowds = Counter(tuple(sorted(inside)) for inside in members.values())
    return min(crowds.values(), default=0)


def _fewest_of_persons(cells: Cells, whose: PersonRows) -> int:
    """Return the same of persons, who may have several rows, also in several households."""
    codes = cells.codes.tolist()
    members: defaultdict[int, Counter[frozenset[tuple[int, ...]]]] = defaultdict(Counter)
    for (*values, home), persons in zip(codes, whose.cell_persons.tolist(), strict=True):
        if persons:
            members[home][frozenset({tuple(values)})] += persons
    there: defaultdict[tuple[int, int], set[tuple[int, ...]]] = defaultdict(set)
    for cell, person in zip(whose.cells.tolist(), whose.persons.tolist(), strict=True):
        *values, home = codes[cell]
        there[person, home].add(tuple(values))
    for (_, home), having in there.items():
        members[home][frozenset(having)] += 1
    crowds = Counter(frozenset(inside.items()) for inside in members.values())
    return min(crowds.values(), default=0)
