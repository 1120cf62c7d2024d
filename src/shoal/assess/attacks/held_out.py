"""Persons who are in a release, and persons like them who are not, for comparing statistical attacks.

A fifth of the persons are held out, and the rest are released by the same recoding. What an attack
learns equally well about those inside and those outside is knowledge about the world; only the
difference is disclosed by the release. Somebody with several rows is held out with all of them, and asked
about by one, drawn at random.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.assess.attacks.scene import SUPPRESSED, Ints, Scene

HELD_OUT = 0.2
MOST_ROWS = 50_000


@dataclass(frozen=True)
class Halves:
    """Places of rows in the crowd: the released ones, and one for each person who is in the release, or held
    out. None of them is suppressed."""

    released: Ints
    inside: Ints
    held_out: Ints


def halve(scene: Scene, draw: np.random.Generator, most: int = MOST_ROWS) -> Halves:
    """Return who is released and who is held out, of at most `most` persons."""
    crowd = scene.crowd
    if crowd.persons is None:
        places = crowd.draw(draw, most)
        places = draw.permutation(places[crowd.groups[places] != SUPPRESSED])
        out = int(len(places) * HELD_OUT)
        return Halves(places[out:], places[out:], places[:out])
    rows, whose = crowd.persons.each_row(crowd.persons.draw(draw, most))
    rows, whose = (one[crowd.groups[rows] != SUPPRESSED] for one in (rows, whose))
    order = draw.permutation(len(rows))
    rows, whose = rows[order], whose[order]
    persons, first = np.unique(whose, return_index=True)
    away = np.isin(whose, draw.permutation(persons)[: int(len(persons) * HELD_OUT)])
    once = np.zeros(len(rows), dtype=np.bool_)
    once[first] = True
    return Halves(rows[~away], rows[once & ~away], rows[once & away])
