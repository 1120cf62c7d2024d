"""What privacy costs by any means: every curve against what its algorithm is known to give, and the bound."""

from __future__ import annotations

import dataclasses
import json
import random

import pyarrow as pa
import pytest

import shoal
from shoal import Study
from shoal.answering.by_any_means import series
from shoal.answering.named import pose
from shoal.answers.kept_curves import curves_beside
from shoal.answers.privacy_costs import CostPoint, PrivacyCosts, pareto
from shoal.describe.hierarchies import Hierarchy
from shoal.errors import InputError, NoSolutionError
from shoal.metrics import LM
from shoal.questions.searches import AnonymizeQuestion
from shoal.release.solutions import read_solution
from shoal.running.clock import Clock
from shoal.search.groups.mondrian import blocks
from shoal.search.groups.regroup import Regrouper
from shoal.search.groups.series import ANNEALED, local_series
from tests.release.test_publish import valid

AGES = Hierarchy.from_rows(
    [(str(a), f"{a // 5 * 5}+5", f"{a // 20 * 20}+20", "*") for a in range(20, 60)]
)
PLACES = Hierarchy.from_rows([(f"{i}{j}", f"{i}*", "*") for i in range(4) for j in range(4)])
SEXES = Hierarchy.from_rows([("f", "*"), ("m", "*")])
GROUPS = ("local-recoding", "mondrian")


def opened(**more):
    chance = random.Random(3)
    rows = 150
    table = {
        "age": [str(min(max(int(chance.gauss(38, 9)), 20), 59)) for _ in range(rows)],
        "place": [chance.choice([*PLACES.leaves, None]) for _ in range(rows)],
        "sex": [chance.choice("fm") for _ in range(rows)],
        "ill": [chance.choice(["flu", "cold"]) for _ in range(rows)],
    }
    quasi = {"age": AGES, "place": PLACES, "sex": SEXES}
    return Study(pa.table(table), quasi=quasi, class_="ill", **{"threads": 1} | more)


@pytest.fixture(scope="module")
def study():
    with opened() as found:
        yield found


@pytest.fixture(scope="module")
def costs(study):
    return study.frontier(recoding="all", suppress="4%")


def test_every_curve_falls_strictly_and_none_with_labels_goes_below_the_bound(costs):
    assert [curve.name for curve in costs.curves] == ["nodes", "cuts", *GROUPS]
    bound = {k: loss for k, loss, _ in costs.lower_bound}
    assert tuple(bound) == costs.ks
    for curve in costs.curves:
        assert curve.points
        for one, other in zip(curve.points, curve.points[1:], strict=False):
            assert one.k > other.k
            assert one.loss > other.loss
        for k in costs.ks:
            point = curve.at(k)
            assert point.k >= k
            assert curve.name == "mondrian" or point.loss >= bound[k] - 1e-9
            assert point.suppressed <= costs.suppression_limit
    assert [curve.certified for curve in costs.curves] == [True, True, False, False]


def test_nodes_and_cuts_are_the_proven_ones(study, costs):
    front = study.frontier(suppress="4%")
    assert {(p.k, p.loss) for p in costs.curve("nodes").points} <= {(p.k, p.loss) for p in front}
    for k in costs.ks:
        assert costs.curve("nodes").at(k).loss == min(p.loss for p in front if p.k >= k)
    for k in (2, 10):
        whole = study.frontier(recoding="all", min_k=k, max_k=k)
        best = study.optimize(k=k, scheme="NoSupp")
        assert whole.curve("cuts").at(k).loss == pytest.approx(best.losses["LM"])
        # A node is a cut, and its classes are groups under labels.
        node = whole.curve("nodes").at(k).loss
        assert whole.curve("cuts").at(k).loss <= node + 1e-9
        assert whole.curve("local-recoding").at(k).loss <= node + 1e-9


