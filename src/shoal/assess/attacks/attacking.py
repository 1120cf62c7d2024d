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
from shoal.errors import InputError, MissingExtraError, did_you_mean, show
from shoal.questions.material import Material
from shoal.questions.releases import AttackQuestion
from shoal.running import stopping
from shoal.running.clock import Progress

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


def attack_release(
    material: Material, question: AttackQuestion, progress: Progress | None = None
) -> AttackReport:
    """Return what the attacks find on a released file of a study; all of them unless some are named.

    `progress` is told before each which one it is; if it returns True, the others are left out. An attack
    that needs a package which is not there is refused if it was named, and else says so.
    """
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
    tried = [name for name in asked or NAMES if name != joined.NAME or beside]
    for number, name in enumerate(sorted(tried, key=NAMES.index)):
        if progress is not None and progress(number / len(tried), name):
            break
        stopping.look()
        draw = np.random.default_rng([question.seed, NAMES.index(name)])
        began = perf_counter()
        try:
            if name == joined.NAME:
                found = joined.attack(scene, beside, draw)
            elif name == linkage.NAME:
                found = linkage.attack(scene, draw, tuple(question.known))
            else:
                found = ALONE[name](scene, draw)
        except MissingExtraError as problem:
            if asked:
                raise
            found = Finding(
                name, "the release", "nothing was tried", "", (), (f"Not tried: {problem}.",)
            )
        findings.append(replace(found, seconds=perf_counter() - began))
    return AttackReport(str(out), scene.rows, tuple(findings), question.seed)
