"""Frontiers as documents, tables, pictures and displays."""

from __future__ import annotations

import json
import re
import sys
from base64 import b64decode
from dataclasses import replace
from fractions import Fraction
from xml.etree import ElementTree

import pyarrow as pa
import pytest

from shoal.answers.solution import Frontier, NodeSolution
from shoal.answers.steps import notable
from shoal.cli.output import draw
from shoal.errors import MissingExtraError


def frontier(*points, names=("age", "zip"), certified=True):
    """A frontier of (k, loss) pairs."""
    return Frontier(
        method="exact",
        metric="LM",
        rows=100,
        suppression_limit=1,
        nodes=12,
        evaluated=5,
        certified=certified,
        seconds=0.25,
        points=tuple(
            NodeSolution(k, loss, dict.fromkeys(names, i), i) for i, (k, loss) in enumerate(points)
        ),
    )


FRONT = frontier((100, 50.0), (10, 5.0), (1, 0.0))


class TestDocument:
    def test_has_the_fields_of_the_contract_in_their_order(self):
        document = json.loads(FRONT.to_json())
        assert list(document) == [
            "method", "metric", "rows", "suppression_limit", "suppression", "nodes", "evaluated",
            "certified", "seconds", "points",
        ]  # fmt: skip
        assert list(document["points"][0]) == ["k", "loss", "node", "suppressed"]
        assert list(document["points"][0]["node"]) == ["age", "zip"]

    def test_says_what_the_frontier_says(self):
        document = json.loads(FRONT.to_json())
        assert document == FRONT.to_dict()
        assert document["points"][1] == {
            "k": 10,
            "loss": 5.0,
            "node": {"age": 1, "zip": 1},
            "suppressed": 1,
        }

    def test_gives_the_frontier_back(self):
        assert Frontier.from_dict(json.loads(FRONT.to_json())) == FRONT

    def test_keeps_every_name(self):
        front = frontier((1, 0.0), names=("Größe 🐟", 'say "hi"', "a\nb"))
        assert list(json.loads(front.to_json())["points"][0]["node"]) == ["Größe 🐟", 'say "hi"', "a\nb"]

    def test_of_no_points_is_a_document_too(self):
        assert json.loads(frontier().to_json())["points"] == []


class TestSequence:
    def test_points_can_be_counted_listed_and_chosen(self):
        assert len(FRONT) == 3
        assert [point.k for point in FRONT] == [100, 10, 1]
        assert FRONT[0].k == 100
        assert FRONT[-1].loss == 0.0
        assert not list(frontier())


class TestKnee:
    def test_of_no_points_is_none(self):
        assert frontier().knee is None

    def test_of_one_point_is_that_point(self):
        assert frontier((5, 3.0)).knee.k == 5
        assert frontier((1, 0.0)).knee.k == 1

    def test_has_privacy_where_a_point_has(self):
        assert frontier((100, 50.0), (1, 0.0)).knee.k == 100

    def test_takes_much_privacy_for_a_small_loss_and_not_for_a_large_one(self):
        # A table of 77 alike as it is: 1.5% buys a k of 399, and 26% that of 2,015.
        shares = {30_162: 1.0, 2_015: 0.26, 399: 0.015, 77: 0.0}
        points = [NodeSolution(k, 100 * share, {}, 0, share=share) for k, share in shares.items()]
        front = replace(FRONT, rows=30_162, points=tuple(points))
        assert front.knee.k == 399
        # The ends of the curve say nothing of what is worth paying: it stays without the cheapest too.
        assert replace(front, points=tuple(points[:-1])).knee.k == 399
        assert replace(front, points=tuple(points[1:])).knee.k == 399

    def test_does_not_lose_most_of_the_detail_for_large_k(self):
        shares = {30_162: 1.0, 9_777: 0.85, 879: 0.66, 67: 0.5, 11: 0.35, 5: 0.3, 2: 0.19, 1: 0.0}
        points = [NodeSolution(k, 100 * share, {}, 0, share=share) for k, share in shares.items()]
        assert replace(FRONT, rows=30_162, points=tuple(points)).knee.k == 11

    def test_is_where_little_loss_takes_much_risk_away(self):
        assert FRONT.knee.k == 10
        assert frontier((100, 50.0), (50, 49.0), (3, 2.0), (1, 0.0)).knee.k == 3

    def test_is_one_of_the_points(self):
        for front in (FRONT, frontier((9, 9.0), (8, 8.0), (7, 7.0)), frontier((4, 0.0))):
            assert any(point is front.knee for point in front)