@pytest.mark.parametrize("metric", ["LM", "DM", "CM", "Prec", "Ambiguity"])
def test_groups_lose_what_their_release_loses(study, metric):
    found = study.frontier(recoding="groups", metric=metric, min_k=3, max_k=5)
    assert [curve.name for curve in found.curves] == [*GROUPS]
    for curve in found.curves:
        for point in curve.points:
            decision = found.chosen(curve.name, point.k)
            released = study.release(decision, seed=1)
            assert decision.details["loss"] == pytest.approx(point.loss)
            measured = released.verified_table()[1].measured
            # Groups with the same labels are one when they are released.
            assert measured.k >= point.k
            assert measured.groups <= point.recoded["groups"]
    assert bool(found.lower_bound) == (metric in ("LM", "DM", "Prec"))
    assert len(found) == 0


@pytest.mark.parametrize("metric", ["LM", "DM", "CM", "Prec", "NUE", "ClassSize"])
def test_a_loss_that_is_known_is_what_measuring_finds(study, metric, monkeypatch):
    found = study.frontier(recoding="groups", metric=metric, suppress="4%", min_k=3, max_k=5)
    asked = []
    monkeypatch.setattr("shoal.answering.by_any_means.known_loss", lambda *given: asked.append(given))
    measured = study.frontier(recoding="groups", metric=metric, suppress="4%", min_k=3, max_k=5)
    assert asked
    for one, other in zip(found.curves, measured.curves, strict=True):
        assert {point.loss for point in one.points} == {point.loss for point in other.points}


def test_when_it_is_late_no_more_than_one_point_of_a_curve_is_measured(study, monkeypatch):
    monkeypatch.setattr(Clock, "late", True)
    found = study.frontier(recoding="groups", metric="Ambiguity", min_k=2, max_k=5)
    assert [len(curve.points) for curve in found.curves] == [1, 1]


def test_a_point_of_any_curve_can_be_released(study, costs, tmp_path):
    for name in ("nodes", "cuts", *GROUPS):
        released = study.release(costs, k=5, recoding=name, seed=1)
        assert released.verified_table()[1].measured.k >= 5
    with pytest.raises(InputError, match=r"say which curve .*: nodes, cuts, local-recoding, mondrian"):
        study.release(costs, k=5)
    with pytest.raises(InputError, match="say which k of cuts: 2, 3, 5"):
        study.release(costs, recoding="cuts")
    with pytest.raises(NoSolutionError, match="no point with k of 151"):
        study.release(costs, recoding="cuts", k=151)
    with pytest.raises(InputError, match="no numbers"):
        study.release(costs, recoding="cuts", point=1)
    with pytest.raises(InputError, match="there is no curve 'nods'; did you mean nodes"):
        costs.curve("nods")
    with pytest.raises(InputError, match="chooses a curve"):
        study.release(study.frontier(), recoding="cuts")


def test_a_saved_document_gives_what_it_keeps(study, costs, tmp_path):
    path = tmp_path / "costs.json"
    path.write_text(costs.to_json())
    read = PrivacyCosts.from_dict(json.loads(path.read_text()))
    assert read.to_dict() == costs.to_dict()
    for name in ("nodes", "cuts"):
        decision = read_solution(path, 5, None, name)
        assert decision.details["certified"]
        assert study.release(decision, seed=1).verified_table()[1].measured.k >= 5
    with pytest.raises(InputError, match="anonymize with the algorithm mondrian and k = 5"):
        read_solution(path, 5, None, "mondrian")
    path.write_text(json.dumps(costs.to_dict() | {"ks": ["two"]}))
    with pytest.raises(InputError, match="not a valid curves"):
        read_solution(path, 5, None, "nodes")


