"""Work in small steps that goes on beside other work, each with half of the time."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.running.clock import Clock


class Beside:
    """Takes steps of an iterator, whenever it is asked to, until they have had as long as the rest since it
    was made.

    So a proof out of reach takes at most twice as long, and what is found beside it improves as long as it
    goes on. Nothing is taken once the time is over.
    """

    def __init__(self, steps: Iterator[object], clock: Clock) -> None:
        self._steps, self._clock = steps, clock
        self._begun, self._used = clock.seconds, 0.0

    def go_on(self) -> None:
        """Take the steps that are due."""
        while not self._clock.over and 2 * self._used <= self._clock.seconds - self._begun:
            before = self._clock.seconds
            try:
                next(self._steps)
            except StopIteration:
                self._used = float("inf")
                return
            self._used += self._clock.seconds - before