class TestArrow:
    def test_has_a_column_a_number_and_an_attribute(self):
        table = FRONT.to_arrow()
        assert table.column_names == ["k", "loss", "share", "suppressed", "age", "zip"]
        assert table.to_pylist()[1] == {
            "k": 10, "loss": 5.0, "share": None, "suppressed": 1, "age": 1, "zip": 1
        }  # fmt: skip
        assert table.schema.field("loss").type == pa.float64()

    def test_takes_attributes_of_any_name(self):
        table = frontier((5, 1.0), names=("k", "loss")).to_arrow()
        assert table.column_names == ["k", "loss", "share", "suppressed", "k (2)", "loss (2)"]
        assert [column.to_pylist() for column in table.columns] == [[5], [1.0], [None], [0], [0], [0]]

    def test_of_no_points_is_empty(self):
        assert frontier().to_arrow().num_rows == 0


class TestHTML:
    def test_shows_every_point_and_the_knee_in_bold(self):
        shown = FRONT._repr_html_()
        assert shown.count("<tr") == 4
        assert shown.count("font-weight:bold") == 1
        assert "<td>100</td>" in shown
        assert (
            "3 Pareto-optimal points of 12 nodes, every amount of suppression up to 1 row (LM, " in shown
        )

    def test_says_what_is_not_proven(self):
        assert "not proven complete" in frontier((5, 1.0), certified=False)._repr_html_()

    def test_names_are_never_markup(self):
        shown = frontier((5, 1.0), names=("<script>alert(1)</script>", 'a"b&c'))._repr_html_()
        assert "<script>" not in shown
        assert "&lt;script&gt;" in shown
        assert "a&quot;b&amp;c" in shown

    def test_notebooks_get_the_picture_of_the_kit(self):
        coded = re.search('src="data:image/svg.xml;base64,([^"]*)"', FRONT._repr_html_())[1]
        assert "knee: k = 10" in "".join(ElementTree.fromstring(b64decode(coded)).itertext())

    def test_of_no_points_is_a_table_too(self):
        assert "0 Pareto-optimal points" in frontier()._repr_html_()


class TestPlot:
    def test_draws_every_point_and_names_the_knee(self):
        axes = FRONT.plot()
        drawn = {len(line.get_xdata()) for line in axes.lines}
        assert drawn == {3, 1}
        assert [text.get_text() for text in axes.texts] == ["knee: k = 10"]
        assert axes.get_xscale() == "log"
        assert "complete, proven" in axes.get_title()

    def test_draws_into_given_axes(self):
        from matplotlib.figure import Figure

        axes = Figure().add_subplot()
        assert FRONT.plot(axes) is axes

    @pytest.mark.parametrize("points", [(), ((5, 3.0),), ((1, 0.0),), ((7, 0.0),)])
    def test_draws_few_points(self, points, tmp_path):
        for ending in ("svg", "png"):
            draw(tmp_path / f"front.{ending}", frontier(*points), force=False)
            assert (tmp_path / f"front.{ending}").stat().st_size > 0
        ElementTree.parse(tmp_path / "front.svg")

    def test_needs_no_display_and_leaves_no_state(self):
        FRONT.plot()
        assert (
            "matplotlib.pyplot" not in sys.modules or not sys.modules["matplotlib.pyplot"].get_fignums()
        )

    def test_without_matplotlib_says_what_to_install(self, monkeypatch):
        for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(MissingExtraError) as problem:
            FRONT.plot()
        assert str(problem.value) == "plots need matplotlib: pip install 'shoal[plot]'"