def test_every_point_of_every_saved_curve_can_be_released(study, costs, tmp_path):
    path = tmp_path / "costs.json"
    path.write_text(json.dumps(curves_beside(costs, path)))
    valid(json.loads(path.read_text()), "solution.schema.json")
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "costs.json",
        "costs.json.groups.parquet",
    ]
    for curve in costs.curves:
        for point in curve.points:
            kept, own = read_solution(path, point.k, None, curve.name), costs.chosen(curve.name, point.k)
            assert kept.promise == own.promise
            rows, expected = (study.release(one, seed=1).table() for one in (kept, own))
            assert rows.equals(expected)
    (tmp_path / "costs.json.groups.parquet").rename(tmp_path / "elsewhere")
    assert read_solution(path, 5, None, "nodes").details["certified"]
    with pytest.raises(InputError, match="keep the two together"):
        read_solution(path, 5, None, "mondrian")


@pytest.mark.parametrize("name", ["cuts", "local-recoding"])
def test_the_report_of_a_release_draws_all_curves(study, costs, name, tmp_path):
    study.release(costs, k=5, recoding=name, seed=1).write(tmp_path / "out.csv")
    report = (tmp_path / "out.csv.report.html").read_text()
    assert "What privacy costs by any means, 150 rows, 6 suppressed at most" in report
    assert f"chosen: k = {costs.curve(name).at(5).k}," in report
    assert "No recoding with labels of the hierarchies loses less" in report
    public = (tmp_path / "out.csv.public.html").read_text()
    assert "any means" not in public


def test_the_picture_can_be_drawn_with_matplotlib(costs):
    pytest.importorskip("matplotlib", reason="plots need the extra plot")
    names = [text.get_text() for text in costs.plot().get_legend().get_texts()]
    assert len(names) == 5
    assert names[4].startswith("no labels lose less (proven)")


def test_one_thread_and_two_find_the_same(costs):
    with opened(threads=2) as other:
        found = other.frontier(recoding="all", suppress="4%")
    assert found.to_dict() | {"seconds": 0} == costs.to_dict() | {"seconds": 0}


def test_without_time_curves_are_short_and_nothing_is_claimed(study):
    found = study.frontier(recoding="all", time_limit=1e-9)
    assert not any(curve.certified for curve in found.curves)
    assert [loss >= 0 for _, loss, _ in found.lower_bound] == [True] * len(found.ks)


def test_who_leaves_ends_it(monkeypatch):
    told = []

    def leave(share, words):
        told.append(words)
        return words.endswith("local recoding")

    monkeypatch.setattr("shoal.running.clock.EVERY", 0.0)
    with opened(threads=2) as other:
        found = other.frontier(recoding="all", progress=leave)
    assert sum(words.endswith("local recoding") for words in told) == 1
    assert not found.curve("local-recoding").points
    assert not any(curve.certified for curve in found.curves[1:])


def test_local_recoding_begins_with_a_node_where_that_costs_less(study, monkeypatch):
    task = pose(study.material(), AnonymizeQuestion(algorithm="local-recoding", k=ANNEALED + 1))
    front = study.frontier(min_k=ANNEALED + 1)
    node = min(front, key=lambda point: point.loss)
    # Nothing is gathered but the whole table, and nothing is split.
    monkeypatch.setattr(Regrouper, "gathered", lambda self, groups: blocks(self.ground))
    monkeypatch.setattr(Regrouper, "split", lambda self, groups: groups)
    starts = {ANNEALED + 1: tuple(node.node.values())}
    (found,) = local_series(task, [ANNEALED + 1], Clock(), starts)
    assert found.cost / LM(task.problem).unit == pytest.approx(node.loss)


def test_highest_levels_split_the_table_into_blocks():
    with opened(levels={"sex": (0, 0), "age": (1, 3)}) as blocks:
        found = blocks.frontier(recoding="all")
        most = max(curve.points[0].k for curve in found.curves if curve.points)
        assert most < 150
        for k, loss, _ in found.lower_bound:
            point = found.curve("local-recoding").at(k)
            assert point is None or point.loss >= loss - 1e-9


