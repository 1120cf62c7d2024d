"""The taxonomies of all quasi attributes, reduced to the labels that make different cuts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
import numpy.typing as npt

from shoal.describe.hierarchies import Hierarchy, Label, Taxonomy
from shoal.errors import InputError, show
from shoal.numbers import writable


@dataclass(frozen=True)
class Branches:
    """One attribute's taxonomy between two levels: a tree, or several if the root is above them.

    `values` gives each value of the data its leaf; `rows` how many rows have it; `covered` how many of the
    hierarchy's leaves lie below each label.
    """

    name: str
    trees: tuple[Taxonomy, ...]
    values: tuple[Label, ...]
    rows: tuple[int, ...]
    covered: Mapping[Label, int]
    leaves: int

    @classmethod
    def of(
        cls,
        name: str,
        hierarchy: Hierarchy,
        domain: Sequence[Label],
        rows: Sequence[int],
        lo: int = 0,
        hi: int | None = None,
    ) -> Branches:
        """Return the branches of a hierarchy from level `lo` to level `hi`."""
        if None in domain:
            hierarchy = hierarchy.with_missing()
        hierarchy.tree()  # refuses labels that name two groups
        top = hierarchy.height if hi is None else hi
        between = list(dict.fromkeys(row[lo : top + 1] for row in hierarchy.rows()))
        trees = Taxonomy.grow(between)
        named: set[Label] = set()
        for node in (node for tree in trees for node in tree.walk()):
            if node.label in named:  # a padding label that the lowest level turned into a leaf
                raise InputError(
                    f"from level {lo} on the label {show(node.label)} of {show(name)} names two different "
                    "groups of values; give each its own label, or lower min_level",
                    file=hierarchy.source,
                )
            named.add(node.label)
        below = dict(zip(hierarchy.labels[lo], hierarchy.covered[lo].tolist(), strict=True))
        # By the tree, not by the levels: a label may also be above a single leaf, as padding.
        covered = {
            node.label: sum(below[leaf] for leaf in node.leaves)
            for tree in trees
            for node in tree.walk()
        }
        shown = dict(zip(hierarchy.leaves, (row[lo] for row in hierarchy.rows()), strict=True))
        return cls(
            name,
            trees,
            tuple(shown[value] for value in domain),
            tuple(rows),
            covered,
            len(hierarchy.leaves),
        )

    @cached_property
    def below(self) -> dict[Label, int]:
        """How many rows are below each label; labels without rows are omitted."""
        at_leaf: dict[Label, int] = {}
        for leaf, rows in zip(self.values, self.rows, strict=True):
            at_leaf[leaf] = at_leaf.get(leaf, 0) + rows
        result: dict[Label, int] = {}
        for tree in self.trees:
            for node in tree.walk():
                if rows := sum(at_leaf.get(leaf, 0) for leaf in node.leaves):
                    result[node.label] = rows
        return result

    def shown(self, labels: Collection[Label]) -> npt.NDArray[np.int64]:
        """Return the place, among a cut's labels, of the label that each value is released as."""
        place = {label: i for i, label in enumerate(labels)}
        nodes = [node for tree in self.trees for node in tree.walk() if node.label in place]
        of = {leaf: place[node.label] for node in nodes for leaf in node.leaves}
        return np.array([of[leaf] for leaf in self.values], dtype=np.int64)


@dataclass(frozen=True)
class Forest:
    """The branches of all attributes, numbered for the kernels: attribute by attribute, parents first.

    Labels without rows are omitted: however they are cut, the release is the same. With `merged`, a label
    with rows below only one child is omitted too: the groups are the same, and the child is at least as good
    under any monotone metric.
    """

    branches: tuple[Branches, ...]
    merged: bool = True

    @property
    def space(self) -> int:
        """How many cuts there are in all."""
        return writable(prod(tree.cuts for branch in self.branches for tree in branch.trees))

    @cached_property
    def nodes(self) -> tuple[tuple[int, Taxonomy, int], ...]:
        """The attribute, the taxonomy node and the parent's number (or -1) of every numbered node."""
        found: list[tuple[int, Taxonomy, int]] = []

        def add(a: int, node: Taxonomy, parent: int) -> None:
            inside = self._inside(a, node)
            while self.merged and len(inside) == 1:
                node = inside[0]
                inside = self._inside(a, node)
            found.append((a, node, parent))
            here = len(found) - 1
            for child in inside:
                add(a, child, here)

        for a, branch in enumerate(self.branches):
            for tree in branch.trees:
                if tree.label in branch.below:
                    add(a, tree, -1)
        return tuple(found)

    def _inside(self, a: int, node: Taxonomy) -> list[Taxonomy]:
        return [child for child in node.children if child.label in self.branches[a].below]

    @cached_property
    def number(self) -> dict[tuple[int, Label], int]:
        """The number of an attribute's label."""
        return {(a, node.label): i for i, (a, node, _) in enumerate(self.nodes)}

    def leaves(self, codes: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return the leaf numbers of combinations given as domain codes."""
        result = np.empty(codes.shape, dtype=np.int32)
        for a, branch in enumerate(self.branches):
            table = np.array([self.number[a, leaf] for leaf in branch.values], dtype=np.int32)
            result[:, a] = table[codes[:, a]]
        return result

    def cut(self, specialized: Collection[int]) -> dict[str, tuple[Label, ...]]:
        """Return the labels of the cut that specializes just these nodes."""
        chosen = frozenset(specialized)
        return {
            branch.name: tuple(label for tree in branch.trees for label in self._labels(a, tree, chosen))
            for a, branch in enumerate(self.branches)
        }

    def _labels(self, a: int, node: Taxonomy, specialized: frozenset[int]) -> Iterator[Label]:
        here = self.number.get((a, node.label))
        if node.label not in self.branches[a].below or (here is not None and here not in specialized):
            yield node.label
            return
        for child in node.children:
            yield from self._labels(a, child, specialized)

    def specialized(self, cut: Mapping[str, Collection[Label]]) -> list[int]:
        """Return which nodes a cut specializes: those above its labels.

        A cut at a label that was omitted because one child has all its rows counts as a cut at that child.
        """
        result = []
        for i, (a, node, _) in enumerate(self.nodes):
            labels = set(cut[self.branches[a].name])
            if any(inner.label in labels for child in node.children for inner in child.walk()):
                result.append(i)
        return result