def frontier_of(objectives, *points, required_k=None):
    """A frontier of other objectives, of points given by their fields."""
    return Frontier(
        "exact", "LM", 1000, 999, 12, 5, True, 0.25,
        tuple(
            NodeSolution(
                point.get("k", 5), point["loss"], {"age": i}, point.get("suppressed", 0),
                point.get("l"), point.get("t"),
            )
            for i, point in enumerate(points)
        ),
        objectives,
        required_k,
        ("job", "illness") if {"l", "t"} & {*objectives} else (),
    )  # fmt: skip


SUPPRESSED = frontier_of(
    ("suppressed", "loss"),
    {"suppressed": 0, "loss": 100.0},
    {"suppressed": 1, "loss": 99.0},
    {"suppressed": 8, "loss": 86.0},
    {"suppressed": 508, "loss": 43.0},
    required_k=5,
)
DIVERSE = frontier_of(("l", "loss"), {"l": 4, "loss": 9.0}, {"l": 2, "loss": 2.0}, {"l": 1, "loss": 0.0})
CLOSE = frontier_of(
    ("t", "loss"),
    {"t": Fraction(0), "loss": 9.0},
    {"t": Fraction(1, 3), "loss": 4.0},
    {"t": Fraction(1), "loss": 0.0},
)
BOTH = frontier_of(
    ("k", "suppressed", "loss"),
    {"k": 100, "suppressed": 0, "loss": 90.0},
    {"k": 10, "suppressed": 0, "loss": 50.0},
    {"k": 10, "suppressed": 20, "loss": 30.0},
    {"k": 2, "suppressed": 0, "loss": 20.0},
    {"k": 1, "suppressed": 0, "loss": 0.0},
)
PAIRS = frontier_of(
    ("k", "l", "loss"),
    {"k": 100, "l": 3, "loss": 90.0},
    {"k": 10, "l": 2, "loss": 50.0},
    {"k": 4, "l": 3, "loss": 60.0},
    {"k": 1, "l": 1, "loss": 0.0},
)
OTHERS = [SUPPRESSED, DIVERSE, CLOSE, BOTH, PAIRS]


@pytest.mark.parametrize("front", OTHERS, ids=lambda front: "-".join(front.objectives))
class TestObjectives:
    def test_the_document_gives_the_frontier_back(self, front):
        assert Frontier.from_dict(json.loads(front.to_json())) == front

    def test_points_carry_their_objectives_everywhere(self, front):
        for point in front.to_dict()["points"]:
            assert set(front.objectives) <= set(point)
        assert set(front.objectives) <= set(front.to_arrow().column_names)
        for name in front.objectives:
            shown = "lost (LM)" if name == "loss" else name
            assert f"<th>{shown}</th>" in front._repr_html_()

    def test_a_release_promises_k_and_what_was_an_objective(self, front):
        point = front[1]
        decision = front.decision(point)
        assert decision.promise.k == point.k
        assert decision.promise.l == point.l
        assert decision.promise.t == (
            {} if point.t is None else dict.fromkeys(("job", "illness"), point.t)
        )
        assert "frontier" not in decision.details

    def test_the_knee_is_a_point_with_privacy_and_information(self, front):
        knee = front.knee
        assert any(point is knee for point in front)
        assert all(getattr(knee, name) > 1 for name in ("k", "l") if name in front.objectives)
        assert knee.t is None or 0 < knee.t < 1

    def test_is_drawn(self, front, tmp_path):
        axes = front.plot()
        assert "complete, proven" in axes.get_title()
        words = " ".join(text.get_text() for text in axes.texts) + axes.get_xlabel()
        assert "knee" in words
        for place, answer in (
            (tmp_path / "front.svg", front),
            (tmp_path / "none.svg", frontier_of(front.objectives)),
        ):
            draw(place, answer, force=False)
            written = " ".join(ElementTree.parse(place).getroot().itertext())
            assert ("knee" in written) == (answer is front)

    def test_of_no_points_is_drawn_too(self, front):
        empty = frontier_of(front.objectives)
        assert empty.knee is None
        empty.plot()
        assert empty.to_arrow().num_rows == 0


