"""k-Optimize's problem (Bayardo and Agrawal 2005), solved by the search over cuts.

It finds the cheapest full-subtree recoding with at least k rows (or persons, if they are counted) in
every group, and with limited shares if asked for. k-Optimize orders the domains and searches their
partitions; here values go to nodes of their taxonomies, and `l_plus_optimize` searches and proves, as
its proof note says.

Guarantee: if the answer is `optimal`, no cut that suppresses at most the rows allowed costs less; a
suppressed row costs as much as one whose values are all roots. Exponential at worst; about a second on
the tables of the literature.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from shoal.answers.recoding import CutRecoding, NodeRecoding
from shoal.errors import NoSolutionError
from shoal.running.clock import Clock
from shoal.search.cuts.cut_judge import CutJudge
from shoal.search.cuts.cut_problem import CutProblem
from shoal.search.cuts.from_nodes import node_cuts
from shoal.search.cuts.full_domain import cut_of_node
from shoal.search.cuts.l_plus_optimize import CutOutcome, l_plus_optimize
from shoal.search.cuts.posing import solve_cuts
from shoal.search.cuts.top_down import specialize
from shoal.search.lattice.flash import flash
from shoal.search.task import Algorithm, Found, Task

SEARCH, NODE = 0.4, 0.6
"""Shares of a time limit: for the search over cuts, and of the rest for the cheapest node."""


def k_optimize(task: Task, clock: Clock) -> Found:
    """Return the cheapest cut."""
    own = clock.part(SEARCH, heard=True) if clock.limited else clock

    def solve(problem: CutProblem) -> CutOutcome:
        # Within a limit, nodes have a time of their own.
        known = None if clock.limited else lambda own: node_cuts(task, problem.branches, own, 1.0)
        return l_plus_optimize(problem, threads=task.threads, clock=own, known=known)

    found = solve_cuts(task, "k-optimize", solve)
    return found if found.optimal else _improved(task, found, clock)


def _improved(task: Task, found: Found, clock: Clock) -> Found:
    """Return the best result of greedy specialization from the cut that was found, the root and a node.

    The cheapest of these starts comes first, so that the answer is no worse than any of them at any time.
    """
    judge = CutJudge(task)
    starts = [(judge.judge(start), start) for start in _starts(task, found, judge, clock)]
    allowed = sorted((one for one in starts if one[0].allowed), key=lambda one: one[0].loss)
    best: tuple[int, set[int]] | None = None
    for judged, start in allowed:
        if best is not None and clock.over:
            break
        end, _ = specialize(judge, start, judged, clock.part(1.0, heard=True))
        loss = judge.judge(end).loss
        if best is None or loss < best[0]:
            best = (loss, end)
    return found if best is None else replace(found, recoding=judge.recoding(best[1]))


def _starts(task: Task, found: Found, judge: CutJudge, clock: Clock) -> Iterator[set[int]]:
    """Yield the cut that was found, the most general one, and the cheapest node, which is a cut too."""
    assert isinstance(found.recoding, CutRecoding)
    yield set(judge.forest.specialized(found.recoding.labels))
    yield set()
    try:
        node = flash(task, clock.part(NODE, heard=True)).recoding
    except NoSolutionError:
        return
    assert isinstance(node, NodeRecoding)
    levels = tuple(node.levels[name] for name in task.problem.names)
    cut = cut_of_node(judge.forest.branches, task.problem, task.hierarchies, levels)
    yield set(judge.forest.specialized(cut))


K_OPTIMIZE = Algorithm(
    "k-optimize",
    "The best cut: k-Optimize's question (Bayardo and Agrawal 2005), by l+-Optimize",
    "cut",
    k_optimize,
    ("the promise is kept", "a cut is found if one exists and there is enough time"),
    at_end=("no full-subtree recoding costs less if the answer says optimal",),
)
