"""The lattice by height: every node coloured by what it suppresses, with the nodes of a request marked.

A small lattice is drawn node by node. In a large one every height is a bar, as wide as its number of nodes:
first those that meet the request, then those within the heights asked for, then all others; each part is
sorted by what is suppressed. So one bar shows how many of thousands of nodes would do, and how nearly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np
import numpy.typing as npt

from shoal.numbers import many, percent
from shoal.present.charts.svg import DIAMOND, Picture, Table, drawing, element, label, path, shape, text

Node = tuple[int, ...]
Ints = npt.NDArray[np.int64]

SHADES = (0.0, 0.001, 0.01, 0.05, 0.2, 0.5)
"""The largest share of suppressed rows for each shade; the last shade is for more."""
SMALL = 150
"""Up to so many nodes are drawn one by one."""
NAMED = 80
"""Up to so many nodes have room for their levels."""
MEETS, WITHIN, BEYOND = 0, 1, 2
_STATES = ("meets", "within", "beyond")
_WORDS = ("meet the request", "within the heights, too many suppressed", "beyond the heights")

WIDTH = 460.0
_LEFT, _RIGHT, _TOP = 34.0, 46.0, 22.0


@dataclass(frozen=True)
class Shape:
    """The attributes of a lattice with their lowest and highest levels: the same for all requests."""

    names: tuple[str, ...]
    bottom: Node
    top: Node

    @property
    def spans(self) -> tuple[int, ...]:
        """How many levels each attribute has."""
        return tuple(hi - lo + 1 for lo, hi in zip(self.bottom, self.top, strict=True))

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return prod(self.spans)

    @property
    def small(self) -> bool:
        """Whether every node is drawn individually."""
        return self.nodes <= SMALL

    @cached_property
    def levels(self) -> Ints:
        """The levels of every node, in attribute order."""
        grid = np.indices(self.spans).reshape(len(self.spans), -1).T
        return np.asarray(grid + np.array(self.bottom), dtype=np.int64)

    @cached_property
    def heights(self) -> Ints:
        """The height of every node."""
        return np.asarray(self.levels.sum(axis=1), dtype=np.int64)

    def place(self, node: Sequence[int]) -> int:
        """Return the index of a node among all."""
        found = 0
        for level, lo, span in zip(node, self.bottom, self.spans, strict=True):
            found = found * span + level - lo
        return found


@dataclass(frozen=True)
class View:
    """A lattice and a request: what each node suppresses, what is allowed, the answer, the nodes visited."""

    shape: Shape
    rows: int
    suppressed: Ints
    within: Node
    """The highest levels asked for."""
    limit: int
    marks: Mapping[str, Node] = field(default_factory=dict)
    """Named nodes: the answer, or the suggestions."""
    visited: tuple[Node, ...] = ()

    @cached_property
    def states(self) -> Ints:
        """Whether each node meets the request, is within the heights, or beyond them."""
        inside = (self.shape.levels <= np.array(self.within)).all(axis=1)
        few = self.suppressed <= min(self.limit, self.rows - 1)
        return np.where(inside, np.where(few, MEETS, WITHIN), BEYOND)

    @cached_property
    def shades(self) -> Ints:
        """The shade of each node."""
        return np.searchsorted(np.array(SHADES) * self.rows, self.suppressed, side="left")


def lattice(view: View) -> Picture:
    """Return the lattice with a request marked in it.

    Parts that can be chosen have `data-node`: the levels, separated by commas.
    """
    drawn = _nodes(view) if view.shape.small else _bars(view)
    lines = int(view.shape.heights.max() - view.shape.heights.min()) + 1
    height = _TOP + lines * _line(view) + 8
    name = f"Nodes of the lattice by height, {view.shape.nodes:,} in all"
    heads = [label("height", 2, 12, "axis"), label("nodes", WIDTH - 2, 12, "axis", "end")]
    return Picture(drawing(WIDTH, height, name, [*heads, *drawn], "lattice", role="group"), _table(view))


def _line(view: View) -> float:
    return 34.0 if view.shape.small else 17.0


def _middle(view: View, height: int) -> float:
    """Return where a height is drawn; the most general is at the top."""
    line = _line(view)
    return _TOP + (int(view.shape.heights.max()) - height) * line + line / 2


def _numbers(view: View, height: int, count: int) -> list[str]:
    y = _middle(view, height) + 4
    return [
        label(str(height), _LEFT - 12, y, "tick", "end"),
        label(f"{count:,}", WIDTH - 2, y, "tick", "end"),
    ]


def _nodes(view: View) -> list[str]:
    """Draw node by node, with a line between nodes that are one step apart."""
    shape = view.shape
    places: dict[int, tuple[float, float]] = {}
    numbers: list[str] = []
    most = int(np.bincount(shape.heights).max())
    apart = min(44.0, (WIDTH - _LEFT - _RIGHT) / most)
    for height in range(int(shape.heights.min()), int(shape.heights.max()) + 1):
        members = np.flatnonzero(shape.heights == height).tolist()
        numbers += _numbers(view, height, len(members))
        middle = _LEFT + (WIDTH - _LEFT - _RIGHT) / 2
        for i, member in enumerate(members):
            x = middle + (i - (len(members) - 1) / 2) * apart
            places[member] = (x, _middle(view, height))
    seen = {shape.place(node) for node in view.visited}
    named = apart > 5.8 * len(shape.names) + 2 and shape.nodes <= NAMED
    drawn = [_node(view, member, where, member in seen, named) for member, where in places.items()]
    over = [_star(kind, *places[shape.place(node)]) for kind, node in view.marks.items()]
    return [element("path", d=_steps(shape, places), class_="edge"), *numbers, *drawn, *over]


def _steps(shape: Shape, places: Mapping[int, tuple[float, float]]) -> str:
    lines = []
    levels = shape.levels.tolist()
    for member, (x, y) in places.items():
        for a, level in enumerate(levels[member]):
            if level < shape.top[a]:
                above = [*levels[member][:a], level + 1, *levels[member][a + 1 :]]
                lines.append(path([(x, y), places[shape.place(above)]]))
    return "".join(lines)


def _node(view: View, member: int, where: tuple[float, float], seen: bool, named: bool) -> str:
    x, y = where
    state, levels = int(view.states[member]), view.shape.levels[member].tolist()
    kind = f"node {_STATES[state]} s{int(view.shades[member])}"
    if state == MEETS:
        mark = element("rect", x=x - 9, y=y - 8, width=18, height=16, rx=3, class_=kind)
    else:
        mark = element("circle", cx=x, cy=y, r=7.5 if state == WITHIN else 4, class_=kind)
    inside = [element("title", text(_words(view, member))), mark]
    if seen:
        inside.append(element("circle", cx=x, cy=y, r=2.2, class_="seen"))
    if named:
        words = "·".join(map(str, levels))
        inside.append(label(words, x, y + 16.5, "levels", "middle"))
    return element("g", *inside, data_node=",".join(map(str, levels)), class_="place")


def _words(view: View, member: int) -> str:
    levels = ", ".join(
        f"{name} {level}"
        for name, level in zip(view.shape.names, view.shape.levels[member].tolist(), strict=True)
    )
    rows = int(view.suppressed[member])
    return f"{levels}: {rows:,} rows suppressed ({percent(rows / view.rows)})"


def _bars(view: View) -> list[str]:
    """Draw a bar for each height, in parts of equal state and shade."""
    shape = view.shape
    order = np.lexsort((view.suppressed, view.states, shape.heights))
    bottom, count = int(shape.heights.min()), np.bincount(shape.heights - int(shape.heights.min()))
    starts = np.concatenate([[0], np.cumsum(count)])
    full = WIDTH - _LEFT - _RIGHT
    unit = full / int(count.max())
    kinds = (shape.heights * 3 + view.states) * (len(SHADES) + 1) + view.shades
    sorted_kinds = kinds[order]
    edges = np.flatnonzero(np.diff(sorted_kinds)) + 1
    runs = np.split(np.arange(shape.nodes), edges)
    rank = np.empty(shape.nodes, dtype=np.int64)
    rank[order] = np.arange(shape.nodes)

    def x(height: int, position: float) -> float:
        width = int(count[height - bottom])
        left = _LEFT + (full - max(width * unit, 6.0)) / 2
        return left + max(width * unit, 6.0) * (position - int(starts[height - bottom])) / width

    drawn: list[str] = []
    for height in range(bottom, bottom + len(count)):
        drawn += _numbers(view, height, int(count[height - bottom]))
    for run in runs:
        first = int(order[run[0]])
        height, state = int(shape.heights[first]), int(view.states[first])
        left, right = x(height, int(run[0])), x(height, int(run[-1]) + 1)
        drawn.append(_part(view, first, len(run), (left, right), _middle(view, height), state))
    ticks = [
        (
            x(int(shape.heights[place]), float(rank[place]) + 0.5),
            _middle(view, int(shape.heights[place])),
        )
        for place in map(shape.place, view.visited)
    ]
    if ticks:
        dots = "".join(path([(across, down + 7)]) + "h0" for across, down in ticks)
        drawn.append(element("path", d=dots, class_="visits"))
    for kind, node in view.marks.items():
        place = shape.place(node)
        height = int(shape.heights[place])
        drawn.append(_star(kind, x(height, float(rank[place]) + 0.5), _middle(view, height)))
    return drawn


def _part(
    view: View, first: int, count: int, across: tuple[float, float], middle: float, state: int
) -> str:
    thick = (11.0, 6.0, 2.5)[state]
    words = f"{many(count, 'node')}: {_WORDS[state]}; {shade_words(int(view.shades[first]))} suppressed"
    return element(
        "rect",
        element("title", text(words)),
        x=across[0],
        y=middle - thick / 2,
        width=max(across[1] - across[0], 0.6),
        height=thick,
        class_=f"part {_STATES[state]} s{int(view.shades[first])}",
        data_node=",".join(map(str, view.shape.levels[first].tolist())),
    )


def _star(kind: str, x: float, y: float) -> str:
    """Return the mark of a node: a diamond for the answer, else a disc with the suggestion's letter."""
    if kind == "answer":
        return shape(DIAMOND, x, y, 7, "answer", element("title", "the answer"))
    return element(
        "g",
        element("title", text(f"suggestion: {kind}")),
        element("circle", cx=x, cy=y, r=8),
        label(kind[0].upper(), x, y + 3.6, anchor="middle"),
        class_=f"suggested {kind}",
    )


