"""A loop that does the same work on every machine and day: times are told in so many of its seconds."""

from __future__ import annotations

import time

import numpy as np

ROUNDS = 3
_STEPS, _VALUES = 300_000, 400_000


def calibrate() -> float:
    """Return the processor seconds of the loop, the best of some rounds.

    Half of it is Python's interpreter and half is compiled work on memory that no cache holds, as in what is
    measured. Nothing of Shoal is in it, so that it never becomes faster with it.
    """
    return min(_loop() for _ in range(ROUNDS))


def _loop() -> float:
    start = time.process_time()
    state = 1
    for _ in range(_STEPS):
        state = state * 48_271 % 2_147_483_647
    values = np.random.default_rng(state).integers(0, 1 << 40, _VALUES)
    np.unique(values)
    return time.process_time() - start
