"""Whatever the kernels are given, they answer or refuse it: no entry point leaves its memory.

`.ci/sanitize` runs this with more examples on kernels that stop where they do.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.kernels import _core

EXAMPLES = int(os.environ.get("SHOAL_FUZZ", "60"))
REFUSALS = (ValueError, IndexError, OverflowError, TypeError, RuntimeError, MemoryError)
ODD = (-(2**63), -(2**31), -2, -1, 0, 1, 2, 3, 255, 2**31 - 1, 2**31, 2**32, 2**53, 2**62, 2**63 - 1)


@dataclass
class Plain:
    """A number that says how long something takes: it is never exchanged for a large one."""

    value: Any


@dataclass
class Fuzz:
    """Calls entry points, now and then with arguments that are spoilt, and remembers which were called."""

    random: Random
    rate: float
    called: set[str] = field(default_factory=set)

    def __call__(self, home: Any, name: str, *arguments: Any) -> Any:
        """Return what a call gives, None where it is refused; what is not spoilt must not be."""
        owner = home if isinstance(home, type) else type(home)
        self.called.add(name if home is _core else f"{owner.__name__}.{name}")
        given = [self.spoilt(one) for one in arguments]
        try:
            return getattr(home, name)(*given)
        except REFUSALS:
            if self.rate == 0:
                raise
            return None

    def made(self, kind: type, *arguments: Any) -> Any:
        """Return a new object of a class of the kernels."""
        self.called.add(f"{kind.__name__}.__init__")
        try:
            return kind(*[self.spoilt(one) for one in arguments])
        except REFUSALS:
            if self.rate == 0:
                raise
            return None

    def read(self, home: Any, name: str) -> Any:
        """Return a property."""
        self.called.add(f"{type(home).__name__}.{name}")
        return getattr(home, name)

    def length(self, home: Any) -> int:
        """Return how long an object says it is."""
        self.called.add(f"{type(home).__name__}.__len__")
        return len(home)

    def spoilt(self, value: Any) -> Any:
        """Return a value, or something like it that may be wrong."""
        if isinstance(value, Plain):
            return value.value
        if isinstance(value, list) and value and not isinstance(value[0], int):
            value = [self.spoilt(one) for one in value]
        if isinstance(value, tuple):
            return tuple(self.spoilt(one) for one in value)
        if self.random.random() >= self.rate:
            return value
        if isinstance(value, np.ndarray):
            return self.spoilt_array(value)
        if isinstance(value, bool) or value is None or callable(value):
            return value
        if isinstance(value, int):
            return self.random.choice(ODD)
        if isinstance(value, list):
            return self.spoilt_list(value)
        return value

    def spoilt_array(self, array: np.ndarray[Any, Any]) -> Any:
        how = self.random.randrange(6)
        if how == 0 and len(array):
            return np.ascontiguousarray(array[:-1])
        if how == 1:
            return np.concatenate([array, array[:1]])
        if how == 2 and array.ndim == 2:
            return np.ascontiguousarray(array[:, :-1])
        if how == 3 and array.ndim == 2:
            return np.ascontiguousarray(np.hstack([array, array[:, :1]]))
        array = array.copy()
        if array.size:
            bounds = (0, 1) if array.dtype == np.bool_ else _bounds(array.dtype)
            odd = [one for one in (*ODD, 2**64 - 1) if bounds[0] <= one <= bounds[1]]
            for _ in range(self.random.randint(1, 2)):
                array.reshape(-1)[self.random.randrange(array.size)] = self.random.choice(odd)
        return array

    def spoilt_list(self, given: list[Any]) -> list[Any]:
        given = list(given)
        how = self.random.randrange(4)
        if how == 0 and given:
            given.pop()
        elif how == 1 and given:
            given.append(given[0])
        elif given and isinstance(given[0], int):
            given[self.random.randrange(len(given))] = self.random.choice(ODD)
        return given


def _bounds(dtype: Any) -> tuple[int, int]:
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def counts_of(random: Random, rows: int, columns: int = 1) -> np.ndarray[Any, Any]:
    return np.array(
        [[random.randint(1, 5) for _ in range(columns)] for _ in range(rows)], np.int64
    ).reshape(rows, columns)


def persons_in(random: Random, rows: np.ndarray[Any, Any]) -> Any:
    """Return whose rows they are, or None: each person's alone."""
    single = np.array([[random.randint(0, int(count))] for count in rows.ravel()], np.int64).reshape(
        -1, 1
    )
    left = (rows.reshape(-1, 1) - single).ravel().tolist()
    pairs = [
        (c, p) for c, many in enumerate(left) for p in sorted(random.sample(range(5), min(many, 5)))
    ]
    numbers = {p: i for i, p in enumerate({p for _, p in pairs})}
    pairs = sorted((c, numbers[p]) for c, p in pairs)
    return random.choice((None, (single, np.array(pairs, np.int32).reshape(len(pairs), 2))))


