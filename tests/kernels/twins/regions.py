"""The twin of the kernels for groups of combinations: the same names and results, slow and obvious.

Tests compare the two; nothing else uses this module. Annealing has no twin: tests check what it promises.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Members = list[int]
Parts = list[Members]
INTERVAL, SET, TREE = range(3)


class Regions:
    """Combinations, and what labels over groups of them cost.

    An axis is a kind, a factor, the order of its values, and a table: the places of the first and the last
    leaf of each value (intervals), its number of leaves (sets), or its codes, then leaves, by level (trees).
    """

    def __init__(
        self,
        axes: Sequence[tuple[int, int, npt.NDArray[np.int32], Ints]],
        codes: npt.NDArray[np.int32],
        rows: Ints,
        blocks: npt.NDArray[np.int32],
        persons: tuple[Ints, npt.NDArray[np.int32]] | None = None,
    ) -> None:
        self.persons = persons
        self.axes = [(kind, factor, order[0].tolist(), table) for kind, factor, order, table in axes]
        self.codes: list[list[int]] = codes.tolist()
        self.rows: list[int] = rows[:, 0].tolist()
        self.blocks: list[int] = blocks[:, 0].tolist()

    def covered(self, a: int, values: set[int]) -> int:
        """Return the leaves below the tightest label over some values."""
        kind, _, _, table = self.axes[a]
        if kind == SET:
            return int(sum(table[0, v] for v in values))
        if kind == INTERVAL:
            numbers = [v for v in values if table[0, v] >= 0]
            missing = len(numbers) < len(values)
            if not numbers:
                return int(missing)
            return int(
                max(table[1, v] for v in numbers) - min(table[0, v] for v in numbers) + 1 + missing
            )
        level = self.level(a, values)
        return int(table[len(table) // 2 + level, next(iter(values))])

    def level(self, a: int, values: set[int]) -> int:
        """Return the lowest level on which values share a node."""
        table = self.axes[a][3]
        return next(i for i in range(len(table) // 2) if len({int(table[i, v]) for v in values}) == 1)

    def row_cost(self, members: Members) -> int:
        """Return what the labels of a group cost one row."""
        return sum(
            axis[1] * (self.covered(a, {self.codes[c][a] for c in members}) - 1)
            for a, axis in enumerate(self.axes)
        )

    def cost(self, members: Members) -> int:
        """Return what a group costs."""
        return self.size(members) * self.row_cost(members) if members else 0

    def size(self, members: Members) -> int:
        """Return how many rows a group has."""
        return sum(self.rows[c] for c in members)

    def counted(self, members: Members) -> int:
        """Return what k is about: how many persons a group has if they are told, else how many rows."""
        if self.persons is None:
            return self.size(members)
        single, pairs = self.persons
        return int(single[members].sum()) + len({p for c, p in pairs.tolist() if c in members})

    def costs(self, groups: Ints) -> Ints:
        """Return what every group costs."""
        of = groups[:, 0].tolist()
        found = [self.cost([c for c, g in enumerate(of) if g == group]) for group in range(max(of) + 1)]
        return np.array(found, dtype=np.int64)[:, None]

    def distance(self, one: int, other: int) -> int:
        """Return what labels over both combinations cost more than those over the first."""
        return self.row_cost([one, other]) - self.row_cost([one])

    def neighbours(self, many: int) -> npt.NDArray[np.int32]:
        """Return the nearest combinations of the same block, -1 where there are no more."""
        result = np.full((len(self.codes), many), -1, dtype=np.int32)
        for c, block in enumerate(self.blocks):
            others = [d for d, other in enumerate(self.blocks) if other == block and d != c]
            nearest = sorted(others, key=lambda d: (self.distance(c, d), d))[:many]
            result[c, : len(nearest)] = nearest
        return result

    def split(
        self,
        groups: Ints,
        k: int,
        strict: bool,
        median: bool,
        ahead: int,
        most: int,
        seconds: float,
        judge: Callable[..., Any] | None,
    ) -> Ints:
        """Return the groups after all splits."""
        splitter = _Splitter(self, k, strict, median, ahead, most, judge)
        of = groups[:, 0].tolist()
        result = np.zeros((len(of), 1), dtype=np.int64)
        count = 0
        for group in sorted(set(of)):
            for leaf in splitter.leaves([c for c, g in enumerate(of) if g == group], splitter.choose):
                result[leaf] = count
                count += 1
        return result


class _Splitter:
    def __init__(
        self,
        regions: Regions,
        k: int,
        strict: bool,
        median: bool,
        ahead: int,
        most: int,
        judge: Callable[..., Any] | None,
    ) -> None:
        self.regions, self.k, self.strict, self.median = regions, k, strict, median
        self.ahead, self.most, self.judge = ahead, most, judge

    def leaves(self, members: Members, choose: Callable[[Members], Parts | None]) -> Parts:
        """Return the groups that are left when all splits are made."""
        parts = choose(members)
        if parts is None:
            return [members]
        return [leaf for part in parts for leaf in self.leaves(part, choose)]

    def choose(self, members: Members) -> Parts | None:
        found = self.candidates(members)
        if not found or self.median:
            return found[0] if found else None
        if self.ahead > 1 and len(members) <= self.most:
            best = sorted(found, key=self.total)[: self.ahead]
            return min(
                best,
                key=lambda parts: self.total([x for p in parts for x in self.leaves(p, self.greedy)]),
            )
        return self.greedy(members)

    def greedy(self, members: Members) -> Parts | None:
        return min(self.candidates(members), key=self.total, default=None)

    def total(self, parts: Parts) -> int:
        return sum(map(self.regions.cost, parts))

    def allowed(self, parts: Parts) -> bool:
        if any(self.regions.counted(part) < self.k for part in parts):
            return False
        if self.judge is None:
            return True
        ends = np.cumsum([len(part) for part in parts])[:, None]
        begins = np.concatenate([[[0]], ends[:-1]])
        members = np.array([c for part in parts for c in part], dtype=np.int32)[:, None]
        return bool(self.judge(members, begins, ends).all())

    def candidates(self, members: Members) -> list[Parts]:
        """Return the best split of every attribute and order that has one."""
        axes = list(range(len(self.regions.axes)))
        if self.median:
            axes.sort(
                key=lambda a: -self.regions.axes[a][1] * self.regions.covered(a, self.values(members, a))
            )
        found: list[Parts] = []
        for a in axes:
            kind, _, order, table = self.regions.axes[a]
            if len(self.values(members, a)) == 1:
                continue
            ordered = sorted(members, key=lambda c: order[self.regions.codes[c][a]])
            if kind == TREE:
                below = table[self.regions.level(a, self.values(members, a)) - 1]
                parts = self.runs(ordered, [int(below[self.regions.codes[c][a]]) for c in ordered])
                if self.allowed(parts):
                    found.append(parts)
            if kind != TREE or not self.strict:
                found += self.cut(ordered, a)
                if kind == SET and not self.median:
                    runs = self.runs(ordered, [self.regions.codes[c][a] for c in ordered])
                    runs.sort(key=lambda run: -self.regions.size(run))
                    found += self.cut([c for run in runs for c in run], a)
            if self.median and found:
                break
        return found

    def values(self, members: Members, a: int) -> set[int]:
        return {self.regions.codes[c][a] for c in members}

    def runs(self, members: Members, keys: Sequence[int]) -> Parts:
        parts = [[members[0]]]
        for c, (before, key) in zip(members[1:], pairwise(keys), strict=True):
            if before == key:
                parts[-1].append(c)
            else:
                parts.append([c])
        return parts

    def cut(self, members: Members, a: int) -> list[Parts]:
        """Return the best cut in two, if any is allowed."""
        codes, size, counted = self.regions.codes, self.regions.size, self.regions.counted
        cuts = [
            [members[:i], members[i:]]
            for i in range(1, len(members))
            if not (self.strict and codes[members[i - 1]][a] == codes[members[i]][a])
        ]
        if self.median:
            large = [cut for cut in cuts if min(map(counted, cut)) >= self.k]
            cuts = sorted(large, key=lambda cut: abs(size(cut[0]) - size(cut[1])))[:1]
        allowed = [cut for cut in cuts if self.allowed(cut)]
        return [allowed[0]] if self.median and allowed else sorted(allowed, key=self.total)[:1]


class Regrouping:
    """Groups that are merged until all are good."""

    def __init__(
        self,
        regions: Regions,
        groups: Ints,
        k: int,
        neighbours: npt.NDArray[np.int32],
        seed: int,
        judge: Callable[..., Any] | None,
    ) -> None:
        self.regions, self.k, self.judge = regions, k, judge
        self.near = neighbours.tolist()
        self.of: list[int] = groups[:, 0].tolist()

    def groups(self) -> Ints:
        """Return the group of every combination."""
        return np.array(self.of, dtype=np.int64)[:, None]

    @property
    def cost(self) -> int:
        """What all groups cost."""
        return sum(self.regions.cost(self.members(g)) for g in set(self.of))

    def members(self, group: int) -> Members:
        """Return the members of a group."""
        return [c for c, g in enumerate(self.of) if g == group]

    def good(self, group: int) -> bool:
        """Whether a group has k rows and is allowed."""
        members = self.members(group)
        if self.regions.counted(members) < self.k or self.judge is None:
            return self.regions.counted(members) >= self.k
        column = np.array(members, dtype=np.int32)[:, None]
        return bool(self.judge(column, np.array([[0]]), np.array([[len(members)]]))[0])

    def cheapest(self, group: int) -> tuple[int, int, int] | None:
        """Return the cheapest merging of a group: the cost, and the pair."""
        mine = self.members(group)
        tried = {self.of[d] for c in mine for d in self.near[c] if d >= 0} - {group}
        if not tried:
            block = self.regions.blocks[mine[0]]
            tried = {g for c, g in enumerate(self.of) if self.regions.blocks[c] == block} - {group}
        cost = self.regions.cost
        return min(
            (
                (cost(mine + self.members(h)) - cost(mine) - cost(self.members(h)), group, h)
                for h in tried
            ),
            default=None,
        )

    def gather(self) -> bool:
        """Merge bad groups, the cheapest pair first, until all are good; whether they are.

        What a merging costs is worked out anew when its turn comes and the other group has changed.
        """
        queue: list[tuple[int, int, int, list[int], list[int]]] = []
        alone = False

        def offer(group: int) -> None:
            nonlocal alone
            found = self.cheapest(group)
            if found is None:
                alone = True
            else:
                heapq.heappush(queue, (*found, self.members(group), self.members(found[2])))

        for group in sorted(set(self.of)):
            if not self.good(group):
                offer(group)
        while queue:
            _, group, into, mine, yours = heapq.heappop(queue)
            if self.members(group) != mine:
                continue
            if self.members(into) != yours:
                offer(group)
                continue
            self.of = [into if g == group else g for g in self.of]
            if not self.good(into):
                offer(into)
        return not alone


def cheapest_covers(
    axes: Sequence[tuple[npt.NDArray[np.int32], Ints]],
    values: npt.NDArray[np.int32],
    rows: Ints,
    sizes: Ints,
    ks: Ints,
    dearest: int,
    threads: int,
    seconds: float,
) -> Ints:
    """Return, for each k, what all rows cost that each have their cheapest labels whose sizes add up to k."""
    sums = [0] * len(ks)
    nodes = [*product(*(range(len(codes)) for codes, _ in axes))]
    for mine, count in zip(values.tolist(), rows[:, 0].tolist(), strict=True):
        for j, k in enumerate(ks[:, 0].tolist()):
            costs = [dearest]
            for node in nodes:
                above = [codes[level] for (codes, _), level in zip(axes, node, strict=True)]
                covered = sum(
                    int(size)
                    for other, size in zip(values, sizes[:, 0], strict=True)
                    if all(codes[v] == codes[o] for codes, v, o in zip(above, mine, other, strict=True))
                )
                if covered >= k:
                    prices = [table[level] for (_, table), level in zip(axes, node, strict=True)]
                    costs.append(sum(int(price[v]) for price, v in zip(prices, mine, strict=True)))
            sums[j] += count * min(costs)
    return np.array(sums, dtype=np.int64)[:, None]
