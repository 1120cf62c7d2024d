"""A loop that does the same work on every machine and day: times are told in so many of its seconds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

LOOPS = 5
"""The loop is run so often at a time, and the least counts: other programs only make it slower."""
APART = 5.0
"""Seconds that lie between two times in the middle of a benchmark, so that they cost little."""
_STEPS, _VALUES = 300_000, 400_000


@dataclass
class Calibration:
    """What the loop took before a benchmark, between its rounds, if it has any, and after it."""

    seconds: list[float] = field(default_factory=list)
    cpu: float = 0.0
    """Processor seconds that the loops in the middle took: they are none of the benchmark's."""
    wall: float = 0.0
    last: float = 0.0

    def run(self) -> None:
        """Run the loop some times, and keep the least."""
        self.seconds.append(min(_loop() for _ in range(LOOPS)))
        self.last = time.perf_counter()


_beside: list[Calibration] = []


@contextmanager
def calibrated() -> Iterator[Calibration]:
    """Run the loop before and after what is inside, and whenever that calls `between`."""
    found = Calibration()
    found.run()
    _beside.append(found)
    try:
        yield found
    finally:
        _beside.remove(found)
    found.run()


def between() -> None:
    """Run the loop in the middle of what is calibrated, if anything is, and the last is a while ago."""
    for found in _beside:
        wall, cpu = time.perf_counter(), time.process_time()
        if wall - found.last >= APART:
            found.run()
            found.cpu += time.process_time() - cpu
            found.wall += time.perf_counter() - wall


def _loop() -> float:
    """Return the processor seconds of the loop.

    Half of it is Python's interpreter and half is compiled work on memory that no cache holds, as in what is
    measured. Nothing of Shoal is in it, so that it never becomes faster with it.
    """
    start = time.process_time()
    state = 1
    for _ in range(_STEPS):
        state = state * 48_271 % 2_147_483_647
    values = np.random.default_rng(state).integers(0, 1 << 40, _VALUES)
    np.unique(values)
    return time.process_time() - start
