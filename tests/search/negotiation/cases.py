"""Random tables with sensitive columns, and every answer of a negotiation by brute force over their rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from hypothesis import strategies as st

from shoal.data.person_rows import PersonRows
from shoal.data.tally import Node, Problem, Tally
from shoal.metrics import LM
from shoal.search.lattice.value_sets import ValueSets, value_sets
from shoal.search.negotiation.bottom_classes import BottomClasses
from shoal.search.negotiation.counted_losses import CountedLosses
from shoal.search.negotiation.histograms import HistogramsOnDemand, IndexedHistograms
from shoal.search.negotiation.index_losses import lm_losses
from shoal.search.negotiation.indexed_persons import IndexedPersons, PersonLosses
from shoal.search.negotiation.negotiator import Negotiator, Rows
from shoal.search.negotiation.person_histograms import PersonHistograms
from shoal.search.negotiation.request import LatticeShape
from tests.oracles import all_nodes, losses_without
from tests.strategies import hierarchies, packed, packed_rows, problem_of


@dataclass(frozen=True)
class Case:
    """A problem with, for every row, its combination and its sensitive values (None is missing)."""

    problem: Problem
    rows: tuple[tuple[int, tuple[int | None, ...]], ...]
    columns: int
    spread: int = 1
    """Sensitive value v has the bit v * spread, so that sets may need several words."""
    persons: tuple[int, ...] | None = None
    """Whose each row is; by default every row is a person's own."""

    @property
    def shape(self) -> LatticeShape:
        names = tuple(f"s{c}" for c in range(self.columns))
        problem = self.problem
        return LatticeShape(problem.names, problem.bottom, problem.top, problem.rows, names)

    @property
    def sets(self) -> ValueSets:
        width = (5 * self.spread) // 64 + 1
        bits = np.zeros((len(self.problem.counts), width * self.columns), dtype=np.uint64)
        for combination, values in self.rows:
            for c, value in enumerate(values):
                if value is not None:
                    word, bit = divmod(value * self.spread, 64)
                    bits[combination, c * width + word] |= np.uint64(1 << bit)
        return ValueSets(bits, (width,) * self.columns)

    @property
    def ground(self) -> BottomClasses:
        return BottomClasses(self.problem, self.sets)

    @property
    def tally(self) -> Tally:
        """The combinations with their sensitive values."""
        names = tuple(f"s{c}" for c in range(self.columns))
        domain = (*"01234", None)
        cells = [
            [len(domain) - 1 if value is None else value for value in values] for _, values in self.rows
        ]
        whose = None
        if self.persons is not None:
            nobody, each = np.zeros(len(self.rows), dtype=np.int64), np.arange(len(self.rows))
            whose = PersonRows.listed(nobody, each, np.array(self.persons), np.ones_like(each))
        return Tally(
            self.problem.names,
            tuple(tuple(map(str, range(ladder.codes.shape[1]))) for ladder in self.problem.ladders),
            self.problem.codes,
            self.problem.counts,
            names,
            (domain,) * self.columns,
            np.array([combination for combination, _ in self.rows], dtype=np.int64),
            np.array(cells, dtype=np.int32).reshape(len(self.rows), self.columns),
            np.ones(len(self.rows), dtype=np.int64),
            persons=whose,
        )

    def by_persons(self) -> Negotiator:
        """A session that counts persons."""
        counted = PersonHistograms(self.problem, self.tally, self.shape)
        return Negotiator(self.shape, counted, self.opened)

    def indexed_by_persons(self, threads: int = 1) -> Negotiator:
        """A session over all histograms by persons; what is about l is counted."""
        ground, shape = BottomClasses(self.problem, value_sets(self.tally, ())), self.shape
        index = ground.index(threads)
        held = IndexedPersons(
            index, self.problem.people, shape, lambda: PersonHistograms(self.problem, self.tally, shape)
        )
        lm = LM(self.problem)
        counted = CountedLosses(shape, held, self.problem, self.tally, lm)
        told = lm_losses(index, ground.lm.unit, ground.lm.row)
        return Negotiator(shape, held, self.opened, PersonLosses(told, lambda: counted))

    def indexed(self, threads: int = 1) -> Negotiator:
        """A session over all histograms, with the losses by LM in them."""
        ground = self.ground
        index = ground.index(threads)
        lm = lm_losses(index, ground.lm.unit, ground.lm.row)
        return Negotiator(self.shape, IndexedHistograms(index), self.opened, lm)

    def lazy(self, budget: int = 1 << 20, threads: int = 1) -> Negotiator:
        """A session that counts what it is asked for."""
        shape = self.shape
        return Negotiator(shape, HistogramsOnDemand(self.ground, shape, budget, threads), self.opened)

    def opened(self, kind=None) -> Rows:
        """What a study gives that is opened."""
        return Rows(self.tally, {}, self.problem)

    def classes(self, node: Node) -> dict[tuple[int, ...], tuple[int, int]]:
        """The size and the distinct values of every class of a node, from the rows."""
        return {
            key: (
                len({person for person, _ in rows}),
                min((different(rows, c) for c in range(self.columns)), default=0),
            )
            for key, rows in self.members(node).items()
        }

    def members(self, node: Node) -> dict[tuple[int, ...], list[tuple[int, tuple[int | None, ...]]]]:
        """The rows of every class of a node: whose each is, and its sensitive values."""
        members: dict[tuple[int, ...], list[tuple[int, tuple[int | None, ...]]]] = {}
        persons = range(len(self.rows)) if self.persons is None else self.persons
        for (combination, values), person in zip(self.rows, persons, strict=True):
            codes = self.problem.codes[combination]
            key = tuple(
                int(ladder.codes[level, code])
                for ladder, level, code in zip(self.problem.ladders, node, codes, strict=True)
            )
            members.setdefault(key, []).append((person, values))
        return members

    def suppressed(self, node: Node, k: int | None, l: int | None) -> int:
        members = self.members(node)
        sizes = self.classes(node).items()
        return sum(
            len(members[key])
            for key, (size, distinct) in sizes
            if size < (k or 1) or distinct < (l or 0)
        )


