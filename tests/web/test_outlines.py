"""What an edit of chosen nodes means: compared with the same done to the tree itself."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.describe.hierarchies import Hierarchy
from shoal.errors import InputError
from shoal.web.workspace import edits
from shoal.web.workspace.descriptions import categories
from shoal.web.workspace.trees import (
    OutlineSpot,
    level_to_group,
    moved,
    node_at,
    pruned,
    spots,
    tree_of,
)


@st.composite
def padded(draw):
    """Rows of a hierarchy in which labels may stand on several levels."""
    rows = [[f"v{i}"] for i in range(draw(st.integers(2, 8)))]
    for level in range(1, draw(st.integers(2, 5))):
        of = {}
        for row in rows:
            stays = draw(st.booleans())
            group = row[-1] if stays else f"g{level}.{draw(st.integers(0, 2))}"
            row.append(of.setdefault(row[-1], group))
    return [(*row, "*") for row in rows]


def drawn(rows):
    return tree_of(Hierarchy.from_rows(rows), {})


def shape(node):
    """A tree without order and levels."""
    return node["label"], frozenset(shape(child) for child in node["children"])


def dissolved(node, label):
    """The tree with one node's children in its place: the slow twin of splitting."""
    children = []
    for child in node["children"]:
        inner = dissolved(child, label)
        children += inner["children"] if child["label"] == label and child["level"] else [inner]
    return {**node, "children": children}


@given(padded())
def test_a_node_stands_on_the_levels_it_says(rows):
    labels = Hierarchy.from_rows(rows).labels
    tree = drawn(rows)
    for place, spot in spots(tree).items():
        assert node_at(tree, place)["label"] == spot.label
        standing = [level for level, there in enumerate(labels) if spot.label in there]
        assert set(range(spot.lowest, spot.highest + 1)) <= set(standing)


@given(padded(), st.data())
def test_splitting_a_node_puts_its_children_in_its_place(rows, data):
    tree = drawn(rows)
    inner = [s for s in spots(tree).values() if s.lowest > 0 and s.label != "*"]
    assume(inner)
    spot = data.draw(st.sampled_from(inner))
    assert shape(drawn(edits.split(rows, spot.lowest, spot.label))) == shape(dissolved(tree, spot.label))


@given(padded(), st.data())
def test_what_is_grouped_lies_below_the_group_alone(rows, data):
    tree = drawn(rows)
    places = data.draw(
        st.lists(st.sampled_from([p for p in spots(tree) if p != "0"]), min_size=1, unique=True)
    )
    chosen = [spots(tree)[place] for place in places]
    try:
        edited = edits.edit(
            rows,
            "group",
            {"level": level_to_group(chosen), "labels": [s.label for s in chosen], "name": "new"},
        )
    except InputError:
        return
    below = {leaf for place in places for leaf in leaves(node_at(tree, place))}
    found = [node for node in nodes(drawn(edited)) if node["label"] == "new"]
    assert len(found) == 1
    assert leaves(found[0]) == below


def test_siblings_can_always_be_grouped():
    rows = [("a", "a", "x", "*"), ("b", "y", "x", "*"), ("c", "y", "x", "*"), ("d", "d", "d", "*")]
    there = {spot.label: spot for spot in spots(drawn(rows)).values()}
    assert level_to_group([there["a"], there["y"]]) == 1
    assert level_to_group([there["x"], there["d"]]) == 2
    assert level_to_group([there["b"], there["c"]]) == 0
    with pytest.raises(InputError, match="no level in common"):
        level_to_group([there["b"], there["x"]])


@given(padded(), st.data())
def test_a_moved_node_changes_places_with_its_sibling(rows, data):
    tree = drawn(rows)
    place = data.draw(st.sampled_from([p for p in spots(tree) if p != "0"]))
    spot, by = spots(tree)[place], data.draw(st.sampled_from([-1, 1]))
    labels = Hierarchy.from_rows(rows).labels[spot.highest]
    here = spot.siblings.index(spot.label)
    if not 0 <= here + by < len(spot.siblings):
        with pytest.raises(InputError, match="already at the end"):
            moved(labels, spot, by)
        return
    edited = drawn(edits.reorder(rows, spot.highest, moved(labels, spot, by)))
    expected = list(spot.siblings)
    expected[here], expected[here + by] = expected[here + by], expected[here]
    found = next(s for s in spots(edited).values() if s.label == spot.label and s.lowest == spot.lowest)
    assert list(found.siblings) == expected
    assert shape(edited) == shape(tree)


def test_a_long_list_is_cut_and_told():
    rows = [(f"v{i}", "*") for i in range(10)]
    cut = pruned(drawn(rows), 3)
    assert [child["label"] for child in cut["children"]] == ["v0", "v1", "v2"]
    assert cut["more"] == 7
    assert OutlineSpot("*", 1, 1, ("*",), 10) == spots(cut)["0"]


@given(padded(), st.integers(1, 12))
def test_what_is_folded_comes_when_it_is_unfolded(rows, most):
    tree = drawn(rows)

    def unfolded(place, node):
        assert node["label"] == node_at(tree, place)["label"]
        if node["folded"]:
            assert not node["children"]
            node = pruned(node_at(tree, place), most_nodes=most)
        children = [unfolded(f"{place}.{i}", child) for i, child in enumerate(node["children"])]
        return {**node, "children": children}

    sent = pruned(tree, most_nodes=most)
    assert len(list(nodes(sent))) <= max(most, 1 + len(tree["children"]))
    assert shape(unfolded("0", sent)) == shape(tree)


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ("red, blue", "line 1 has no name"),
        ("\nwarm: red, pink", "line 2: no row has the value 'pink'"),
        ("a: red\nb: red", "line 2: 'red' is already in 'a'"),
        ("blue: red", "'blue' is also a value outside that group"),
    ],
)
def test_groups_that_cannot_be_are_refused(lines, what):
    with pytest.raises(InputError, match=what):
        categories(lines, ["red", "blue"])


def test_a_value_with_a_comma_is_quoted():
    assert categories('x: "a, b", c', ["a, b", "c", None])[0] == ("a, b", "x", "*")


def nodes(tree):
    yield tree
    for child in tree["children"]:
        yield from nodes(child)


def leaves(tree):
    return {node["label"] for node in nodes(tree) if not node["children"]}
