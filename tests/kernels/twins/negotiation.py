"""The twin of the negotiation's kernels: the same names and results in plain Python, slow and obvious.

Tests compare the two bit for bit; nothing else uses this module.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from math import gcd

import numpy as np

from tests.kernels.twins.lattice import Codebook, Ints, Keys

Node = tuple[int, ...]
Found = tuple[list[int], int] | None


class Visits:
    """The nodes at whose histograms a request has looked."""

    def __init__(self, nodes: int) -> None:
        self.seen: set[Node] = set()

    def __len__(self) -> int:
        return len(self.seen)


class Histogram:
    """How many classes of one node have each size and number of distinct values.

    `costs` are what these classes cost in all, by size and distinct values, where classes have costs;
    `scale` is a base that every row costs at least, and a step that divides what it costs beyond.
    """

    def __init__(
        self,
        classes: Counter[tuple[int, int]],
        costs: Counter[tuple[int, int]] | None = None,
        scale: tuple[int, int] = (0, 0),
    ) -> None:
        self.classes = dict(sorted(classes.items()))
        self.costs, self.scale = costs, scale

    def suppressed(self, k: int, l: int) -> int:
        """Return the rows in classes of fewer than k rows or fewer than l distinct values."""
        return sum(size * n for (size, distinct), n in self.classes.items() if size < k or distinct < l)

    def largest_k(self, l: int, limit: int, most: int) -> int:
        """Return the largest k up to `most` that suppresses at most the limit, 0 for none."""
        return max((k for k in range(1, most + 1) if self.suppressed(k, l) <= limit), default=0)

    def largest_l(self, limit: int, most: int) -> int:
        """Return the largest l up to `most` that suppresses at most the limit."""
        return max(l for l in range(most + 1) if self.suppressed(1, l) <= limit)

    def entries(self) -> Ints:
        """Return (size, distinct values, classes), rising."""
        flat = [(*pair, n) for pair, n in self.classes.items()]
        return np.array(flat, dtype=np.int64).reshape(len(flat), 3)

    def packed(self, sensitive: bool) -> bytes:
        """Return the bytes of the histogram; kernels/negotiation/histograms.hpp describes them."""
        base, step = self.scale
        beyond = {
            key: (self.costs[key] - key[0] * n * base) // step for key, n in self.classes.items() if step
        }
        out = b""
        if sensitive:
            rows: Counter[int] = Counter()
            steps: Counter[int] = Counter()
            for (size, distinct), n in self.classes.items():
                rows[distinct] += size * n
                steps[distinct] += beyond.get((size, distinct), 0)
            before = 0
            for distinct, count in sorted(rows.items()):
                out += _varint(distinct - before) + _varint(count)
                out += _varint(steps[distinct]) if step else b""
                before = distinct
            out = _varint(len(out)) + out
        if self.costs is not None:
            out = _varint(base) + _varint(step) + out
        last = 0
        for (size, distinct), n in self.classes.items():
            out += _varint(2 * (size - last) + (n > 1))
            out += _varint(distinct) if sensitive else b""
            out += _varint(n - 2) if n > 1 else b""
            out += _varint(beyond[size, distinct]) if step else b""
            last = size
        return out


def _varint(value: int) -> bytes:
    out = []
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


class HistogramIndex:
    """The histograms of all nodes from lo to hi, each counted from the bottom table."""

    def __init__(self, lo: Node, hi: Node, sensitive: bool, found: dict[Node, Histogram]) -> None:
        self.lo, self.hi, self.sensitive, self.found = lo, hi, sensitive, found
        self.nodes = len(found)

    @staticmethod
    def build(
        book: Codebook,
        keys: Keys,
        sizes: Ints,
        bits: Keys,
        widths: Sequence[int],
        levels: Node,
        lo: Node,
        hi: Node,
        threads: int,
    ) -> HistogramIndex:
        """Return the index of a table of classes with the sets of their sensitive values."""
        codes = book.unpack(keys, levels)
        sets = [_sets(row, widths) for row in bits.tolist()]
        found = {}
        for node in product(*(range(low, high + 1) for low, high in zip(lo, hi, strict=True))):
            upward = [book._up(a, levels[a], node[a]) for a in range(len(node))]
            rows: Counter[tuple[int, ...]] = Counter()
            values: dict[tuple[int, ...], list[set[int]]] = {}
            for i, code in enumerate(codes.tolist()):
                key = tuple(int(upward[a][c]) for a, c in enumerate(code))
                rows[key] += int(sizes[i, 0])
                mine = values.setdefault(key, [set() for _ in widths])
                for held, more in zip(mine, sets[i], strict=True):
                    held.update(more)
            fewest = {key: min((len(held) for held in values[key]), default=0) for key in rows}
            counted = Counter((rows[key], fewest[key]) for key in rows)
            if not book.weights:
                found[node] = Histogram(counted)
                continue
            # What a label costs, by its code; on every level all its values cost the same.
            labels = [
                dict(zip(codes[node[a]].tolist(), book.weights[a][node[a]].tolist(), strict=True))
                for a, codes in enumerate(book.maps)
            ]
            costs: Counter[tuple[int, int]] = Counter()
            for key in rows:
                each = sum(labels[a][code] for a, code in enumerate(key))
                costs[rows[key], fewest[key]] += rows[key] * each
            least = [min(cost.values()) for cost in labels]
            step = gcd(
                *(cost - low for all_, low in zip(labels, least, strict=True) for cost in all_.values())
            )
            found[node] = Histogram(counted, costs, (sum(least), step))
        return HistogramIndex(lo, hi, bool(widths), found)

    def dump(self) -> bytes:
        """Return where each histogram begins, then the histograms."""
        parts = [histogram.packed(self.sensitive) for histogram in self.found.values()]
        starts = np.cumsum([0, *map(len, parts)]).astype("<u8")
        return starts.tobytes() + b"".join(parts)

    def suppressed(self, visits: Visits, node: Node, k: int, l: int) -> int:
        """Return the suppressed rows of a node."""
        visits.seen.add(tuple(node))
        return self.found[tuple(node)].suppressed(k, l)

    def lowest(self, visits: Visits, top: Node, k: int, l: int, limit: int) -> Found:
        """ExactSublatticeSearch as the paper writes it."""
        candidates: list[tuple[int, int, Node]] = []
        marked: set[Node] = set()

        def search(node: Node) -> None:
            if node in marked:
                return
            marked.add(node)
            suppressed = self.suppressed(visits, node, k, l)
            if suppressed > limit:
                return
            candidates.append((sum(node), suppressed, node))
            for a, level in enumerate(node):
                if level > self.lo[a]:
                    search((*node[:a], level - 1, *node[a + 1 :]))

        search(tuple(top))
        return _best(candidates)

    def lowest_from(self, visits: Visits, height: int, k: int, l: int, limit: int) -> Found:
        """ApproximateH as the paper writes it."""
        low, high, lowest = max(height, sum(self.lo)), sum(self.hi), -1
        while low <= high:
            middle = (low + high) // 2
            level = [node for node in self.found if sum(node) == middle]
            if any(self.suppressed(visits, node, k, l) <= limit for node in level):
                lowest, high = middle, middle - 1
            else:
                low = middle + 1
        level = [node for node in self.found if sum(node) == lowest]
        measured = [(lowest, self.suppressed(visits, node, k, l), node) for node in level]
        return _best([found for found in measured if found[1] <= limit])

    def largest_k(self, node: Node, l: int, limit: int, most: int) -> int:
        """Return the largest k of a node."""
        return self.found[node].largest_k(l, limit, most)

    def largest_l(self, node: Node, limit: int, most: int) -> int:
        """Return the largest l of a node."""
        return self.found[node].largest_l(limit, most)

    def entries(self, node: Node) -> Ints:
        """Return the histogram of a node."""
        return self.found[node].entries()

    def map(self, k: int, l: int) -> Ints:
        """Return the suppressed rows of every node."""
        rows = [histogram.suppressed(k, l) for histogram in self.found.values()]
        return np.array(rows, dtype=np.int64)[:, None]


class NodeLosses:
    """What nodes lose: each is looked at, whatever it costs."""

    def __init__(
        self, index: HistogramIndex, released: Callable[[Node, int, int], int], row: int
    ) -> None:
        """`released` is what the classes of a node cost that have a size and distinct values."""
        self.index, self.released, self.row = index, released, row

    def of(self, node: Node, k: int, l: int) -> tuple[int, int]:
        """Return the suppressed rows of a node, and what it loses."""
        rows = loss = 0
        for (size, distinct), n in self.index.found[node].classes.items():
            gone = size < k or distinct < l
            rows += size * n if gone else 0
            loss += size * n * self.row if gone else self.released(node, size, distinct)
        return rows, loss

    def cheapest(
        self, nodes: Iterable[Node], k: int, l: int, limit: int
    ) -> tuple[list[int], int, int] | None:
        """Return the cheapest of some nodes that suppress at most the limit."""
        measured = [(node, *self.of(node, k, l)) for node in nodes]
        allowed = [(loss, sum(node), rows, node) for node, rows, loss in measured if rows <= limit]
        if not allowed:
            return None
        loss, _, rows, node = min(allowed)
        return list(node), rows, loss


def lowest_in_box(
    index: HistogramIndex,
    lo: Node,
    hi: Node,
    least: int,
    k: int,
    l: int,
    limit: int,
) -> Found:
    """Return what LazyHistograms.lowest does, by looking at every node of the box."""
    measured = [
        (sum(node), histogram.suppressed(k, l), node)
        for node, histogram in index.found.items()
        if all(a <= b <= c for a, b, c in zip(lo, node, hi, strict=True))
    ]
    return _best([found for found in measured if found[0] >= least and found[1] <= limit])


def _best(candidates: list[tuple[int, int, Node]]) -> Found:
    if not candidates:
        return None
    _, suppressed, node = min(candidates)
    return list(node), suppressed


def _sets(row: Sequence[int], widths: Sequence[int]) -> list[set[int]]:
    sets, at = [], 0
    for width in widths:
        words = row[at : at + width]
        sets.append({64 * w + b for w, word in enumerate(words) for b in range(64) if word >> b & 1})
        at += width
    return sets
