"""Runs attacks on a release, each with its own seed, within the given time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np

from shoal.assess.attacks import (
    downcoding,
    homogeneity,
    inference,
    joined,
    learning,
    linkability,
    linkage,
    membership,
    minimality,
    refinement,
    singling_out,
)
from shoal.assess.attacks.attack_report import AttackReport, Finding
from shoal.assess.attacks.opened_release import set_scene
from shoal.assess.attacks.scene import Scene
from shoal.errors import InputError, did_you_mean, show
from shoal.questions.material import Material
from shoal.questions.releases import AttackQuestion
from shoal.running import stopping

Attack = Callable[[Scene, np.random.Generator], Finding]

ALONE: Mapping[str, Attack] = {
    linkage.NAME: linkage.attack,
    singling_out.NAME: singling_out.attack,
    linkability.NAME: linkability.attack,
    inference.NAME: inference.attack,
    homogeneity.NAME: lambda scene, draw: homogeneity.attack(scene),
    downcoding.NAME: lambda scene, draw: downcoding.attack(scene),
    minimality.NAME: minimality.attack,
    refinement.NAME: lambda scene, draw: refinement.attack(scene),
    learning.NAME: learning.attack,
    membership.NAME: membership.attack,
}
"""The attacks on one release, by name, in the order in which they are shown."""

NAMES = (*ALONE, joined.NAME)


def attack_release(material: Material, question: AttackQuestion) -> AttackReport:
    """Return what the attacks find on a released file of a study; all of them unless some are named."""
    asked, others = tuple(question.attack), [Path(other) for other in question.other]
    for name in asked:
        if name not in NAMES:
            raise InputError(f"unknown attack {show(name)}; {did_you_mean(name, NAMES)}")
    if joined.NAME in asked and not others:
        raise InputError(f"{joined.NAME} is about several releases; name another one (other)")
    out = Path(question.release)
    scene = set_scene(material, out)
    beside = [set_scene(material, other) for other in others]
    findings = []
    for place, name in enumerate(NAMES):
        if (asked and name not in asked) or (name == joined.NAME and not beside):
            continue
        stopping.look()
        draw = np.random.default_rng([question.seed, place])
        began = perf_counter()
        if name == joined.NAME:
            found = joined.attack(scene, beside, draw)
        elif name == linkage.NAME:
            found = linkage.attack(scene, draw, tuple(question.known))
        else:
            found = ALONE[name](scene, draw)
        findings.append(replace(found, seconds=perf_counter() - began))
    return AttackReport(str(out), scene.rows, tuple(findings), question.seed)
