"""Measures nodes at thresholds where l and t count persons with several rows.

The kernel rolls classes up with the values of those who are in several of them. Where weights need more than
64 bits, the classes of every node are counted from the combinations (`lattice.classes`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from shoal.data.tally import Node, Problem, Tally, places_of
from shoal.kernels import Diversity
from shoal.metrics.metric import Metric
from shoal.running import stopping
from shoal.search.lattice.classes import Classes, NodeClasses
from shoal.search.lattice.excess import Excess
from shoal.search.lattice.person_distances import Distances, PersonDistances
from shoal.search.lattice.person_spread import PersonSpread, person_spread
from shoal.search.lattice.person_values import PersonValues
from shoal.search.lattice.thresholds import Int64s, Points, ThresholdEvaluator, Thresholds


def threshold_evaluator(
    problem: Problem,
    metric: Metric,
    tally: Tally,
    thresholds: Thresholds,
    *,
    diverse: Sequence[str] = (),
    close: Sequence[str] = (),
    threads: int = 1,
) -> ThresholdEvaluator:
    """Return what measures the nodes of a problem at thresholds; see `ThresholdEvaluator`."""
    if problem.persons is not None and (diverse or close):
        spread = person_spread(tally, diverse, close)
        if spread is None:
            return PersonThresholds(problem, metric, tally, thresholds, diverse, close)
        return SpreadThresholds(problem, metric, tally, thresholds, diverse, spread, threads)
    return ThresholdEvaluator(
        problem, metric, tally, thresholds, diverse=diverse, close=close, threads=threads
    )


class SpreadThresholds(ThresholdEvaluator):
    """Measures nodes at thresholds by the kernel: classes are those of `PersonThresholds`."""

    def __init__(
        self,
        problem: Problem,
        metric: Metric,
        tally: Tally,
        thresholds: Thresholds,
        diverse: Sequence[str],
        spread: PersonSpread,
        threads: int,
    ) -> None:
        super().__init__(problem, metric, tally, thresholds, threads=threads, spread=spread)
        self._lost = _Lost(problem, tally, diverse)

    def lost(self, points: Points) -> list[int | None]:
        """Return how many persons have all rows in classes that are suppressed at each point."""
        return self._lost.at(points)


class _Lost:
    """Counts whom thresholds suppress, from the combinations: for what is found, not while searching."""

    def __init__(self, problem: Problem, tally: Tally, diverse: Sequence[str]) -> None:
        self._problem, self._tally, self._diverse = problem, tally, tuple(diverse)

    @cached_property
    def classes(self) -> NodeClasses:
        """The classes of nodes."""
        return NodeClasses(self._problem, self._tally)

    @cached_property
    def _values(self) -> list[PersonValues]:
        assert self._tally.persons is not None
        return [PersonValues(self._tally, self._tally.persons, name) for name in self._diverse]

    def at(self, points: Points) -> list[int | None]:
        """Return how many persons have all rows in classes of fewer than k or of fewer values."""
        lost: list[int | None] = [None] * len(points)
        for node, here in places_of(map(tuple, points.levels.tolist())).items():
            classes = self.classes.at(node)
            distinct = self.distinct(classes)
            for i in here:
                gone = (classes.groups.sizes < points.k[i]) | (distinct < points.distinct[i])
                lost[i] = self._problem.lost(gone[classes.of])
        return lost

    def distinct(self, classes: Classes) -> Int64s:
        """Return the values of different persons in each class, the fewest of several columns."""
        count = len(classes.groups)
        if not self._values:
            return np.zeros(count, dtype=np.int64)
        values = [column.at(classes.of, count) for column in self._values]
        return np.asarray(np.min(values, axis=0), dtype=np.int64)


class _Pair(NamedTuple):
    """A node at one threshold: which classes are suppressed, and the least that the others have."""

    size: int
    distinct: int
    gone: np.ndarray[tuple[int], np.dtype[np.bool_]]


class PersonThresholds(ThresholdEvaluator):
    """Measures nodes at thresholds: classes have persons, values of different persons, and distances."""

    most_nodes = 16

    def __init__(
        self,
        problem: Problem,
        metric: Metric,
        tally: Tally,
        thresholds: Thresholds,
        diverse: Sequence[str],
        close: Sequence[str],
    ) -> None:
        super().__init__(problem, metric, tally, thresholds)
        assert tally.persons is not None
        self._lost = _Lost(problem, tally, diverse)
        self._far: PersonDistances | None = None
        if close:
            self._far = PersonDistances(tally, tally.persons, close)
        self._excess = Excess(problem, metric)
        self._measured: Distances | None = None

    def box(self, lo: Node, hi: Node) -> Points:
        """Return the points of all nodes from lo to hi, one after the other."""
        spans = (range(low, high + 1) for low, high in zip(lo, hi, strict=True))
        return Points.together([self.node(node) for node in product(*spans)])

    @property
    def finest(self) -> int | None:
        """None: the denominators of distances have no bound worth knowing."""
        return None

    def lost(self, points: Points) -> list[int | None]:
        """Return how many persons have all rows in classes that are suppressed at each point."""
        return self._lost.at(points)

    def _with_bounds(self, node: Node, asked: Thresholds) -> tuple[Points, Points]:
        points = self._single(node, asked)
        if self._measured is None:
            return points, points
        return points, points.with_distance(self._measured.below * 2 * self.problem.rows)

    def _single(self, node: Node, asked: Thresholds) -> Points:
        stopping.look()
        classes = self._lost.classes.at(node)
        far = Fraction(0)
        if self._far is not None:
            self._measured = self._far.at(classes.of, len(classes.groups))
            far = self._measured.largest * 2 * self.problem.rows
        found = list(self._at_thresholds(classes, asked))
        count = len(found)
        loss0 = self.loss0(node) if count else 0
        return Points(
            np.tile(np.array(node, dtype=np.int64), (count, 1)),
            np.array([one.size for one in found], dtype=np.int64),
            np.array([one.distinct for one in found], dtype=np.int64),
            np.full(count, far.numerator, dtype=object),
            np.full(count, far.denominator, dtype=object),
            np.array([classes.groups.rows[one.gone].sum() for one in found], dtype=np.int64),
            np.array([loss0] * count, dtype=self.metric.dtype),
            np.array(
                [self._excess.of(classes, node, one.gone) for one in found], dtype=self.metric.dtype
            ),
        )

    def _at_thresholds(self, classes: Classes, asked: Thresholds) -> Iterator[_Pair]:
        """Yield the thresholds that are asked for and suppress at most the limit, from the least l up."""
        sizes, rows = classes.groups.sizes, classes.groups.rows
        distinct = self._lost.distinct(classes)
        found: list[_Pair] = []
        for values in np.unique(distinct).tolist():
            if values == 0 and asked.diversity != Diversity.NONE:
                continue
            here = []
            for k in np.unique(sizes[distinct >= values]).tolist():
                gone = (sizes < k) | (distinct < values)
                if int(rows[gone].sum()) > asked.limit:
                    break
                if k >= asked.k:
                    here.append(_Pair(k, values, gone))
                    if not asked.every_k:
                        break
            if not here:  # more diversity suppresses more
                break
            found = here if asked.diversity == Diversity.LARGEST else [*found, *here]
        yield from found
