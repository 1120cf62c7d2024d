"""A hierarchy as a tree: to draw with the rows below each node, and as an outline to edit."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.data.files.codebook import Variable
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.errors import InputError

Node = dict[str, Any]
MOST_CHILDREN = 300
"""Children of one node that are sent to the page; nobody can take in more."""
MOST_NODES = 2000
"""Nodes sent at once; deeper ones follow when they are unfolded."""


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


def labelled(tree: Node, labels: Mapping[str, str]) -> Node:
    """Return a tree whose values are shown with their labels.

    >>> leaf = {"label": "1", "level": 0, "children": []}
    >>> labelled({"label": "*", "level": 1, "children": [leaf]}, {"1": "Male"})["children"][0]["label"]
    '1 (Male)'
    """
    if not labels:
        return tree
    shown = tree["label"]
    if tree["level"] == 0 and shown is not None:
        shown = Variable("", values=labels).shown(shown)
    return {**tree, "label": shown, "children": [labelled(one, labels) for one in tree["children"]]}


@dataclass(frozen=True)
class OutlineSpot:
    """A node of the outline; its label spans the levels from `lowest` to `highest`."""

    label: Label
    lowest: int
    highest: int
    siblings: tuple[Label, ...]
    leaves: int


def spots(tree: Node) -> dict[str, OutlineSpot]:
    """Return all nodes by place: "0" is the root, "0.2" its third child.

    >>> leaf = {"label": "a", "level": 0, "leaves": 1, "children": []}
    >>> spots({"label": "*", "level": 2, "leaves": 1, "children": [leaf]})["0.0"]
    OutlineSpot(label='a', lowest=0, highest=1, siblings=('a',), leaves=1)
    """
    found: dict[str, OutlineSpot] = {}
    waiting: list[tuple[str, Node, int, tuple[Label, ...]]] = [
        ("0", tree, tree["level"], (tree["label"],))
    ]
    while waiting:
        place, node, highest, siblings = waiting.pop()
        found[place] = OutlineSpot(node["label"], node["level"], highest, siblings, node["leaves"])
        below = tuple(child["label"] for child in node["children"])
        waiting += [
            (f"{place}.{i}", child, node["level"] - 1, below) for i, child in enumerate(node["children"])
        ]
    return found


def level_to_group(chosen: Sequence[OutlineSpot]) -> int:
    """Return the level on which to group the chosen nodes; the group is on the next level.

    If there is a level to spare below their common parent, they stay in it; if not, they leave it.

    >>> level_to_group([OutlineSpot("a", 0, 2, (), 1), OutlineSpot("b", 1, 2, (), 4)])
    1
    >>> level_to_group([OutlineSpot("a", 0, 0, (), 1), OutlineSpot("b", 0, 0, (), 1)])
    0
    """
    least, most = max(spot.lowest for spot in chosen), min(spot.highest for spot in chosen)
    if least > most:
        raise InputError("these nodes have no level in common; choose nodes that are side by side")
    return max(least, most - 1)


def moved(labels: Sequence[Label], spot: OutlineSpot, by: int) -> list[Label]:
    """Return the labels of a level with one of them moved before or after its sibling.

    >>> moved(["a", "b", "c"], OutlineSpot("b", 0, 0, ("a", "b", "c"), 1), -1)
    ['b', 'a', 'c']
    """
    there = set(labels)
    siblings = [label for label in spot.siblings if label in there]
    place = siblings.index(spot.label) + by
    if not 0 <= place < len(siblings):
        raise InputError("it is already at the end; move another one")
    order = list(labels)
    one, other = order.index(spot.label), order.index(siblings[place])
    order[one], order[other] = order[other], order[one]
    return order


def pruned(tree: Node, most_children: int = MOST_CHILDREN, most_nodes: int = MOST_NODES) -> Node:
    """Return the upper part of a tree, as much as a page takes at once.

    Each node has its first children, and `more` counts the others; a node that is `folded` has children,
    but none of them is sent yet.
    """
    root = {**tree}
    waiting, sent = deque([root]), 1
    while waiting:
        node = waiting.popleft()
        children = node["children"][:most_children]
        room = sent + len(children) <= most_nodes or node is root
        node["more"] = len(node["children"]) - len(children) if room else 0
        node["folded"] = bool(children) and not room
        node["children"] = [{**child} for child in children] if room else []
        sent += len(node["children"])
        waiting += node["children"]
    return root


def node_at(tree: Node, place: str) -> Node:
    """Return the node at a place.

    >>> node_at({"label": "*", "children": [{"label": "a"}, {"label": "b"}]}, "0.1")["label"]
    'b'
    """
    for number in place.split(".")[1:]:
        tree = tree["children"][int(number)]
    return tree
