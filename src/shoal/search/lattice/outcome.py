"""What a frontier search returns."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.search.lattice.pareto import ParetoPoint


@dataclass(frozen=True)
class Outcome:
    """The points, k descending; how many nodes were evaluated; whether none can be missing."""

    points: tuple[ParetoPoint, ...]
    evaluated: int
    certified: bool
    seconds: float
