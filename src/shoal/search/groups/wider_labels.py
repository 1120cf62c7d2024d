"""Labels of groups widened at random, so that a label no longer says that its group needed it.

A tight label tells that somebody is at each of its ends. After widening it may cover more than its group
holds, and nobody can tell which labels do: any that can be widened within the room may have been. Groups
with a single combination of values, whose labels say exactly what everybody in them has, come first: they
are narrow. Groups stay what they are, so every promise about them holds as before; two groups never get the
same labels by it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.answers.group_recoding import GroupRecoding
from shoal.data.coding import placed
from shoal.describe.hierarchies import Label
from shoal.search.groups.axes import GroupNames
from shoal.search.groups.grouping import Grouping

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class Widenings(NamedTuple):
    """Labels made wider, each by: the group, the axis, the value that it then covers too, the number of the
    label that it becomes, and the share of all detail that this costs.
    """

    group: Ints
    axis: Ints
    value: Ints
    label: Ints
    cost: npt.NDArray[np.float64]

    @classmethod
    def joined(cls, parts: Sequence[Widenings]) -> Widenings:
        """Return those of several parts as one."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))

    def at(self, chosen: Ints | Mask) -> Widenings:
        """Return some of them."""
        group, axis, value, label, cost = self
        return Widenings(group[chosen], axis[chosen], value[chosen], label[chosen], cost[chosen])


@dataclass(frozen=True)
class Widened:
    """The recoding with wider labels, and what is told about it."""

    recoding: GroupRecoding
    details: Mapping[str, Any]


def widened(ground: Grouping, of_kept: Ints, ceiling: Fraction, draw: random.Random) -> Widened:
    """Return groups of the kept points under labels widened until `ceiling` of all detail is lost (LM)."""
    of = np.unique(of_kept, return_inverse=True)[1].reshape(-1).astype(np.int64)
    sizes = np.bincount(of, weights=ground.points.rows[ground.kept]).astype(np.int64)
    whole = np.zeros(len(ground), dtype=np.int64)  # a suppressed block is a group, too
    whole[ground.kept] = of
    blocks = np.unique(ground.block_of[~ground.kept], return_inverse=True)[1].reshape(-1)
    whole[~ground.kept] = len(sizes) + blocks
    axes = [_Axis(ground, a, of, whole) for a in range(len(ground.axes))]
    lost = sum((ground.lost * one.full + one.lost(sizes) for one in axes), Fraction(0))
    room = max(ceiling - lost, Fraction(0))
    able = Widenings.joined([one.able(sizes) for one in axes])
    narrow = np.bincount(of) == 1  # groups that hold a single combination of values
    chosen = able.at(_chosen(able, narrow, float(room), draw))
    apart = _apart(np.stack([one.tight for one in axes], axis=1), chosen)
    chosen = chosen.at(apart[chosen.group])
    narrow[chosen.group] = False
    told = {"room": float(room), "widened": len(chosen.group), "narrow_left": int(narrow.sum())}
    return Widened(ground.recoding(of, _beyond(chosen, len(axes))), told)


