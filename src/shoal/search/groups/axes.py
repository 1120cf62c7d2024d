"""How groups label the values of one attribute: by intervals, sets, or nodes of the hierarchy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from shoal.data.tally import Ladder
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.describe.hierarchies.date_forms import by_date
from shoal.search.groups.group_labels import GroupLabels, number_of

Ints = npt.NDArray[np.int64]
Named = tuple[list[Label], dict[Label, tuple[Label, ...]]]
"""The label of each group, and the values behind labels that are not in the hierarchy."""


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
    def labels(self, values: npt.NDArray[np.int32], of: Ints, count: int) -> Named:
        """Return the tightest label of each group, given the value and the group of each point."""


@dataclass(frozen=True)
class TreeAxis(GroupAxis):
    """Labels are nodes of the hierarchy: the lowest one above all values of the group."""

    kind = LabelKind.TREE
    codes: Ints
    names: Sequence[Sequence[Label]]

    def labels(self, values: npt.NDArray[np.int32], of: Ints, count: int) -> Named:
        """Return the lowest common label of each group's values."""
        result: list[Label] = [None] * count
        named = np.zeros(count, dtype=np.bool_)
        first = np.zeros(count, dtype=np.int64)
        first[of] = values
        for codes, names in zip(self.codes, self.names, strict=True):
            apart = np.zeros(count, dtype=np.bool_)
            apart[of[codes[values] != codes[first[of]]]] = True
            for g in np.flatnonzero(~apart & ~named).tolist():
                result[g] = names[first[g]]
            named |= ~apart
        return result, {}


@dataclass(frozen=True)
class SetAxis(GroupAxis):
    """Labels list the set of values; `below` are the leaves of each value."""

    kind = LabelKind.SET
    below: Sequence[tuple[Label, ...]]
    hierarchy: Hierarchy

    def labels(self, values: npt.NDArray[np.int32], of: Ints, count: int) -> Named:
        """Return each group's set of values, in the order of the splits."""
        labels = GroupLabels(self.hierarchy)

        def name(inside: tuple[int, ...]) -> tuple[Label, tuple[Label, ...]]:
            leaves = tuple(leaf for value in inside for leaf in self.below[value])
            return labels.of_set(leaves), leaves

        return _by_values(self.order, values, of, count, labels, name)


@dataclass(frozen=True)
class IntervalAxis(GroupAxis):
    """Labels are intervals of numbers or dates; `line` are the hierarchy's in their order.

    The missing value is in no interval: the label names it separately.
    """

    kind = LabelKind.INTERVAL
    line: tuple[Label, ...]
    hierarchy: Hierarchy

    def labels(self, values: npt.NDArray[np.int32], of: Ints, count: int) -> Named:
        """Return each group's tightest interval."""
        labels = GroupLabels(self.hierarchy)

        def name(inside: tuple[int, ...]) -> tuple[Label, tuple[Label, ...]]:
            missing = self.table[0, inside[-1]] < 0
            told = inside[:-1] if missing else inside
            leaves: tuple[Label, ...] = ()
            if told:
                leaves = self.line[self.table[0, told[0]] : self.table[1, told[-1]] + 1]
            return labels.of_interval(leaves, missing), (*leaves, None) if missing else leaves

        return _by_values(self.order, values, of, count, labels, name)


def _by_values(
    order: Ints,
    values: npt.NDArray[np.int32],
    of: Ints,
    count: int,
    labels: GroupLabels,
    name: Callable[[tuple[int, ...]], tuple[Label, tuple[Label, ...]]],
) -> Named:
    """Return the labels of the groups' sets of values, computing each label once."""
    width = max(len(order), 1)
    pairs = np.unique(of * width + order[values])
    by_place = np.argsort(order)
    inside = by_place[pairs % width].tolist()
    ends = np.cumsum(np.bincount(pairs // width, minlength=count)).tolist()
    known: dict[tuple[int, ...], Label] = {}
    result: list[Label] = []
    meanings: dict[Label, tuple[Label, ...]] = {}
    begin = 0
    for end in ends:
        key = tuple(inside[begin:end])
        begin = end
        if key not in known:
            label, leaves = name(key)
            known[key] = label
            if labels.made_up(label):
                meanings[label] = leaves
        result.append(known[key])
    return result, meanings


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
    return SetAxis(value_of, order, ladder.leaves, table, [tuple(leaves) for leaves in below], hierarchy)


def _interval(
    ladder: Ladder, hierarchy: Hierarchy, value_of: Ints, below: Sequence[Sequence[Label]]
) -> IntervalAxis | None:
    """Return the axis of intervals; None if leaves are no numbers or dates or a value not an interval."""
    line = _line(hierarchy)
    if line is None:
        return None
    place = {leaf: i for i, leaf in enumerate(line)}
    table = np.empty((2, len(below)), dtype=np.int64)
    for v, leaves in enumerate(below):
        if list(leaves) == [None]:
            table[:, v] = -1
            continue
        if None in leaves:
            return None
        inside = sorted(place[leaf] for leaf in leaves if leaf is not None)
        table[:, v] = inside[0], inside[-1]
        if inside[-1] - inside[0] + 1 != len(inside):
            return None
    order = np.empty(len(below), dtype=np.int64)
    last = np.where(table[0] < 0, len(line), table[0])
    order[np.argsort(last, kind="stable")] = np.arange(len(below))
    return IntervalAxis(value_of, order, ladder.leaves, table, line, hierarchy)


def _line(hierarchy: Hierarchy) -> tuple[str, ...] | None:
    """Return the leaves in the order of numbers or dates; None if they are neither."""
    present = [leaf for leaf in hierarchy.leaves if leaf is not None]
    if not present:
        return None
    if any(number_of(leaf) is None for leaf in present):
        return by_date(present, hierarchy.date_form)
    return tuple(sorted(present, key=lambda leaf: (number_of(leaf), leaf)))
