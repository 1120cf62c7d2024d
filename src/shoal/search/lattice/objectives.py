"""Objectives beyond k and loss, as columns of whole numbers to minimize."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from shoal.kernels import undominated
from shoal.metrics.metric import Ints
from shoal.search.lattice.thresholds import Points


def costs(points: Points, names: Sequence[str], rows: int) -> list[Ints]:
    """Return one exact column to minimize per objective: k and l are negated, t becomes a whole number."""
    columns: dict[str, Ints] = {
        "k": -points.k,
        "l": -points.distinct,
        "suppressed": points.suppressed,
        "loss": points.loss,
    }
    if "t" in names:
        columns["t"] = closeness(points, rows)
    return [columns[name] for name in names]


def closeness(points: Points, rows: int) -> Ints:
    """Return whole numbers in the order of the distances: t * 2 * rows^3, rounded down.

    The distances times 2 * rows have denominators of at most `rows`, and two such fractions differ by 1 /
    rows^2 or not at all. So times rows^2 they differ by at least 1, also after rounding down. Where persons
    are weighed, denominators have no such bound, and the fractions themselves are returned.
    """
    if points.far.dtype == object:
        pairs = zip(points.far, points.far_of, strict=True)
        fractions = np.empty(len(points), dtype=object)
        fractions[:] = [Fraction(far, of) for far, of in pairs]
        return fractions
    exact = np.int64 if 2 * rows**3 < 2**62 else object
    far, of = points.far.astype(exact), points.far_of.astype(exact)
    result: Ints = far // of * rows**2 + far % of * rows**2 // of
    return result


class Front:
    """The points found so far that no other dominates.

    A point dominates another if it is no worse in any objective and better in one. Of equal points the one of
    fewest suppressed rows is kept (not with `fill`), then the lowest node, then the first.
    """

    def __init__(self, names: Sequence[str], rows: int, fill: bool = False) -> None:
        self.names = tuple(names)
        self.rows = rows
        self.fill = fill
        self._points: Points | None = None

    def add(self, found: Points) -> None:
        """Add points, and drop those that they dominate."""
        if not len(found):
            return
        points = found if self._points is None else self._points.with_(found)
        points = points.take(_undominated(self._costs(points)))
        columns = self._costs(points)
        rank = [*points.levels.T[::-1], points.levels.sum(axis=1)]
        rank += [] if self.fill else [points.suppressed]
        order = np.lexsort([*rank, *(_ranks(column) for column in reversed(columns))])
        first = np.zeros(len(order), dtype=np.bool_)
        first[0] = True
        for column in columns:
            first[1:] |= (column[order][1:] != column[order][:-1]).astype(np.bool_)
        self._points = points.take(order[first])

    def beats(self, bounds: Points, loss0: int) -> bool:
        """Return whether each bound, with this loss0 in place of its own, is dominated by a point."""
        if self._points is None:
            return False
        floor = np.full(len(bounds), loss0, dtype=bounds.loss0.dtype)
        asked = Points(**{**vars(bounds), "loss0": floor})
        known = self._costs(self._points)
        both = [np.concatenate(pair) for pair in zip(known, self._costs(asked), strict=True)]
        return not bool(_undominated(both)[len(self._points) :].any())

    def points(self) -> Points | None:
        """Return the points, ordered by the objectives in turn; None if there are none."""
        return self._points

    def _costs(self, points: Points) -> list[Ints]:
        return costs(points, self.names, self.rows)


def _undominated(columns: Sequence[Ints]) -> npt.NDArray[np.bool_]:
    matrix = np.ascontiguousarray(np.stack([_ranks(column) for column in columns], axis=1))
    return undominated(matrix)[:, 0].astype(np.bool_)


def _ranks(column: Ints) -> npt.NDArray[np.int64]:
    """Return numbers in the same order as the column's that fit into 64 bits."""
    if column.dtype == np.int64:
        return column
    places: npt.NDArray[np.int64] = (
        np.unique(column, return_inverse=True)[1].reshape(-1).astype(np.int64)
    )
    return places
