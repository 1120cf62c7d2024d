"""Time limits and progress, the same for every search."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from shoal.running import stopping

Progress = Callable[[float, str], bool | None]
"""Called with the share of work done and a few words; if it returns True, the search ends as at a limit."""


def while_writing(progress: Progress | None) -> Callable[[float], None] | None:
    """Return the function that tells a listener how much of a release is written."""
    if progress is None:
        return None

    def written(share: float) -> None:
        progress(share, "writing")

    return written


EVERY = 0.1
"""Seconds between two reports of progress, at least."""


class Clock:
    """Counts a search's seconds, says when its time is up, and reports progress."""

    def __init__(self, limit: float | None = None, progress: Progress | None = None) -> None:
        self._start = time.perf_counter()
        self._limit = limit
        self._progress = progress
        self._shown = self._start
        self._whole: Clock | None = None

    @property
    def limited(self) -> bool:
        """Whether there is a limit."""
        return self._limit is not None

    @property
    def seconds(self) -> float:
        """The seconds since the search began."""
        return time.perf_counter() - self._start

    @property
    def over(self) -> bool:
        """Whether the time is up, or nobody waits for the answer any more."""
        up = self._limit is not None and self.seconds >= self._limit
        return up or stopping.asked() or (self._whole is not None and self._whole.over)

    @property
    def left(self) -> float:
        """The seconds left; infinite without a limit."""
        own = math.inf if self._limit is None else max(self._limit - self.seconds, 0.0)
        return own if self._whole is None else min(own, self._whole.left)

    def past(self, share: float) -> bool:
        """Whether so large a share of the limit is over; without a limit, only that of nothing is.

        >>> Clock(60).past(0.5), Clock().past(0.5), Clock().past(0)
        (False, False, True)
        """
        return share <= 0 or (self._limit is not None and self.seconds >= share * self._limit)

    def part(self, share: float) -> Clock:
        """Return a clock for a share of the time left; it reports no progress, and ends with this one."""
        clock = Clock(self.left * share if self.limited else None)
        clock._whole = self
        return clock

    def show(self, share: float, words: str) -> None:
        """Report progress, at most ten times a second; whoever is told may end the search."""
        if self._progress is None:
            return
        now = time.perf_counter()
        if now - self._shown >= EVERY:
            self._shown = now
            if self._progress(min(max(share, 0.0), 1.0), words):
                self.end()

    def end(self) -> None:
        """Let the time be over, whatever its limit."""
        self._limit = 0.0
