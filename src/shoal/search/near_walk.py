"""A random walk among near-optimal solutions: after many steps each is about as likely as any other.

A step proposes one of a fixed number of moves, each as likely as the others, and stays where it is if that
move is impossible or leads to a solution that costs too much. Where a move leads from A to B, one leads back
that is proposed as often. So going from A to B is as likely as going back, and the uniform distribution
over all solutions that can be reached stays as it is: the walk tends to it (Metropolis and others 1953).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from shoal.running.clock import Clock

STEPS = 5_000
"""How many steps a walk takes, unless time ends it."""

State = TypeVar("State", bound=Hashable)


@dataclass(frozen=True)
class Wandered(Generic[State]):
    """Where a walk ended, and how many different solutions it saw that it could have ended at."""

    state: State
    met: int


def wander(
    start: State,
    moves: int,
    move: Callable[[State, int], State | None],
    near: Callable[[State], bool],
    draw: random.Random,
    clock: Clock,
    steps: int = STEPS,
    lost: float | None = None,
) -> Wandered[State]:
    """Return where a walk from `start` ends.

    `move` gives what the move of a number leads to, and `near` whether the walk may go there. `lost` is the
    share of all detail that is lost at the start.

    >>> line = lambda at, way: at + (1, -1)[way]
    >>> found = wander(0, 2, line, lambda at: 0 <= at <= 3, random.Random(1), Clock(), 50)
    >>> found.met, 0 <= found.state <= 3
    (4, True)
    """
    known: dict[State, bool] = {start: True}
    here = start
    for step in range(steps if moves else 0):
        if clock.over:
            break
        clock.show(step / steps, "choosing another near it at random", lost)
        there = move(here, draw.randrange(moves))
        if there is None:
            continue
        if there not in known:
            known[there] = near(there)
        if known[there]:
            here = there
    return Wandered(here, sum(known.values()))
