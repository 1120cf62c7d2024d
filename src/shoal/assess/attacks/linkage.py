"""Linkage: somebody knows a few things about a person and looks for the person's row.

The attacker takes all released rows that fit what is known, and picks one of them. Suppressed
persons are never found. So a person is found with the chance 1 / candidates, which is computed, not
drawn. If some of the knowledge is wrong, the attacker takes the rows that agree with most of it.

Where persons have several rows, the attacker knows all rows of a person, takes for each the persons who have
a released row that fits, and follows the row that leaves the fewest: candidates are persons, as k counts
them. That the candidates of several rows must be one person is not used; it needs names that tell whose rows
are whose (a release with such names warns of it).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from shoal.assess.attacks.attack_report import Case, Finding, Rate, rate, whole
from shoal.assess.attacks.scene import SUPPRESSED, Ints, Mask, Scene
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
    persons = scene.crowd.drawn(draw, MOST_PERSONS)
    drawn = scene.crowd.total > MOST_PERSONS
    everything = list(range(len(scene.quasi)))
    half = [
        np.sort(draw.choice(everything, size=max(1, len(everything) // 2), replace=False))
        for _ in persons
    ]
    everybody = scene.fit_anyone(np.ones(len(scene.sizes), dtype=np.bool_))
    baseline = whole(1 / everybody, everybody)

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
    scene: Scene,
    persons: Sequence[Ints],
    columns: Callable[[int], Sequence[int]],
    others: Sequence[int] = (),
) -> Floats:
    """Return each person's chance of being picked among those who fit, by the row that tells most."""

    @cache  # many persons are of one combination
    def chance(row: int, known: tuple[int, ...]) -> float:
        stopping.look()
        if scene.crowd.groups[row] == SUPPRESSED:
            return 0.0
        fits = scene.candidates(scene.crowd.values[row, known], known)
        candidates = _who_fits(scene, row, fits, others)
        return _kept(scene, row) / candidates if candidates else 0.0

    return np.array(
        [
            max((chance(row, tuple(columns(i))) for row in rows.tolist()), default=0.0)
            for i, rows in enumerate(persons)
        ]
    )


def _who_fits(scene: Scene, row: int, fits: Mask, others: Sequence[int]) -> int:
    """Return how many persons have a released row in groups that fit, with the same unchanged columns."""
    if not others:
        return scene.fit_anyone(fits)
    crowd, seen = scene.crowd, scene.seen
    if scene.of_persons:
        same = np.append(fits, False)[crowd.groups]
        for o in others:
            same &= crowd.others[:, o] == crowd.others[row, o]
        return crowd.owners(same)
    rows = fits[seen.groups]
    for o in others:
        rows &= seen.others[:, o] == crowd.others[row, o]
    return int(seen.counts[rows].sum())


def _kept(scene: Scene, person: int) -> float:
    """Return the chance that a row of a released group is itself released; vioRec suppresses single rows."""
    group = scene.crowd.groups[person]
    return float(min(1.0, scene.sizes[group] / scene.members[group]))


def _mistaken(scene: Scene, persons: Sequence[Ints], draw: np.random.Generator) -> Floats:
    """Return each person's chance if some known values are wrong, drawn from what others have.

    Of somebody with several rows, one is known.
    """
    crowd = scene.crowd
    strangers = draw.choice(len(crowd.counts), size=len(persons), p=crowd.counts / crowd.rows)
    found = np.zeros(len(persons))
    for i, rows in enumerate(persons):
        stopping.look()
        row = int(rows[0]) if len(rows) == 1 else int(draw.choice(rows))
        wrong = draw.random(len(scene.quasi)) < WRONG
        values = np.where(wrong, crowd.values[strangers[i]], crowd.values[row])
        agree = np.zeros(len(scene.sizes), dtype=np.int64)
        for a, value in enumerate(values.tolist()):
            agree += scene.fits(a, value)
        best = agree == agree.max()
        group = crowd.groups[row]
        if group != SUPPRESSED and best[group]:
            found[i] = _kept(scene, row) / scene.fit_anyone(best)
    return found


def _sentences(scene: Scene, cases: Sequence[Case]) -> tuple[str, ...]:
    worst = max(cases, key=lambda case: case.found.share)
    said = [
        f"Who knows {worst.name} of a person finds the right {scene.whom} {percent(worst.found.share)} of "
        "the time; "
        f"a blind guess finds it {percent(worst.baseline.share)} of the time."
    ]
    alone = max(cases, key=lambda case: case.details["singled_out"])
    if alone.details["singled_out"]:
        said.append(
            f"{many(alone.details['singled_out'], 'person is', 'persons are')} found for certain by "
            f"{alone.name}, of {alone.found.tried:,} tried."
        )
    return tuple(said)