def different(rows: list, column: int) -> int:
    """How many values of a column can be given to as many different persons, by trying all ways."""
    held: dict[int, set] = {}
    for person, values in rows:
        held.setdefault(person, set()).add(values[column])
    if len(held) == len(rows):
        return len(set().union(*held.values()) - {None})
    reached = {frozenset()}
    for own in held.values():
        reached |= {some | {value} for some in reached for value in own - {None}}
    return max(map(len, reached))


def case_of(problem: Problem) -> Case:
    """A problem without sensitive columns as a case."""
    counts = enumerate(problem.counts.tolist())
    return Case(problem, tuple((i, ()) for i, rows in counts for _ in range(rows)), 0)


def brute_force(
    case: Case, k, l, top: Node, limit: int, prefer: str = "loss", metric: str = "LM"
) -> dict:
    """The document of the contract, from every node of the lattice."""
    nodes = all_nodes(case.problem)
    classes = {node: case.classes(node) for node in nodes}
    members = {node: case.members(node) for node in nodes}
    rows = case.problem.rows

    def suppressed(node, k, l):
        return frozenset(
            key for key, (s, distinct) in classes[node].items() if s < (k or 1) or distinct < (l or 0)
        )

    @cache
    def gone(node, k, l):
        return sum(len(members[node][key]) for key in suppressed(node, k, l))

    @cache
    def lost(node, keys):
        return losses_without(case.problem, node, keys, (metric,))[metric]

    def accepted(node, k, l, limit):
        # A node at which every row goes releases nothing.
        return gone(node, k, l) <= limit and gone(node, k, l) < rows

    def offer(node, k, l):
        privacy = {name: value for name, value in (("k", k), ("l", l)) if value is not None}
        named = dict(zip(case.problem.names, node, strict=True))
        shown = {"node": named, "height": sum(node), **privacy, "suppressed": gone(node, k, l)}
        if case.persons is not None:
            keys = suppressed(node, k, l)
            kept = {p for key, of in members[node].items() if key not in keys for p, _ in of}
            shown["suppressed_persons"] = len(set(case.persons) - kept)
        loss = lost(node, suppressed(node, k, l))
        if metric == "Height":
            most = sum(ladder.height for ladder in case.problem.ladders)
        else:
            most = lost(node, frozenset(classes[node]))
        return shown | {"loss": float(loss), "share": float(loss / most) if most else 0.0}

    def best(candidates, k, l):
        def rank(node):
            least = lost(node, suppressed(node, k, l)) if prefer == "loss" else 0
            return least, sum(node), gone(node, k, l), node

        found = min(map(rank, candidates), default=None)
        return None if found is None else offer(found[-1], k, l)

    within = [node for node in nodes if all(x <= y for x, y in zip(node, top, strict=True))]
    exact = best([node for node in within if accepted(node, k, l, limit)], k, l)
    if exact is not None:
        return {"exact": exact, "suggestions": None}
    some = [node for node in within if gone(node, k, l) < rows]
    fewest = min((gone(node, k, l) for node in some), default=None)
    suppression = best([node for node in some if gone(node, k, l) == fewest], k, l)
    high = [node for node in nodes if sum(node) >= sum(top) and accepted(node, k, l, limit)]
    lowest = min(map(sum, high), default=None)
    height = best([node for node in high if sum(node) == lowest], k, l)
    ks = [None] if k is None else range(min(k, rows), 0, -1)
    ls = [None] if l is None else range(min(l, rows), 0, -1)
    privacy = None
    for less_l in ls:  # l first, then k
        for less_k in ks:
            if privacy is None:
                privacy = best([n for n in within if accepted(n, less_k, less_l, limit)], less_k, less_l)
    return {
        "exact": None,
        "suggestions": {"suppression": suppression, "height": height, "privacy": privacy},
    }


