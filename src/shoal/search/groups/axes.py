"""How groups label the values of one attribute: by intervals, sets, or nodes of the hierarchy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from shoal.answers.group_recoding import Stretch
from shoal.data.coding import placed
from shoal.data.tally import Ladder
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.search.groups.group_labels import GroupLabels
from shoal.search.groups.value_order import line_of

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class GroupNames:
    """The labels of groups: `texts[codes[g]]` is that of group g.

    `meanings` are the values behind labels that are not in the hierarchy.
    """

    texts: tuple[Label, ...]
    codes: npt.NDArray[np.int32]
    meanings: Mapping[Label, Sequence[Label]]


class LabelKind(IntEnum):
    """The kinds of labels, numbered as in the kernels."""

    INTERVAL = 0
    SET = 1
    TREE = 2


@dataclass(frozen=True)
class GroupAxis(ABC):
    """The values that groups distinguish: labels of the lowest level that the study allows.

    `value_of` maps each value of the domain to one of these; `order` is the order that splits follow; `table`
    is the kernels' description of them.
    """

    kind: ClassVar[LabelKind]
    value_of: Ints
    order: Ints
    leaves: int
    table: Ints

    @abstractmethod
    def labels(self, values: npt.NDArray[np.int32], of: Ints, count: int) -> GroupNames:
        """Return the tightest label of each group, given the value and the group of each point."""


@dataclass(frozen=True)
class TreeAxis(GroupAxis):
    """Labels are nodes of the hierarchy: the lowest one above all values of the group."""

    kind = LabelKind.TREE
    codes: Ints
    names: Sequence[Sequence[Label]]

    def labels(self, values: npt.NDArray[np.int32], of: Ints, count: int) -> GroupNames:
        """Return the lowest common label of each group's values."""
        place: dict[Label, int] = {}
        found = np.zeros(count, dtype=np.int32)
        named = np.zeros(count, dtype=np.bool_)
        first = np.zeros(count, dtype=np.int64)
        first[of] = values
        for codes, names in zip(self.codes, self.names, strict=True):
            apart = np.zeros(count, dtype=np.bool_)
            apart[of[codes[values] != codes[first[of]]]] = True
            texts = np.array([place.setdefault(name, len(place)) for name in names], dtype=np.int32)
            now = ~apart & ~named
            found[now] = texts[first[now]]
            named |= ~apart
        return GroupNames(tuple(place), found, {})


