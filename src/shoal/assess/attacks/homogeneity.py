"""Homogeneity, background knowledge, skewness and similarity: what a group reveals about its
sensitive values.

An attacker who knows a person's group needs no row: if all rows of the group have one value, it is the
person's. One who can rule out m values (a relative, a doctor) is certain where a group has m + 1. A
group in which a value is far more frequent than in the table, or whose values are much alike, reveals a
lot without certainty.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from shoal.assess.attacks.attack_report import Case, Finding, whole
from shoal.assess.attacks.scene import Ints, Scene
from shoal.data.engine import Value
from shoal.describe.hierarchies import Hierarchy
from shoal.numbers import figure, many, percent

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
        spread, domain = scene.spreads[s], scene.secret_domains[s]
        present = np.array([value is not None for value in domain], dtype=np.bool_)
        found = list(_cases(scene, column, spread, domain, present))
        cases += found
        if found[0].certain:
            said.append(
                f"The value of {column} is certain for {many(found[0].certain, 'row')}: all rows of their "
                "groups have the same."
            )
            if (scene.promise.l or 1) > 1:
                breaks = f"l = {scene.promise.l}"
        ratio = found[0].details["largest_ratio"]
        said.append(
            f"The best guess of {column} by group is right for {percent(found[0].found.share)} of the rows; "
            f"without the release, for {percent(found[0].baseline.share)}. In some group a value is "
            f"{figure(ratio, 2)} times as frequent as in the whole release."
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


def _cases(
    scene: Scene, column: str, spread: Ints, domain: tuple[Value, ...], present: npt.NDArray[np.bool_]
) -> Iterator[Case]:
    sizes = spread.sum(axis=1)
    rows, totals = int(sizes.sum()), spread.sum(axis=0)
    some = spread * present
    baseline = whole(float((totals * present).max(initial=0)) / max(rows, 1), rows)
    best = some.max(axis=1, initial=0)
    chances = best / np.maximum(sizes, 1)
    priors = totals / max(rows, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(some > 0, (some / np.maximum(sizes, 1)[:, None]) / priors, 0.0)
    alone = int(sizes[(best == sizes) & (sizes > 0)].sum())
    yield Case(
        f"{column}: the most frequent value of the group",
        whole(float(best.sum()) / max(rows, 1), rows),
        baseline,
        float(chances.max(initial=0.0)),
        alone,
        {"largest_ratio": float(ratios.max(initial=0.0))},
    )
    distinct = (some > 0).sum(axis=1)
    full = some.sum(axis=1) == sizes
    for m in RULED_OUT:
        sure = int(sizes[full & (distinct <= m + 1) & (sizes > 0)].sum())
        share = sure / max(rows, 1)
        overall = float(int((totals > 0).sum()) <= m + 1)
        name = f"{column}: {many(m, 'value')} ruled out, and one is left"
        yield Case(name, whole(share, rows), whole(overall, rows), None, None, {"rows": sure})
    alike = _alike(scene.secret_trees.get(column), domain, some > 0)
    if alike is not None:
        like = int(sizes[alike & full & (sizes > 0)].sum())
        name = f"{column}: all values of the group are much alike"
        yield Case(name, whole(like / max(rows, 1), rows), whole(0.0, rows), None, None, {"rows": like})


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