def test_blocks_that_are_suppressed_cost_what_a_suppressed_row_does():
    ages, sexes = ["20", "21", "22", "23"] * 10, ["f"] * 38 + ["m"] * 2
    table, levels = pa.table({"age": ages, "sex": sexes}), {"sex": (0, 0)}
    with Study(table, quasi={"age": AGES, "sex": SEXES}, levels=levels, threads=1) as small:
        found = small.frontier(recoding="groups", suppress=2, min_k=2, max_k=5)
        for curve in found.curves:
            # The two m are a group for k = 2; for more they are suppressed, and cost 1 in both columns.
            assert [point.suppressed for point in curve.points] == [2, 0]
            assert curve.points[0].loss >= 4
            released = small.release(found, k=5, recoding=curve.name, seed=1)
            assert released.decision.details["loss"] == pytest.approx(curve.points[0].loss)
            assert released.verified_table()[1].measured.k >= 5


def test_points_that_others_equal_or_beat_are_left_out():
    given = [(5, 2.0), (5, 3.0), (9, 3.0), (7, 3.0), (3, 2.0), (2, 1.0)]
    points = pareto([CostPoint(k, loss, None, 0, {}) for k, loss in given])
    assert [(point.k, point.loss) for point in points] == [(9, 3.0), (5, 2.0), (2, 1.0)]


def test_what_is_released_is_promised_and_proven_as_the_curve_is(costs):
    read = PrivacyCosts.from_dict(json.loads(costs.to_json()))
    for curve in read.curves[:2]:
        # The cheapest for one more than a point has is the next point, and promises all that it has.
        for beyond, point in zip(curve.points, curve.points[1:], strict=False):
            decision = read.chosen(curve.name, point.k + 1)
            assert decision.promise.k == beyond.k
            assert decision.proven
    unproven = tuple(dataclasses.replace(curve, certified=False) for curve in read.curves)
    assert not dataclasses.replace(read, curves=unproven).chosen("nodes", 2).proven


def test_the_series_of_k():
    assert series(30, 1, None) == (2, 3, 5, 7, 10, 15, 20, 30)
    assert series(10**9, 1, 10**9)[0] == 2
    assert series(10**9, 1, 10**9)[-1] == 10**9
    assert len(series(10**9, 1, 10**9)) == 20
    assert series(100, 5, 5) == (5,)
    assert series(10, 11, None) == ()


def test_questions_that_no_curves_answer_are_refused(study):
    for asked in (
        {"method": "poka"},
        {"objectives": "l,loss"},
        {"objectives": "suppressed,loss", "k": 2},
    ):
        with pytest.raises(InputError, match="leave objectives and method out"):
            study.frontier(recoding="all", **asked)
    with pytest.raises(NoSolutionError, match="150 rows; lower min_k"):
        study.frontier(recoding="groups", min_k=151)


def test_it_is_public_and_can_be_read_as_a_table(costs):
    assert shoal.PrivacyCosts is PrivacyCosts
    assert costs.to_arrow().column_names == ["k", "nodes", "cuts", *GROUPS, "lower bound"]
    assert costs.to_arrow().num_rows == len(costs.ks)
    page = costs._repr_html_()
    assert "no labels lose less (proven)" in page
    assert page.count("<img") == 1


def test_only_what_is_certified_is_called_proven(costs):
    assert costs.proofs.startswith("Exact curves are proven; of those that are found,")
    found = [dataclasses.replace(curve, certified=False) for curve in costs.curves]
    unproven = dataclasses.replace(
        costs, curves=(*found[:-1], dataclasses.replace(found[-1], points=()))
    )
    assert unproven.proofs == (
        "No curve is proven: other recodings of their kind may lose less. "
        "The search for Mondrian was ended before it had a point."
    )
    assert dataclasses.replace(costs, curves=costs.curves[:1]).proofs == "All curves are proven."


def test_the_curve_of_cuts_holds_the_nodes_where_it_is_ended(study, monkeypatch):
    from shoal.answering import cut_trade_off as answering
    from tests.answering.test_cut_trade_off import ended

    monkeypatch.setattr(answering, "cut_frontier", ended)
    found = study.frontier(recoding="all", suppress="4%")
    for point in found.curve("nodes").points:
        assert found.curve("cuts").at(point.k).loss <= point.loss
