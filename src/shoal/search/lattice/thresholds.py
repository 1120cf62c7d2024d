"""Measures nodes at thresholds of class size and distinct values, for several objectives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal.data.tally import Node, Problem, Tally
from shoal.kernels import Codebook, Column, Diversity, Extra, ThresholdTables, thresholds_box
from shoal.metrics.metric import Ints, Metric
from shoal.search.lattice.person_spread import PersonSpread
from shoal.search.lattice.value_sets import value_sets

Int64s = npt.NDArray[np.int64]

BUDGET = 1 << 28
"""Bytes of class tables that are kept for rolling up single nodes."""


@dataclass(frozen=True)
class Thresholds:
    """The thresholds at which nodes are measured.

    Classes of fewer than `k` rows are suppressed; with `every_k` the node is measured at every class size
    from k up. `diversity` gives the numbers of distinct sensitive values. A threshold that suppresses more
    than `limit` rows, or all rows, gives no point.
    """

    k: int = 1
    every_k: bool = False
    diversity: Diversity = Diversity.NONE
    limit: int = 0


@dataclass(frozen=True)
class Points:
    """Nodes at thresholds, one entry each. The loss is loss0 + excess; `far` / `far_of` is t * 2 * rows.

    These are Python's integers where persons with several rows are weighed.
    """

    levels: Int64s
    k: Int64s
    distinct: Int64s
    far: Ints
    far_of: Ints
    suppressed: Int64s
    loss0: Ints
    excess: Ints

    def __len__(self) -> int:
        return len(self.k)

    @property
    def loss(self) -> Ints:
        """The losses with the suppressed rows."""
        total: Ints = self.loss0 + self.excess
        return total

    def take(self, which: npt.NDArray[np.intp] | npt.NDArray[np.bool_]) -> Points:
        """Return some of the points."""
        return Points(*(getattr(self, name)[which] for name in self.__dataclass_fields__))

    def with_(self, others: Points) -> Points:
        """Return these points and then the others."""
        return Points.together([self, others])

    @classmethod
    def together(cls, parts: Sequence[Points]) -> Points:
        """Return the points of some parts, at least one, in their order."""
        fields = cls.__dataclass_fields__
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in fields))

    def with_distance(self, far: Fraction) -> Points:
        """Return the points with another distance, times 2 * rows."""
        numbers = (far.numerator, far.denominator)
        told = (np.full(len(self), number, dtype=object) for number in numbers)
        return replace(self, **dict(zip(("far", "far_of"), told, strict=True)))


class ThresholdEvaluator:
    """Measures the nodes of one problem at thresholds, under one metric.

    `diverse` are the columns whose distinct values are counted, `close` those whose distance from the table
    is measured: half the sum of the absolute differences of the shares, maximized over classes and columns.
    Where persons have several rows, `spread` has their values in these columns (`lattice.person_spread`).
    """

    most_nodes = 1 << 20
    """The most nodes of a box that is measured in a moment."""

    def __init__(
        self,
        problem: Problem,
        metric: Metric,
        tally: Tally,
        thresholds: Thresholds,
        *,
        diverse: Sequence[str] = (),
        close: Sequence[str] = (),
        threads: int = 1,
        spread: PersonSpread | None = None,
    ) -> None:
        self.problem = problem
        self.metric = metric
        self.thresholds = thresholds
        self.threads = threads
        self._spread = spread
        self._book = Codebook(
            [ladder.codes for ladder in problem.ladders], metric.weights(), metric.multiplies
        )
        if metric.needs_class and problem.labels is not None:
            labels = problem.labels
        else:
            labels = problem.counts[:, None]
        self._persons = problem.pairs
        if spread is None:
            sets = value_sets(tally, diverse)
            histograms = blocks = [tally.histogram(column) for column in close]
        else:
            sets, histograms, blocks = spread.sets, [], [spread.weights]
        self._values = None if spread is None else spread.values
        self._table = (
            self._book.pack(np.ascontiguousarray(problem.codes)),
            np.ascontiguousarray(np.concatenate([labels, *blocks, sets.bits.view(np.int64)], axis=1)),
            labels.shape[1],
            [histogram.shape[1] for histogram in histograms],
            sets.widths,
            (0,) * len(problem.ladders),
        )
        self._kept = ThresholdTables(self._book, *self._table, BUDGET, self._persons, self._values)

    def box(self, lo: Node, hi: Node) -> Points:
        """Return the points of all nodes from lo to hi, on all threads."""
        asked = self.thresholds
        places, rows = thresholds_box(
            self._book,
            *self._table,
            lo,
            hi,
            asked.k,
            asked.every_k,
            asked.diversity,
            asked.limit,
            self.threads,
            self._persons,
            self._values,
        )
        spans = [high - low + 1 for low, high in zip(lo, hi, strict=True)]
        levels = np.stack(np.unravel_index(places[:, 0], spans), axis=1) + np.array(lo)
        return self._points(levels, rows)

    def node(self, node: Node) -> Points:
        """Return the points of one node."""
        return self._single(node, self.thresholds)

    def bounds(self, node: Node) -> Points:
        """Return a node at thresholds that bound all nodes below it (see `objective_frontier`).

        These are the node's own, with every number of distinct values that the limit allows.
        """
        return self.corner(node)[1]

    def corner(self, node: Node) -> tuple[Points, Points]:
        """Return the points of a node, and points that bound all nodes below it."""
        asked = self.thresholds
        if asked.diversity == Diversity.LARGEST:
            asked = replace(asked, diversity=Diversity.EVERY)
        points, bounds = self._with_bounds(node, asked)
        if self.thresholds.diversity == Diversity.LARGEST:
            points = points.take(points.distinct == points.distinct.max(initial=0))
        return points, bounds

    @cached_property
    def finest(self) -> int | None:
        """A number times which different distances differ by at least one; None if there is none.

        By rows, distances times 2 * rows have denominators of at most `rows`, and two such fractions differ
        by 1 / rows^2 or not at all; by persons likewise.
        """
        if self._spread is not None:
            return self._spread.unit * self.problem.people**2
        return 2 * self.problem.rows**3

    def lost(self, points: Points) -> list[int | None]:
        """Return how many persons have all rows in classes that are suppressed at each point."""
        nodes = map(tuple, points.levels.tolist())
        return self.problem.lost_below(list(zip(nodes, points.k.tolist(), strict=True)))

    def loss0(self, node: Node) -> int:
        """Return what a node costs without suppression."""
        if self.metric.separable:
            losses = self.metric.level_losses()
            return sum(int(losses[a][level]) for a, level in enumerate(node))
        return int(self._rolled_up(node, Thresholds(limit=self.problem.rows)).loss0[0])

    def _single(self, node: Node, asked: Thresholds) -> Points:
        """Return the points of a node at any thresholds."""
        return self._rolled_up(node, asked)

    def _with_bounds(self, node: Node, asked: Thresholds) -> tuple[Points, Points]:
        """Return the points of a node at any thresholds, and the same with a bound of the distance."""
        rows = self._measured_rows(node, asked)
        points = self._points(np.tile(np.array(node, dtype=np.int64), (len(rows), 1)), rows)
        if self._spread is None or not self._spread.unit:
            return points, points
        far, of = self._distances(rows[:, Extra.BELOW], rows[:, Extra.BELOW_OF])
        return points, replace(points, far=far, far_of=of)

    def _rolled_up(self, node: Node, asked: Thresholds) -> Points:
        rows = self._measured_rows(node, asked)
        return self._points(np.tile(np.array(node, dtype=np.int64), (len(rows), 1)), rows)

    def _measured_rows(self, node: Node, asked: Thresholds) -> Int64s:
        return self._kept.measure(node, asked.k, asked.every_k, asked.diversity, asked.limit)

    def _distances(self, far: Int64s, of: Int64s) -> tuple[Ints, Ints]:
        """Return the distances that the kernel gives, times 2 * rows."""
        if self._spread is None or not self._spread.unit:
            return far, of
        times, unit = 2 * self.problem.rows, self._spread.unit
        return (
            np.array([one * times for one in far.tolist()], dtype=object),
            np.array([one * unit for one in of.tolist()], dtype=object),
        )

    def _points(self, levels: Int64s, rows: Int64s) -> Points:
        measured = rows[:, : Extra.DISTINCT]
        return Points(
            levels,
            measured[:, Column.K],
            rows[:, Extra.DISTINCT],
            *self._distances(rows[:, Extra.FAR], rows[:, Extra.FAR_OF]),
            measured[:, Column.ROWS],
            self.metric.loss0(levels, measured),
            self.metric.excess(levels, measured[:, Column.ROWS :]),
        )
