"""What comes before a search and after it: what counting takes of its time limit, and telling will."""

from __future__ import annotations

from shoal.data.tally import Tally
from shoal.questions.execution import Timed
from shoal.running.clock import Clock

CELL = {"node": 0.1e-6, "cut": 0.35e-6, "groups": 0.35e-6, "buckets": 2e-6}
"""Seconds for each cell of the tally, by what is recoded: measured at 30,000 combinations of 40 columns."""


def seconds_after(tally: Tally, recodes: str) -> float:
    """Return about how many seconds of computing it takes to make an answer of what was found."""
    return len(tally) * len(tally.attributes) * CELL[recodes]


def timed_after(counting: Clock, timed: Timed) -> Timed:
    """Return the time that a search has: counting is part of the limit, but half of it is the search's in
    any case, however long a busy machine took to count.
    """
    limit = timed.time_limit
    if limit is not None:
        limit = max(limit - counting.seconds, limit / 2)
    return Timed(time_limit=limit, progress=timed.progress)


def clock_after(counting: Clock, timed: Timed, after: float = 0.0) -> Clock:
    """Return the clock of a search that began with counting, and takes `after` seconds to be told."""
    left = timed_after(counting, timed)
    return Clock(left.time_limit, left.progress, after)
