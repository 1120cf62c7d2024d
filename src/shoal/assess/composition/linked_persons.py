"""What pseudonyms under one secret reveal: they put each person's rows of two releases together.

Names of 96 bits under different secrets have nothing in common, so names that both releases have are of the
same persons. Whoever knows a person's values then looks for a person with rows in a group of the one and in a
group of the other. Here persons are counted, not rows, and the counts are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.data.engine import Cells, Engine


@dataclass(frozen=True)
class LinkedPersons:
    """How many persons have rows in both releases, and by which pairs of groups they are told apart.

    A person is in every pair of a group of the one and a group of the other in which the person has rows.
    `below_k` of the `pairs` have fewer than k persons, the `smallest` has the fewest, and `exposed` persons
    are in such a pair.
    """

    persons: int
    pairs: int
    below_k: int
    smallest: int
    exposed: int


def link_persons(
    one: tuple[Engine, Sequence[str], str], other: tuple[Engine, Sequence[str], str], k: int
) -> LinkedPersons | None:
    """Return what names reveal that two releases share; None if they share none.

    Each release is its rows, its quasi columns and its column of names.
    """
    sides = [_groups(engine.cells([*quasi, person])) for engine, quasi, person in (one, other)]
    shared = sides[0].keys() & sides[1].keys()
    if not shared:
        return None
    pairs: dict[tuple[int, int], list[str]] = {}
    for name in shared:
        for first in sides[0][name]:
            for second in sides[1][name]:
                pairs.setdefault((first, second), []).append(name)
    sizes = [len(persons) for persons in pairs.values()]
    small = [persons for persons in pairs.values() if len(persons) < k]
    exposed = {name for persons in small for name in persons}
    return LinkedPersons(len(shared), len(pairs), len(small), min(sizes), len(exposed))


def _groups(cells: Cells) -> dict[str, list[int]]:
    """Return the groups of each person."""
    _, group = np.unique(cells.codes[:, :-1], axis=0, return_inverse=True)
    found: dict[str, list[int]] = {}
    for person, number in zip(cells.codes[:, -1].tolist(), group.reshape(-1).tolist(), strict=True):
        found.setdefault(cells.domains[-1][person] or "", []).append(number)
    return found
