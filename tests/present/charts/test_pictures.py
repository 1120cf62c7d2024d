"""The other pictures: sound SVG for any words, and nothing that the table does not say."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal.answers.privacy_costs import CostCurve, CostPoint, PrivacyCosts
from shoal.describe.hierarchies import Hierarchy
from shoal.present.charts.any_means import costs_picture
from shoal.present.charts.bars import Bar, BarGroup, Bars, bars_chart, solution_bars
from shoal.present.charts.comparison import comparison_picture
from shoal.present.charts.gap import MOST, Moment, gap, thin
from shoal.present.charts.plane import over, plane_chart
from shoal.present.charts.scales import suppressed_scale, ticks
from shoal.present.charts.svg import MOST_ROWS, Table, alone, style
from shoal.present.charts.tradeoff import document_plane
from shoal.present.charts.tree_chart import tree
from shoal.present.colours import COLOURS
from shoal.web.workspace.trees import tree_of
from tests.examples import examples

WORDS = st.text(
    st.characters(min_codepoint=32, blacklist_categories=("Cs", "Cc", "Cn"), blacklist_characters="￾￿"),
    max_size=12,
)
SPITE = '<script>alert("x")</script>&'
POINT = {"k": 2, "loss": 1.0, "suppressed": 0, "node": {SPITE: 1}}


def parsed(svg):
    return ElementTree.fromstring(svg)


def of_class(svg, word):
    return [e for e in parsed(svg).iter() if word in e.get("class", "").split()]


@st.composite
def frontiers(draw):
    ks = sorted(draw(st.sets(st.integers(1, 40_000), max_size=12)), reverse=True)
    losses = sorted(draw(st.sets(st.floats(0, 1e7), min_size=len(ks), max_size=len(ks))), reverse=True)
    name = draw(WORDS)
    return [
        {"k": k, "loss": loss, "share": loss / 100, "suppressed": 3, "node": {name: i}}
        for i, (k, loss) in enumerate(zip(ks, losses, strict=True))
    ]


@settings(max_examples=examples(80), deadline=None)
@given(frontiers(), st.integers(1, 10**6))
def test_every_point_of_a_frontier_can_be_reached_and_lies_in_the_picture(points, k):
    plane = document_plane(points, "LM")
    picture = plane_chart(plane, choice=True)
    marks = of_class(picture.svg, "point")
    assert [int(mark.get("data-point")) for mark in marks] == list(range(len(points)))
    assert [mark.get("tabindex") for mark in marks] == [
        *["0"][: len(points)],
        *["-1"] * (len(points) - 1),
    ]
    dots = of_class(picture.svg, "dot")
    assert all(0 <= float(dot.get("cx")) <= 460 and 0 <= float(dot.get("cy")) <= 290 for dot in dots)
    # Larger k lies to the right, larger loss above.
    across = [float(dot.get("cx")) for dot in dots]
    assert across == sorted(across, reverse=True)
    assert len(picture.table.rows) == len(points)
    parsed(over(plane, k, 0))


def test_words_of_the_data_do_no_harm():
    rows = [(SPITE, "group", "*"), ("b", "group", "*"), (None, None, "*")]
    root = tree_of(Hierarchy.from_rows(rows), {SPITE: 2, "b": 3, None: 1})
    for svg in (
        tree(root, (), SPITE).svg,
        tree(root, ("group",), SPITE).svg,
        plane_chart(document_plane([POINT], SPITE), choice=True).svg,
        bars_chart(solution_bars({SPITE: [0.5]}, [SPITE], SPITE)).svg,
        alone(plane_chart(document_plane([POINT], SPITE))),
    ):
        assert "<script" not in svg
        parsed(svg)


def test_a_cut_is_drawn_where_it_goes_through():
    rows = [("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("d", "y", "*"), ("e", "y", "*")]
    root = tree_of(Hierarchy.from_rows(rows), dict.fromkeys("abcde", 2))
    picture = tree(root, ("x", "c", "d", "e"), "letters")
    assert [e.text for e in of_class(picture.svg, "cut") if e.tag.endswith("text")] == [
        "x",
        "c",
        "d",
        "e",
    ]
    assert [e.text for e in of_class(picture.svg, "folded")] == ["stands for a, b"]
    assert {row[0]: row[3] for row in picture.table.rows} == {
        "*": "split into finer values",
        "· x": "released as it is",
        "· · a": "replaced by a coarser value",
        "· · b": "replaced by a coarser value",
        "· y": "split into finer values",
        "· · c": "released as it is",
        "· · d": "released as it is",
        "· · e": "released as it is",
    }


def test_the_root_alone_can_be_the_cut():
    root = tree_of(Hierarchy.from_rows([("a", "*"), ("b", "*")]), {"a": 1, "b": 1})
    picture = tree(root, ("*",), "letters")
    assert [e.text for e in of_class(picture.svg, "cut") if e.tag.endswith("text")] == ["*"]


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 50), st.none() | st.floats(0, 1e6), st.floats(0, 1e6)), max_size=400)
)
def test_a_search_is_drawn_at_any_moment(given):
    given.sort(key=lambda each: each[0])
    moments = [Moment(*each) for each in given]
    picture = gap(moments)
    parsed(picture.svg)
    assert len(picture.table.rows) <= MOST
    shown = thin(moments)
    assert shown[:1] == moments[:1]
    assert shown[-1:] == moments[-1:]


@pytest.mark.parametrize("least", [0.0, 5e-324, 1e-200, 168193.4])
def test_numbers_that_are_nearly_alike_are_drawn(least):
    parsed(gap([Moment(0.1, least, least), Moment(0.2, least * (1 + 2e-16), least)]).svg)
    assert len(ticks(least, least * (1 + 2e-16))) >= 2


def test_the_gap_is_told_in_the_table():
    rows = gap([Moment(0.1, None, 5.0), Moment(0.2, 10.0, 5.0), Moment(0.3, 8.0, 8.0)]).table.rows
    assert [row[3] for row in rows] == ["", "50%", "0%"]
    assert [row[1] for row in rows] == ["none yet", "10", "8"]


def test_solutions_have_bars_with_letters_and_patterns():
    given = {"age": [0.25, None, 1.0], "sex": [0.0, 0.5, 0.1]}
    picture = bars_chart(solution_bars(given, ["one", "two", "three"], "loss"))
    assert [e.text for e in of_class(picture.svg, "letter")] == ["A", "B", "C"] * 2
    assert len(of_class(picture.svg, "bar")) == 4, "what is nothing, or not known, has no bar"
    assert picture.table.head == ("attribute", "A: one", "B: two", "C: three")
    assert picture.table.rows[0] == ("age", "25%", "", "100%")


def test_bars_are_as_long_as_their_values_and_end_in_the_picture():
    bars = [Bar(0.5, "half"), Bar(1.0, "whole", "b1"), Bar(1e-9, "hardly any")]
    for width in (340, 760):
        drawn = bars_chart(Bars("t", (BarGroup("g", tuple(bars)),), Table.of("t", (), [])), width).svg
        half, whole, least = (float(bar.get("width")) for bar in of_class(drawn, "bar"))
        assert whole == pytest.approx(2 * half, rel=0.01)
        assert least > 0
        assert 0.4 * width < whole < width


def test_a_picture_names_itself_and_no_two_pictures_share_a_name():
    planes = [
        plane_chart(document_plane([POINT | {"k": k}], "LM"), width, 300)
        for k in (2, 3)
        for width in (340, 760)
    ]
    names = set()
    for picture in planes:
        root = parsed(picture.svg)
        assert root.get("role") == "img"
        named = root.get("aria-labelledby").split()
        inside = {e.get("id"): e.tag for e in root.iter() if e.get("id")}
        assert named
        assert set(named) <= set(inside)
        names |= set(named)
    assert len(names) == len(planes)


def test_a_comparison_is_drawn_with_every_answer_once():
    result = {"verified": True, "losses": {"LM": 3.0}, "seconds": 0.1, "k": 2}
    names = ("node", "cut", "groups", "buckets")
    results = [result | {"algorithm": name, "recodes": name} for name in names]
    document = {
        "metric": "LM",
        "asked": {"k": 3},
        "frontier": [{"k": 5, "loss": 6.0}],
        "results": results,
    }
    picture = comparison_picture(document)
    assert len(of_class(picture.svg, "spot")) == len(of_class(picture.svg, "bar")) == 4
    assert [row[0] for row in picture.table.rows] == list(names)
    assert [e.text for e in of_class(picture.svg, "value")] == ["50%, 0.10 s, only k = 2"] * 4


def test_a_picture_alone_has_its_colours_with_it_light_and_dark():
    svg = alone(plane_chart(document_plane([POINT], "LM")))
    parsed(svg)
    assert "var(" not in svg
    light, dark = svg.split("prefers-color-scheme: dark")
    assert COLOURS["paper"][0] in light
    assert COLOURS["paper"][1] in dark


def test_a_long_table_says_how_many_rows_it_does_not_show():
    table = Table.of("t", ("a",), [(str(i),) for i in range(MOST_ROWS + 5)])
    assert (len(table.rows), table.more) == (MOST_ROWS, 5)


@given(st.lists(st.floats(0, 1), min_size=1), st.floats(0, 1), st.floats(0, 1))
@example([1.0], 0.0009, 0.0011)
def test_more_suppressed_rows_never_lie_further_left(shares, one, other):
    scale = suppressed_scale(shares, "suppressed")
    assert 0 <= scale.at(min(one, other)) <= scale.at(max(one, other)) <= 1


@given(st.floats(-1e6, 1e6), st.floats(0, 1e6))
def test_ticks_enclose_what_they_measure(low, more):
    found = ticks(low, low + more)
    assert found[0] <= low + 1e-6 * max(1, abs(low))
    assert found[-1] >= low + more - 1e-6 * max(1, abs(low + more))
    assert 2 <= len(found) <= 12


def test_the_stylesheet_is_there_and_asks_nobody():
    assert ".picture" in style()
    assert "http" not in style()
    assert "url(" not in style()


def drawn_costs(**changed):
    points = [CostPoint(9, 3.0, 0.6, 0, {}), CostPoint(2, 1.0, 0.2, 1, {})]
    curves = tuple(CostCurve(name, tuple(points), name == "nodes") for name in ("nodes", "mondrian"))
    given = {"method": "exact", "metric": "LM", "rows": 90, "suppression_limit": 1, "nodes": 4}
    given |= {"evaluated": 4, "certified": True, "seconds": 0.1, "points": (), "ks": (2, 5, 12)}
    given |= {"curves": curves, "lower_bound": ((2, 0.5, 0.1), (5, 1.0, 0.2), (12, 2.0, 0.4))}
    return PrivacyCosts(**given | changed)


def test_all_curves_and_the_bound_are_told_apart_by_more_than_colour():
    costs = drawn_costs()
    picture = costs_picture(costs)
    lines = [line.get("class") for line in of_class(picture.svg, "curve")]
    # Each twice: in the plane, and in the legend below it.
    assert lines == ["curve k0", "curve k1 apart", "curve k2 bound"] * 2
    assert len(of_class(picture.svg, "kind")) == 2 * (2 + 1)
    words = [name.text for name in of_class(picture.svg, "legend-name")]
    assert words[0] == "one level a column (exact): a value has one meaning in the whole table"
    assert [word.partition(":")[0] for word in words[1:]] == [
        "Mondrian (found)",
        "no labels lose less (proven)",
    ]
    assert picture.table.rows == (
        ("2", "20%", "20%", "10%"),
        ("5", "60%", "60%", "20%"),
        ("12", "", "", "40%"),
    )


def test_a_bound_keeps_its_value_until_the_next_k_and_a_curve_has_the_next_already():
    heights = {}
    for line in of_class(costs_picture(drawn_costs()).svg, "curve")[:3]:
        corners = [corner.split() for corner in line.get("d")[1:].split("L")]
        heights[line.get("class")] = [float(y) for _, y in corners[:3]]
    low, high = heights["curve k0"][0], heights["curve k0"][2]
    assert heights["curve k0"] == [low, high, high]
    first, second = heights["curve k2 bound"][0], heights["curve k2 bound"][2]
    assert heights["curve k2 bound"] == [first, first, second]
    assert first > second


def test_a_narrow_picture_has_short_names_and_marks_what_was_chosen():
    costs = drawn_costs()
    narrow = costs_picture(costs, 340, ("mondrian", 5))
    widest = max(len(name.text) for name in of_class(narrow.svg, "legend-name"))
    assert 54 + 7.2 * widest < 340
    assert [name.text for name in of_class(narrow.svg, "chosen-name")] == ["chosen: k = 5, 60% lost"]
    assert not of_class(costs_picture(costs, 340, ("nodes", 12)).svg, "chosen-name")
    assert costs_picture(drawn_costs(curves=(), lower_bound=())).svg
