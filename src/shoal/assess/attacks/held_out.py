"""Persons who are in a release, and persons like them who are not, for comparing statistical attacks.

A fifth of the persons are held out, and the rest are released by the same recoding. What an attack
learns equally well about those inside and those outside is knowledge about the world; only the
difference is disclosed by the release.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.assess.attacks.scene import SUPPRESSED, Ints, Scene

HELD_OUT = 0.2
MOST_ROWS = 50_000


@dataclass(frozen=True)
class Halves:
    """Places of persons in the crowd: the released ones, and those held out. Nobody among them
    is suppressed."""

    released: Ints
    held_out: Ints


def halve(scene: Scene, draw: np.random.Generator, most: int = MOST_ROWS) -> Halves:
    """Return who is released and who is held out, of at most `most` persons."""
    persons = scene.crowd.draw(draw, most)
    persons = draw.permutation(persons[scene.crowd.groups[persons] != SUPPRESSED])
    out = int(len(persons) * HELD_OUT)
    return Halves(persons[out:], persons[:out])