def spread_in(random: Random, rows: np.ndarray[Any, Any]) -> Any:
    """Return whose rows they are by person, as the lattice's kernels take it."""
    while (found := persons_in(random, rows)) is None:
        pass
    single, pairs = found
    order = np.lexsort(pairs.T)
    return single, np.ascontiguousarray(pairs[order].astype(np.int64))


class Table:
    """Some combinations of a few attributes, and their codebook."""

    def __init__(self, fuzz: Fuzz) -> None:
        random = self.random = fuzz.random
        attributes = random.choice((0, 1, 2, 3, 9))
        self.leaves = [random.choice((1, 2, 5)) for _ in range(attributes)]
        maps = []
        for leaves in self.leaves:
            levels = [list(range(leaves))]
            for _ in range(random.randint(0, 2)):
                size = max(levels[-1]) + 1
                up = [random.randrange(max(1, size - 1)) for _ in range(size)]
                levels.append([up[code] for code in levels[-1]])
            maps.append(np.array(levels, np.int32))
        self.hi = [len(one) - 1 for one in maps]
        self.lo = [0] * attributes
        self.products = random.random() < 0.3
        weights = [np.abs(one).astype(np.int64) + 1 for one in maps]
        if not self.products and random.random() < 0.3:
            weights = []
        self.book = fuzz.made(_core.Codebook, maps, weights, self.products)
        self.n = random.choice((0, 1, 4, 9))
        self.codes = np.array(
            [[random.randrange(leaves) for leaves in self.leaves] for _ in range(self.n)], np.int32
        ).reshape(self.n, attributes)
        self.keys = None if self.book is None else fuzz(self.book, "pack", self.codes)

    def node(self) -> list[int]:
        """Return some node of the lattice."""
        return [self.random.randint(low, high) for low, high in zip(self.lo, self.hi, strict=True)]


def lattice(fuzz: Fuzz) -> None:
    table = Table(fuzz)
    if table.keys is None:
        return
    book, keys, random = table.book, table.keys, fuzz.random
    fuzz.read(book, "words")
    counts = counts_of(random, table.n, random.choice((1, 1, 3)))
    fuzz(_core, "aggregate", keys, counts)
    fuzz(book, "unpack", keys, table.lo)
    node, eta = table.node(), random.randint(-1, 9)
    rolled = fuzz(book, "roll_up", keys, counts, table.lo, node)
    if rolled is not None:
        fuzz(book, "measure", *rolled, node, eta)
    order = random.sample(range(len(table.lo)), len(table.lo))
    threads = Plain(random.randint(-1, 3))
    fuzz(book, "measure_box", keys, counts, table.lo, node, table.hi, order, eta, threads)
    whose = random.choice((None, spread_in(random, counts.sum(axis=1))))
    tables = fuzz.made(_core.ClassTables, book, keys, counts, table.lo, eta, 1 << 20, whose)
    if tables is not None:
        for _ in range(3):
            fuzz(tables, "measure", table.node())
        some = [table.node() for _ in range(random.randint(0, 12))]
        nodes = np.array(some, np.int32).reshape(len(some), len(table.lo))
        seconds = Plain(random.choice((0.0, 1.0, -1.0, math.inf)))
        fuzz(tables, "measure_below", nodes, random.randint(-1, 5), threads, seconds)
        fuzz(tables, "measure_many", nodes, threads, seconds)
        fuzz.read(tables, "bytes")


