"""Finer recodings that only sensitive values can have forbidden, and the parts into which groups would fall.

A descent lowers a column by some levels (nodes), or some labels to labels below them (cuts). If every part
that it leaves has k rows, and the groups have no suppressed rows and no blanked values, then it suppresses no
more than the release does as long as every part keeps its limits, and costs less by what its cells save. If
that is more than the slack (`known_loss`), some part must break a limit, of whichever column. Descents of one
column or label are tried as deep as it takes to save more than the slack, and pairs of such that save too
little alone; a deeper one than need be says less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice

import numpy as np

from shoal.answers.recoding import NodeRecoding
from shoal.assess.attacks.known_loss import cell_costs, split_saves
from shoal.assess.attacks.scene import Ints, Scene
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.running import stopping

MOST_PAIRS = 100


@dataclass(frozen=True)
class Split:
    """What a descent would do to one group: the rows of each part, and the values of the group."""

    group: int
    parts: tuple[int, ...]
    values: tuple[tuple[int, ...], ...]
    """How many rows of the group have each value, for each sensitive column."""


@dataclass(frozen=True)
class Fallen:
    """A label that falls into parts: which each value of the column is in, and how many leaves each has."""

    part: Ints
    covered: tuple[int, ...]
    whole: int


Descent = Mapping[tuple[int, int], Fallen]
"""The labels that fall apart, by column and code."""


@dataclass(frozen=True)
class Tried:
    """The groups that a descent splits, with the rows of their parts, and the share of detail it saves."""

    splits: tuple[Split, ...]
    members: Mapping[int, Sequence[Ints]]
    saves: Fraction


def forbidden_descents(scene: Scene, slack: Fraction) -> Iterator[Tried]:
    """Yield descents of which it is known that some part breaks a limit of a sensitive column."""
    crowd = scene.crowd
    order = np.argsort(crowd.groups, kind="stable")
    ends = np.searchsorted(crowd.groups[order], np.arange(len(scene.sizes) + 1))
    rows_of = [order[ends[g] : ends[g + 1]] for g in range(len(scene.sizes))]
    short: list[tuple[int, Descent]] = []
    for deeper in _alone(scene):
        for depth, descent in enumerate(deeper):
            stopping.look()
            tried = _tried(scene, descent, rows_of)
            if tried is None:
                break  # a part is too small; those of deeper descents are smaller still
            if tried.saves > slack:
                if any(len(split.parts) > 1 for split in tried.splits):
                    yield tried
                break
            if depth == 0:
                short.append((len(tried.splits), descent))
    pairs = combinations([descent for _, descent in sorted(short, key=lambda one: one[0])], 2)
    for one, other in islice(pairs, MOST_PAIRS):
        stopping.look()
        tried = _tried(scene, {**one, **other}, rows_of)
        if (
            tried is not None
            and tried.saves > slack
            and any(len(split.parts) > 1 for split in tried.splits)
        ):
            yield tried


def _alone(scene: Scene) -> Iterator[list[Descent]]:
    """Yield for every column (nodes) or label (cuts) its descents, one step deeper each."""
    recoding = scene.decision.recoding
    for a, name in enumerate(scene.quasi):
        if name in scene.coarse:
            continue
        hierarchy, codes = scene.tree(a), np.unique(scene.labels[:, a]).tolist()
        if isinstance(recoding, NodeRecoding):
            level = recoding.levels[name]
            if any(scene.label_texts[a][code] not in hierarchy.labels[level] for code in codes):
                continue  # labels that were disarmed for spreadsheets
            yield [
                {(a, code): _fallen(scene, a, code, level, below) for code in codes}
                for below in range(level - 1, -1, -1)
            ]
            continue
        for code in codes:
            top = _splits_at(hierarchy, scene.label_texts[a][code])
            if top is not None:
                yield [
                    {(a, code): _fallen(scene, a, code, top, below)} for below in range(top - 1, -1, -1)
                ]


def _splits_at(hierarchy: Hierarchy, label: Label) -> int | None:
    """Return the level of a label whose next lower level tells its values apart; None for a leaf's."""
    for level in range(hierarchy.height, 0, -1):
        if label in hierarchy.labels[level]:
            inside = hierarchy.codes[level] == hierarchy.labels[level].index(label)
            if len(np.unique(hierarchy.codes[level - 1][inside])) > 1:
                return level
    return None


def _fallen(scene: Scene, column: int, code: int, level: int, below: int) -> Fallen:
    """Return how a label of one level falls apart on a lower one."""
    hierarchy, label = scene.tree(column), scene.label_texts[column][code]
    inside = hierarchy.codes[level] == hierarchy.labels[level].index(label)
    leaf = {value: i for i, value in enumerate(hierarchy.leaves)}
    places = np.array([leaf[value] for value in scene.domains[column]])
    part = hierarchy.codes[below][places].astype(np.int64)
    covered = np.bincount(hierarchy.codes[below], minlength=int(part.max(initial=0)) + 1)
    return Fallen(part, tuple(covered.tolist()), int(inside.sum()))


def _tried(scene: Scene, descent: Descent, rows_of: Sequence[Ints]) -> Tried | None:
    """Return what a descent does; None if sizes alone forbid it, or what it suppresses is not known."""
    k, crowd = scene.decision.promise.k or 1, scene.crowd
    columns = sorted({a for a, _ in descent})
    hit = [
        (g, [a for a in columns if (a, int(scene.labels[g, a])) in descent])
        for g in range(len(scene.sizes))
    ]
    costs = {
        (a, code): (cell_costs(scene, a, fallen.covered), cell_costs(scene, a, [fallen.whole])[0])
        for (a, code), fallen in descent.items()
    }
    splits, members, saves = [], {}, Fraction(0)
    for g, falling in hit:
        if not falling:
            continue
        if scene.members[g] != scene.sizes[g]:
            return None
        rows = rows_of[g]
        if _blanked(scene, g, rows):
            return None
        parts = np.zeros(len(rows), dtype=np.int64)
        for a in falling:
            key = (a, int(scene.labels[g, a]))
            of = descent[key].part[crowd.values[rows, a]]
            parts = np.unique(parts * (int(of.max()) + 1) + of, return_inverse=True)[1].reshape(-1)
            there = np.bincount(of, weights=crowd.counts[rows]).astype(np.int64)
            for part in np.flatnonzero(there).tolist():
                saves += int(there[part]) * (costs[key][1] - costs[key][0][part])
        sizes = np.bincount(parts, weights=crowd.counts[rows]).astype(np.int64)
        if (sizes < k).any():
            return None
        members[g] = [rows[parts == p] for p in range(len(sizes))]
        values = tuple(tuple(spread[g].tolist()) for spread in scene.spreads)
        splits.append(Split(g, tuple(sizes.tolist()), values))
    if scene.decision.metric == "DM":
        saves = split_saves(scene, [split.parts for split in splits])
    return Tried(tuple(splits), members, saves)


def _blanked(scene: Scene, group: int, rows: Ints) -> bool:
    """Return whether a sensitive value of a group was suppressed: its parts might lose more of them."""
    for s, domain in enumerate(scene.secret_domains):
        if None in domain:
            missing = domain.index(None)
            were = scene.crowd.counts[rows[scene.crowd.secrets[rows, s] == missing]].sum()
            if scene.spreads[s][group, missing] != were:
                return True
    return False
