"""The lattice's picture says of every height what looking at each node says."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from xml.etree import ElementTree

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.present.charts.lattice_chart import SMALL, Shape, View, lattice
from tests.examples import examples

NAMES = ("age", "a < b", 'x"y', "zip", "sex")


@st.composite
def views(draw, least_nodes=1):
    width = draw(st.integers(1, 5))
    bottom = tuple(draw(st.integers(0, 2)) for _ in range(width))
    top = tuple(lo + draw(st.integers(0, 4)) for lo in bottom)
    if least_nodes > SMALL:
        bottom, top = (0, 0, 1, 0), (5, draw(st.integers(4, 6)), 6, 1)
    shape = Shape(NAMES[: len(bottom)], bottom, top)
    rows = draw(st.integers(1, 5000))
    seed = draw(st.integers(0, 1000))
    drawn = np.random.default_rng(seed).integers(0, rows + 1, shape.nodes)
    inside = st.tuples(*(st.integers(lo, hi) for lo, hi in zip(bottom, top, strict=True)))
    marks = draw(
        st.one_of(
            st.builds(lambda node: {"answer": node}, inside),
            st.builds(lambda a, b: {"suppression": a, "height": b}, inside, inside),
        )
    )
    visited = tuple(set(draw(st.lists(inside, max_size=8))))
    return View(shape, rows, drawn, draw(inside), draw(st.integers(0, rows)), marks, visited)


def brute(view):
    """State and height of every node, one by one."""
    found = {}
    ranges = (range(lo, hi + 1) for lo, hi in zip(view.shape.bottom, view.shape.top, strict=True))
    for place, node in enumerate(product(*ranges)):
        rows = int(view.suppressed[place])
        if any(level > most for level, most in zip(node, view.within, strict=True)):
            state = "beyond"
        else:
            state = "meets" if rows <= view.limit and rows < view.rows else "within"
        found[node] = (state, sum(node), rows)
    return found


def of_class(svg, word):
    return [e for e in ElementTree.fromstring(svg).iter() if word in e.get("class", "").split()]


@settings(max_examples=examples(60), deadline=None)
@given(st.one_of(views(), views(least_nodes=SMALL + 1)))
def test_the_table_counts_what_looking_at_every_node_counts(view):
    nodes = brute(view)
    expected = []
    for height in sorted({h for _, h, _ in nodes.values()}, reverse=True):
        here = {node: found for node, found in nodes.items() if found[1] == height}
        states = Counter(state for state, _, _ in here.values())
        marked = ", ".join(kind for kind, node in view.marks.items() if sum(node) == height)
        expected.append(
            (
                str(height),
                f"{len(here):,}",
                f"{states['meets'] + states['within']:,}",
                f"{states['meets']:,}",
                f"{sum(node in here for node in view.visited):,}",
                f"{min(rows for _, _, rows in here.values()):,}",
                marked,
            )
        )
    assert lattice(view).table.rows == tuple(expected)


@settings(max_examples=examples(60), deadline=None)
@given(views(least_nodes=SMALL + 1))
def test_the_bars_of_a_large_lattice_count_every_node_once_and_in_its_state(view):
    svg = lattice(view).svg
    counted = Counter()
    for part in of_class(svg, "part"):
        words = part[0].text
        count = int(re.match(r"([\d,]+) node", words).group(1).replace(",", ""))
        counted[part.get("class").split()[1]] += count
        node = tuple(map(int, part.get("data-node").split(",")))
        assert brute(view)[node][0] == part.get("class").split()[1]
    assert counted == Counter(state for state, _, _ in brute(view).values())
    assert len(of_class(svg, "answer")) == ("answer" in view.marks)
    dots = of_class(svg, "visits")
    assert sum(dot.get("d").count("M") for dot in dots) == len(view.visited)


@settings(max_examples=examples(60), deadline=None)
@given(views())
def test_a_small_lattice_has_each_node_in_its_shape(view):
    if view.shape.nodes > SMALL:
        return
    svg = lattice(view).svg
    drawn = {
        tuple(map(int, place.get("data-node").split(","))): place for place in of_class(svg, "place")
    }
    nodes = brute(view)
    assert drawn.keys() == nodes.keys()
    for node, place in drawn.items():
        mark = next(e for e in place if "node" in e.get("class", "").split())
        assert mark.tag.endswith("rect") == (nodes[node][0] == "meets")
        assert nodes[node][0] in mark.get("class").split()
        dots = [e for e in place if e.get("class") == "seen"]
        assert len(dots) == (node in view.visited)
        assert f"{nodes[node][2]:,} rows suppressed" in place[0].text


def test_shades_grow_with_what_is_suppressed():
    shape = Shape(("a",), (0,), (4,))
    view = View(shape, 1000, np.array([1000, 300, 30, 1, 0]), (4,), 10)
    assert view.shades.tolist() == [6, 5, 3, 1, 0]
