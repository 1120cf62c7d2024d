"""Runs attacks on a release, each on its own seed, within the time that is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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


def attack_release(
    material: Material,
    out: Path,
    *,
    others: Sequence[Path] = (),
    attacks: Sequence[str] = (),
    known: Sequence[str] = (),
    seed: int = 0,
) -> AttackReport:
    """Return what the attacks find on a released file of a study; all of them unless some are named."""
    for name in attacks:
        if name not in NAMES:
            raise InputError(f"unknown attack {show(name)}; {did_you_mean(name, NAMES)}")
    if joined.NAME in attacks and not others:
        raise InputError(f"{joined.NAME} is about several releases; name another one (other)")
    scene = set_scene(material, out)
    beside = [set_scene(material, other) for other in others]
    chosen = attacks or [name for name in NAMES if beside or name != joined.NAME]
    findings = []
    for name in NAMES:
        if name not in chosen:
            continue
        stopping.look()
        draw = np.random.default_rng([seed, NAMES.index(name)])
        began = perf_counter()
        if name == joined.NAME:
            found = joined.attack(scene, beside, draw)
        elif name == linkage.NAME:
            found = linkage.attack(scene, draw, known)
        else:
            found = ALONE[name](scene, draw)
        findings.append(replace(found, seconds=perf_counter() - began))
    return AttackReport(str(out), scene.rows, tuple(findings), seed)
