"""Cuts that lose less than given ones, without proof: for forests with too many cuts.

Good nodes are found soon, and every node is a cut. From each, steps are taken that lower the loss: a value is
specialized, or those below one are generalized to it, which a node cannot do for single values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from shoal.kernels import CutWalk
from shoal.running.clock import Clock
from shoal.search.cuts.cut_frontier import FrontierCut
from shoal.search.cuts.cut_problem import CutProblem
from shoal.search.cuts.l_plus_optimize import Cut

EACH = 0.5
"""The share of the time left for the descents from one cut."""


def cuts_from(
    problem: CutProblem, starts: Iterable[tuple[int, Cut]], clock: Clock
) -> Iterator[FrontierCut]:
    """Yield the ends of descents from cuts, each for the k beside it, while there is time.

    Nothing is proven of them.
    """
    forest = problem.forest(merged=True)
    question = problem.question(forest)
    walk = CutWalk(question)
    for k, cut in starts:
        if clock.over:
            return
        question.ask(max(problem.k, k), problem.limit_rows(problem.limits), 0)
        end, _ = walk.go_on(forest.specialized(cut), 0, 0, 0, clock.left * EACH)
        forbidden, cost, _, deleted, _ = walk.measure(end)
        reached, distinct, with_value, of_rows = walk.reached()
        limit = problem.most_lost
        if forbidden or not reached or (limit is not None and deleted > limit):
            continue
        yield FrontierCut(
            reached,
            distinct,
            Fraction(with_value, of_rows),
            Fraction(cost, problem.unit),
            Fraction(0),
            deleted,
            forest.cut(end),
        )
