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


SLACK = (0.05, 0.5)
"""How much later than its limit an answer may come, as a share of the limit and seconds: half of what is
allowed."""
STRETCH = 10.0
"""A busy machine is not taken to be slower than this many times."""
AFTER = 0.6
"""The largest share of a limit that is left for what comes after the search."""


class Clock:
    """Counts a search's seconds, says when its time is up, and reports progress.

    `after` are the seconds of computing that follow the search, to measure and tell what it found. The time
    of the search is up so much before the limit that they fit in. On a busy machine they take
    longer: as much longer as the search itself has waited for its processor so far.
    """

    def __init__(
        self, limit: float | None = None, progress: Progress | None = None, after: float = 0.0
    ) -> None:
        self._start = time.perf_counter()
        self._used = time.process_time()
        self._after = after
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
        up = self._limit is not None and self.seconds >= self._end(self._limit)
        return up or stopping.asked() or (self._whole is not None and self._whole.over)

    @property
    def late(self) -> bool:
        """Whether the answer is later already than it may be: what can be left out of it should be."""
        share, seconds = SLACK
        return self._limit is not None and self.seconds >= self._limit * (1 + share) + seconds

    @property
    def left(self) -> float:
        """The seconds left; infinite without a limit."""
        own = math.inf if self._limit is None else max(self._end(self._limit) - self.seconds, 0.0)
        return own if self._whole is None else min(own, self._whole.left)

    def _end(self, limit: float) -> float:
        """Return after how many seconds the time is up: at the limit, or earlier for what follows."""
        if not self._after:
            return limit
        used = max(time.process_time() - self._used, 1e-3)
        stretch = min(max(self.seconds / used, 1.0), STRETCH)
        share, seconds = SLACK
        wanted = self._after * stretch - share * limit - seconds
        return limit - min(max(wanted, 0.0), AFTER * limit)

    def past(self, share: float) -> bool:
        """Whether so large a share of the limit is over; without a limit, only that of nothing is.

        >>> Clock(60).past(0.5), Clock().past(0.5), Clock().past(0)
        (False, False, True)
        """
        return share <= 0 or (self._limit is not None and self.seconds >= share * self._end(self._limit))

    def part(self, share: float) -> Clock:
        """Return a clock for a share of the time left; it reports no progress, and ends with this one."""
        clock = Clock(self.left * share if self.limited else None)
        clock._whole = self
        return clock

    def show(self, share: float, words: str | Callable[[], str]) -> None:
        """Report progress, at most ten times a second; whoever is told may end the search.

        Words that take a while to find are given as a function, which is called only if somebody is told.
        """
        if self._progress is None:
            return
        now = time.perf_counter()
        if now - self._shown >= EVERY:
            self._shown = now
            if self._progress(min(max(share, 0.0), 1.0), words if isinstance(words, str) else words()):
                self.end()

    def leave(self, seconds: float) -> None:
        """Leave so much more time for what follows the search."""
        self._after += seconds

    def end(self) -> None:
        """Let the time be over, whatever its limit."""
        self._limit = 0.0
