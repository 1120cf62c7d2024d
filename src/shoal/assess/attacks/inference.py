"""Inference: a sensitive value is taken from the nearest released row (Anonymeter's definition).

The attacker knows the other columns of a person, finds the released rows that are nearest to them, and
takes the sensitive value of one of these. The baseline is the same guess for persons who were held out:
what it gets right about them follows from the world, not from their rows.
"""

from __future__ import annotations

import numpy as np

from shoal.assess.attacks.attack_report import Case, Finding, rate
from shoal.assess.attacks.distances import ReleasedRows
from shoal.assess.attacks.held_out import halve
from shoal.assess.attacks.scene import Ints, Scene
from shoal.numbers import percent
from shoal.running import stopping

NAME = "inference"
TRIES = 500


def attack(scene: Scene, draw: np.random.Generator) -> Finding:
    """Return how often sensitive values are guessed right, for persons in the release and for others."""
    cases: list[Case] = []
    halves = halve(scene, draw)
    rows = ReleasedRows(scene, halves.released)
    columns = list(range(len(scene.quasi) + len(scene.others)))
    for s, column in enumerate(() if scene.buckets else scene.sensitive):
        secrets = scene.crowd.secrets[:, s]
        found, control = (
            rate(
                _guessed(rows, who, secrets[halves.released], secrets, columns, draw),
                min(TRIES, len(who)),
            )
            for who in (halves.inside, halves.held_out)
        )
        cases.append(Case(column, found, control))
    said = [
        f"{case.name} is guessed for {percent(case.found.share)} of the persons, and for "
        f"{percent(case.baseline.share)} of persons who are not in the release."
        for case in cases
    ] or ["No sensitive column is released with the quasi columns."]
    return Finding(
        NAME,
        "all columns of a person but the sensitive one",
        "the value of the nearest row is right; the baseline are persons who are not in the release",
        "Giomi et al. 2023 (Anonymeter); WP216",
        tuple(cases),
        tuple(said),
    )


def _guessed(
    rows: ReleasedRows,
    persons: Ints,
    shown: Ints,
    secrets: Ints,
    columns: list[int],
    draw: np.random.Generator,
) -> float:
    """Return how many guesses are right, if each of the nearest rows is equally likely to be taken."""
    total = 0.0
    for person in draw.choice(persons, min(TRIES, len(persons)), replace=False).tolist():
        stopping.look()
        far = rows.apart(person, columns)
        total += float((shown[far == far.min()] == secrets[person]).mean())
    return total
