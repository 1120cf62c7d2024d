"""Downcoding: what must be in a group because its labels are no coarser than they have to be.

The attacker needs no outside knowledge, only the method. Two things are known of a group:

- labels by groups are tight: an interval has a row at each end, a set a row with each of its values, and
  a label of the hierarchy rows below at least two of its children (else the child would have been the
  label);
- if one level or one cut for a whole column is proven best, no finer one is allowed: where only k is
  promised, going down from a label to its children would have left a group below k. If a single group
  has such a label, it is the one that would have been split, so its rows lie below at least two
  children.

A recoding may have been drawn from several, or its labels widened at random (docs/attacks.md). Then a finer
column is ruled out only if it would have saved more than the slack (`known_loss`), and a label is
known to be tight only if widening it to what it is would have cost more than there was room for.

If a label has exactly as many possible parts as must occur, each of them certainly occurs; and if a
group has as many rows as parts that must occur, no row has anything else. Both are sound: they hold in
every table that gives this release. Several columns together might narrow more; that is not looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.answers.group_recoding import GroupRecoding, Stretch
from shoal.assess.attacks.attack_report import Case, Finding, whole
from shoal.assess.attacks.known_loss import cell_costs, slack_of
from shoal.assess.attacks.scene import Scene
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.numbers import many, percent
from shoal.running import stopping
from shoal.search.groups.group_labels import MARK, set_text

NAME = "downcoding"


@dataclass(frozen=True)
class CertainPart:
    """Values of a column below one label, of which a group must hold at least one row."""

    group: int
    column: int
    values: frozenset[Label]


def attack(scene: Scene) -> Finding:
    """Return how many cells are narrowed, and how many rows are certain to be in their groups."""
    parts = certain_parts(scene)
    narrowed = narrowed_cells(scene, parts)
    cells = int((scene.sizes * len(scene.quasi)).sum())
    recoded = int((_several(scene) * scene.sizes[:, None]).sum())
    exact = sum(len(part.values) == 1 for part in parts)
    case = Case(
        "cells whose values are narrowed",
        whole(narrowed / max(cells, 1), cells),
        whole(0.0, cells),
        None,
        None,
        {"certain_rows": len(parts), "exact": exact, "recoded_cells": recoded, "narrowed": narrowed},
    )
    said = (
        f"{many(len(parts), 'time')} a finer value than was released is certain to occur in a group, "
        f"{exact:,} of them an exact one; {many(narrowed, 'cell')} "
        f"({percent(narrowed / max(cells, 1))}) can be narrowed.",
    )
    return Finding(
        NAME,
        "the release, the hierarchies and the method",
        "a released value is replaced by a finer one that is certain",
        "Cohen 2022 (downcoding)",
        (case,),
        said,
    )


def _several(scene: Scene) -> np.ndarray:
    """Return which labels of which groups stand for several values."""
    width = [cover.sizes for cover in scene.covers]
    return np.stack([width[a][scene.labels[:, a]] > 1 for a in range(len(scene.quasi))], axis=1)


BLANKING = ("mu-argus", "local-suppression")
"""The methods that release the root for single cells, whatever the others of the group hold."""


def certain_parts(scene: Scene) -> list[CertainPart]:
    """Return which finer values are certain to occur in which groups."""
    recoding = scene.decision.recoding
    if scene.buckets:
        return []
    if scene.decision.details.get("method") in BLANKING:
        return []  # a blanked cell does not say that the group has several values
    if isinstance(recoding, GroupRecoding):
        return _tight(scene, recoding)
    return _last_steps(scene)


def _tight(scene: Scene, recoding: GroupRecoding) -> list[CertainPart]:
    found: list[CertainPart] = []
    given = scene.decision.details.get("room")
    room = None if given is None else Fraction(given)
    for a, name in enumerate(scene.quasi):
        stopping.look()
        if name in scene.coarse:
            continue  # labels may be as coarse as the study wants them
        meanings = recoding.meanings.get(name, {})
        hierarchy = scene.tree(a)
        parts: dict[Label, tuple[frozenset[Label], ...]] = {}
        for code in np.unique(scene.labels[:, a]).tolist():
            label = scene.label_texts[a][code]
            if label in meanings:
                parts[label] = _ends(label, meanings[label])
            else:
                parts[label] = _both_children(hierarchy, label)
        leaf = _one_leaf(scene, a)
        for g, code in enumerate(scene.labels[:, a].tolist()):
            if room is None or int(scene.sizes[g]) * leaf > room:
                found += [CertainPart(g, a, values) for values in parts[scene.label_texts[a][code]]]
    return found


def _one_leaf(scene: Scene, column: int) -> Fraction:
    """Return what one more leaf below a label costs a row, as a share of LM: no widening costs less."""
    weights = [scene.weights.get(name, Fraction(1)) for name in scene.quasi]
    leaves = max(len(scene.tree(column).leaves) - 1, 1)
    return weights[column] / (leaves * scene.crowd.rows * sum(weights))


def _ends(label: Label, leaves: Sequence[Label]) -> tuple[frozenset[Label], ...]:
    """Return what must occur below a label made for a group: all of a set, both ends of an interval."""
    if isinstance(leaves, Stretch) and leaves.end > leaves.begin:
        known = [leaves[0], leaves.line[leaves.end - 1], *([leaves.other] if leaves.missing else [])]
        certain = dict.fromkeys(known)
        return tuple(frozenset([leaf]) for leaf in certain) if len(certain) > 1 else ()
    if label is not None and label.lstrip(MARK) == set_text(leaves):
        return tuple(frozenset([leaf]) for leaf in leaves)
    numbers = [leaf for leaf in leaves if leaf is not None]
    ends = dict.fromkeys([numbers[0], numbers[-1], *([None] if len(numbers) < len(leaves) else [])])
    return tuple(frozenset([leaf]) for leaf in ends) if len(ends) > 1 else ()


def _both_children(hierarchy: Hierarchy, label: Label) -> tuple[frozenset[Label], ...]:
    """Return the children of a label if it has two, since both then have rows; of three or more, none is
    certain."""
    children = _children(hierarchy, label)
    return children if len(children) == 2 else ()


def _children(hierarchy: Hierarchy, label: Label) -> tuple[frozenset[Label], ...]:
    """Return the leaves below each child of a label: the parts on the next level that splits it."""
    for level in range(hierarchy.height, 0, -1):
        if label not in hierarchy.labels[level]:
            continue
        inside = hierarchy.codes[level] == hierarchy.labels[level].index(label)
        codes = hierarchy.codes[level - 1][inside]
        if len(np.unique(codes)) > 1:
            leaves = [hierarchy.leaves[i] for i in np.flatnonzero(inside).tolist()]
            return tuple(
                frozenset(leaf for leaf, c in zip(leaves, codes.tolist(), strict=True) if c == code)
                for code in np.unique(codes).tolist()
            )
    return ()


def _last_steps(scene: Scene) -> list[CertainPart]:
    """Return what follows from a proven node or cut for k alone, where one group alone could be split."""
    promise = scene.promise
    others = {name: value for name, value in promise.to_dict().items() if name != "k" and value}
    # By other metrics than LM a finer label may cost the same where all rows stay together.
    slack = slack_of(scene.decision)
    if slack is None or not promise.k or others or scene.decision.metric != "LM":
        return []
    by_column = "node" in scene.decision.to_dict()
    found: list[CertainPart] = []
    for a, name in enumerate(scene.quasi):
        if name in scene.coarse:
            continue
        hierarchy = scene.tree(a)
        parts = {
            code: _children(hierarchy, scene.label_texts[a][code])
            for code in np.unique(scene.labels[:, a]).tolist()
        }
        apart = [g for g, code in enumerate(scene.labels[:, a].tolist()) if len(parts[code]) > 1]
        steps = [apart] if by_column else _by_label(apart, scene.labels[:, a].tolist())
        for groups in steps:
            if len(groups) == 1:
                two = parts[int(scene.labels[groups[0], a])]
                sizes = [sum(map(len, two)), *map(len, two)]
                together, *each = cell_costs(scene, a, sizes)
                saved = int(scene.sizes[groups[0]]) * (together - max(each))
                if len(two) == 2 and saved > slack:
                    found += [CertainPart(groups[0], a, values) for values in two]
    return found


def _by_label(groups: list[int], codes: list[int]) -> list[list[int]]:
    found: dict[int, list[int]] = {}
    for g in groups:
        found.setdefault(codes[g], []).append(g)
    return list(found.values())


def narrowed_cells(scene: Scene, parts: list[CertainPart]) -> int:
    """Return how many cells can have fewer values than their labels say: those of groups with no more
    rows than parts that must occur."""
    must: dict[tuple[int, int], list[CertainPart]] = {}
    for part in parts:
        must.setdefault((part.group, part.column), []).append(part)
    narrowed = 0
    for (g, a), there in must.items():
        left = len(frozenset().union(*(part.values for part in there)))
        covered = int(scene.covers[a].sizes[scene.labels[g, a]])
        if len(there) == int(scene.sizes[g]) and left < covered:
            narrowed += int(scene.sizes[g])
    return narrowed
