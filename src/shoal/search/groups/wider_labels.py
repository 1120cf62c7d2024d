"""Labels of groups widened at random, so that a label no longer says that its group needed it.

A tight label tells that somebody is at each of its ends. After widening it may cover more than its group
holds, and nobody can tell which labels do: any that can be widened within the room may have been. Groups
with a single combination of values, whose labels say exactly what everybody in them has, come first: they
are narrow. Groups stay what they are, so every promise about them holds as before; two groups never get the
same labels by it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.answers.group_recoding import GroupRecoding
from shoal.describe.hierarchies import Label
from shoal.search.groups.grouping import Grouping

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Widening:
    """One label made wider: the group, the axis, the value that it then covers too, and what that costs."""

    group: int
    axis: int
    value: int
    cost: Fraction


@dataclass(frozen=True)
class Widened:
    """The recoding with wider labels, and what is told about it."""

    recoding: GroupRecoding
    details: Mapping[str, Any]


def widened(ground: Grouping, of_kept: Ints, ceiling: Fraction, draw: random.Random) -> Widened:
    """Return groups of the kept points under labels widened until `ceiling` of all detail is lost (LM)."""
    of = np.unique(of_kept, return_inverse=True)[1].reshape(-1).astype(np.int64)
    count = int(of.max(initial=-1)) + 1
    tight = ground.recoding(of)
    covered = [_Covered(ground, a) for a in range(len(ground.axes))]
    sizes = np.bincount(of, weights=ground.points.rows[ground.kept], minlength=count).astype(np.int64)
    lost = ground.lost * sum((one.full for one in covered), Fraction(0))
    for one in covered:
        labels = _labels(tight, one.name)[:count]
        lost += sum(int(s) * one.cost(label, tight) for s, label in zip(sizes, labels, strict=True))
    room = max(ceiling - lost, Fraction(0))
    able = [
        w for a in range(len(covered)) for w in _able(ground, of, count, sizes, a, tight, covered[a])
    ]
    narrow = _narrow(of, count)
    chosen = _chosen(able, narrow, room, draw)
    recoding = ground.recoding(of, _beyond(chosen, len(covered)))
    while clash := _clashing(recoding, chosen):
        chosen = [one for one in chosen if one.group not in clash]
        recoding = ground.recoding(of, _beyond(chosen, len(covered)))
    told = {
        "room": float(room),
        "widened": len(chosen),
        "narrow_left": len(narrow - {one.group for one in chosen}),
    }
    return Widened(recoding, told)


class _Covered:
    """What one axis' labels cost a row: the leaves below them, as shares of all detail of all rows."""

    def __init__(self, ground: Grouping, axis: int) -> None:
        ladder = ground.task.problem.ladders[axis]
        self.name = ladder.name
        weights = sum((one.weight for one in ground.task.problem.ladders), Fraction(0))
        self.full = ladder.weight / (ground.task.rows * weights) if weights else Fraction(0)
        self._leaf = self.full / max(ladder.leaves - 1, 1)
        hierarchy = ground.task.hierarchies[ladder.name]
        if None in ground.task.tally.domains[axis]:
            hierarchy = hierarchy.with_missing()
        self._known: dict[Label, int] = {}
        for names, below in zip(hierarchy.labels, hierarchy.covered, strict=True):
            for label, leaves in zip(names, below.tolist(), strict=True):
                self._known.setdefault(label, leaves)

    def cost(self, label: Label, recoding: GroupRecoding) -> Fraction:
        """Return what a label of a recoding costs a row."""
        meanings = recoding.meanings.get(self.name, {})
        leaves = len(meanings[label]) if label in meanings else self._known[label]
        return self._leaf * (leaves - 1)


def _able(
    ground: Grouping,
    of: Ints,
    count: int,
    sizes: Ints,
    a: int,
    tight: GroupRecoding,
    covered: _Covered,
) -> list[Widening]:
    """Return how the labels of one axis can be widened: to the next value before or after the group's."""
    axis, kept = ground.axes[a], ground.kept
    ladder = ground.task.problem.ladders[a]
    top = np.zeros(len(axis.order), dtype=np.int64)
    top[axis.value_of] = ladder.codes[ladder.hi]
    places = axis.order[ground.codes[kept, a]]
    at = np.argsort(axis.order)
    first, last = np.full(count, len(at)), np.full(count, -1)
    np.minimum.at(first, of, places)
    np.maximum.at(last, of, places)
    found, narrower = [], _labels(tight, covered.name)
    for step, end in ((-1, first), (1, last)):
        beyond = end + step
        inside = (beyond >= 0) & (beyond < len(at))
        groups = np.flatnonzero(inside)
        values = at[beyond[groups]]
        same = top[values] == top[at[end[groups]]]
        groups, values = groups[same], values[same]
        none = (np.zeros(0, dtype=np.int64),) * 2
        wide = ground.recoding(
            of, [(values, groups) if b == a else none for b in range(len(ground.axes))]
        )
        wider = _labels(wide, covered.name)
        for g, value in zip(groups.tolist(), values.tolist(), strict=True):
            before = covered.cost(narrower[g], tight)
            more = covered.cost(wider[g], wide) - before
            if more > 0:
                found.append(Widening(g, a, value, int(sizes[g]) * more))
    return found


def _labels(recoding: GroupRecoding, name: str) -> list[Label]:
    """Return every group's label in one column, from the columns: listing groups lists all combinations."""
    a, columns = recoding.attributes.index(name), recoding.columns
    return [columns.texts[a][code] for code in columns.labels[:, a].tolist()]


def _narrow(of: Ints, count: int) -> set[int]:
    """Return the groups that hold a single combination of values."""
    return set(np.flatnonzero(np.bincount(of, minlength=count) == 1).tolist())


def _chosen(
    able: Sequence[Widening],
    narrow: set[int],
    room: Fraction,
    draw: random.Random,
) -> list[Widening]:
    """Return some widenings at random, at most one for each label, that cost no more than the room.

    Narrow groups get one each before any other label does. The cheaper one is, the sooner it is likely to be
    drawn, but any may come first: waiting times are exponential, in proportion to the cost.
    """
    waiting = sorted((draw.expovariate(1.0) * float(one.cost), i) for i, one in enumerate(able))
    order = [able[i] for _, i in waiting]
    chosen: dict[tuple[int, int], Widening] = {}
    served: set[int] = set()
    for one in order:
        if one.group in narrow and one.group not in served and one.cost <= room:
            served.add(one.group)
            chosen[one.group, one.axis] = one
            room -= one.cost
    for one in order:
        if (one.group, one.axis) not in chosen and one.cost <= room:
            chosen[one.group, one.axis] = one
            room -= one.cost
    return list(chosen.values())


def _beyond(chosen: Sequence[Widening], axes: int) -> list[tuple[Ints, Ints]]:
    return [
        (
            np.array([one.value for one in chosen if one.axis == a], dtype=np.int64),
            np.array([one.group for one in chosen if one.axis == a], dtype=np.int64),
        )
        for a in range(axes)
    ]


def _clashing(recoding: GroupRecoding, chosen: Sequence[Widening]) -> set[int]:
    """Return the widened groups whose labels another group has too."""
    labels = list(zip(*(_labels(recoding, name) for name in recoding.attributes), strict=True))
    seen = Counter(labels)
    return {one.group for one in chosen if seen[labels[one.group]] > 1}
