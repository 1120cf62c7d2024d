"""Time limits and progress, the same for every search."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType

from shoal.numbers import percent
from shoal.running import stopping
from shoal.running.ctrl_c import ended_by_ctrl_c

Progress = Callable[[float, str], bool | None]
"""Called with the share of work done and a few words; if it returns True, the search ends as at a limit."""

Lost = float | Callable[[], float | None] | None
"""The share of all detail that the best so far loses, or what finds it; None while there is none."""


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

    A search runs inside `with clock:`. There the first Ctrl-C lets the time be over, so that every search
    ends with its best so far, as at a limit; the second ends it at once.
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
        self._hearer: Clock | None = None
        self._least: dict[str, float] = {}
        self._hearing = ExitStack()
        self.ended = False
        """Whether somebody has ended the search, by Ctrl-C for one, and not its limit."""

    def __enter__(self) -> Clock:
        self._hearing.enter_context(ended_by_ctrl_c())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if stopping.asked():  # and nobody will know any more
            self.end()
        self._hearing.close()

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
        if stopping.asked():
            return 0.0
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

    @property
    def gone(self) -> float:
        """The share of the limit that is over; 0 without one."""
        return 0.0 if self._limit is None else self.seconds / max(self._end(self._limit), 1e-9)

    def part(self, share: float, *, heard: bool = False, most: float | None = None) -> Clock:
        """Return a clock for a share of the time left, which ends with this one.

        Without a limit it has `most` seconds, or no limit either.
        What it reports reaches those who listen to this one only if it is to be `heard`. They are then told
        the least that is lost by what all parts have found.
        """
        clock = Clock(self.left * share if self.limited else most)
        clock._whole, clock._hearer = self, self if heard else None
        return clock

    def show(
        self,
        share: float,
        words: str | Callable[[], str],
        lost: Lost = None,
        at: str = "",
    ) -> None:
        """Report progress, at most ten times a second; whoever is told may end the search.

        `lost` is the share of all detail that the best so far loses, None while there is none; `at` says for
        what, where a search has a best for each of several. What takes a while to find is given as a
        function, which is called only if somebody is told.
        """
        if self._hearer is not None:
            hearer = self._hearer
            hearer.show(share, words, lambda: hearer._least_lost(lost, at), at)
        if self._progress is None:
            return
        now = time.perf_counter()
        if now - self._shown >= EVERY:
            self._shown = now
            said = words() if callable(words) else words
            least = lost() if callable(lost) else lost
            if least is not None:
                said = f"{percent(least)} lost{at}, {said}"
            if self._progress(min(max(share, 0.0), 1.0), said):
                self.end()

    def _least_lost(self, lost: Lost, at: str) -> float | None:
        """Return the least of what one part and those before it lose."""
        now = lost() if callable(lost) else lost
        known = [one for one in (now, self._least.get(at)) if one is not None]
        if known:
            self._least[at] = min(known)
        return self._least.get(at)

    def leave(self, seconds: float) -> None:
        """Leave so much more time for what follows the search."""
        self._after += seconds

    def end(self) -> None:
        """Let the time be over, whatever its limit."""
        self.ended = not (self._limit is not None and self.seconds >= self._end(self._limit))
        self._limit = 0.0
