"""Linkage: somebody knows a few things about a person and looks for the person's row.

The attacker takes all released rows that fit what is known, and picks one of them. Suppressed
persons are never found. So a person is found with the chance 1 / candidates, which is computed, not
drawn. If some of the knowledge is wrong, the attacker takes the rows that agree with most of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from shoal.assess.attacks.attack_report import Case, Finding, Rate, rate, whole
from shoal.assess.attacks.scene import SUPPRESSED, Ints, Scene
from shoal.errors import InputError, did_you_mean, show
from shoal.numbers import many, percent
from shoal.running import stopping

NAME = "linkage"
MOST_PERSONS = 1_000
WRONG = 0.1
"""The share of cells that a poorly informed attacker has wrong."""

Floats = npt.NDArray[np.float64]


def attack(scene: Scene, draw: np.random.Generator, known: Sequence[str] = ()) -> Finding:
    """Return how often persons are found by all quasi columns, half of them, more, or wrong ones.

    `known` adds the case of an attacker who knows these columns, which are quasi or released unchanged.
    """
    for name in known:
        if name not in (*scene.quasi, *scene.others):
            raise InputError(
                f"{show(name)} is no quasi column, nor released unchanged; "
                f"{did_you_mean(name, [*scene.quasi, *scene.others])}"
            )
    persons = scene.crowd.draw(draw, MOST_PERSONS)
    drawn = scene.crowd.rows > MOST_PERSONS
    everything = list(range(len(scene.quasi)))
    half = [
        np.sort(draw.choice(everything, size=max(1, len(everything) // 2), replace=False))
        for _ in persons
    ]
    baseline = whole(1 / scene.rows, scene.rows)

    def case(name: str, chances: Floats) -> Case:
        found = rate(float(chances.sum()), len(persons)) if drawn else _counted(chances)
        certain = int((chances == 1).sum())
        return Case(
            name, found, baseline, float(chances.max(initial=0.0)), None, {"singled_out": certain}
        )

    cases = [
        case("all quasi columns", _chances(scene, persons, lambda i: everything)),
        case(
            "half of the quasi columns, at random", _chances(scene, persons, lambda i: half[i].tolist())
        ),
    ]
    if scene.others:
        others = list(range(len(scene.others)))
        chances = _chances(scene, persons, lambda i: everything, others)
        cases.append(case("all quasi columns, and what is released unchanged", chances))
    if known:
        quasi = [scene.quasi.index(name) for name in known if name in scene.quasi]
        others = [scene.others.index(name) for name in known if name in scene.others]
        cases.append(case(" and ".join(known), _chances(scene, persons, lambda i: quasi, others)))
    cases.append(
        case(f"all quasi columns, {percent(WRONG)} of it wrong", _mistaken(scene, persons, draw))
    )
    return Finding(
        NAME,
        "some values of a person who is in the table",
        "the person's row is picked among the rows that fit",
        "Sweeney 2002; prosecutor model",
        tuple(cases),
        _sentences(scene, cases),
    )


def _counted(chances: Floats) -> Rate:
    return whole(float(chances.mean()) if len(chances) else 0.0, len(chances))


def _chances(
    scene: Scene, persons: Ints, columns: Callable[[int], Sequence[int]], others: Sequence[int] = ()
) -> Floats:
    """Return each person's chance of being picked among the rows that fit."""
    crowd, seen = scene.crowd, scene.seen
    found = np.zeros(len(persons))
    for i, person in enumerate(persons.tolist()):
        stopping.look()
        if crowd.groups[person] == SUPPRESSED:
            continue
        known = columns(i)
        fits = scene.candidates(crowd.values[person, known], known)
        if others:
            rows = fits[seen.groups]
            for o in others:
                rows &= seen.others[:, o] == crowd.others[person, o]
            candidates = int(seen.counts[rows].sum())
        else:
            candidates = int(scene.sizes[fits].sum())
        found[i] = _kept(scene, person) / candidates if candidates else 0.0
    return found


def _kept(scene: Scene, person: int) -> float:
    """Return the chance that a row of a released group is itself released; vioRec suppresses single rows."""
    group = scene.crowd.groups[person]
    return float(min(1.0, scene.sizes[group] / scene.members[group]))


def _mistaken(scene: Scene, persons: Ints, draw: np.random.Generator) -> Floats:
    """Return each person's chance if some known values are wrong, drawn from what others have."""
    crowd = scene.crowd
    shares = crowd.counts / crowd.rows
    found = np.zeros(len(persons))
    for i, person in enumerate(persons.tolist()):
        stopping.look()
        wrong = draw.random(len(scene.quasi)) < WRONG
        stranger = int(draw.choice(len(shares), p=shares))
        values = np.where(wrong, crowd.values[stranger], crowd.values[person])
        agree = np.zeros(len(scene.sizes), dtype=np.int64)
        for a, value in enumerate(values.tolist()):
            agree += scene.fits[a][:, value]
        best = agree == agree.max()
        group = crowd.groups[person]
        if group != SUPPRESSED and best[group]:
            found[i] = _kept(scene, person) / int(scene.sizes[best].sum())
    return found


def _sentences(scene: Scene, cases: Sequence[Case]) -> tuple[str, ...]:
    worst = max(cases, key=lambda case: case.found.share)
    said = [
        f"Who knows {worst.name} of a person finds the right row {percent(worst.found.share)} of the time; "
        f"a blind guess finds it {percent(worst.baseline.share)} of the time."
    ]
    alone = max(cases, key=lambda case: case.details["singled_out"])
    if alone.details["singled_out"]:
        said.append(
            f"{many(alone.details['singled_out'], 'person is', 'persons are')} found for certain by "
            f"{alone.name}, of {alone.found.tried:,} tried."
        )
    return tuple(said)
