"""The twin of the compiled kernels: the same names and results in plain numpy, slow and obvious.

Tests compare the two bit for bit; the benchmark of the kernels measures it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

from shoal.kernels import Column

Keys = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]
Node = Sequence[int]


class Codebook:
    """The codes of every attribute on every level, and how they are packed into keys.

    `maps[a][level, value]` is the code of a value of attribute a on a level; `weights[a][level, value]`
    is what one row with that value costs there. With `products` a measurement holds the products of a
    class's weights too, as far as 64 bits go.
    """

    def __init__(
        self,
        maps: Sequence[npt.NDArray[np.int32]],
        weights: Sequence[Ints] = (),
        products: bool = False,
    ) -> None:
        self.maps = list(maps)
        self.products = products
        self.weights = list(weights)
        self.sizes = [[int(codes.max(initial=-1)) + 1 for codes in levels] for levels in maps]
        needed = self._fields((0,) * len(self.maps))[1]
        self.words = next(held for held in (1, 2, 4, 8) if needed <= held)

    def _fields(self, levels: Node) -> tuple[list[tuple[int, int, int]], int]:
        """Return each attribute's word, shift and width, and the number of words."""
        fields, word, used = [], 0, 0
        for a, level in enumerate(levels):
            width = max(self.sizes[a][level] - 1, 0).bit_length()
            if used + width > 64:
                word, used = word + 1, 0
            fields.append((word, used, width))
            used += width
        return fields, word + 1

    def pack(self, codes: npt.NDArray[np.int32], levels: Node | None = None) -> Keys:
        """Return the keys of rows of codes on the given levels, by default the lowest."""
        fields, _ = self._fields(levels if levels is not None else (0,) * len(self.maps))
        keys = np.zeros((len(codes), self.words), dtype=np.uint64)
        for a, (word, shift, width) in enumerate(fields):
            if width:
                keys[:, word] |= codes[:, a].astype(np.uint64) << np.uint64(shift)
        return keys

    def unpack(self, keys: Keys, levels: Node) -> npt.NDArray[np.int32]:
        """Return the codes of keys on the given levels."""
        codes = np.zeros((len(keys), len(self.maps)), dtype=np.int32)
        for a, (word, shift, width) in enumerate(self._fields(levels)[0]):
            if width:
                mask = np.uint64((1 << width) - 1)
                codes[:, a] = ((keys[:, word] >> np.uint64(shift)) & mask).astype(np.int32)
        return codes

    def _up(self, a: int, source: int, target: int) -> npt.NDArray[np.int32]:
        """Return the code on the target level of each code on the source level."""
        upward = np.zeros(self.sizes[a][source], dtype=np.int32)
        upward[self.maps[a][source]] = self.maps[a][target]
        return upward

    def roll_up(self, keys: Keys, counts: Ints, source: Node, target: Node) -> tuple[Keys, Ints]:
        """Return the classes of the target node from those of a source node below it."""
        codes = self.unpack(keys, source)
        for a in range(len(self.maps)):
            codes[:, a] = self._up(a, source[a], target[a])[codes[:, a]]
        return aggregate(self.pack(codes, target), counts)

    def measure(self, keys: Keys, counts: Ints, levels: Node, eta: int) -> tuple[Ints, Ints]:
        """Return the measurement of a node (see `Column`) and its profile.

        The profile has one row for each suppressed class size, rising: the size, and the sums over all
        classes up to that size.
        """
        sizes = counts.sum(axis=1)
        minority = sizes - counts.max(axis=1, initial=0)
        suppressed, kept = [], 0
        rows = 0
        for size in sorted(set(sizes.tolist())):
            rows += int(sizes[sizes == size].sum())
            if rows > eta:
                kept = size
                break
            suppressed.append(size)
        row = np.zeros((1, Column.WEIGHTS + len(self.maps)), dtype=np.int64)
        row[0, Column.K] = kept
        row[0, Column.CLASSES] = len(sizes)
        row[0, Column.SQUARES] = (sizes**2).sum()
        row[0, Column.MINORITY] = minority.sum()
        codes = self.unpack(keys, levels)
        products = self.multiplied(sizes, codes, levels)
        row[0, Column.PRODUCTS] = products.sum()
        profile = np.zeros((len(suppressed), row.shape[1] - Column.ROWS + 1), dtype=np.int64)
        for i, size in enumerate(suppressed):
            small = sizes <= size
            sums = [
                sizes[small].sum(),
                small.sum(),
                (sizes[small] ** 2).sum(),
                minority[small].sum(),
                products[small].sum(),
            ]
            weights = [
                (self._weight(a, levels[a])[codes[small, a]] * sizes[small]).sum()
                for a in range(len(self.maps))
            ]
            profile[i] = [size, *sums, *weights]
        if suppressed:
            row[0, Column.ROWS :] = profile[-1, 1:]
        return row, profile

    def multiplied(self, sizes: Ints, codes: npt.NDArray[np.int32], levels: Node) -> Ints:
        """Return the rows of each class times the product of its weights; 0 where none are asked for."""
        if not self.products:
            return np.zeros_like(sizes)
        products = sizes.copy()
        for a in range(len(self.maps)):
            products *= self._weight(a, levels[a])[codes[:, a]]
        return products

    def _weight(self, a: int, level: int) -> Ints:
        by_code = np.zeros(self.sizes[a][level], dtype=np.int64)
        if self.weights:
            by_code[self.maps[a][level]] = self.weights[a][level]
        return by_code

    def measure_box(
        self,
        keys: Keys,
        counts: Ints,
        levels: Node,
        lo: Node,
        hi: Node,
        order: Sequence[int],
        eta: int,
        threads: int,
    ) -> Ints:
        """Return the measurements of all nodes from lo to hi, in attribute order."""
        nodes = product(*(range(low, high + 1) for low, high in zip(lo, hi, strict=True)))
        return np.concatenate(
            [self.measure(*self.roll_up(keys, counts, levels, node), node, eta)[0] for node in nodes]
        )


