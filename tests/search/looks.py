"""A clock by which a search can be stopped at any step, always at the same one."""

from __future__ import annotations

from shoal.running.clock import Clock


class Looks(Clock):
    """A clock that is over after so many looks at it."""

    def __init__(self, looks):
        super().__init__()
        self.looks = looks

    @property
    def over(self):
        self.looks -= 1
        return self.looks < 0
