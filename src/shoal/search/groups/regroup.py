"""Improves groups by merging, splitting and annealing."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal.kernels import Regions, Regrouping
from shoal.numbers import percent
from shoal.running.clock import Clock
from shoal.search.groups.grouping import Grouping, Judge

Ints = npt.NDArray[np.int64]

NEIGHBOURS = 12
STEPS = 30
"""Steps per combination, at an effort of 1."""
JUDGED = 8
"""How many times fewer the steps are if every change must be judged."""
SLICES = 100
LOOKING, MERGING = 0.25, 0.4
"""Shares of the time left: for the neighbours of all combinations, and then for merging them."""
WARM, COLD = 0.1, 0.015
"""The first and the last temperature, as shares of a group's cost; after that no change may cost more."""
DESCENT = 0.9
"""The share of the steps after which that begins."""


@dataclass(frozen=True)
class Regrouped:
    """Groups of the kept points, what they cost, and how many steps were taken."""

    groups: Ints
    cost: int
    steps: int


class Regrouper:
    """Regroups the kept points of a grouping.

    The same seed and effort give the same groups, unless a time limit or Ctrl-C ends it.
    """

    def __init__(self, ground: Grouping, seed: int, clock: Clock) -> None:
        self.ground = ground
        self.clock = clock
        self.regions: Regions = ground.regions()
        self.judge: Judge | None = ground.judge()
        self.seed = seed
        self.points = int(ground.kept.sum())

    def on(self, ground: Grouping) -> Regrouper:
        """Return a regrouper of another grouping, with what this one knows if the same points are kept."""
        if not np.array_equal(ground.kept, self.ground.kept):
            return Regrouper(ground, self.seed, self.clock)
        other = copy(self)
        other.ground, other.judge = ground, ground.judge()
        return other

    @cached_property
    def _neighbours(self) -> npt.NDArray[np.int32]:
        return self.regions.neighbours(NEIGHBOURS, self.clock.part(LOOKING).left)

    def gathered(self, groups: Ints | None = None) -> Ints:
        """Return groups made by merging groups that break the promise with their nearest, cheapest first.

        By default every point starts as a group. This always ends: at the latest a whole block is one group,
        and blocks keep the promise. If the time is over, the rest is merged as it comes.
        """
        start = np.arange(self.points)[:, None] if groups is None else groups
        regrouping = self._regrouping(start)
        regrouping.gather(self.clock.part(MERGING).left)
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
        regrouping = self._regrouping(groups)
        steps = effort * STEPS * self.points / (1 if self.judge is None else JUDGED)
        size = max(round(min(steps / SLICES, self.points)), 1)
        begun, limit = clock.seconds, clock.left
        taken, part = 0, 0.0
        try:
            while part < 1 and regrouping.cost and not clock.over:
                before, part = part, min((taken + size) / steps, 1.0)
                if clock.limited:
                    # Assume that a slice takes as long as the average one before.
                    spent = (clock.seconds - begun) * (1 + size / max(taken, 1))
                    part = max(part, before, min(spent / limit, 1.0) if limit else 1.0)
                taken += regrouping.run(size, _temperature(before), _temperature(part), clock.left)
                clock.show(part, f"loss {percent(regrouping.cost / start)} of the first")
        except KeyboardInterrupt:
            pass  # groups are valid at any time
        if regrouping.cost > start:
            return Regrouped(groups, start, taken)
        return Regrouped(regrouping.groups(), regrouping.cost, taken)

    def _regrouping(self, groups: Ints) -> Regrouping:
        return Regrouping(self.regions, groups, self.ground.k, self._neighbours, self.seed, self.judge)


def _temperature(part: float) -> float:
    """Return the temperature after some part of the steps."""
    if part >= DESCENT:
        return 0.0
    return float(WARM * (COLD / WARM) ** (part / DESCENT))
