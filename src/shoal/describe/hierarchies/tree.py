"""A hierarchy as a tree, for recodings that cut each branch at its own height."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from shoal.describe.hierarchies.levels import Hierarchy, Label
from shoal.errors import InputError, show


@dataclass(frozen=True)
class Taxonomy:
    """A node of a tree of values; the tree is its root node.

    >>> t = Taxonomy.from_rows([("a", "x", "*"), ("b", "x", "*"), ("c", "c", "*")])
    >>> [child.label for child in t.children], t.cuts
    (['x', 'c'], 3)
    """

    label: Label
    children: tuple[Taxonomy, ...] = ()

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[Label]], source: str = "the hierarchy") -> Taxonomy:
        """Return the tree of rows that go from a leaf to the root.

        A node with a single child is that child. Two nodes with the same label are refused: nobody could tell
        them apart in a released table.
        """
        sound = Hierarchy.from_rows(rows, source).rows()
        (tree,) = cls.grow(sound)
        seen: dict[Label, Taxonomy] = {}
        for node in tree.walk():
            if seen.setdefault(node.label, node) is not node:
                raise _ambiguous(node.label, source)
        # Check the labels of omitted nodes too, except paddings, which are labels of nodes above them.
        inside = {label: frozenset(node.leaves) for label, node in seen.items()}
        for row in sound:
            for label in row:
                if row[0] not in inside.get(label, row):
                    raise _ambiguous(label, source)
        return tree

    @classmethod
    def grow(cls, rows: Sequence[Sequence[Label]]) -> tuple[Taxonomy, ...]:
        """Return the trees of rows that were checked before: one tree per label in the last column."""
        roots: dict[Label, list[tuple[Label, ...]]] = {}
        for row in rows:
            roots.setdefault(row[-1], []).append(tuple(reversed(row)))
        return tuple(_grow(paths, 0) for paths in roots.values())

    @cached_property
    def leaves(self) -> tuple[Label, ...]:
        """The leaf values below this node; a leaf has its own."""
        if not self.children:
            return (self.label,)
        return tuple(leaf for child in self.children for leaf in child.leaves)

    @cached_property
    def cuts(self) -> int:
        """In how many ways the tree can be cut: here, or each child's branch in any of its ways."""
        if not self.children:
            return 1
        return 1 + prod(child.cuts for child in self.children)

    def walk(self) -> Iterator[Taxonomy]:
        """Yield this node and all nodes below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


def _ambiguous(label: Label, source: str) -> InputError:
    return InputError(
        f"the label {show(label)} names two different groups of values; give each its own label",
        file=source,
    )


def _grow(paths: list[tuple[Label, ...]], depth: int) -> Taxonomy:
    """Return the tree of paths from the root that share their first `depth + 1` labels."""
    below: dict[Label, list[tuple[Label, ...]]] = {}
    for path in paths:
        if len(path) > depth + 1:
            below.setdefault(path[depth + 1], []).append(path)
    children = tuple(_grow(group, depth + 1) for group in below.values())
    if len(children) == 1:
        return children[0]
    return Taxonomy(paths[0][depth], children)