def shade_words(shade: int) -> str:
    """Return what a shade means.

    >>> [shade_words(shade) for shade in range(7)]
    ['none', 'up to 0.1%', 'up to 1%', 'up to 5%', 'up to 20%', 'up to 50%', 'over 50%']
    """
    if shade == 0:
        return "none"
    return f"up to {percent(SHADES[shade])}" if shade < len(SHADES) else f"over {percent(SHADES[-1])}"


def _table(view: View) -> Table:
    """Return, for each height from the top, how many nodes it has and how many would do."""
    shape, rows = view.shape, []
    seen = np.zeros(shape.nodes, dtype=bool)
    seen[[shape.place(node) for node in view.visited]] = True
    marks: dict[int, list[str]] = {}
    for kind, node in view.marks.items():
        marks.setdefault(sum(node), []).append(kind)
    for height in range(int(shape.heights.max()), int(shape.heights.min()) - 1, -1):
        here = shape.heights == height
        rows.append(
            (
                str(height),
                f"{int(here.sum()):,}",
                f"{int((here & (view.states != BEYOND)).sum()):,}",
                f"{int((here & (view.states == MEETS)).sum()):,}",
                f"{int((here & seen).sum()):,}",
                f"{int(view.suppressed[here].min()):,}",
                ", ".join(marks.get(height, ())),
            )
        )
    columns = ("height", "nodes", "within heights", "meet it", "visited", "fewest suppressed", "marked")
    return Table.of("The lattice by height", columns, rows, range(6))