def order(fuzz: Fuzz) -> None:
    random = fuzz.random
    attributes = random.choice((0, 1, 3, 9))
    top = [random.choice((0, 1, 4, 127)) for _ in range(attributes)]
    node = lambda: [random.randint(0, high) for high in top]  # noqa: E731
    nodes = fuzz.made(_core.NodeSet, attributes)
    if nodes is not None:
        for _ in range(3):
            fuzz(nodes, "add", node())
        fuzz.length(nodes)
        fuzz(nodes, "above", node())
        fuzz(nodes, "below", node())
        fuzz(nodes, "any_below", node(), np.ones(random.randint(0, 5), np.bool_))
    above = fuzz.made(_core.UpSet, [0] * attributes, top)
    if above is not None:
        for _ in range(3):
            fuzz(above, "take", node())
        fuzz.length(above)


def negotiation(fuzz: Fuzz) -> None:
    table = Table(fuzz)
    if table.keys is None:
        return
    random, book, keys = fuzz.random, table.book, table.keys
    widths = random.choice(([], [1], [2, 1]))
    sizes = counts_of(random, table.n)
    starts = {
        sum(widths[:i]) for i in range(len(widths))
    }  # one value a column: no class has more than rows
    one = [1 << random.randrange(3) if word in starts else 0 for word in range(sum(widths))]
    bits = np.array([one] * table.n, np.uint64)
    bits = bits.reshape(table.n, sum(widths))
    sets = (book, keys, sizes, bits, widths, table.lo)
    k, l, limit = random.randint(1, 9), random.randint(1, 3), random.randint(0, 9)
    threads = Plain(random.randint(-1, 3))
    fuzz(_core, "suppressed_map", *sets, table.lo, table.hi, k, l, threads)
    index = fuzz(_core.HistogramIndex, "build", *sets, table.lo, table.hi, threads)
    if index is not None:
        ask_index(fuzz, table, index, (k, l, limit), bool(widths))
    crowds = (book, keys, sizes, spread_in(random, sizes), table.lo)
    by_persons = fuzz(_core.HistogramIndex, "build_by_persons", *crowds, table.lo, table.hi, threads)
    if by_persons is not None:
        ask_index(fuzz, table, by_persons, (k, l, limit), True)
    lazy = fuzz.made(_core.LazyHistograms, *sets, 1 << 16)
    if lazy is None:
        return
    visits = fuzz.made(_core.LazyVisits)
    fuzz(lazy, "suppressed", visits, table.node(), k, l)
    least = random.randint(0, sum(table.hi))
    fuzz(lazy, "lowest", visits, table.lo, table.hi, least, k, l, limit, threads)
    fuzz(lazy, "largest_k", table.node(), l, limit, 9)
    fuzz(lazy, "largest_l", table.node(), limit, 9)
    fuzz(lazy, "entries", table.node())
    fuzz(visits, "seen")
    fuzz.length(visits)
    fuzz.read(lazy, "bytes")
    fuzz.read(lazy, "evaluated")


def ask_index(
    fuzz: Fuzz, table: Table, index: Any, asked: tuple[int, int, int], sensitive: bool
) -> None:
    random, (k, l, limit) = fuzz.random, asked
    nodes, rows = fuzz.read(index, "nodes"), fuzz.read(index, "rows")
    fuzz.read(index, "size")
    fuzz.read(index, "priced")
    many = nodes if fuzz.rate == 0 else random.choice((nodes, 0, -1, 1, nodes + 5, 2**62, 2**63 - 1))
    visits = fuzz.made(_core.Visits, Plain(many))
    if visits is not None:
        fuzz(index, "suppressed", visits, table.node(), k, l)
        fuzz(index, "lowest", visits, table.hi, k, l, limit)
        fuzz(index, "lowest_from", visits, random.randint(0, 9), k, l, limit)
        fuzz(index, "seen", visits)
        fuzz.length(visits)
    fuzz(index, "largest_k", table.node(), l, limit, 9)
    fuzz(index, "largest_l", table.node(), limit, 9)
    fuzz(index, "entries", table.node())
    fuzz(index, "map", k, l)
    data = bytearray(fuzz(index, "dump"))
    if rows < 1 and fuzz.rate == 0:
        return  # an index of no rows is not kept
    if data and random.random() < fuzz.rate * 3:
        for _ in range(random.randint(1, 3)):
            data[random.randrange(len(data))] = random.randrange(256)
        data = data[: random.choice((len(data), random.randrange(len(data))))]
    row = sum(table.leaves)  # what the dearest row costs by the table's weights
    kept = (table.lo, table.hi, sensitive, rows, bytes(data), row if index.priced else None)
    again = fuzz(_core.HistogramIndex, "load", *kept)
    ask_losses(fuzz, table, index, row, asked)
    if again is not None:
        fuzz(again, "map", k, l)
        if again.nodes == index.nodes:
            fuzz(again, "lowest_from", _core.Visits(again.nodes), 0, k, l, limit)