@st.composite
def cases(draw: st.DrawFn, most_attributes: int = 3, most_rows: int = 20, persons: bool = False) -> Case:
    """A random table with up to two sensitive columns, some values missing, some rows of one person."""
    attributes, columns, count = packed(draw, (most_attributes, 3, most_rows))
    trees = [draw(hierarchies(most_leaves=5, most_levels=3)) for _ in range(attributes + 1)]
    values = (0, 1, 2, 3, 4, 0, 1, None)
    sizes = [*(len(tree.leaves) for tree in trees), 3, *[len(values)] * columns]
    table, sensitive = [], []
    for codes in packed_rows(draw, count + 1, sizes):
        label = codes[len(trees)]
        table.append((*(tree.leaves[code] for tree, code in zip(trees, codes, strict=False)), label))
        sensitive.append(tuple(values[code] for code in codes[len(trees) + 1 :]))
    problem = problem_of(trees, table, draw)
    domains = [sorted({row[a] for row in table}) for a in range(len(trees))]
    place = {tuple(codes): i for i, codes in enumerate(problem.codes.tolist())}
    rows = tuple(
        (place[tuple(domains[a].index(v) for a, v in enumerate(row[:-1]))], values)
        for row, values in zip(table, sensitive, strict=True)
    )
    found = Case(problem, rows, columns, draw(st.sampled_from([1, 13, 40])))
    if not persons:
        return found
    most = 1 + packed(draw, [len(rows)])[0]
    found = replace(found, persons=tuple(packed(draw, [most] * len(rows))))
    return replace(found, problem=replace(problem, persons=found.tally.in_combinations))


@st.composite
def requests(draw: st.DrawFn, case: Case) -> dict:
    """Constraints on a case: k, l or both, heights for some attributes, some rows suppressed."""
    rows, ladders = case.problem.rows, case.problem.ladders
    sizes = (rows + 2, 6, 3 if case.columns else 1, rows + 1)
    k, l, both, max_suppressed = packed(draw, sizes)
    levels = packed(draw, [2 * (ladder.hi - ladder.lo + 1) for ladder in ladders])
    heights = {
        ladder.name: ladder.lo + level // 2
        for ladder, level in zip(ladders, levels, strict=True)
        if level % 2
    }
    return {
        "k": None if both == 1 else k + 1,
        "l": None if both == 0 else l + 1,
        "heights": heights,
        "max_suppressed": max_suppressed,
    }
