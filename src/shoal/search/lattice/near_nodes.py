"""One node at random among those that lose little more than the best one."""

from __future__ import annotations

import random
from fractions import Fraction

from shoal.data.tally import Node
from shoal.running.clock import Clock
from shoal.search.lattice.node_judge import Judge
from shoal.search.near_walk import Wandered, wander


def near_node(
    judge: Judge, best: Node, share: Fraction, draw: random.Random, clock: Clock
) -> Wandered[Node]:
    """Return an allowed node that loses at most this share of all detail more than the best one.

    A move goes one level up in one column, or down in one, or both; the opposite move leads back, and is
    proposed as often.
    """
    ladders = judge.problem.ladders
    least = judge.judge(best).loss
    most = least + share * judge.metric.largest

    columns = [*range(len(ladders)), None]
    moves = [(up, down) for up in columns for down in columns if up != down]

    def moved(node: Node, number: int) -> Node | None:
        levels = list(node)
        for a, step in zip(moves[number], (1, -1), strict=True):
            if a is not None:
                levels[a] += step
        fits = all(one.lo <= level <= one.hi for one, level in zip(ladders, levels, strict=True))
        return tuple(levels) if fits else None

    def near(node: Node) -> bool:
        judged = judge.judge(node)
        return judged.allowed and judged.loss <= most

    return wander(best, len(moves), moved, near, draw, clock, lost=judge.metric.share(least))
