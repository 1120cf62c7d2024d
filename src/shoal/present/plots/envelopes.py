"""Frontiers of three objectives in the plane: staircases within limits, or a map of the least loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.answers.solution import Frontier, NodeSolution

SHARES = (0.0, 0.001, 0.01, 0.05, 0.2)
"""The limits of suppressed rows that are drawn, as shares of all rows."""
MOST_ROWS = 15
"""So many numbers of distinct values are drawn at most."""


@dataclass(frozen=True)
class Limit:
    """At most so many suppressed rows."""

    rows: int
    share: float | None = None

    def words(self, front: Frontier) -> str:
        """Return the limit as a legend names it."""
        if self.share is None:
            return "any suppression" if self.rows >= front.rows - 1 else f"{self.rows:,} rows at most"
        return f"{100 * self.share:g}% suppressed at most" if self.rows else "nothing suppressed"


def limits(front: Frontier) -> list[Limit]:
    """Return the limits to draw, the strictest first; none that gives the staircase of the one before."""
    most = front.suppression_limit
    candidates = [Limit(int(share * front.rows), share) for share in SHARES]
    candidates = [*(limit for limit in candidates if limit.rows < most), Limit(most)]
    found: list[Limit] = []
    before: list[NodeSolution] = []
    for limit in candidates:
        points = envelope(front, limit)
        if points and points != before:
            found.append(limit)
            before = points
    return found


def envelope(front: Frontier, limit: Limit) -> list[NodeSolution]:
    """Return the points of the frontier of k and loss within the limit, k descending."""
    within = [point for point in front.points if point.suppressed <= limit.rows]
    found: list[NodeSolution] = []
    for point in sorted(within, key=lambda point: (-point.k, point.loss)):
        if not found or point.loss < found[-1].loss:
            found.append(point)
    return found


def cells(front: Frontier) -> tuple[list[int], list[int], list[list[float | None]]]:
    """Return numbers of k and l, and for each l (a row) and k the least loss of a point that has both.

    The k are 1, 2, 5, 10 and so on; None stands where no point has both.
    """
    most = max((point.k for point in front.points), default=1)
    ks = [digit * 10**power for power in range(len(str(most))) for digit in (1, 2, 5)]
    ks = [k for k in ks if k <= most]
    ls = sorted({point.l or 0 for point in front.points}) or [1]
    if len(ls) > MOST_ROWS:
        ls = [ls[round(i * (len(ls) - 1) / (MOST_ROWS - 1))] for i in range(MOST_ROWS)]
    losses = [
        [
            min((p.loss for p in front.points if p.k >= k and (p.l or 0) >= least), default=None)
            for k in ks
        ]
        for least in ls
    ]
    return ks, ls, losses