def ask_losses(fuzz: Fuzz, table: Table, index: Any, row: int, asked: tuple[int, int, int]) -> None:
    k, l, limit = asked
    each = np.array([[fuzz.random.randint(0, 9)] for _ in range(index.nodes)], np.int64)
    ways: list[tuple[str, tuple[Any, ...]]] = [("by_squares", ()), ("alike", (each, each))]
    if index.priced or fuzz.rate > 0:
        ways.append(("by_cells", (row,)))
    for name, costs in ways:
        losses = fuzz(_core.NodeLosses, name, index, *costs)
        if losses is not None:
            visits = _core.Visits(index.nodes)
            fuzz(losses, "of", visits, table.node(), k, l)
            fuzz(losses, "cheapest", visits, table.hi, k, l, limit)
            fuzz(losses, "cheapest_from", visits, fuzz.random.randint(0, 9), k, l, limit)


def thresholds(fuzz: Fuzz) -> None:
    table = Table(fuzz)
    if table.keys is None:
        return
    random = fuzz.random
    labels, histograms, sets = (
        random.choice((1, 2)),
        random.choice(([], [2], [1, 3])),
        random.choice(([], [1])),
    )
    width = labels + sum(histograms) + sum(sets)
    counts = counts_of(random, table.n, width)
    diversity = random.randint(0, 2 if sets else 0)
    asked = (random.randint(1, 5), random.random() < 0.5, diversity, random.randint(0, 9))
    layout = (labels, histograms, sets, table.lo)
    threads = Plain(random.randint(-1, 3))
    fuzz(
        _core,
        "thresholds_box",
        table.book,
        table.keys,
        counts,
        *layout,
        table.lo,
        table.hi,
        *asked,
        threads,
    )
    tables = fuzz.made(_core.ThresholdTables, table.book, table.keys, counts, *layout, 1 << 20)
    of_persons(fuzz, table, asked[:2], threads)
    if tables is not None:
        for _ in range(2):
            fuzz(tables, "measure", table.node(), *asked)
        fuzz.read(tables, "bytes")
    groups, values = counts_of(random, random.randint(0, 4), 3), [[0, 1, 1], [2, 2, 2]]
    tree = np.array(values[: random.randint(1, 2)], np.int32)
    wide = np.concatenate([groups, groups], axis=1)
    fuzz(_core, "within", wide[:, 2:5], tree, [1, 1, 2], random.randint(0, 3), random.randint(1, 20))
    fuzz(_core, "least_gone", groups, tree, [1, 2, 1], random.randint(1, 4), random.random())
    fuzz(_core, "undominated", counts_of(random, random.randint(0, 5), random.randint(1, 3)))


