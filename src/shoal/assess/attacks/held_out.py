"""Persons who are in a release, and persons like them who are not: what statistical attacks are compared
on.

A fifth of the persons is held out, and the rest released by the same recoding. What an attack learns of
those who are in the release and equally of those who are not is knowledge about the world; only the
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
    """Places of persons in the crowd: the released ones, and those held out. Nobody suppressed is among
    them."""

    released: Ints
    held_out: Ints


def halve(scene: Scene, draw: np.random.Generator, most: int = MOST_ROWS) -> Halves:
    """Return who is released and who is held out, of so many persons at the most."""
    persons = scene.crowd.draw(draw, most)
    persons = draw.permutation(persons[scene.crowd.groups[persons] != SUPPRESSED])
    out = int(len(persons) * HELD_OUT)
    return Halves(persons[out:], persons[:out])
