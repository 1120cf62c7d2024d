"""Works on the groups of many points part by part, in all threads.

Parts are near points (see `parts`); what is done in one touches no other. So a large table costs as much as
so many smaller ones, each of which fits into the caches of a processor, and nobody keeps who is near whom in
all of it. Annealing goes on in rounds, each with other parts: points that one round tells apart may be in one
part in the next.

The parts follow from the points and the seed alone, and each draws by itself: the groups are the same with
any number of threads, unless time is limited.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from shoal.kernels import ValueRules
from shoal.running.clock import Clock
from shoal.running.workers import in_threads
from shoal.search.groups.cooling import Cooling
from shoal.search.groups.grouping import Grouping
from shoal.search.groups.point_parts import PointPlaces
from shoal.search.groups.regroup import Regrouper, Within

Ints = npt.NDArray[np.int64]
Near = npt.NDArray[np.int32]
T = TypeVar("T")

MANY, LARGE = 10_000, 120_000
"""From how many points on there are parts, and from how many on neighbours are looked for in each alone."""
PART, SHARE, LEAST = 16_000, 2, 7_000
"""The most points of a part of a large table; of another, the share of all of them, but at least so many."""
ROUNDS, FEW = 25, 2
"""Rounds of annealing, and how many there are where each has to look for neighbours."""
GATHERING = 0.5
"""The share of the time left for neighbours and merging in a large table."""
HERE = Within(near=16, looks=500, looking=0.6, merging=0.9)
"""How neighbours are looked for in the parts of a large table: fewer of them, which is no worse with few
steps a point, and not exactly where that would take long.
"""


def regrouper_of(ground: Grouping, seed: int, clock: Clock) -> Regrouper:
    """Return what regroups the kept points: in parts if they are many.

    Where persons have rows in several combinations, those of one person may lie in several parts: then there
    are none.
    """
    parted = int(ground.kept.sum()) >= MANY and ground.task.tally.persons is None
    return (InParts if parted else Regrouper)(ground, seed, clock)


class InParts(Regrouper):
    """Regroups the kept points part by part."""

    def __init__(self, ground: Grouping, seed: int, clock: Clock) -> None:
        super().__init__(ground, seed, clock)
        self._merged: list[tuple[Ints, Near]] = []
        """The parts that were merged last, and who is near whom in each, until they are annealed."""

    @property
    def large(self) -> bool:
        """Whether neighbours are looked for within parts only."""
        return self.points >= LARGE

    def gathered(self, groups: Ints | None = None) -> Ints:
        """Return groups that keep the promise, by merging those that do not; of a large table in parts."""
        if not self.large:
            return super().gathered(groups)
        given = None if groups is None else groups.reshape(-1)

        def merged(inside: Ints, _: int, clock: Clock) -> tuple[Ints, tuple[Ints, Near]]:
            part = self.part(inside, clock, HERE)
            of = part.gathered(None if given is None else _numbered(given[inside]))
            return of, (inside, part.neighbours)

        parts = self._points.parts(given, self._most, self._keeps)
        found, self._merged = self._side_by_side(parts, merged, self.clock.part(GATHERING))
        return found

    def annealed(self, groups: Ints, steps: float, warm: float, clock: Clock) -> tuple[Ints, int]:
        """Return groups after so many steps, fewer if time is limited, and how many were taken."""
        heat = self.regrouping(groups, np.full((self.points, 0), -1, dtype=np.int32)).heat
        known, self._merged = self._merged, []
        rounds, taken = FEW if self.large else ROUNDS, 0
        if not self.large:
            _ = self.neighbours  # found once, before there are threads that ask for them
        for number in range(rounds):
            if clock.over:
                break
            parts, near = [inside for inside, _ in known], [near for _, near in known]
            known = []
            if not _whole_in(groups, parts):
                draw = np.random.default_rng([self.seed, number])
                parts, near = self._points.parts(groups.reshape(-1), self._most, draw=draw), []
            cooling = Cooling(steps / rounds, warm, number / rounds, (number + 1) / rounds)
            work = partial(self._cooled, groups, near, cooling, heat)
            groups, counts = self._side_by_side(parts, work, clock.part(1 / (rounds - number)))
            taken += sum(counts)
            clock.show((number + 1) / rounds, "improving groups", partial(self._lost, groups))
        return groups, taken

    def _lost(self, groups: Ints) -> float:
        """Return the share of all detail that is lost, for those who watch."""
        return self.ground.share_of(self.cost(groups))

    def _cooled(
        self,
        groups: Ints,
        known: Sequence[Near],
        cooling: Cooling,
        heat: float,
        inside: Ints,
        number: int,
        clock: Clock,
    ) -> tuple[Ints, int]:
        """Return the groups of a part after its share of the steps, and how many these were."""
        part = self.part(inside, clock, HERE)
        if known:
            near = known[number]
        elif self.large:
            near = part.neighbours
        else:
            place = np.full(self.points + 1, -1, dtype=np.int32)  # the last is that of none
            place[inside] = np.arange(len(inside))
            near = place[self.neighbours[inside]]
        seeds = np.random.SeedSequence([self.seed, round(1000 * cooling.begin), number])
        seed = int(seeds.generate_state(1, np.uint64)[0])
        regrouping = part.regrouping(_numbered(groups[inside, 0]), near, seed, heat)
        share = Cooling(
            cooling.steps * len(inside) / self.points, cooling.warm, cooling.begin, cooling.end
        )
        taken = share.anneal(regrouping, len(inside), clock)
        return regrouping.groups(), taken

    def _side_by_side(
        self, parts: Sequence[Ints], work: Callable[[Ints, int, Clock], tuple[Ints, T]], clock: Clock
    ) -> tuple[Ints, list[T]]:
        """Return the groups that work finds in each part as groups of all points, and what else it tells.

        Every part gets a share of the time by the number of its points.
        """
        seconds, threads = clock.left, min(self.threads, len(parts))
        found = np.empty((self.points, 1), dtype=np.int64)
        told: list[T] = []
        count = 0

        def timed(inside: Ints, number: int) -> tuple[Ints, T]:
            limit = seconds * threads * len(inside) / self.points
            left = clock.left
            part = clock.part(min(limit / left, 1.0) if left else 0.0) if clock.limited else clock
            return work(inside, number, part)

        pieces = [partial(timed, inside, number) for number, inside in enumerate(parts)]
        for inside, (of, more) in zip(parts, in_threads(pieces, threads), strict=True):
            found[inside] = _numbered(of) + count
            count = int(found[inside].max(initial=count - 1)) + 1
            told.append(more)
        return found, told

    @cached_property
    def _points(self) -> PointPlaces:
        ground = self.ground
        kept = ground.kept
        return PointPlaces.of(ground.kernel_axes(), ground.codes[kept], ground.block_of[kept])

    @property
    def _most(self) -> int:
        """The most points of a part."""
        if not self.large:
            return max(self.points // SHARE, LEAST)
        # The hierarchies are prepared anew for each part.
        return max(PART, *(2 * len(gaps) for gaps in self._points.gaps))

    def _keeps(self, sets: Sequence[Ints]) -> bool:
        """Return whether each of some sets of points could be a group."""
        rows = self.ground.points.rows[self.ground.kept]
        if any(rows[inside].sum() < self.ground.k for inside in sets):
            return False
        if self.judge is None:
            return True
        ends = np.cumsum([len(inside) for inside in sets])[:, None]
        begins = ends - np.array([[len(inside)] for inside in sets])
        members = np.concatenate(sets).astype(np.int32)[:, None]
        asked = self.judge.judged if isinstance(self.judge, ValueRules) else self.judge
        return bool(np.all(asked(members, begins, ends)))


def _numbered(groups: Ints) -> Ints:
    """Return groups numbered from 0, as one column."""
    return np.unique(groups, return_inverse=True)[1].reshape(-1, 1).astype(np.int64)


def _whole_in(groups: Ints, parts: Sequence[Ints]) -> bool:
    """Return whether there are parts, and every group lies in one of them."""
    if not parts:
        return False
    part_of = np.empty(len(groups), dtype=np.int64)
    for number, inside in enumerate(parts):
        part_of[inside] = number
    one = np.zeros(int(groups.max()) + 1, dtype=np.int64)
    one[groups[:, 0]] = part_of
    return bool((one[groups[:, 0]] == part_of).all())
