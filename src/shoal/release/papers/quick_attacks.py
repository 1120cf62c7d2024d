"""What the quick attacks find on released rows, for the private report, within a few seconds."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from shoal.assess.attacks import downcoding, homogeneity, linkage, minimality, refinement
from shoal.assess.attacks.attack_report import AttackReport
from shoal.assess.attacks.attacking import ALONE, NAMES
from shoal.assess.attacks.opened_release import scene_of
from shoal.data.opening import opened
from shoal.describe.table_reading import AS_WRITTEN
from shoal.errors import ShoalError
from shoal.release.release import Release
from shoal.running.watching import watched
from shoal.verification import Verdict

QUICK = (linkage.NAME, homogeneity.NAME, minimality.NAME, downcoding.NAME, refinement.NAME)
SECONDS = 5.0
MOST_COMBINATIONS = 200_000
"""A table with more is not attacked while somebody waits for its release."""


def quick_attacks(release: Release, rows: Any, verdict: Verdict) -> dict[str, Any] | None:
    """Return what attacks find that need no more than the quasi and the sensitive columns; None if none is
    tried.

    Those that do not end in time are named in `not_tried`, as are all that are not quick. New rows whose
    values have no label (`apply`) are not attacked: nobody can say what they might be released as.
    """
    large = release.tally.coarse or len(release.tally) > MOST_COMBINATIONS
    if release.splits or large or any(release.refused.values()):
        return None
    sensitive = tuple(
        name for name in release.sensitive if name in release.columns and name not in release.quasi
    )
    findings = []
    try:
        with watched(SECONDS):
            with opened(rows, AS_WRITTEN) as engine:
                cells = engine.cells([*release.quasi, *sensitive])
            scene = scene_of(release.material, release.decision, verdict.promise, ((), sensitive), cells)
            for name in QUICK:
                began = perf_counter()
                found = ALONE[name](scene, np.random.default_rng(release.seed))
                findings.append(replace(found, seconds=perf_counter() - began))
    except ShoalError:
        pass  # out of time or memory: what was found so far is told, and the rest named
    if not findings:
        return None
    tried = {finding.attack for finding in findings}
    report = AttackReport("", verdict.measured.rows, tuple(findings), release.seed)
    return report.to_dict() | {"not_tried": [name for name in NAMES if name not in tried]}
