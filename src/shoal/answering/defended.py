"""What a defence does to attacks: the plain answer and the robust one, released in memory and attacked."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.answers.recoding import Decision
from shoal.assess.attacks import downcoding, homogeneity, linkage, minimality, refinement
from shoal.assess.attacks.attack_report import Finding
from shoal.assess.attacks.attacking import ALONE
from shoal.assess.attacks.opened_release import scene_of
from shoal.assess.attacks.scene import Scene
from shoal.data.opening import opened
from shoal.describe.table_reading import AS_WRITTEN
from shoal.errors import TimeOverError
from shoal.questions.material import Material
from shoal.release.bucket_release import release_of
from shoal.running.clock import Clock
from shoal.running.watching import watched

TRIED = (minimality.NAME, downcoding.NAME, refinement.NAME, homogeneity.NAME, linkage.NAME)
"""The attacks that a defence is measured by: those on the recoding first, then those that k and l answer."""
MORE = ("narrowed", "certain_rows", "all_certain")
"""What else is told of a case, where it has it."""
SEED = 0
"""Draws the persons that linkage attacks: the same before and after."""


def measured_defence(
    material: Material,
    before: Decision,
    after: Decision,
    within: Fraction,
    shares: tuple[float, float],
    clock: Clock,
) -> dict[str, Any]:
    """Return what a defence costs, and how attacks succeed before and after it.

    The attackers of the robust answer know the defence: its decision says how much it may lose more than the
    best, and they conclude from that only what follows (`assess.attacks.known_loss`). Attacks for which there
    is no time are named in `not_measured`.
    """
    document: dict[str, Any] = {
        "within": float(within),
        "share_before": shares[0],
        "share_after": shares[1],
        "attacks": [],
        "not_measured": list(TRIED),
    }
    try:
        with watched(max(clock.left, 1e-3) if clock.limited else None, kept=False):
            scenes = [_scene(material, decision) for decision in (before, after)]
            for name in TRIED:
                if clock.over:
                    break
                plain, robust = (ALONE[name](scene, np.random.default_rng(SEED)) for scene in scenes)
                document["attacks"] += _beside(name, plain, robust)
                document["not_measured"].remove(name)
    except TimeOverError:
        pass  # what was measured so far is kept; the rest is named
    return document


def _scene(material: Material, decision: Decision) -> Scene:
    # The rows are not published, so their order needs no key.
    release = release_of(material, decision, seed=SEED, order_key="")
    rows, verdict = release.verified_table()
    sensitive = tuple(
        name for name in release.sensitive if name in release.columns and name not in release.quasi
    )
    with opened(rows, AS_WRITTEN) as engine:
        cells = engine.cells([*release.quasi, *sensitive])
    return scene_of(material, decision, verdict.promise, ((), sensitive), cells)


def _beside(name: str, before: Finding, after: Finding) -> list[dict[str, Any]]:
    """Return every case of an attack with its figures before and after; None where it had nothing to try."""
    cases = [{_kind(case.name): _figures(case) for case in one.cases} for one in (before, after)]
    names = dict.fromkeys([*cases[0], *cases[1]])
    return [
        {"attack": name, "case": case, "before": cases[0].get(case), "after": cases[1].get(case)}
        for case in names
    ]


def _kind(case: str) -> str:
    """Return a case's name without the slack, which is about one of the two only."""
    column, told, _ = case.partition(": knowing that")
    return f"{column}: by what the recoding rules out" if told else case


def _figures(case: Any) -> Mapping[str, Any]:
    return {
        "success": case.found.share,
        "baseline": case.baseline.share,
        "certain": case.certain,
        **{name: case.details[name] for name in MORE if name in case.details},
    }
