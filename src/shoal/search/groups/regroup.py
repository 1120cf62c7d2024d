"""Improves groups by merging, splitting and annealing.

Tables of many points are worked on part by part, in all threads, by a kind of it (see `in_parts`).
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal.kernels import Regions, Regrouping, ValueRules
from shoal.running.clock import Clock
from shoal.search.groups.cooling import Cooling
from shoal.search.groups.group_judge import Judge
from shoal.search.groups.grouping import Grouping

Ints = npt.NDArray[np.int64]

STEPS, SMALL, CHEAP = 60, 4, 5_000_000
"""Steps per combination, at an effort of 1; a small table is searched up to so many times longer, as long as
its steps are no more than so many in all, which take about a second.
"""
JUDGED, BY_RULES = 8, 2
"""How many times fewer the steps are if every change must be judged, in Python or by the kernels."""
WARM, WARMEST = 0.12, 0.2
"""The first temperature, as a share of what changes cost. The more steps there are, the warmer the start may
be, up to the warmest.
"""


@dataclass(frozen=True)
class Within:
    """How many neighbours of a point are looked for, and at how many branches of a tree on average before
    near ones have to do; which shares of the time left that may take, and then merging.
    """

    near: int = 32
    looks: int = 2000
    looking: float = 0.25
    merging: float = 0.4


@dataclass(frozen=True)
class Regrouped:
    """Groups of the kept points, what they cost, and how many steps were taken."""

    groups: Ints
    cost: int
    steps: int


class Regrouper:
    """Regroups the kept points of a grouping.

    The same seed and effort give the same groups with any number of threads, unless a time limit or Ctrl-C
    ends it.
    """

    def __init__(self, ground: Grouping, seed: int, clock: Clock) -> None:
        self.ground = ground
        self.clock = clock
        self.regions: Regions = ground.regions()
        self.judge: Judge | None = ground.judge()
        self.seed = seed
        self.points = int(ground.kept.sum())
        self.threads = ground.task.threads
        self.within = Within()

    def on(self, ground: Grouping) -> Regrouper:
        """Return a regrouper of another grouping, with what this one knows if the same points are kept."""
        if not np.array_equal(ground.kept, self.ground.kept):
            return type(self)(ground, self.seed, self.clock)
        other = copy(self)
        other.ground, other.judge = ground, ground.judge()
        return other

    def part(self, inside: Ints, clock: Clock, within: Within) -> Regrouper:
        """Return what regroups some of the points, in one thread."""
        part = Regrouper.__new__(Regrouper)
        part.ground, part.judge, part.seed, part.clock = self.ground, self.judge, self.seed, clock
        part.regions = self.regions.part(inside.astype(np.int32)[:, None])
        part.points, part.threads, part.within = len(inside), 1, within
        return part

    @cached_property
    def neighbours(self) -> npt.NDArray[np.int32]:
        """The nearest of every kept point, as far as there was time to look for them; -1 is none."""
        seconds = self.clock.part(self.within.looking).left
        return self.regions.neighbours(self.within.near, seconds, self.within.looks, self.threads)

    def gathered(self, groups: Ints | None = None) -> Ints:
        """Return groups made by merging groups that break the promise with their nearest, cheapest first.

        By default every point starts as a group. This always ends: at the latest a whole block, or a part of
        one, is one group, and these keep the promise. If the time is over, the rest is merged as it comes.
        """
        start = np.arange(self.points)[:, None] if groups is None else groups
        regrouping = self.regrouping(start, self.neighbours)
        regrouping.gather(self.clock.part(self.within.merging).left)
        return regrouping.groups()

    def split(
        self,
        groups: Ints,
        *,
        strict: bool = False,
        median: bool = False,
        ahead: tuple[int, int] = (1, 0),
        seconds: float | None = None,
    ) -> Ints:
        """Return the groups, split as long as all parts keep the promise; the cost does not rise.

        `ahead` says how many splits are followed to the end, and in groups of at most how many points.
        It takes half of the time that is left, unless `seconds` is given.
        """
        seconds = self.clock.part(0.5).left if seconds is None else seconds
        return self.regions.split(groups, self.ground.k, strict, median, *ahead, seconds, self.judge)

    def cost(self, groups: Ints) -> int:
        """Return what groups cost."""
        return int(self.regions.costs(groups).sum())

    def improved(self, groups: Ints, effort: float, clock: Clock) -> Regrouped:
        """Return groups that cost no more than those given, all of which keep the promise.

        Annealing: steps in proportion to the effort and the points, fewer if time is limited; the temperature
        then follows the clock.
        """
        start = self.cost(groups)
        if not (self.points and effort and start):
            return Regrouped(groups, start, 0)
        usual = STEPS * self.points
        steps = effort * max(usual, min(SMALL * usual, CHEAP))
        warm = min(WARM * max(steps / usual, 1.0) ** 0.2, WARMEST)
        found, taken = self.annealed(groups, steps / self._slower, warm, clock)
        cost = self.cost(found)
        return Regrouped(found, cost, taken) if cost <= start else Regrouped(groups, start, taken)

    def annealed(self, groups: Ints, steps: float, warm: float, clock: Clock) -> tuple[Ints, int]:
        """Return groups after so many steps, fewer if time is limited, and how many were taken."""
        regrouping = self.regrouping(groups, self.neighbours)

        def show(part: float) -> None:
            clock.show(part, "improving groups", lambda: self.ground.share_of(regrouping.cost))

        taken = Cooling(steps, warm).anneal(regrouping, self.points, clock, show)
        return regrouping.groups(), taken

    @property
    def _slower(self) -> int:
        if self.judge is None:
            return 1
        return BY_RULES if isinstance(self.judge, ValueRules) else JUDGED

    def regrouping(
        self, groups: Ints, near: npt.NDArray[np.int32], seed: int | None = None, heat: float = -1.0
    ) -> Regrouping:
        """Return groups as the kernels change them, with those that are near each point."""
        chosen = self.seed if seed is None else seed
        return Regrouping(self.regions, groups, self.ground.k, near, chosen, self.judge, heat)
