"""The Pareto points of a frontier search, as a staircase of k against loss, and what the search returns."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.data.tally import Node
from shoal.metrics.metric import Ints

EVERY_K = 2**62


class ParetoPoint(NamedTuple):
    """A node with its k, its exact loss and its suppressed rows."""

    k: int
    loss: int
    node: Node
    suppressed: int

    @property
    def rank(self) -> tuple[int, Node]:
        """Which of several nodes with the same k and loss is shown: the lowest, then the first."""
        return sum(self.node), self.node


class Staircase:
    """Points of which none dominates another, with loss and k both rising.

    Of points with the same k and loss the one of fewest suppressed rows is kept (not with `fill`), then the
    one of lowest rank.
    """

    def __init__(self, min_k: int = 1, max_k: int | None = None, fill: bool = False) -> None:
        self.min_k = min_k
        self.max_k = max_k
        self.fill = fill
        self.losses: list[int] = []
        self.ks: list[int] = []
        self._points: list[ParetoPoint] = []
        self._tables: tuple[Ints, npt.NDArray[np.int64]] | None = None

    def add(self, point: ParetoPoint) -> None:
        """Add a point, unless a known one is at least as good."""
        if point.k < 1:
            return  # every row is suppressed: no k, no point
        at = bisect_left(self.losses, point.loss)
        if at < len(self.losses) and self.losses[at] == point.loss:
            if self.ks[at] > point.k:
                return
            if self.ks[at] == point.k:
                if self._order(point) < self._order(self._points[at]):
                    self._points[at] = point
                return
        if self.dominates(point.k, point.loss):
            return
        end = at
        while end < len(self.ks) and self.ks[end] <= point.k:
            end += 1
        self._tables = None
        self.losses[at:end] = [point.loss]
        self.ks[at:end] = [point.k]
        self._points[at:end] = [point]

    def dominates(self, k: int, loss: int) -> bool:
        """Whether a point of less loss has at least this k: most of what a search meets is no news."""
        at = bisect_left(self.losses, loss)
        return at > 0 and self.ks[at - 1] >= k

    def _order(self, point: ParetoPoint) -> tuple[int, tuple[int, Node]]:
        return 0 if self.fill else point.suppressed, point.rank

    def cheapest(self, k: int) -> ParetoPoint | None:
        """Return the point of least loss with at least this k, if there is one."""
        at = bisect_left(self.ks, k)
        return self._points[at] if at < len(self._points) else None

    def least(self, k: int) -> int | None:
        """Return the least loss with at least this k, None if nothing has it."""
        found = self.cheapest(k)
        return None if found is None else found.loss

    def beaten(self, loss: int) -> int:
        """Return the largest k with which a node that costs at least `loss` can be ignored.

        It can be ignored if a point is better in one respect and no worse in the other, but not if it may tie
        in both, since it may rank first. Everything below min_k can be ignored, and everything that could
        only be above max_k.
        """
        at = bisect_left(self.losses, loss)
        k = self.ks[at - 1] if at > 0 else 0
        if self.max_k is not None and k >= self.max_k:
            return EVERY_K
        if at < len(self.losses) and self.losses[at] == loss:
            k = max(k, self.ks[at] - 1)
        return max(k, self.min_k - 1)

    def beaten_all(self, losses: Ints) -> npt.NDArray[np.int64]:
        """Return `beaten` of many losses at once: it changes at the known losses and one beyond."""
        if self._tables is None:
            steps = [step for loss in self.losses for step in (loss, loss + 1)]
            self._tables = (
                np.array(steps, dtype=losses.dtype),
                np.array([self.beaten(loss) for loss in [-1, *steps]], dtype=np.int64),
            )
        steps_at, beaten = self._tables
        return beaten[np.searchsorted(steps_at, losses, side="right")]

    def __iter__(self) -> Iterator[ParetoPoint]:
        """Yield the points within min_k and max_k, k descending."""
        for point in reversed(self._points):
            if point.k >= self.min_k and (self.max_k is None or point.k <= self.max_k):
                yield point


@dataclass(frozen=True)
class Outcome:
    """The points, k descending; how many nodes were evaluated; whether the frontier is complete."""

    points: tuple[ParetoPoint, ...]
    evaluated: int
    certified: bool
    seconds: float
