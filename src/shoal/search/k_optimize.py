"""The question of k-Optimize (Bayardo and Agrawal 2005), answered by the search over cuts.

The cheapest full-subtree recoding with at least k rows in every group, and with limited shares if asked for:
k-Optimize orders the domains and searches their partitions; here values go to nodes of their taxonomies, and
`l_plus_optimize` searches and proves, as its proof note says.

Guarantee: no cut costs less, where the answer is `optimal`: rows may be suppressed within the limit, and a
suppressed row costs as much as one whose values are all roots. Exponential at worst; on the tables of the
literature about a second.
"""

from __future__ import annotations

from shoal.search.clock import Clock
from shoal.search.cut_posing import solve_cuts
from shoal.search.l_plus_optimize import l_plus_optimize
from shoal.search.question import Algorithm, Found, Question


def k_optimize(question: Question, clock: Clock) -> Found:
    """Return the cheapest cut."""
    return solve_cuts(
        question,
        "k-optimize",
        lambda problem: l_plus_optimize(problem, threads=question.threads, clock=clock),
    )


K_OPTIMIZE = Algorithm(
    "k-optimize",
    "The best cut: k-Optimize's question (Bayardo and Agrawal 2005), by l+-Optimize",
    "cut",
    k_optimize,
    ("the promise is kept", "no full-subtree recoding costs less, where the answer says optimal"),
    exact=True,
)
