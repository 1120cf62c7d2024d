"""The twin of the kernels for several objectives: the same names and results, slow and obvious.

Tests compare the two bit for bit; nothing else uses this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import numpy.typing as npt

from shoal.kernels import Column, Diversity
from tests.kernels.twins.lattice import Codebook, Ints, Keys, Node


def thresholds_box(
    book: Codebook,
    keys: Keys,
    counts: Ints,
    labels: int,
    histograms: Sequence[int],
    sets: Sequence[int],
    levels: Node,
    lo: Node,
    hi: Node,
    k: int,
    every_size: bool,
    diversity: int,
    limit: int,
    threads: int,
) -> tuple[Ints, Ints]:
    """Return the place of each row's node in the box, in attribute order, and the rows.

    `counts` has for each class `labels` numbers that add up to its rows, then histograms, then words of
    sets. A row is a measurement (see `Column`) with the classes suppressed that have fewer rows or fewer
    distinct values than a threshold, and what `Extra` names.
    """
    places, rows = [], []
    spans = (range(low, high + 1) for low, high in zip(lo, hi, strict=True))
    for place, node in enumerate(product(*spans)):
        classes = _Classes(book, keys, counts, (labels, histograms, sets), levels, node)
        found = list(classes.rows(k, every_size, diversity, limit))
        rows += found
        places += [place] * len(found)
    width = Column.WEIGHTS + len(lo) + 5
    return (
        np.array(places, dtype=np.int64).reshape(-1, 1),
        np.array(rows, dtype=np.int64).reshape(-1, width),
    )


class _Classes:
    """The classes of one node: codes, rows, minorities, distinct values, distances."""

    def __init__(
        self,
        book: Codebook,
        keys: Keys,
        counts: Ints,
        parts: tuple[int, Sequence[int], Sequence[int]],
        source: Node,
        node: Node,
    ) -> None:
        labels, histograms, sets = parts
        self.book, self.node = book, node
        codes = book.unpack(keys, source)
        for a in range(len(book.maps)):
            codes[:, a] = book._up(a, source[a], node[a])[codes[:, a]]
        self.codes, of = np.unique(codes, axis=0, return_inverse=True)
        members = [counts[of.reshape(-1) == g] for g in range(len(self.codes))]
        label_sums = np.array([rows[:, :labels].sum(axis=0) for rows in members]).reshape(-1, labels)
        self.sizes = label_sums.sum(axis=1)
        self.minority = self.sizes - label_sums.max(axis=1, initial=0)
        total = int(self.sizes.sum())
        self.far, start = Fraction(0), labels
        for width in histograms:
            whole = counts[:, start : start + width].sum(axis=0)
            for rows, size in zip(members, self.sizes, strict=True):
                own = rows[:, start : start + width].sum(axis=0)
                twice = int(np.abs(own * total - whole * size).sum())
                self.far = max(self.far, Fraction(twice, int(size)))
            start += width
        fewest: list[Ints] = []
        for width in sets:
            words = [
                np.bitwise_or.reduce(rows[:, start : start + width], axis=0, initial=0)
                for rows in members
            ]
            fewest.append(
                np.array([sum((int(word) % 2**64).bit_count() for word in row) for row in words])
            )
            start += width
        self.distinct = np.min(fewest, axis=0) if fewest else np.zeros_like(self.sizes)

    def rows(self, k: int, every_size: bool, diversity: int, limit: int) -> Iterator[list[int]]:
        """Yield a row for each threshold that leaves a row and suppresses at most the limit."""
        distinct = self.distinct if diversity else np.zeros_like(self.sizes)
        numbers = [number for number in sorted(set(distinct.tolist())) if number >= 1 or not diversity]
        if diversity == Diversity.LARGEST:
            numbers.reverse()
        for least in numbers:
            sizes = sorted({int(size) for size in self.sizes[distinct >= least] if size >= k})
            fitting = [
                row
                for size in (sizes if every_size else sizes[:1])
                if (row := self._row(size, least, distinct))[Column.ROWS] <= limit
            ]
            yield from fitting
            if fitting and diversity == Diversity.LARGEST:
                return

    def _row(self, k: int, least: int, distinct: Ints) -> list[int]:
        gone = (self.sizes < k) | (distinct < least)
        sizes = self.sizes[gone]
        weights = [
            int((self.book._weight(a, self.node[a])[self.codes[gone, a]] * sizes).sum())
            for a in range(len(self.book.maps))
        ]
        products = self.book.multiplied(self.sizes, self.codes, self.node)
        return [
            k,
            len(self.sizes),
            int((self.sizes**2).sum()),
            int(self.minority.sum()),
            int(products.sum()),
            int(sizes.sum()),
            int(gone.sum()),
            int((sizes**2).sum()),
            int(self.minority[gone].sum()),
            int(products[gone].sum()),
            *weights,
            least,
            *[self.far.numerator, self.far.denominator] * 2,
        ]


class ThresholdTables:
    """Measures nodes one by one, each from the bottom table."""

    def __init__(
        self,
        book: Codebook,
        keys: Keys,
        counts: Ints,
        labels: int,
        histograms: Sequence[int],
        sets: Sequence[int],
        levels: Node,
        budget: int,
    ) -> None:
        self._table = (book, keys, counts, labels, histograms, sets, levels)
        self.bytes = 0

    def measure(self, node: Node, k: int, every_size: bool, diversity: int, limit: int) -> Ints:
        """Return the rows of a node at its thresholds."""
        return thresholds_box(*self._table, node, node, k, every_size, diversity, limit, 1)[1]


def undominated(points: Ints) -> npt.NDArray[np.uint8]:
    """Return which points no other dominates: no larger anywhere, and smaller somewhere."""
    kept = [not ((points <= point).all(axis=1) & (points < point).any(axis=1)).any() for point in points]
    return np.array(kept, dtype=np.uint8).reshape(-1, 1)