@dataclass(frozen=True)
class SetAxis(GroupAxis):
    """Labels list the set of values; `below` are the leaves of each value."""

    kind = LabelKind.SET
    below: Sequence[tuple[Label, ...]]
    hierarchy: Hierarchy
    levels: tuple[int, int]

    def labels(self, values: npt.NDArray[np.int32], of: Ints, count: int) -> GroupNames:
        """Return each group's set of values, in the order of the splits."""
        labels = GroupLabels(self.hierarchy, *self.levels)
        width = max(len(self.order), 1)
        pairs = np.unique(of * width + self.order[values])
        inside = np.argsort(self.order)[pairs % width].tolist()
        ends = np.cumsum(np.bincount(pairs // width, minlength=count)).tolist()
        known: dict[tuple[int, ...], int] = {}
        texts: dict[Label, int] = {}
        codes = np.zeros(count, dtype=np.int32)
        meanings: dict[Label, Sequence[Label]] = {}
        begin = 0
        for g, end in enumerate(ends):
            key = tuple(inside[begin:end])
            begin = end
            if key not in known:
                leaves = tuple(leaf for value in key for leaf in self.below[value])
                label = labels.of_set(leaves)
                known[key] = texts.setdefault(label, len(texts))
                if labels.made_up(label):
                    meanings[label] = leaves
            codes[g] = known[key]
        return GroupNames(tuple(texts), codes, meanings)


@dataclass(frozen=True)
class IntervalAxis(GroupAxis):
    """Labels are intervals of numbers or dates; `line` are the hierarchy's in their order.

    One value may be `outside`, in no interval: the missing one, or a text such as "unknown". The label names
    it separately.
    """

    kind = LabelKind.INTERVAL
    line: tuple[Label, ...]
    hierarchy: Hierarchy
    levels: tuple[int, int]
    outside: Label = None

    def labels(self, values: npt.NDArray[np.int32], of: Ints, count: int) -> GroupNames:
        """Return each group's tightest interval."""
        labels, line = GroupLabels(self.hierarchy, *self.levels), tuple(self.line)
        at, missing = self.order[values], self.table[0, values] < 0
        by_place = np.argsort(self.order)
        lowest = np.full(count, len(self.order), dtype=np.int64)
        highest = np.full(count, -1, dtype=np.int64)
        np.minimum.at(lowest, of[~missing], at[~missing])
        np.maximum.at(highest, of[~missing], at[~missing])
        unknown = np.zeros(count, dtype=np.int64)
        unknown[of[missing]] = 1
        found, place = placed(np.stack([lowest, highest, unknown], axis=1))
        texts: dict[Label, int] = {}
        codes = np.zeros(len(found), dtype=np.int32)
        meanings: dict[Label, Sequence[Label]] = {}
        for i, (low, high, also) in enumerate(found.tolist()):
            begin = end = 0
            if high >= 0:
                begin, end = int(self.table[0, by_place[low]]), int(self.table[1, by_place[high]]) + 1
            label = labels.of_interval(Stretch(line, begin, end), bool(also), self.outside)
            codes[i] = texts.setdefault(label, len(texts))
            if labels.made_up(label):
                meanings[label] = Stretch(line, begin, end, bool(also), self.outside)
        return GroupNames(tuple(texts), codes[place], meanings)


def make_axis(ladder: Ladder, hierarchy: Hierarchy, domain: Sequence[Label], labels: str) -> GroupAxis:
    """Return the axis of an attribute: nodes if `labels` is "hierarchy", else intervals or sets."""
    value_of = ladder.codes[ladder.lo].astype(np.int64)
    count = int(value_of.max(initial=-1)) + 1
    one = np.zeros(count, dtype=np.int64)
    one[value_of] = np.arange(len(domain))
    order = np.empty(count, dtype=np.int64)
    order[np.lexsort([ladder.codes[level][one] for level in range(ladder.lo, ladder.height + 1)])] = (
        np.arange(count)
    )
    leaf_of: Mapping[Label, int] = {leaf: i for i, leaf in enumerate(hierarchy.leaves)}
    places = np.array([leaf_of[domain[v]] for v in one.tolist()], dtype=np.int64)
    levels = range(ladder.lo, ladder.hi + 1)
    if labels == "hierarchy":
        hierarchy.tree()  # refuses labels that name two groups, which nobody could tell apart
        codes = np.array([ladder.codes[level][one] for level in levels], dtype=np.int64)
        covered = np.array([ladder.covered[level][one] for level in levels], dtype=np.int64)
        names = [
            [hierarchy.labels[level][c] for c in hierarchy.codes[level][places]] for level in levels
        ]
        table = np.ascontiguousarray(np.concatenate([codes, covered]))
        return TreeAxis(value_of, order, ladder.leaves, table, codes, names)
    below: list[list[Label]] = [[] for _ in range(count)]
    value_at = {int(hierarchy.codes[ladder.lo][place]): v for v, place in enumerate(places.tolist())}
    for leaf, code in zip(hierarchy.leaves, hierarchy.codes[ladder.lo].tolist(), strict=True):
        if code in value_at:
            below[value_at[code]].append(leaf)
    found = _interval(ladder, hierarchy, value_of, below)
    if found is not None:
        return found
    table = np.array([[len(leaves) for leaves in below]], dtype=np.int64)
    sets = [tuple(leaves) for leaves in below]
    return SetAxis(value_of, order, ladder.leaves, table, sets, hierarchy, (ladder.lo, ladder.hi))


def _interval(
    ladder: Ladder, hierarchy: Hierarchy, value_of: Ints, below: Sequence[Sequence[Label]]
) -> IntervalAxis | None:
    """Return the axis of intervals; None if leaves are no numbers or dates or a value not an interval.

    Nor may it be if a label of the highest level is none: intervals would cover what that level keeps apart.
    """
    found = line_of(hierarchy)
    if found is None:
        return None
    line, outside = found
    if not _in_runs(line, hierarchy, ladder.hi):
        return None
    place = {leaf: i for i, leaf in enumerate(line)}
    table = np.empty((2, len(below)), dtype=np.int64)
    for v, leaves in enumerate(below):
        if list(leaves) == [outside]:
            table[:, v] = -1
            continue
        if outside in leaves:
            return None
        inside = sorted(place[leaf] for leaf in leaves if leaf is not None)
        table[:, v] = inside[0], inside[-1]
        if inside[-1] - inside[0] + 1 != len(inside):
            return None
    order = np.empty(len(below), dtype=np.int64)
    last = np.where(table[0] < 0, len(line), table[0])
    order[np.argsort(last, kind="stable")] = np.arange(len(below))
    return IntervalAxis(
        value_of, order, ladder.leaves, table, line, hierarchy, (ladder.lo, ladder.hi), outside
    )


def _in_runs(line: Sequence[Label], hierarchy: Hierarchy, level: int) -> bool:
    """Return whether the values of every label on a level are consecutive in their order."""
    code_of = dict(zip(hierarchy.leaves, hierarchy.codes[level].tolist(), strict=True))
    along = np.array([code_of[value] for value in line], dtype=np.int64)
    return 1 + int(np.count_nonzero(np.diff(along))) == len(np.unique(along))
