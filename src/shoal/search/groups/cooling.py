"""How warm the annealing of groups is, by the steps that were taken or the time that is over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shoal.kernels import Regrouping
from shoal.running.clock import Clock

SLICES = 100
"""Into how many slices the steps are divided, between which the clock is asked."""
COLD = 0.03
"""The last temperature, as a share of what changes cost; after that no change may cost more."""
DESCENT = 0.9
"""The share of the steps after which that begins."""


@dataclass(frozen=True)
class Cooling:
    """So many steps, and the temperature at which they begin; `begin` and `end` of a share of all of it."""

    steps: float
    warm: float
    begin: float = 0.0
    end: float = 1.0

    def anneal(
        self,
        regrouping: Regrouping,
        points: int,
        clock: Clock,
        show: Callable[[float], None] | None = None,
    ) -> int:
        """Change groups, which are valid at any time, and return how many steps were taken.

        There are fewer steps if time is limited; the temperature then follows the clock.
        """
        span = self.end - self.begin
        size = max(round(min(self.steps / SLICES / span, points)), 1)
        begun, limit = clock.seconds, clock.left
        taken, part = 0, 0.0
        while part < 1 and regrouping.cost and not clock.over:
            before, part = part, min((taken + size) / self.steps, 1.0)
            if clock.limited:
                # Assume that a slice takes as long as the average one before.
                spent = (clock.seconds - begun) * (1 + size / max(taken, 1))
                part = max(part, before, min(spent / limit, 1.0) if limit else 1.0)
            taken += regrouping.run(size, self._at(before), self._at(part), clock.left)
            if show is not None:
                show(part)
        return taken

    def _at(self, part: float) -> float:
        """Return the temperature after some part of the steps."""
        whole = self.begin + part * (self.end - self.begin)
        if whole >= DESCENT:
            return 0.0
        return float(self.warm * (COLD / self.warm) ** (whole / DESCENT))
