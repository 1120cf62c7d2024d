"""Judges nodes by one task: what must be suppressed, whether that is allowed, what it costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.criteria import Criterion, KAnonymity, Population, broken, monotone
from shoal.data.tally import Node, Problem, Tally
from shoal.metrics.metric import Metric
from shoal.running.clock import Clock
from shoal.search.lattice.classes import Classes, NodeClasses
from shoal.search.lattice.evaluator import Evaluated, Evaluator, Pair
from shoal.search.lattice.excess import Excess


class Judged(NamedTuple):
    """The judgement of a node. Losses are whole multiples of the metric's unit.

    If the node is not `allowed`, `suppressed` exceeds the limit, and `loss` is what suppressing them all
    would cost, or more than any node can cost. `barred` says that no node at or below it is allowed; `surely`
    is an excess that every allowed node at or below it has at least (see `Judge`).
    """

    node: Node
    allowed: bool
    suppressed: int
    loss0: int
    loss: int
    barred: bool = False
    surely: int = 0


class Judge:
    """Judges the nodes of a problem by criteria, a limit of suppressed rows, and a metric.

    The rows of classes that break a criterion are suppressed; a node is allowed if they fit into the limit
    and a row is left. Every answer is remembered. `monotone` says whether a generalization of an allowed node
    is allowed: then a node that is not allowed bars all nodes below it.

    Whatever the criteria, some rows are suppressed at every node below this one: those of classes that break
    a criterion which is monotone with suppression (k, say), since below each is in a class that breaks it
    too, and some of those of classes far from the table under t-closeness (`Criterion.least_gone`). If they
    are too many, the node bars all nodes below it. And each of them costs at least as much excess below as
    here (`Metric`), so what they cost here is `surely` lost there.
    """

    def __init__(
        self,
        problem: Problem,
        tally: Tally,
        criteria: Sequence[Criterion],
        limit: int,
        metric: Metric,
        columns: Sequence[str] = (),
        population: Population | None = None,
        threads: int = 1,
    ) -> None:
        self.problem = problem
        self.criteria = tuple(criteria)
        self.limit = limit
        self.metric = metric
        self._k = max((one.k for one in self.criteria if isinstance(one, KAnonymity)), default=1)
        self._only_k = all(isinstance(one, KAnonymity) for one in self.criteria)
        self.certain = tuple(one for one in self.criteria if one.monotone_with_suppression and one.local)
        self._known: dict[Node, Judged] = {}
        self._least: int | None = None
        self._excess = Excess(problem, metric)
        self._evaluator = Evaluator(problem, metric, min(limit, max(problem.rows - 1, 0)), threads)
        if not self._only_k:
            self._classes = NodeClasses(problem, tally, columns, population)

    @property
    def monotone(self) -> bool:
        """Whether a generalization of an allowed node is allowed.

        This excludes nodes that suppress all rows, which are not allowed: a node may keep a row that the most
        general node loses.
        """
        return monotone(self.criteria, self.limit)

    @property
    def judged(self) -> int:
        """How many different nodes have been judged."""
        return len(self._known)

    def judge(self, node: Node) -> Judged:
        """Return the judgement of a node; a second call costs nothing."""
        known = self._known.get(node)
        if known is None:
            known = self._by_k(node)
            if known.allowed and not self._only_k:
                known = self._by_all(known)
            self._remember(known)
        return known

    def _remember(self, found: Judged) -> None:
        self._known[found.node] = found
        if found.allowed and (self._least is None or found.loss < self._least):
            self._least = found.loss

    @property
    def lost(self) -> float | None:
        """The share of all detail that the best of all judged nodes loses; None if none is allowed."""
        return None if self._least is None else self.metric.share(self._least)

    def judge_many(self, nodes: Sequence[Node], clock: Clock) -> list[Judged]:
        """Return the judgements of as many nodes as there is time for, in order; by k on all threads."""
        if not self._only_k:
            return [self.judge(node) for node in takewhile(lambda _: not clock.over, nodes)]
        new = [node for node in dict.fromkeys(nodes) if node not in self._known]
        if new:
            seconds = 0.0 if clock.over else clock.left
            measured = self._evaluator.measure_below(new, self._k, seconds)
            for node, loss0, excess, rows in zip(new, *(one.tolist() for one in measured), strict=False):
                self._remember(self._at_k(node, rows, loss0, excess))
        return [self._known[node] for node in takewhile(self._known.__contains__, nodes)]

    def _at_k(self, node: Node, rows: int, loss0: int, excess: int) -> Judged:
        if rows > self.limit or rows == self.problem.rows:
            return Judged(node, False, self.limit + 1, loss0, self.metric.largest + 1, True)
        return Judged(node, True, rows, loss0, loss0 + excess, False, excess)

    def amounts(self, node: Node) -> tuple[Evaluated, list[Pair]]:
        """Return what a node gives at every k added to the criteria, with a bound of all nodes below it.

        At a k the rows of smaller classes are suppressed too, if all fit into the limit and a row is left.
        The bound counts only rows that are suppressed at every node below too (see `Judge`).
        """
        loss0 = self._evaluator.measure(node).loss0
        classes = self._classes.at(node)
        groups = classes.groups
        sizes, of_rows = groups.sizes, groups.rows
        gone = broken(groups, self.criteria)

        def at(k: int) -> npt.NDArray[np.bool_]:
            if all(one.local for one in self.criteria):
                return gone | (sizes < k)
            return broken(groups, (KAnonymity(k), *self.criteria))

        own = self._at_every_k(classes, node, at)
        certain = broken(groups, self.certain)
        sure = self._at_every_k(classes, node, lambda k: certain | (sizes < k))
        if self.monotone and int(of_rows[gone].sum()) > self.limit:
            sure = []
        ks, excess, rows = zip(*(sure or [(0, 0, self.problem.rows)]), strict=True)
        bound = Evaluated(node, ks[-1], loss0, rows[-1], ks[:-1], excess, rows)
        return bound, [Pair(k, loss0 + more, rows) for k, more, rows in own]

    def _at_every_k(
        self, classes: Classes, node: Node, gone_at: Callable[[int], npt.NDArray[np.bool_]]
    ) -> list[tuple[int, int, int]]:
        """Return the k that are left, with excess and suppressed rows, at every class size."""
        found: dict[int, tuple[int, int, int]] = {}
        sizes, of_rows = classes.groups.sizes, classes.groups.rows
        each, place = np.unique(sizes, return_inverse=True)
        amounts = np.bincount(place.reshape(-1), weights=of_rows).astype(np.int64)
        smaller = np.cumsum(amounts) - amounts
        for k in each[smaller <= self.limit].tolist():
            gone = gone_at(k)
            suppressed = int(of_rows[gone].sum())
            if suppressed <= self.limit and suppressed < self.problem.rows:
                left = int(sizes[~gone].min())
                pair = (left, self._excess.of(classes, node, gone), suppressed)
                found[left] = min(found.get(left, pair), pair)
        return sorted(found.values())

    def _by_k(self, node: Node) -> Judged:
        """Judge by k alone, which is quick and bars most of what is barred."""
        loss0, excess, rows = self._evaluator.measure_below([node], self._k)
        return self._at_k(node, int(rows[0]), int(loss0[0]), int(excess[0]))

    def _by_all(self, by_k: Judged) -> Judged:
        """Judge a node that k allows by all criteria, with the histograms of its classes."""
        node, loss0 = by_k.node, by_k.loss0
        classes = self._classes.at(node)
        groups = classes.groups
        gone = broken(groups, self.criteria)
        suppressed = int(groups.rows[gone].sum())
        allowed = suppressed <= self.limit and suppressed < self.problem.rows
        loss = loss0 + self._excess.of(classes, node, gone) if allowed else self.metric.largest + 1
        if allowed and len(self.certain) == len(self.criteria):
            return Judged(node, True, suppressed, loss0, loss, False, loss - loss0)
        others = [one for one in self.criteria if not isinstance(one, KAnonymity)]
        least = np.max([one.least_gone(groups, self.limit) for one in others], axis=0)
        if least.any():
            least = np.where(groups.sizes < self._k, groups.rows, least)
            rows = int(least.sum())
        else:
            rows = by_k.suppressed
        barred = rows > self.limit or rows == self.problem.rows or (self.monotone and not allowed)
        if barred:
            return Judged(node, allowed, suppressed, loss0, loss, True)
        surely = self._excess.at_least(classes, node, least) if least.any() else by_k.surely
        return Judged(node, allowed, suppressed, loss0, loss, False, surely)