class TestExactness:
    def test_t_is_exact_in_the_document(self):
        point = CLOSE.to_dict()["points"][1]
        assert (point["t"], point["t_exact"]) == (1 / 3, "1/3")


class TestSteps:
    def test_tell_what_each_next_point_suppresses_and_saves(self):
        steps = SUPPRESSED.steps()
        assert [(step.rows, step.share, round(step.cut, 3)) for step in steps] == [
            (1, 0.001, 0.01), (7, 0.007, 0.131), (500, 0.5, 0.5),
        ]  # fmt: skip
        assert steps[0].words == "+1 row: -1%"
        told = "7 more suppressed rows (0.7% of all) cut the loss by 13.1%: from point 2 to 3."
        assert steps[1].sentence == told

    def test_worth_telling_are_those_that_cut_the_loss_much(self):
        assert [step.start for step in notable(SUPPRESSED.steps())] == [1, 2]

    def test_worth_telling_are_those_that_cut_most_in_all_and_per_row(self):
        losses = [100.0, 94, 88, 82, 40, 20, 10]
        rows = [0, 1, 2, 3, 103, 203, 303]
        front = frontier_of(
            ("suppressed", "loss"),
            *({"suppressed": n, "loss": loss} for n, loss in zip(rows, losses, strict=True)),
        )
        assert [step.start for step in notable(front.steps())] == [0, 1, 2, 3, 4, 5]
        more = frontier_of(
            ("suppressed", "loss"),
            *(
                {"suppressed": n, "loss": loss}
                for n, loss in [*zip(rows, losses, strict=True), (900, 9.0)]
            ),
        )
        assert [step.start for step in notable(more.steps())] == [0, 1, 2, 3, 4, 5]

    def test_other_objectives_have_none(self):
        assert FRONT.steps() == BOTH.steps() == []


class TestThreeObjectives:
    def test_are_drawn_as_one_staircase_for_each_limit_that_changes_something(self):
        legend = BOTH.plot().get_legend()
        assert [text.get_text() for text in legend.get_texts()] == [
            "nothing suppressed", "5% suppressed at most",
        ]  # fmt: skip
        drawn = [e.text for e in ElementTree.fromstring(BOTH.picture().svg).iter()]
        assert "5% suppressed at most" in drawn

    def test_every_picture_has_as_many_marks_as_matplotlib_draws(self):
        for front in (FRONT, BOTH, SUPPRESSED):
            marks = [
                e
                for e in ElementTree.fromstring(front.picture().svg).iter()
                if "kind" in e.get("class", "").split()
            ]
            lines = [line for line in front.plot().lines if line.get_marker() not in ("None", "", None)]
            legend = len(front.plot().get_legend().get_texts()) if front is BOTH else 0
            assert len(marks) - legend == sum(len(line.get_xdata()) for line in lines) - 1, (
                "the knee is a mark of its own"
            )

    def test_of_k_and_l_are_drawn_as_a_map_of_the_least_loss(self):
        from shoal.present.charts.tradeoff import cells

        ks, ls, losses = cells(PAIRS)
        assert ks == [1, 2, 5, 10, 20, 50, 100]
        assert ls == [1, 2, 3]
        assert losses == [
            [0.0, 50.0, 50.0, 50.0, 90.0, 90.0, 90.0],
            [50.0, 50.0, 50.0, 50.0, 90.0, 90.0, 90.0],
            [60.0, 60.0, 90.0, 90.0, 90.0, 90.0, 90.0],
        ]
        written = [text.get_text() for text in PAIRS.plot().texts]
        assert written.count("100%") == 11
        drawn = [e.text for e in ElementTree.fromstring(PAIRS.picture().svg).iter()]
        assert drawn.count("100%") == 11
