"""What pseudonyms tell of persons with several rows: whom 2 or 3 of their released rows single out.

Somebody knows the quasi values of some rows of a person, as they are released: of two visits, say. If no
other person has rows with these values, the pseudonym leads from them to all rows of that person. Persons are
counted whom some 2 of their rows single out in this way, and whom some 3 or fewer do. Rows with the same
values count each: two equal visits tell that a person has two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.assess.audit.look import AuditWarning
from shoal.data.engine import Cells, Engine
from shoal.errors import TallyTooLargeError
from shoal.numbers import many, share_of

Ints = npt.NDArray[np.int64]

MOST_GROUPS = 12
"""Persons with rows in more groups are taken to be singled out: they have too many sets of rows."""
MOST_SETS = 20_000_000
"""The most sets of rows to look at; with more, persons of fewer groups are taken to be singled out too."""
MOST_LOOKS = 400_000_000
"""The most comparisons of sets with persons of many groups; without these, more persons count as found."""


@dataclass(frozen=True)
class Followed:
    """Of the released `persons` those with `several` rows, and whom `two` or `three` of these single out.

    Persons with rows in more than `most` groups are taken to be singled out; None if nobody has so many.
    """

    persons: int
    several: int
    two: int
    three: int
    most: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as the record keeps them."""
        found = {name: getattr(self, name) for name in ("persons", "several", "two", "three")}
        return found | {"exact": self.most is None}

    def sentence(self) -> str:
        """Return the figures in words."""
        if not self.several:
            return "Every released person has one row, so pseudonyms tell nothing more."
        share = share_of(self.two, self.persons), share_of(self.three, self.persons)
        beyond = (
            ""
            if self.most is None
            else f" Those with rows in more than {many(self.most, 'group')} are taken to be among them."
        )
        return (
            f"Pseudonyms show whose rows belong together: 2 of their rows single out {self.two:,} of "
            f"{many(self.persons, 'released person')} ({share[0]}), 2 or 3 of them {self.three:,} "
            f"({share[1]}). Whoever knows as much of a person finds all of that person's rows.{beyond}"
        )

    def warning(self) -> AuditWarning:
        """Return what a curator should know before the release is published."""
        level = "warning" if self.three else "note"
        return AuditWarning("followed-persons", level, self.sentence(), self.to_dict())


def follow_persons(rows: Engine, quasi: Sequence[str], person: str) -> Followed | None:
    """Return whom several rows single out in a release with pseudonyms; None if there are too many rows."""
    try:
        return followed(rows.cells([*quasi, person]))
    except TallyTooLargeError:
        return None


def followed(cells: Cells) -> Followed:
    """Return whom several rows single out, given the rows of each group and, as the last column, person."""
    _, group = np.unique(cells.codes[:, :-1], axis=0, return_inverse=True)
    group, person = group.reshape(-1).astype(np.int64), cells.codes[:, -1].astype(np.int64)
    order = np.lexsort((group, person))
    group, person, rows = group[order], person[order], cells.counts[order]
    widths = np.bincount(person)
    totals = np.bincount(person, weights=rows)
    most = _most(widths)
    light = widths <= most
    starts = np.searchsorted(person, np.arange(len(widths) + 1))
    crowded = [
        (group[starts[p] : starts[p + 1]], rows[starts[p] : starts[p + 1]])
        for p in np.flatnonzero(~light).tolist()
    ]
    singled = np.zeros(len(widths), dtype=np.bool_)
    singled[~light] = True
    counted = []
    for size in (2, 3):
        found = _sets(group, person, rows, np.where(light, widths, 0), size)
        singled[_alone(*found, crowded, int(group.max(initial=0)) + 1)] = True
        counted.append(int(singled.sum()))
    several = int((totals > 1).sum())
    return Followed(len(widths), several, counted[0], counted[1], None if light.all() else most)


def _most(widths: Ints) -> int:
    """Return up to how many groups of a person all sets of rows are looked at."""
    most = MOST_GROUPS
    while most > 1 and sum(comb(m + 2, 3) for m in widths[widths <= most].tolist()) > MOST_SETS:
        most -= 1
    return most


def _sets(group: Ints, person: Ints, rows: Ints, widths: Ints, size: int) -> tuple[list[Ints], Ints]:
    """Return every set of `size` rows that a person has, as sorted groups, and whose it is."""
    starts = np.searchsorted(person, np.arange(len(widths)))
    parts: list[list[Ints]] = [[np.zeros(0, dtype=np.int64)] for _ in range(size)]
    whose = [np.zeros(0, dtype=np.int64)]
    for width in np.unique(widths[widths > 0]).tolist():
        here = np.flatnonzero(widths == width)
        at = starts[here][:, None] + np.arange(width)
        groups, counts = group[at], rows[at]
        for chosen in combinations_with_replacement(range(width), size):
            has = np.ones(len(here), dtype=np.bool_)
            for one in set(chosen):
                has &= counts[:, one] >= chosen.count(one)
            for part, one in zip(parts, chosen, strict=True):
                part.append(groups[has, one])
            whose.append(here[has])
    return [np.concatenate(part) for part in parts], np.concatenate(whose)


def _alone(sets: Sequence[Ints], whose: Ints, crowded: Sequence[tuple[Ints, Ints]], groups: int) -> Ints:
    """Return whose sets nobody else has."""
    order = np.lexsort(list(sets))
    same = np.ones(max(len(order) - 1, 0), dtype=np.bool_)
    for part in sets:
        same &= part[order[1:]] == part[order[:-1]]
    single = np.ones(len(order), dtype=np.bool_)
    single[1:] &= ~same
    single[:-1] &= ~same
    only = order[single]
    left, owners = [part[only] for part in sets], whose[only]
    if len(crowded) * len(only) > MOST_LOOKS:
        crowded = ()
    for there, rows in crowded:
        has = np.zeros(groups, dtype=np.int64)
        has[there] = rows
        enough = np.ones(len(owners), dtype=np.bool_)
        for one in left:
            times = np.sum([one == other for other in left], axis=0)
            enough &= has[one] >= times
        left, owners = [part[~enough] for part in left], owners[~enough]
    return np.unique(owners)
