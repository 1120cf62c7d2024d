"""What nodes lose by one metric: read from the index if possible, else counted from the combinations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from shoal.kernels import HistogramIndex, NodeLosses, Visits
from shoal.search.negotiation.histograms import FoundNode, IndexInquiry, Inquiry
from shoal.search.negotiation.request import Node

if TYPE_CHECKING:
    from shoal.metrics import Metric
    from shoal.running.clock import Clock

Told = Callable[[int], tuple[float, float]]
"""Turns a loss in a metric's whole numbers into what documents show: the loss and its share."""


class Losses(Protocol):
    """The losses of a lattice's nodes by one metric, with the rows suppressed that a request suppresses."""

    name: str
    """The metric's name."""
    told: Told

    @property
    def at_once(self) -> bool:
        """Whether requests are answered in a moment."""

    def inquiry(self, clock: Clock) -> Inquiry:
        """Return a new request by loss."""

    def of(self, node: Node, k: int, l: int) -> int:
        """Return the loss of a node for k and l."""


class IndexedLosses:
    """The losses of nodes whose histograms are all in the index."""

    at_once = True

    def __init__(self, name: str, index: HistogramIndex, losses: NodeLosses, told: Told) -> None:
        self.name, self.index, self.losses, self.told = name, index, losses, told

    def inquiry(self, clock: Clock) -> Inquiry:
        """Return a new request by loss."""
        return _CheapestInquiry(self.index, self.losses)

    def of(self, node: Node, k: int, l: int) -> int:
        """Return the loss of a node for k and l."""
        return self.losses.of(Visits(self.index.nodes), node, k, l)[1]


class _CheapestInquiry(IndexInquiry):
    """A request over all histograms, by loss."""

    def __init__(self, index: HistogramIndex, losses: NodeLosses) -> None:
        super().__init__(index)
        self._losses = losses

    def best(self, top: Node, k: int, l: int, limit: int) -> FoundNode | None:
        """Return the cheapest node at or below `top` that suppresses at most the limit."""
        return _found(self._losses.cheapest(self.visits, top, k, l, limit))

    def best_from(self, height: int, k: int, l: int, limit: int) -> FoundNode | None:
        """Return the cheapest node of the lowest height from `height` on that has one within the limit."""
        return _found(self._losses.cheapest_from(self.visits, height, k, l, limit))


def _found(found: tuple[list[int], int, int] | None) -> FoundNode | None:
    return None if found is None else FoundNode(tuple(found[0]), *found[1:])


def lm_losses(index: HistogramIndex, unit: int, row: int) -> IndexedLosses:
    """Return the losses by LM of an index that holds costs; a suppressed row costs `row` of its units."""
    most = index.rows * row

    def told(loss: int) -> tuple[float, float]:
        return loss / unit, loss / most if most else 0.0

    return IndexedLosses("LM", index, NodeLosses.by_cells(index, row), told)


def losses_in(index: HistogramIndex, metric: Metric, bottom: Node, top: Node) -> IndexedLosses | None:
    """Return the losses by a metric that the sizes of classes tell; None for other metrics.

    DM adds up their squares. By Prec and Height, all rows of a node cost alike: what its levels say.
    """
    import numpy as np

    from shoal.metrics import DM, Height, Precision
    from shoal.metrics.metric import FITS

    kind = type(metric)
    if kind not in (DM, Precision, Height) or metric.largest >= FITS:
        return None
    if isinstance(metric, DM):
        return IndexedLosses(metric.name, index, NodeLosses.by_squares(index), told_by(metric))
    loss0 = np.zeros((1,), dtype=np.int64)
    for losses, lo, hi in zip(metric.level_losses(), bottom, top, strict=True):
        loss0 = np.add.outer(loss0, np.array(losses[lo : hi + 1], dtype=np.int64))
    loss0 = np.ascontiguousarray(loss0.reshape(-1, 1))
    # By Prec a suppressed row counts full height; its share of what all rows cost is in loss0 already.
    excess = metric.row - loss0 // index.rows if kind is Precision else np.zeros_like(loss0)
    return IndexedLosses(metric.name, index, NodeLosses.alike(index, loss0, excess), told_by(metric))


def told_by(metric: Metric) -> Told:
    """Return the function that turns a metric's losses into what documents show."""

    def told(loss: int) -> tuple[float, float]:
        found = metric.told(loss)
        return float(found.loss), float(found.share)

    return told
