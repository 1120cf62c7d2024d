"""Homogeneity, background knowledge, skewness and similarity: what a group reveals about its
sensitive values.

An attacker who knows a person's group needs no row: if all rows of the group have one value, it is the
person's. One who can rule out m values (a relative, a doctor) is certain where a group has m + 1. A
group in which a value is far more frequent than in the table, or whose values are much alike, reveals a
lot without certainty.

Where persons have several rows, a person weighs one in every group where they have rows, spread evenly over
their values there, as the promises count them; what is certain is counted in persons, each once. Anatomy's
second table counts, for each bucket and value, the persons who have it: there every value of a person counts
one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from shoal.assess.attacks.attack_report import Case, Finding, whole
from shoal.assess.attacks.scene import Mask, Scene
from shoal.data.engine import Value
from shoal.describe.hierarchies import Hierarchy
from shoal.numbers import figure, many, percent

Floats = npt.NDArray[np.float64]

NAME = "homogeneity"
RULED_OUT = (1, 2)
NARROW = 0.1
"""A range of numbers is narrow if it is at most this part of the whole range."""


def attack(scene: Scene) -> Finding:
    """Return what the groups of a release reveal about every sensitive column."""
    cases: list[Case] = []
    said: list[str] = []
    breaks = None
    for s, column in enumerate(scene.sensitive):
        domain = scene.secret_domains[s]
        present = np.array([value is not None for value in domain], dtype=np.bool_)
        found = list(_cases(scene, s, domain, present))
        cases += found
        if found[0].certain:
            said.append(
                f"The value of {column} is certain for {many(found[0].certain, *_whom(scene))}: all rows of "
                "their groups have the same."
            )
            if (scene.promise.l or 1) > 1:
                breaks = f"l = {scene.promise.l}"
        ratio, several = found[0].details["largest_ratio"], _whom(scene)[1]
        said.append(
            f"The best guess of {column} by group is right for {percent(found[0].found.share)} of the "
            f"{several}; without the release, for {percent(found[0].baseline.share)}. In some group a value "
            f"is {figure(ratio, 2)} times as frequent as in the whole release."
        )
    return Finding(
        NAME,
        "which group a person is in, and a few values that the person does not have",
        "the person's sensitive value is guessed, or certain",
        "Machanavajjhala et al. 2007; Li et al. 2007",
        tuple(cases),
        tuple(said),
        breaks,
    )


def _whom(scene: Scene) -> tuple[str, str]:
    """Return what is counted, one and several."""
    if scene.of_persons and scene.buckets:
        return "value of a person", "values of persons"
    return scene.whom, f"{scene.whom}s"


def _weighed(scene: Scene, s: int) -> Floats:
    """Return how much each value of a sensitive column weighs in each group: its rows, or its persons."""
    crowd, spread = scene.crowd, scene.spreads[s]
    if crowd.persons is None or scene.buckets:
        return spread.astype(np.float64)
    groups = np.where(crowd.groups < 0, len(scene.sizes), crowd.groups)
    found = crowd.persons.rows.weights(
        groups, len(scene.sizes) + 1, crowd.secrets[:, s], spread.shape[1]
    )
    weights = np.asarray(found.counts / found.scale[:, None], dtype=np.float64)
    # Blanked values are not in the originals, so what is released decides which values there are.
    return weights[:-1] * (spread > 0)


def _cases(scene: Scene, s: int, domain: tuple[Value, ...], present: Mask) -> Iterator[Case]:
    column, released, weights = scene.sensitive[s], scene.spreads[s], _weighed(scene, s)
    sizes, some = released.sum(axis=1), released * present
    crowds, totals = weights.sum(axis=1), weights.sum(axis=0)
    tried = round(float(crowds.sum()))

    def who(groups: Mask) -> int:
        if scene.of_persons and not scene.buckets:
            return scene.fit_anyone(groups)
        return int(sizes[groups].sum())

    everybody = max(who(sizes > 0), 1)
    best = (weights * present).max(axis=1, initial=0)
    priors = totals / max(tried, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(some > 0, (weights / np.maximum(crowds, 1)[:, None]) / priors, 0.0)
    yield Case(
        f"{column}: the most frequent value of the group",
        whole(float(best.sum()) / max(tried, 1), tried),
        whole(float((totals * present).max(initial=0)) / max(tried, 1), tried),
        float((best / np.maximum(crowds, 1)).max(initial=0.0)),
        who((some.max(axis=1, initial=0) == sizes) & (sizes > 0)),
        {"largest_ratio": float(ratios.max(initial=0.0))},
    )
    distinct = (some > 0).sum(axis=1)
    full = (some.sum(axis=1) == sizes) & (sizes > 0)
    for m in RULED_OUT:
        sure = who(full & (distinct <= m + 1))
        overall = float(int((released.sum(axis=0) > 0).sum()) <= m + 1)
        name = f"{column}: {many(m, 'value')} ruled out, and one is left"
        rates = whole(sure / everybody, everybody), whole(overall, everybody)
        yield Case(name, *rates, None, None, {_whom(scene)[1]: sure})
    alike = _alike(scene.secret_trees.get(column), domain, some > 0)
    if alike is not None:
        like = who(alike & full)
        name = f"{column}: all values of the group are much alike"
        rates = whole(like / everybody, everybody), whole(0.0, everybody)
        yield Case(name, *rates, None, None, {_whom(scene)[1]: like})


def _alike(
    tree: Hierarchy | None, domain: tuple[Value, ...], has: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_] | None:
    """Return which groups have values in one branch of their hierarchy, or within a narrow range.

    None if the values are neither numbers nor in a hierarchy.
    """
    if tree is not None:
        place = {leaf: i for i, leaf in enumerate(tree.leaves)}
        level = max(tree.height - 1, 0)
        branches = np.array([-1 if v not in place else int(tree.codes[level][place[v]]) for v in domain])
        low = np.where(has, branches, np.iinfo(np.int64).max).min(axis=1, initial=np.iinfo(np.int64).max)
        high = np.where(has, branches, -2).max(axis=1, initial=-2)
        return np.asarray((low == high) & (low >= 0), dtype=np.bool_)
    try:
        numbers = np.array([np.nan if v is None else float(v) for v in domain])
    except ValueError:
        return None
    if not np.isfinite(numbers).any():
        return None
    lowest = np.where(has, numbers, np.inf).min(axis=1, initial=np.inf)
    highest = np.where(has, numbers, -np.inf).max(axis=1, initial=-np.inf)
    span = float(np.nanmax(numbers) - np.nanmin(numbers))
    return np.asarray((highest - lowest <= NARROW * span) & (lowest <= highest), dtype=np.bool_)
