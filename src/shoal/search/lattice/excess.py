"""What suppressing some classes of a node adds to its loss."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal.data.tally import Node, Problem
from shoal.metrics.by_cell import CellMetric
from shoal.metrics.metric import Metric
from shoal.search.lattice.classes import Classes


class Excess:
    """The excess of suppressed classes under one metric, in whole multiples of its unit."""

    def __init__(self, problem: Problem, metric: Metric) -> None:
        self._problem, self._metric = problem, metric

    def of(self, classes: Classes, node: Node, gone: npt.NDArray[np.bool_]) -> int:
        """Return what suppressing some classes adds to loss0."""
        if not gone.any():
            return 0
        majority = None if classes.labels is None else classes.labels[gone].max(axis=1, initial=0)
        return self._summed(classes, node, gone, classes.groups.rows[gone], majority)

    def at_least(self, classes: Classes, node: Node, rows: npt.NDArray[np.int64]) -> int:
        """Return what suppressing so many rows of each class adds to loss0 at least.

        In a metric that adds up cells, all rows of a class cost the same; for others only classes count
        that are suppressed whole.
        """
        if not isinstance(self._metric, CellMetric):
            return self.of(classes, node, rows >= classes.groups.rows)
        gone = rows > 0
        return self._summed(classes, node, gone, rows[gone], None) if gone.any() else 0

    def _summed(
        self,
        classes: Classes,
        node: Node,
        gone: npt.NDArray[np.bool_],
        rows: npt.NDArray[np.int64],
        majority: npt.NDArray[np.int64] | None,
    ) -> int:
        codes = classes.codes_of(gone)
        cells = [
            weights[level][codes[:, a]]
            for a, (weights, level) in enumerate(zip(self._weights, node, strict=False))
        ]
        sums = self._metric.sums(rows, majority, cells)
        return int(self._metric.excess(np.array([node], dtype=np.int64), sums)[0])

    @cached_property
    def _weights(self) -> list[list[npt.NDArray[np.int64]]]:
        """What a suppressed row weighs: by attribute, level and code on that level."""
        found = []
        for ladder, weights in zip(self._problem.ladders, self._metric.weights(), strict=False):
            levels = []
            for codes, own in zip(ladder.codes, weights, strict=True):
                by_code = np.zeros(int(codes.max(initial=0)) + 1, dtype=np.int64)
                by_code[codes] = own
                levels.append(by_code)
            found.append(levels)
        return found
