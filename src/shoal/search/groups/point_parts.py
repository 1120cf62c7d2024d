"""Cuts the points of a table into parts that can be searched one by one, side by side.

A part is cut in two where the labels over both sides cost most, and near the middle, again and again until
all parts are small enough: who is near whom then mostly lies in one part. Groups stay whole. Another draw
makes other cuts, so that points which one cut tells apart may be together after the next.

Where groups have yet to be found, both sides of every cut keep the promise, so that each part can.

Complexity: the points times the attributes, for each halving.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal.search.groups.axes import LabelKind

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
KernelAxis = tuple[int, int, npt.NDArray[np.int32], Ints]
Keeps = Callable[[Sequence[Ints]], bool]
"""Says whether each of some sets of points could be a group."""

LEAST = 0.2
"""How much a draw changes what a cut is worth: down to this share."""


@dataclass(frozen=True)
class PointPlaces:
    """The points as cuts see them: the place of each value in its attribute's order, and their blocks."""

    places: npt.NDArray[np.int32]
    blocks: Ints
    gaps: list[Floats]
    """For each attribute, what a label over a value and the next one of the order costs."""

    @classmethod
    def of(cls, axes: Sequence[KernelAxis], codes: npt.NDArray[np.int32], blocks: Ints) -> PointPlaces:
        """Return the points of some axes, as the kernels take them."""
        places = np.empty(codes.shape, dtype=np.int32)
        for a, (_, _, order, _) in enumerate(axes):
            places[:, a] = order[0][codes[:, a]]
        return cls(places, blocks, [_gaps(axis) for axis in axes])

    def parts(
        self,
        groups: Ints | None,
        most: int,
        keeps: Keeps | None = None,
        draw: np.random.Generator | None = None,
    ) -> list[Ints]:
        """Return the points of each part, about `most` of them or fewer; groups stay whole.

        By default every point is by itself. No cut is made where a side would not keep the promise.
        """
        if groups is None:
            return list(self._parts(_Units(np.arange(len(self.places)), None), most, keeps, draw))
        order = np.argsort(groups, kind="stable")
        begins = np.flatnonzero(np.diff(groups[order], prepend=-1))
        units = _Units(order, np.append(begins, len(order)))
        return list(self._parts(units, most, keeps, draw))

    def _parts(
        self, units: _Units, most: int, keeps: Keeps | None, draw: np.random.Generator | None
    ) -> Iterator[Ints]:
        first = units.first
        open_ = [(np.arange(len(first)), self.places[first])]
        while open_:
            inside, places = open_.pop()
            left = self._cut(units, inside, places, most, keeps, draw)
            if left is None:
                yield np.sort(units.points(inside))
            else:
                open_ += [(inside[side], places[side]) for side in (~left, left)]

    def _cut(
        self,
        units: _Units,
        inside: Ints,
        places: npt.NDArray[np.int32],
        most: int,
        keeps: Keeps | None,
        draw: np.random.Generator | None,
    ) -> npt.NDArray[np.bool_] | None:
        """Return which units of a part are on the first side of its cut; None if it is not cut."""
        sizes = None if units.begins is None else units.sizes[inside]
        if (len(inside) if sizes is None else int(sizes.sum())) <= most:
            return None
        blocks = self.blocks[units.first[inside]]
        if np.ptp(blocks) > 0:  # no group extends beyond its block, so this parts nobody
            middle = np.sort(blocks)[len(blocks) // 2]
            found: npt.NDArray[np.bool_] = blocks < (middle if middle > blocks.min() else middle + 1)
            return found
        cuts = []
        for a, gaps in enumerate(self.gaps):
            before = np.cumsum(np.bincount(places[:, a], weights=sizes, minlength=len(gaps) + 1))
            worth = gaps * np.minimum(before[:-1], before[-1] - before[:-1])
            if draw is not None:
                worth = worth * draw.uniform(LEAST, 1)
            at = int(np.argmax(worth)) if len(worth) else 0
            if len(worth) and worth[at] > 0:
                cuts.append((-float(worth[at]), a, at))
        for _, a, at in sorted(cuts):
            left: npt.NDArray[np.bool_] = places[:, a] <= at
            if keeps is None or keeps([units.points(inside[left]), units.points(inside[~left])]):
                return left
        return None


@dataclass
class _Units:
    """What stays whole: single points, or the groups that begin at some places of `order`."""

    order: Ints
    begins: Ints | None

    @cached_property
    def first(self) -> Ints:
        """One point of each."""
        return self.order if self.begins is None else self.order[self.begins[:-1]]

    @cached_property
    def sizes(self) -> Ints:
        """How many points each has."""
        return np.ones_like(self.order) if self.begins is None else np.diff(self.begins)

    def points(self, units: Ints) -> Ints:
        """Return the points of some units."""
        if self.begins is None:
            return self.order[units]
        sizes = self.sizes[units]
        ends = np.cumsum(sizes)
        inside = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - sizes, sizes)
        points: Ints = self.order[np.repeat(self.begins[units], sizes) + inside]
        return points


def _gaps(axis: KernelAxis) -> Floats:
    """Return what a label over each value and the next costs a row; of intervals and sets, in proportion."""
    kind, factor, order, table = axis
    by_place = np.argsort(order[0])
    one, other = by_place[:-1], by_place[1:]
    if kind != LabelKind.TREE:
        return np.full(len(one), float(factor))
    levels = len(table) // 2
    gaps = table[-1, one].astype(np.float64)
    for level in reversed(range(levels)):
        same = table[level, one] == table[level, other]
        gaps[same] = table[levels + level, one[same]]
    found: Floats = gaps * factor
    return found
