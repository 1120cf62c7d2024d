"""Whether a release withstands the attack that can prove its promise broken, before anybody sees it."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.assess.attacks import minimality
from shoal.assess.attacks.known_loss import slack_of
from shoal.assess.attacks.opened_release import scene_of
from shoal.data.opening import opened
from shoal.describe.table_reading import AS_WRITTEN
from shoal.errors import BrokenByAttackError
from shoal.numbers import many
from shoal.release.release import Release
from shoal.verification import Verdict


def withstand(release: Release, rows: Any, verdict: Verdict) -> tuple[str, ...]:
    """Return the attacks that break a promise and are accepted; raise an error if one is not.

    Only minimality can: every group keeps its limits, which verification has seen, and what the sizes of the
    groups rule out leaves a person's own group possible. But if it is known that no finer recoding keeps the
    promise, or none that is finer by more than was given up to draw one of many, a value may be certain
    (`assess/attacks/minimality.py`). Where persons have several rows it is not tried: it counts rows.
    """
    promise = release.decision.promise
    limited = dict.fromkeys([*promise.theta, *promise.distinct(release.sensitive)])
    columns = tuple(name for name in limited if name in release.columns and name not in release.quasi)
    if not columns or release.tally.persons is not None or slack_of(release.decision) is None:
        return ()
    with opened(rows, AS_WRITTEN) as engine:
        cells = engine.cells([*release.quasi, *columns])
    scene = scene_of(release.material, release.decision, verdict.promise, ((), columns), cells)
    found = minimality.attack(scene, np.random.default_rng(release.seed))
    if found.breaks is None:
        return ()
    if minimality.NAME not in release.accept_attack:
        certain = max(case.certain or 0 for case in found.cases)
        raise BrokenByAttackError(
            f"nothing is released: who knows {found.knows} is certain of a sensitive value of "
            f"{many(certain, 'row')}, so {found.breaks} is broken; draw one of many good recodings (robust)",
            minimality.NAME,
        )
    return (minimality.NAME,)