class _Axis:
    """The labels of all groups on one axis, numbered: the tight ones, and what wider ones cost.

    A label costs a row the leaves below it but one, each `leaf` of all detail of all rows.
    """

    def __init__(self, ground: Grouping, a: int, of: Ints, whole: Ints) -> None:
        ladder = ground.task.problem.ladders[a]
        self._ground, self._a, self._of, self._whole = ground, a, of, whole
        weights = sum((one.weight for one in ground.task.problem.ladders), Fraction(0))
        self.full = ladder.weight / (ground.task.rows * weights) if weights else Fraction(0)
        self.leaf = self.full / max(ladder.leaves - 1, 1)
        hierarchy = ground.task.hierarchies[ladder.name]
        if None in ground.task.tally.domains[a]:
            hierarchy = hierarchy.with_missing()
        self._known: dict[Label, int] = {}
        for names, below in zip(hierarchy.labels, hierarchy.covered, strict=True):
            for label, leaves in zip(names, below.tolist(), strict=True):
                self._known.setdefault(label, leaves)
        self._numbers: dict[Label, int] = {}
        none = np.zeros(0, dtype=np.int64)
        self.tight, self._leaves = self._labels(none, none)

    def lost(self, sizes: Ints) -> Fraction:
        """Return what the tight labels of groups of these sizes lose."""
        return self.leaf * int(sizes @ (self._leaves[: len(sizes)] - 1))

    def able(self, sizes: Ints) -> Widenings:
        """Return how labels can be widened: to the next value before or after the group's."""
        axis, ladder = self._ground.axes[self._a], self._ground.task.problem.ladders[self._a]
        top = np.zeros(len(axis.order), dtype=np.int64)
        top[axis.value_of] = ladder.codes[ladder.hi]
        places = axis.order[self._ground.codes[self._ground.kept, self._a]]
        at = np.argsort(axis.order)
        first, last = np.full(len(sizes), len(at)), np.full(len(sizes), -1)
        np.minimum.at(first, self._of, places)
        np.maximum.at(last, self._of, places)
        found = []
        for step, end in ((-1, first), (1, last)):
            beyond = end + step
            groups = np.flatnonzero((beyond >= 0) & (beyond < len(at)))
            values = at[beyond[groups]]
            same = top[values] == top[at[end[groups]]]
            groups, values = groups[same], values[same]
            labels, leaves = self._labels(values, groups)
            wider = leaves[groups] > self._leaves[groups]
            groups, values = groups[wider], values[wider]
            costs = float(self.leaf) * sizes[groups] * (leaves[groups] - self._leaves[groups])
            found.append(Widenings(groups, np.full(len(groups), self._a), values, labels[groups], costs))
        return Widenings.joined(found)

    def _labels(self, values: Ints, groups: Ints) -> tuple[Ints, Ints]:
        """Return the number of each group's label, and the leaves below it, if some groups have a value
        more.
        """
        codes = np.concatenate([self._ground.codes[:, self._a], values])
        of = np.concatenate([self._whole, groups])
        named = self._ground.axes[self._a].labels(codes, of, int(self._whole.max(initial=-1)) + 1)
        numbers = [self._numbers.setdefault(label, len(self._numbers)) for label in named.texts]
        leaves = [self._covered(label, named) for label in named.texts]
        return np.array(numbers, dtype=np.int64)[named.codes], np.array(leaves)[named.codes]

    def _covered(self, label: Label, named: GroupNames) -> int:
        return len(named.meanings[label]) if label in named.meanings else self._known[label]


def _chosen(able: Widenings, narrow: Mask, room: float, draw: random.Random) -> Ints:
    """Return the places of some widenings at random, at most one for each label, that cost no more than the
    room.

    Narrow groups get one each before any other label does. The cheaper one is, the sooner it is likely to be
    drawn, but any may come first: waiting times are exponential, in proportion to the cost.
    """
    drawn = np.frombuffer(draw.randbytes(8 * len(able.cost)), dtype=np.uint64) >> np.uint64(11)
    order = np.argsort(-np.log1p(-(drawn * 2.0**-53)) * able.cost, kind="stable")
    narrow_ones = order[narrow[able.group[order]]]
    labels = able.group * (int(able.axis.max(initial=0)) + 1) + able.axis
    chosen: list[int] = []
    for places, slots in ((narrow_ones, able.group), (order, labels)):
        taken = set(labels[chosen].tolist()) if chosen else set()
        columns = (places.tolist(), slots[places].tolist(), able.cost[places].tolist())
        for i, slot, cost in zip(*columns, strict=True):
            if cost <= room and slot not in taken:
                taken.add(slot)
                chosen.append(i)
                room -= cost
    return np.array(chosen, dtype=np.int64)


def _beyond(chosen: Widenings, axes: int) -> list[tuple[Ints, Ints]]:
    each = [chosen.at(chosen.axis == a) for a in range(axes)]
    return [(one.value, one.group) for one in each]


def _apart(tight: Ints, chosen: Widenings) -> Mask:
    """Return which groups can have their wider labels, without another group that has the same.

    Those that cannot keep their tight labels, which may be what others have become: so it is asked again.
    """
    wide, wider = tight.copy(), np.zeros(len(tight), dtype=np.bool_)
    wide[chosen.group, chosen.axis] = chosen.label
    wider[chosen.group] = True
    before, after = np.split(placed(np.concatenate([tight, wide]))[1], 2)
    while True:
        now = np.where(wider, after, before)
        clash = wider & (np.bincount(now)[now] > 1)
        if not clash.any():
            return wider
        wider &= ~clash
