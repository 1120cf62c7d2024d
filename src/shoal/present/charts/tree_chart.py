"""A hierarchy as a tree with counts, and the cut through it: the released values, and what they stand for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from shoal.present.charts.svg import (
    DIAMOND,
    MISSING,
    MOST_ROWS,
    Picture,
    Table,
    drawing,
    element,
    label,
    path,
    shape,
    shorten,
)

WIDTH = 460.0
_LINE, _INDENT, _BAR = 23.0, 17.0, 90.0
FOLDED = 3
"""How many values below a cut are named; the others are counted."""
MOST = 120
"""The most lines to draw."""


@dataclass(frozen=True)
class _Line:
    depth: int
    words: str
    rows: int
    kind: str
    """above, cut, or folded: what a value of the cut stands for."""


def tree(root: Mapping[str, Any], cut: Collection[str | None], name: str) -> Picture:
    """Draw a tree as `shoal.web.workspace.trees.tree_of` gives it, with the labels of a cut marked.

    What is below a label of the cut is folded into one line. Without a cut, the leaves are marked.
    """
    labels = frozenset(cut)
    lines = list(_lines(root, 0, labels))
    shown, left = lines[:MOST], len(lines) - MOST
    most = max(root["rows"], 1)
    inside: list[str] = []
    for i, line in enumerate(shown):
        inside += _drawn(line, 14 + i * _LINE, most)
    inside.insert(0, element("path", d=_links(shown), class_="edge"))
    table = _table(root, labels, name)
    if left > 0:
        where = "" if table.more else ", in the table"
        inside.append(label(f"and {left:,} more{where}", 8, 18 + MOST * _LINE, "note"))
    height = 8 + (len(shown) + (left > 0)) * _LINE
    return Picture(drawing(WIDTH, height, f"The hierarchy of {name}", inside, "tree"), table)


def _lines(node: Mapping[str, Any], depth: int, cut: frozenset[str | None]) -> Iterator[_Line]:
    words = MISSING if node["label"] is None else node["label"]
    if (node["label"] in cut if cut else False) or not node["children"]:
        yield _Line(depth, words, node["rows"], "cut")
        if node["children"]:
            yield _Line(depth + 1, _folded(node), node["rows"], "folded")
        return
    yield _Line(depth, words, node["rows"], "above")
    for child in node["children"]:
        yield from _lines(child, depth + 1, cut)


def _folded(node: Mapping[str, Any]) -> str:
    leaves = [MISSING if leaf is None else leaf for leaf in _leaves(node)]
    named = ", ".join(shorten(leaf, 16) for leaf in leaves[:FOLDED])
    more = len(leaves) - FOLDED
    return f"stands for {named}" + (f" and {more:,} more" if more > 0 else "")


def _leaves(node: Mapping[str, Any]) -> Iterator[str | None]:
    if not node["children"]:
        yield node["label"]
    for child in node["children"]:
        yield from _leaves(child)


def _drawn(line: _Line, y: float, most: int) -> list[str]:
    x = 8 + line.depth * _INDENT
    room = int((WIDTH - _BAR - 66 - x - 14) / 6.6)
    if line.kind == "folded":
        return [label(shorten(line.words, room + 18), x + 4, y + 4, "folded")]
    words = label(shorten(line.words, room), x + 14, y + 4, line.kind)
    if line.kind == "cut":
        mark = shape(DIAMOND, x + 2, y, 3.8, "cut-mark")
    else:
        mark = element("circle", cx=x + 2, cy=y, r=3, class_="above-mark")
    bar = element(
        "rect",
        x=WIDTH - _BAR - 60,
        y=y - 4,
        width=_BAR * line.rows / most,
        height=8,
        rx=2,
        class_=f"amount {line.kind}",
    )
    count = label(f"{line.rows:,}", WIDTH - 2, y + 4, "tick", "end")
    return [mark, words, bar, count]


def _links(lines: list[_Line]) -> str:
    """Return the lines from each parent to its children."""
    drawn, above = [], {}
    for i, line in enumerate(lines):
        y = 14 + i * _LINE
        above[line.depth] = y
        if line.depth and line.kind != "folded":
            x = 10 + (line.depth - 1) * _INDENT
            drawn.append(path([(x, above[line.depth - 1] + 4), (x, y), (x + _INDENT - 6, y)]))
    return "".join(drawn)


def _table(root: Mapping[str, Any], cut: frozenset[str | None], name: str) -> Table:
    """Return the tree as a table; of one with very many nodes only those that it shows are put into words."""
    nodes = list(_walk(root, 0, False, cut))
    rows = [
        (
            "· " * depth + (MISSING if node["label"] is None else node["label"]),
            f"{node['rows']:,}",
            f"{node['leaves']:,}",
            _state(node, above, cut),
        )
        for node, depth, above in nodes[:MOST_ROWS]
    ]
    head = ("value", "rows", "leaves", "in the release")
    found = Table.of(f"The hierarchy of {name}", head, rows, (1, 2))
    return replace(found, more=len(nodes) - len(rows))


def _walk(
    node: Mapping[str, Any], depth: int, covered: bool, cut: frozenset[str | None]
) -> Iterator[tuple[Mapping[str, Any], int, bool]]:
    yield node, depth, covered
    for child in node["children"]:
        yield from _walk(child, depth + 1, covered or node["label"] in cut, cut)


def _state(node: Mapping[str, Any], covered: bool, cut: frozenset[str | None]) -> str:
    if covered:
        return "replaced by a coarser value"
    released = node["label"] in cut if cut else not node["children"]
    return "released as it is" if released else "split into finer values"
