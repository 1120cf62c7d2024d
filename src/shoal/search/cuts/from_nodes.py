"""Cuts that lose little, without proof: for forests with too many cuts.

Good nodes are found soon, and every node is a cut. From each, steps are taken that lower the loss: a value is
specialized, or those below one are generalized to it, which a node cannot do for single values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from shoal.data.tally import Node
from shoal.describe.hierarchies import Hierarchy
from shoal.kernels import CutWalk
from shoal.running.clock import Clock
from shoal.search.cuts.cut_frontier import FrontierCut
from shoal.search.cuts.cut_problem import CutProblem
from shoal.search.cuts.forest import Branches
from shoal.search.cuts.full_domain import cut_of_node
from shoal.search.cuts.l_plus_optimize import Cut
from shoal.search.lattice.anytime import HOPELESS
from shoal.search.lattice.evaluator import Evaluator
from shoal.search.lattice.every_k import ASKED, MOST, ks_between, least_lost
from shoal.search.lattice.exact_frontier import sketched
from shoal.search.lattice.flash import Cheapest
from shoal.search.task import Task

NODES, BELOW = 0.7, 0.9
"""Shares of a time limit for nodes of every k, and of the rest for cuts near them."""
EACH = 0.6
"""The share of the time left for the descents from one cut."""
PREMIUM = 2
"""The first descents charge this part of its price more for a suppressed row: on many columns that is near
what the limit of suppressed rows takes, and to find it from nothing takes longer than the descents."""
KICKS = 8
"""Random steps away from a cut that was descended from before, and descents from there."""
SOON = 2.0
"""Without a limit, the seconds until cuts near the nodes are looked for, and again after twice as long."""


def node_cuts(
    task: Task, branches: tuple[Branches, ...], clock: Clock, share: float
) -> Iterator[Cut | None]:
    """Yield nodes as cuts, each better than those before, and None for a step without one.

    Where a proof is in reach there are none: bounds rule out nearly all of many cuts, but with too many nodes
    there are many columns. The search takes a share of a time limit; without one it has no end of its own.
    """
    if task.problem.nodes <= HOPELESS:
        return
    search = Cheapest(task.judge(), clock.part(share, heard=True) if clock.limited else clock)
    known: Node | None = None
    for _ in search.good_nodes():
        best = None if search.best is None else search.best.node
        yield (
            None
            if best is None or best == known
            else cut_of_node(branches, task.problem, task.hierarchies, best)
        )
        known = best


class CutsOfEveryK:
    """Searches good nodes for every k, and then cuts near the best of them for the k that people ask for.

    `stairs` are the nodes, `cuts` the ends of descents; nothing is proven of them.
    """

    def __init__(
        self,
        problem: CutProblem,
        evaluator: Evaluator,
        hierarchies: Mapping[str, Hierarchy],
        ks: tuple[int, int | None],
        clock: Clock,
    ) -> None:
        self.clock = clock
        self.cuts: list[FrontierCut] = []
        self._problem, self._evaluator, self._hierarchies = problem, evaluator, hierarchies
        self._most_k = min(evaluator.problem.people, ks[1] or MOST)
        own = clock.part(NODES, heard=True) if clock.limited else clock
        self.stairs, self._nodes = sketched(evaluator, min_k=ks[0], clock=own)
        self._last: dict[int, list[int]] = {}
        """What the last cut of each k specializes."""
        self._forest = problem.forest(merged=True)
        self._question = problem.question(self._forest)
        self._walk = CutWalk(self._question)
        self._premium = int(problem.metric.record_cost() * problem.unit) // PREMIUM

    def steps(self) -> Iterator[None]:
        """Search step by step: within a limit nodes, then cuts; without one both in turns and without end."""
        if self.clock.limited:
            yield from self._nodes
            yield from self._descents(self.clock.part(BELOW, heard=True))
            return
        due, rounds = SOON, 0
        for _ in self._nodes:
            yield
            if self.clock.seconds >= due:
                yield from self._descents(self.clock, rounds)
                due, rounds = 2 * self.clock.seconds, rounds + 1

    def _descents(self, clock: Clock, seed: int = 0) -> Iterator[None]:
        """Descend from the best known cut for each k, as long as there is time."""
        limit, premium = self._problem.most_lost, self._premium
        for k in ks_between(self.stairs.min_k, self._most_k):
            if clock.over:
                return
            self._question.ask(
                max(self._problem.k, k), self._problem.limit_rows(self._problem.limits), 0
            )
            start = self._start(k)
            if start is None:
                continue
            kicks = KICKS if start == self._last.get(k) else 0
            end, premium = self._walk.go_on(start, premium, seed, kicks, clock.left * EACH)
            self._last[k] = end
            forbidden, cost, _, deleted, _ = self._walk.measure(end)
            reached, distinct, with_value, of_rows = self._walk.reached()
            if not forbidden and reached and (limit is None or deleted <= limit):
                self.cuts.append(
                    FrontierCut(
                        reached,
                        distinct,
                        Fraction(with_value, of_rows),
                        Fraction(cost, self._problem.unit),
                        Fraction(0),
                        deleted,
                        self._forest.cut(end),
                    )
                )
            words = f"{len(self.cuts):,} cuts near {len(self.stairs.ks):,} nodes"
            clock.show(self.clock.gone, words, *self.least_lost())
            yield

    def least_lost(self) -> tuple[float | None, str]:
        """Return the share of all detail that is lost at a k people ask for, and words for that k."""
        lost, at = least_lost(self._evaluator, self.stairs)
        k, nodes = max(ASKED, self.stairs.min_k), lost()
        shares = [self._problem.share(cut.loss) for cut in self.cuts if cut.k >= k]
        return min((one for one in (nodes, *shares) if one is not None), default=None), at

    def _start(self, k: int) -> list[int] | None:
        """Return what the best known cut for a k specializes: the last one, or a node found since."""
        found, last = self.stairs.cheapest(k), self._last.get(k)
        if found is None:
            return last
        cut = cut_of_node(self._problem.branches, self._evaluator.problem, self._hierarchies, found.node)
        node = self._forest.specialized(cut)
        return node if last is None else min((last, node), key=self._cost)

    def _cost(self, specialized: list[int]) -> tuple[bool, int]:
        forbidden, cost, _, deleted, _ = self._walk.measure(specialized)
        limit = self._problem.most_lost
        return bool(forbidden) or (limit is not None and deleted > limit), cost