def aggregate(keys: Keys, counts: Ints) -> tuple[Keys, Ints]:
    """Return the distinct keys in the order of their first appearance, their counts added up."""
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    sums = np.zeros((len(order), counts.shape[1]), dtype=np.int64)
    np.add.at(sums, place[inverse.reshape(-1)], counts)
    return keys[first[order]], sums


class ClassTables:
    """Measures nodes one by one, each from the bottom table."""

    def __init__(
        self, book: Codebook, keys: Keys, counts: Ints, levels: Node, eta: int, budget: int
    ) -> None:
        self._book, self._keys, self._counts = book, keys, counts
        self._levels, self._eta = levels, eta
        self.bytes = 0

    def measure(self, levels: Node) -> tuple[Ints, Ints]:
        """Return the measurement of a node and its profile."""
        table = self._book.roll_up(self._keys, self._counts, self._levels, levels)
        return self._book.measure(*table, levels, self._eta)


class NodeSet:
    """Nodes that are asked which of them lie above or below a node."""

    def __init__(self, attributes: int) -> None:
        self._nodes = np.zeros((0, attributes), dtype=np.int64)

    def __len__(self) -> int:
        return len(self._nodes)

    def add(self, node: Node) -> None:
        """Take in a node."""
        self._nodes = np.vstack([self._nodes, np.array(node, dtype=np.int64)])

    def above(self, node: Node) -> list[int]:
        """Return the positions of the nodes at or above a node."""
        return [int(i) for i in np.flatnonzero((self._nodes >= np.array(node)).all(axis=1))]

    def below(self, node: Node) -> list[int]:
        """Return the positions of the nodes at or below a node."""
        return [int(i) for i in np.flatnonzero((self._nodes <= np.array(node)).all(axis=1))]

    def any_below(self, node: Node, marks: npt.NDArray[np.bool_]) -> bool:
        """Whether one of the marked nodes lies at or below a node."""
        return any(i < len(marks) and bool(marks[i]) for i in self.below(node))


class UpSet:
    """An up-set of a lattice, held in full."""

    def __init__(self, bottom: Node, top: Node) -> None:
        spans = (range(low, high + 1) for low, high in zip(bottom, top, strict=True))
        self._nodes = set(product(*spans))

    def _minimal(self) -> set[tuple[int, ...]]:
        def below(node: tuple[int, ...], a: int) -> tuple[int, ...]:
            return (*node[:a], node[a] - 1, *node[a + 1 :])

        return {
            node
            for node in self._nodes
            if not any(below(node, a) in self._nodes for a in range(len(node)))
        }

    def __len__(self) -> int:
        return len(self._minimal())

    def take(self, cover: Node) -> tuple[list[list[int]], list[list[int]]]:
        """Take away all at or below the cover; return the minimal nodes that went and that came."""
        before = self._minimal()
        self._nodes = {
            node for node in self._nodes if any(x > y for x, y in zip(node, cover, strict=True))
        }
        after = self._minimal()
        return [list(node) for node in before - after], [list(node) for node in after - before]
