"""Membership: who was in the table, and who was suppressed.

The attacker knows all values of somebody, sensitive ones too, and says "in the table" if a released row
fits them. Half of those asked about are in it, half were held out, so a blind guess is right half of the
time. And somebody known to be in the table who fits no released group was certainly suppressed, which
reveals that the person is rare.
"""

from __future__ import annotations

import numpy as np

from shoal.assess.attacks.attack_report import Case, Finding, rate, whole
from shoal.assess.attacks.held_out import halve
from shoal.assess.attacks.scene import SUPPRESSED, Ints, Scene
from shoal.numbers import many, percent
from shoal.running import stopping

NAME = "membership"
MOST_PERSONS = 1_000


def attack(scene: Scene, draw: np.random.Generator) -> Finding:
    """Return how often membership is guessed right, and how many persons were certainly suppressed."""
    halves = halve(scene, draw)
    number = min(len(halves.inside), len(halves.held_out), MOST_PERSONS)
    inside = draw.choice(halves.inside, number, replace=False)
    outside = draw.choice(halves.held_out, number, replace=False)
    left = _left(scene, halves.released)
    right = sum(_fits(scene, person, left) for person in inside.tolist())
    right += sum(not _fits(scene, person, left) for person in outside.tolist())
    tries = 2 * number
    cases = [Case("whether a person is in the table", rate(right, tries), whole(0.5, tries))]
    said = [
        f"Membership is told rightly {percent(cases[0].found.share)} of the time, by one who knows all "
        "values of a person; a blind guess is right half of the time."
    ]
    gone = scene.crowd.groups == SUPPRESSED
    if gone.any() and not scene.buckets:
        lost = scene.crowd.owners(gone)
        everything = list(range(len(scene.quasi)))
        known = np.zeros(len(gone), dtype=np.bool_)
        for row in np.flatnonzero(gone).tolist():
            stopping.look()
            known[row] = not scene.candidates(scene.crowd.values[row], everything).any()
        told = scene.crowd.owners(known)
        cases.append(
            Case(
                f"whether {_gone(scene)} was suppressed",
                whole(told / lost, lost),
                whole(0.0, lost),
                None,
                told,
            )
        )
        said.append(
            f"Of {many(lost, 'person')} with suppressed rows, {told:,} have one that fits no released group: "
            "it is known to be gone."
            if scene.of_persons
            else f"Of {many(lost, 'suppressed row')}, {told:,} fit no released group: they are known to be "
            "gone."
        )
    return Finding(
        NAME,
        "all values of a person, sensitive ones too; not whether the person is in the table",
        "the attacker says rightly whether the person is in the table",
        "Shokri et al. 2017, for released rows",
        tuple(cases),
        tuple(said),
    )


def _gone(scene: Scene) -> str:
    return "a row of a person" if scene.of_persons else "a person of the table"


def _left(scene: Scene, released: Ints) -> dict[int, Ints]:
    """Return, by group, the other columns and secrets of released persons who are not held out."""
    crowd = scene.crowd
    rows = np.unique(np.column_stack([crowd.groups, crowd.others, crowd.secrets])[released], axis=0)
    ends = np.searchsorted(rows[:, 0], np.arange(len(scene.sizes) + 1))
    return {g: rows[ends[g] : ends[g + 1], 1:] for g in range(len(scene.sizes))}


def _fits(scene: Scene, person: int, left: dict[int, Ints]) -> bool:
    """Return whether some row that is left fits all values of a person."""
    stopping.look()
    crowd = scene.crowd
    fits = scene.candidates(crowd.values[person], range(len(scene.quasi)))
    mine = np.concatenate([crowd.others[person], crowd.secrets[person]])
    if scene.buckets:
        mine = crowd.others[person]
    return any(
        bool((left[g][:, : len(mine)] == mine).all(axis=1).any())
        for g in np.flatnonzero(fits).tolist()
        if len(left[g])
    )