def of_persons(fuzz: Fuzz, table: Table, asked: tuple[int, bool], threads: Plain) -> None:
    """Nodes at thresholds where persons have values in several combinations."""
    random, sizes = fuzz.random, counts_of(fuzz.random, table.n)
    crowds, width, sets = spread_in(random, sizes), random.choice((0, 2)), random.choice(([], [1]))
    pairs = crowds[1]
    values = np.array([[random.randrange(2), random.randint(1, 2)] for _ in pairs], np.int64)
    # As many rows as nobody has more: of one to ten the scale is a multiple.
    entries = np.ascontiguousarray(np.concatenate([pairs, values.reshape(-1, 2)], axis=1))
    entries[:, 3] = np.minimum(entries[:, 3], 10 // max(table.n, 1)).clip(1)
    weights = [counts_of(random, table.n, 2), counts_of(random, table.n, 2), sizes] if width else []
    bits = np.array([[random.randrange(4)] for _ in range(table.n)], np.int64).reshape(table.n, 1)
    counts = np.concatenate([sizes, *weights, *([bits] if sets else [])], axis=1)
    spread = (
        [width] if width else [],
        [3, 1] if width else [],
        2520,
        [entries] * (bool(width) + len(sets)),
    )
    layout = (table.book, table.keys, np.ascontiguousarray(counts), 1, [], sets, table.lo)
    wanted = (*asked, random.randint(0, 2 if sets else 0), random.randint(0, 9))
    fuzz(_core, "thresholds_box", *layout, table.lo, table.hi, *wanted, threads, crowds, spread)
    tables = fuzz.made(_core.ThresholdTables, *layout, 1 << 20, crowds, spread)
    if tables is not None:
        fuzz(tables, "measure", table.node(), *wanted)


def regions(fuzz: Fuzz) -> None:
    random = fuzz.random
    attributes, n = random.choice((0, 1, 2)), random.choice((0, 1, 4, 7))
    axes, domains = [], []
    for _ in range(attributes):
        values, kind = random.choice((1, 3)), random.randrange(3)
        domains.append(values)
        order = np.array([random.sample(range(values), values)], np.int32)
        if kind == 0:
            places = [list(range(values)), [place + (place == values - 1) for place in range(values)]]
            tabled = np.array(places, np.int64)
        elif kind == 1:
            tabled = counts_of(random, 1, values)
        else:
            tabled = np.array(
                [list(range(values)), [0] * values, [1] * values, [values] * values], np.int64
            )
        axes.append((kind, random.randint(0, 3), order, tabled))
    codes = np.array([[random.randrange(one) for one in domains] for _ in range(n)], np.int32)
    codes = codes.reshape(n, attributes)
    blocks = np.array([random.choice((0, 0, n - 1)) for _ in range(n)], np.int32).reshape(n, 1)
    counts = counts_of(random, n)
    persons = persons_in(random, counts)
    made = fuzz.made(_core.Regions, axes, codes, counts, blocks, persons)
    if made is None:
        return
    groups = blocks.astype(np.int64)
    judge = random.choice(
        (None, value_rules(fuzz, n), lambda members, begins, ends: np.ones(len(begins), np.bool_))
    )
    fuzz(made, "costs", groups)
    looks, threads = Plain(random.choice((0, 2000))), Plain(random.randint(-1, 3))
    near = fuzz(made, "neighbours", random.randint(0, 4), Plain(math.inf), looks, threads)
    seconds = Plain(random.choice((0.0, 1.0, -1.0, math.inf)))
    split = (random.randint(0, 5), random.random() < 0.5, random.random() < 0.5, random.randint(0, 3), 9)
    fuzz(made, "split", groups, *split, seconds, judge)
    if persons is None and n:
        some = np.array([[random.randrange(n)] for _ in range(random.randint(1, 3))], np.int32)
        part = fuzz(made, "part", some)
        if part is not None:
            fuzz(part, "costs", np.arange(len(some))[:, None])
    if near is None:
        return
    near = near.reshape(n, near.shape[1] if near.ndim == 2 else 0)
    again = fuzz.made(_core.Regrouping, made, groups, random.randint(0, 5), near, 1, judge)
    if again is not None:
        fuzz(again, "gather")
        fuzz(
            again, "run", Plain(random.choice((-1, 0, 20))), Plain(1.0), Plain(random.choice((0.0, 0.5)))
        )
        fuzz(again, "groups")
        fuzz.read(again, "cost")
        fuzz.read(again, "heat")


def value_rules(fuzz: Fuzz, n: int) -> Any:
    """Rules about two to four values of each combination, or None where they are refused."""
    random, width = fuzz.random, fuzz.random.randint(2, 4)
    rules = fuzz.made(_core.ValueRules, counts_of(random, n, width))
    if rules is None:
        return None
    fuzz(rules, "add_distinct", [0, 1], random.randint(0, 3))
    fuzz(rules, "add_share", 1, [0, 1], random.randint(0, 3), 3)
    edges = np.array([[0, 1]], np.int32)
    fuzz(rules, "add_close", random.randint(0, width - 2), edges, [1, 1], random.randint(0, 3), 3)
    members = np.arange(n, dtype=np.int32)[:, None]
    begins, ends = np.zeros((2, 1), np.int64), np.array([[n], [n // 2]], np.int64)
    fuzz(rules, "judged", members, begins, ends)
    return rules


def risk(fuzz: Fuzz) -> None:
    random = fuzz.random
    attributes, n = random.choice((1, 2, 5)), random.choice((0, 1, 4, 80))
    codes = [[random.randint(-1, 3) for _ in range(attributes)] for _ in range(n)]
    scores = [1.0] * random.randint(1, attributes)
    words = Plain(random.choice((0, 100, 1 << 20)))
    codes = np.array(codes, np.int32).reshape(n, attributes)
    fuzz(_core, "suda", codes, counts_of(random, n) + 1, scores, Plain(random.randint(-1, 3)), words)


def cells(fuzz: Fuzz) -> None:
    random = fuzz.random
    columns, n = random.choice((1, 2, 3)), random.choice((0, 1, 4, 9))
    codes = np.array([[random.randrange(3) for _ in range(columns)] for _ in range(n)], np.int32)
    whole = (1 << columns) - 1
    known = [random.randint(1, whole) for _ in range(random.choice((1, 2)))]
    weights = [random.randint(0, 3) for _ in range(columns)]
    seconds = Plain(random.choice((0.0, 1.0, -1.0, math.inf)))
    rows = counts_of(random, n) + 1
    given = (codes.reshape(n, columns), rows, weights, known)
    some = (random.choice((whole, whole, 1)), random.randint(1, 4), random.randint(1, 5))
    blanks = np.where([[random.random() < 0.3 for _ in range(columns)] for _ in range(n)], -1, codes)
    asked = [random.randrange(n) for _ in range(min(n, 3))]
    shown = blanks.reshape(n, columns).astype(np.int32)
    fuzz(_core, "enough_alike", shown, rows, some[1], asked, persons_in(random, rows))
    made = fuzz.made(
        _core.CellChoices, *given, *some, random.random() < 0.5, seconds, persons_in(random, rows)
    )
    if made is None:
        return
    for name in ("outstanding", "complete", "bound"):
        fuzz.read(made, name)
    if fuzz.read(made, "hopeless"):
        return
    steps, heat = Plain(random.choice((-1, 0, 20))), (Plain(1.0), Plain(random.choice((0.0, 0.5))))
    blanking = fuzz.made(_core.Blanking, made, 1)
    if blanking is not None:
        masks = np.array([[random.randint(0, whole) & some[0]] for _ in range(n)], np.uint64)
        fuzz(blanking, "begin", random.choice((None, masks.reshape(n, 1))), seconds)
        fuzz(blanking, "run", steps, *heat, seconds)
        fuzz(blanking, "settle", seconds)
        fuzz(blanking, "masks")
        fuzz.read(blanking, "cost")
    helping = fuzz.made(_core.Helping, made, 1, seconds)
    if helping is not None:
        fuzz(helping, "run", steps, *heat, seconds)
        for name in ("settle", "masks", "model"):
            fuzz(helping, name)
        for name in ("cost", "whole"):
            fuzz.read(helping, name)


def cuts(fuzz: Fuzz) -> None:
    random = fuzz.random
    attribute, parent, weight = [0, 0, 0, 1, 1, 1, 1], [-1, 0, 0, -1, 3, 3, 3], [2, 0, 0, 3, 0, 0, 0]
    n = random.choice((1, 3, 6))
    leaves = np.array([[random.choice((1, 2)), random.choice((4, 5, 6))] for _ in range(n)], np.int32)
    rows = counts_of(random, n).reshape(-1)
    scheme = random.randrange(5)
    persons = persons_in(random, rows)
    # Without weights persons go with k alone.
    columns = random.choice((1, 1, 2)) if persons is None else 0
    limits = [(1, 2, column, 0) for column in range(columns) for _ in range(2)]
    limits = np.array(limits, np.int64).reshape(len(limits), 4)
    pairs = [(a, 2 + b) for a in range(2) for b in range(2)] if columns == 2 and scheme == 2 else []
    labels = random.choice((0, 2))
    size_part, class_part = random.randrange(3), random.randrange(3) if labels else 0
    class_part = 0 if pairs and class_part == 1 else class_part  # nor does the Python side ask for it
    joint = scheme == 2 and class_part == 1 and columns > 0
    cells = spread(random, rows, columns, labels, bool(pairs), joint)
    below = [int(rows.sum())] * 7
    tabled = [int(rows.sum()) + 1 and 2 * size for size in range(int(rows.sum()) + 1)]
    most = random.choice((0, 1, 3, 2**60))
    question = fuzz.made(
        _core.CutQuestion,
        *(attribute, parent, weight, below, leaves, rows, cells, scheme, random.randint(0, 3), limits),
        np.array(pairs, np.int32).reshape(len(pairs), columns),
        *(labels, joint, 1, 5, 1, size_part, class_part, tabled, list(tabled)),
        most,
        persons,
    )
    tallied = np.array([random.randint(0, 4) for _ in range(4)], np.int64)
    two = np.array([[1, 2, column, 0] for column in range(2) for _ in range(2)], np.int64)
    fuzz(_core, "keep_jointly", two, np.array([(0, 2), (0, 3), (1, 2), (1, 3)], np.int32), tallied)
    if question is None:
        return
    fuzz.read(question, "gave_up")
    walk = fuzz.made(_core.CutWalk, question)
    if walk is not None:
        fuzz(walk, "measure", random.choice(([], [0], [3], [0, 3])))
        for name, steps in (("if_down", fuzz.read(walk, "down")), ("if_up", fuzz.read(walk, "up"))):
            for value in steps if fuzz.rate == 0 else [*steps, 1]:
                fuzz(walk, name, value)
        fuzz(walk, "good_start", 1, Plain(3), Plain(0.1))
        # The other schemes have no number of distinct values.
        diverse = (scheme < 2 and persons is None) or fuzz.rate > 0
        fuzz(
            question, "ask", random.randint(0, 3), limits, random.choice((0, 0, 1, 2)) if diverse else 0
        )
        fuzz(walk, "go_on", [0], random.choice((0, 3)), 1, Plain(2), Plain(0.1))
        fuzz(walk, "reached")
    annealing = fuzz.made(_core.Annealing, question, 1, Plain(random.choice((1, 20))))
    if annealing is not None:
        fuzz(annealing, "run", Plain(10))
        fuzz(annealing, "best")
    limited = scheme > (0 if most else 2) and most < rows.sum()
    techniques = [random.random() < 0.5 for _ in range(7)]
    search = fuzz.made(
        _core.CutSearch,
        question,
        Plain(random.randint(1, 3)),
        0,
        *techniques,
        Plain(random.randint(-1, 2)),
        # What is not limited has no premium.
        *(random.choice((0, 1)) if limited or fuzz.rate else 0, random.random() < 0.5),
    )
    if search is not None:
        fuzz(search, "offer", 10**6, [0])
        fuzz(search, "run", Plain(0.5), Plain(random.choice((1, 200))))
        fuzz(search, "best")
        fuzz.read(search, "bound")
        fuzz.read(search, "examined")
        if walk is not None and fuzz.rate:
            fuzz(walk, "measure", [0])
            fuzz(annealing, "run", Plain(10))


def spread(random: Random, rows: Any, columns: int, labels: int, pairs: bool, joint: bool) -> list[Any]:
    """Return how the rows of combinations are spread over values, labels and pairs of values."""
    counted: dict[tuple[int, int], int] = {}
    for i, many in enumerate(rows):
        for _ in range(many):
            values = [random.randrange(2) for _ in range(columns)]
            slots = [2 * column + value for column, value in enumerate(values)]
            if labels:
                label = random.randrange(labels)
                slots.append(2 * columns + label)
                if joint:
                    slots.append(2 * columns + labels + labels * values[0] + label)
            if pairs:
                slots.append(2 * columns + labels + 2 * values[0] + values[1])
            for slot in slots:
                counted[i, slot] = counted.get((i, slot), 0) + 1
    at = np.array([i for i, _ in counted], np.int64)
    slots_of = np.array([slot for _, slot in counted], np.int32)
    return [(at, slots_of, np.array(list(counted.values()), np.int64))]


def covers(fuzz: Fuzz) -> None:
    random = fuzz.random
    n, domains = random.choice((0, 1, 5)), [random.choice((1, 3)) for _ in range(random.choice((1, 2)))]
    axes = []
    for values in domains:
        codes = np.array([range(values), [0] * values], np.int32)[: random.choice((1, 2))]
        axes.append((codes, np.arange(codes.size, dtype=np.int64).reshape(codes.shape)))
    values = np.array([[random.randrange(one) for one in domains] for _ in range(n)], np.int32)
    fuzz(
        _core,
        "cheapest_covers",
        axes,
        values.reshape(n, len(domains)),
        counts_of(random, n),
        counts_of(random, n),
        np.array([[1], [3]])[: random.choice((1, 2))],
        random.randint(0, 5),
        Plain(random.randint(-1, 3)),
        Plain(random.choice((0.0, 1.0, math.inf))),
    )
    fuzz(
        _core,
        "near_covers",
        axes,
        values.reshape(n, len(domains)),
        counts_of(random, n),
        counts_of(random, n),
        random.choice((1, 3, 2**62)),
        random.randint(0, 5),
        counts_of(random, n),
        np.array([random.randint(-1, n - 1) for _ in range(n)], np.int32).reshape(n, 1),
        random.randint(-1, 9),
        Plain(random.randint(-1, 3)),
        Plain(random.choice((0.0, 1.0, math.inf))),
    )
    fuzz(
        _core,
        "shared_covers",
        axes,
        values.reshape(n, len(domains)),
        counts_of(random, n),
        random.choice((1, 3, 2**62)),
        random.randint(0, 5),
        [100, 10][: random.randint(0, 2)],
        random.choice((0, 10**6)),
        Plain(random.choice((0.0, 1.0, math.inf))),
    )


WAYS = (lattice, order, negotiation, thresholds, regions, covers, cells, cuts, risk)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False), st.sampled_from([0.01, 0.05, 0.2]))
def test_what_is_wrong_is_refused_and_never_a_crash(way, random, rate):
    way(Fuzz(random, rate))


def test_every_entry_point_is_tried_and_takes_what_is_right():
    fuzz = Fuzz(Random(1), 0)
    for _ in range(40):
        for way in WAYS:
            way(fuzz)
    entries = set()
    for name, found in vars(_core).items():
        if isinstance(found, type):
            members = [
                one for one in vars(found) if not one.startswith("_") or one in {"__init__", "__len__"}
            ]
            entries |= {f"{name}.{one}" for one in members}
        elif callable(found) and not name.startswith("_"):
            entries.add(name)
    made = {"HistogramIndex.__init__", "NodeLosses.__init__"}  # by functions of theirs alone
    assert entries - made <= fuzz.called


def test_as_many_threads_as_numbers_go_are_not_started():
    book = _core.Codebook([np.zeros((2, 1), np.int32)])
    keys, counts = book.pack(np.zeros((1, 1), np.int32)), np.ones((1, 1), np.int64)
    assert len(book.measure_box(keys, counts, [0], [0], [1], [0], 0, 2**31 - 1)) == 2


@pytest.mark.parametrize(
    "counts", [[-1, 5], [2**62, 2**62], [2**63 - 1, 1]], ids=["less", "more", "most"]
)
def test_counts_that_are_none_are_refused(counts):
    book = _core.Codebook([np.arange(2, dtype=np.int32)[None]])
    keys, given = book.pack(np.arange(2, dtype=np.int32)[:, None]), np.array(counts, np.int64)[:, None]
    no_bits = np.empty((2, 0), np.uint64)
    nobody = np.zeros((2, 1), np.int64), np.zeros((0, 2), np.int64)
    for call in (
        lambda: _core.aggregate(keys, given),
        lambda: book.measure(keys, given, [0], 10),
        lambda: _core.ClassTables(book, keys, given, [0], 10, 1000),
        lambda: _core.HistogramIndex.build(book, keys, given, no_bits, [], [0], [0], [0], 1),
        lambda: _core.HistogramIndex.build_by_persons(book, keys, given, nobody, [0], [0], [0], 1),
        lambda: _core.LazyHistograms(book, keys, given, no_bits, [], [0], 1000),
        lambda: _core.ThresholdTables(book, keys, given, 1, [], [], [0], 1000),
    ):
        with pytest.raises(ValueError, match=r"negative|too many rows"):
            call()
