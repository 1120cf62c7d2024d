"""A hierarchy as a tree to draw: each node with the number of rows below it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.describe.hierarchies import Hierarchy, Label

Node = dict[str, Any]


def tree_of(hierarchy: Hierarchy, counts: Mapping[Label, int]) -> Node:
    """Return the root as a document: label, level, rows, leaves, and children.

    A node with a single child of the same label is that child, so padding is not drawn; `level` is the
    lowest that has the label.

    >>> tree = tree_of(Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*")]), {"a": 2, "b": 3})
    >>> tree["children"][0]["label"], tree["children"][0]["rows"]
    ('x', 5)
    """
    return _node(hierarchy.rows(), hierarchy.height, counts)


def _node(rows: list[tuple[Label, ...]], level: int, counts: Mapping[Label, int]) -> Node:
    label = rows[0][level]
    while level and all(row[level - 1] == label for row in rows):
        level -= 1
    below: dict[Label, list[tuple[Label, ...]]] = {}
    if level:
        for row in rows:
            below.setdefault(row[level - 1], []).append(row)
    return {
        "label": label,
        "level": level,
        "rows": sum(counts.get(row[0], 0) for row in rows),
        "leaves": len(rows),
        "children": [_node(group, level - 1, counts) for group in below.values()],
    }
