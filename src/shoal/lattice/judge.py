"""Judges nodes by one question: what must be suppressed, whether that is allowed, what it costs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels import Column
from shoal.lattice.classes import Classes, NodeClasses
from shoal.lattice.evaluator import Evaluator
from shoal.loss.base import Metric
from shoal.privacy import Criterion, KAnonymity, broken
from shoal.problem import Node, Problem
from shoal.tally import Tally


class Judged(NamedTuple):
    """What is known of a node. Losses are whole multiples of the metric's unit.

    Where the node is not `allowed`, `suppressed` are more rows than may be, and `loss` is what it would cost
    to suppress them all, or more than any node can cost.
    """

    node: Node
    allowed: bool
    suppressed: int
    loss0: int
    loss: int


class Judge:
    """Judges the nodes of a problem by criteria, a limit of suppressed rows, and a metric.

    The rows of classes that break a criterion are suppressed; a node is allowed where they fit into the limit
    and a row is left. Every answer is kept. `monotone` says whether a generalization of an allowed node is
    allowed: only then may a search skip nodes because of others.
    """

    def __init__(
        self,
        problem: Problem,
        tally: Tally,
        criteria: Sequence[Criterion],
        limit: int,
        metric: Metric,
        columns: Sequence[str] = (),
    ) -> None:
        self.problem = problem
        self.criteria = tuple(criteria)
        self.limit = limit
        self.metric = metric
        self._k = _only_k(criteria)
        self._known: dict[Node, Judged] = {}
        if self._k is None:
            self._classes = NodeClasses(problem, tally, columns)
        else:
            self._evaluator = Evaluator(problem, metric, min(limit, max(problem.rows - 1, 0)))

    @property
    def monotone(self) -> bool:
        """Whether a generalization of an allowed node is allowed.

        Where a node keeps a row the most general one may still lose it, so it is not said of nodes that
        suppress all rows: those are not allowed.
        """
        if self.limit == 0:
            return all(criterion.monotone for criterion in self.criteria)
        return all(criterion.monotone_with_suppression for criterion in self.criteria)

    @property
    def judged(self) -> int:
        """How many different nodes have been judged."""
        return len(self._known)

    def judge(self, node: Node) -> Judged:
        """Return what is known of a node; a second call costs nothing."""
        known = self._known.get(node)
        if known is None:
            known = self._known[node] = self._by_k(node) if self._k is not None else self._by_all(node)
        return known

    def _by_k(self, node: Node) -> Judged:
        assert self._k is not None
        found = self._evaluator.measure(node)
        if found.k < self._k:
            return Judged(node, False, self.limit + 1, found.loss0, self.metric.largest + 1)
        at = bisect_left(found.sizes, self._k)
        return Judged(node, True, found.rows[at], found.loss0, found.loss0 + found.excess[at])

    def _by_all(self, node: Node) -> Judged:
        classes = self._classes.at(node)
        gone = broken(classes.groups, self.criteria)
        suppressed = int(classes.groups.sizes[gone].sum())
        allowed = suppressed <= self.limit and suppressed < self.problem.rows
        measured = self._measured(classes, node, gone)
        levels = np.array([node], dtype=np.int64)
        loss0 = int(self.metric.loss0(levels, measured)[0])
        excess = int(self.metric.excess(levels, measured[:, Column.ROWS :])[0])
        return Judged(node, allowed, suppressed, loss0, loss0 + excess)

    def _measured(
        self, classes: Classes, node: Node, gone: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.int64]:
        """Return the node's measurement, as the kernels would give it for these suppressed classes."""
        sizes = classes.groups.sizes
        minority = np.zeros_like(sizes)
        if classes.labels is not None:
            minority = sizes - classes.labels.max(axis=1, initial=0)
        weights = self.metric.weights()
        row = np.zeros((1, Column.WEIGHTS + len(node)), dtype=np.int64)
        row[0, Column.K] = sizes[~gone].min(initial=self.problem.rows) if not gone.all() else 0
        row[0, Column.CLASSES] = len(sizes)
        row[0, Column.SQUARES] = (sizes**2).sum()
        row[0, Column.MINORITY] = minority.sum()
        row[0, Column.ROWS] = sizes[gone].sum()
        row[0, Column.SUPPRESSED_CLASSES] = gone.sum()
        row[0, Column.SUPPRESSED_SQUARES] = (sizes[gone] ** 2).sum()
        row[0, Column.SUPPRESSED_MINORITY] = minority[gone].sum()
        products = sizes.copy()
        for a, ladder in enumerate(self.problem.ladders if weights else ()):
            by_code = np.zeros(int(ladder.codes[node[a]].max()) + 1, dtype=np.int64)
            by_code[ladder.codes[node[a]]] = weights[a][node[a]]
            row[0, Column.WEIGHTS + a] = (by_code[classes.codes[gone, a]] * sizes[gone]).sum()
            products *= by_code[classes.codes[:, a]]
        if self.metric.multiplies:
            row[0, Column.PRODUCTS] = products.sum()
            row[0, Column.SUPPRESSED_PRODUCTS] = products[gone].sum()
        return row


def _only_k(criteria: Sequence[Criterion]) -> int | None:
    """Return the largest k where nothing but k is asked for."""
    ks = [criterion.k for criterion in criteria if isinstance(criterion, KAnonymity)]
    return max(ks) if ks and len(ks) == len(criteria) else None
