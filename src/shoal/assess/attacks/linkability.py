"""Linkability: two halves of a person's columns, known to two people, lead to the same row (Anonymeter's
definition).

For each half the attacker takes the nearest released row, a random one if several are equally near, and
succeeds if both are the same. The baseline is the same for persons who were held out: what is linked by
chance, since for them no link is true.
"""

from __future__ import annotations

import numpy as np

from shoal.assess.attacks.attack_report import Case, Finding, rate
from shoal.assess.attacks.distances import ReleasedRows
from shoal.assess.attacks.held_out import halve
from shoal.assess.attacks.scene import Ints, Scene
from shoal.numbers import percent
from shoal.running import stopping

NAME = "linkability"
TRIES = 500


def attack(scene: Scene, draw: np.random.Generator) -> Finding:
    """Return how often two halves of the columns lead to one row, for persons in the release and for
    others."""
    columns = draw.permutation(len(scene.quasi) + len(scene.others))
    cases: tuple[Case, ...] = ()
    said = "It takes two columns at least."
    if len(columns) > 1:
        half = len(columns) // 2
        sides = np.sort(columns[:half]), np.sort(columns[half:])
        halves = halve(scene, draw)
        rows = ReleasedRows(scene, halves.released)
        found, control = (
            rate(_linked(rows, who, sides, draw), min(TRIES, len(who)))
            for who in (halves.inside, halves.held_out)
        )
        names = [rows.columns[column] for column in sides[0].tolist()]
        cases = (Case(f"{', '.join(names)} and the others", found, control),)
        said = (
            f"Two halves of the columns lead to one row for {percent(found.share)} of the persons, and for "
            f"{percent(control.share)} of persons who are not in the release."
        )
    return Finding(
        NAME,
        "half of a person's columns from one source, the other half from another",
        "both lead to the same released row; the baseline are persons who are not in the release",
        "Giomi et al. 2023 (Anonymeter); WP216",
        cases,
        (said,),
    )


def _linked(
    rows: ReleasedRows, persons: Ints, sides: tuple[Ints, Ints], draw: np.random.Generator
) -> float:
    """Return the expected number of links: the two nearest rows are the same with the chance
    both / (one * other)."""
    total = 0.0
    for person in draw.choice(persons, min(TRIES, len(persons)), replace=False).tolist():
        stopping.look()
        nearest = [far == far.min() for far in (rows.apart(person, side.tolist()) for side in sides)]
        total += float((nearest[0] & nearest[1]).sum()) / (
            float(nearest[0].sum()) * float(nearest[1].sum())
        )
    return total
