"""What is drawn near the best is allowed and costs no more than was said; everything near can be drawn."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.answering import named, near_best
from shoal.answering.best_cut import pose
from shoal.answering.named import pose as pose_task
from shoal.answers.recoding import CutRecoding, Decision, GroupRecoding
from shoal.assess.utility import utility_of
from shoal.kernels import CutWalk
from shoal.questions.searches import AnonymizeQuestion, OptimizeQuestion
from shoal.recode import treat
from shoal.running.clock import Clock
from shoal.search.cuts.near_cuts import all_detail, near_cut
from shoal.search.groups.grouping import Grouping
from shoal.search.groups.regroup import Regrouper
from shoal.search.groups.wider_labels import Widenings, _apart, _Axis, _chosen, widened
from shoal.search.lattice.near_nodes import near_node
from shoal.search.near_walk import wander
from tests.commands import shoal as command

AGE = shoal.Hierarchy.from_rows([(str(a), f"{a // 2 * 2}-", f"{a // 4 * 4}--", "*") for a in range(8)])
CITY = shoal.Hierarchy.from_rows([("x", "n", "*"), ("y", "n", "*"), ("z", "s", "*"), ("w", "s", "*")])


def study(seed: int = 0, rows: int = 60, oldest: int = 8, missing: int = 0) -> shoal.Study:
    """Return a study of made-up rows, of which all but the first ten are of ages below `oldest`; some are
    of no known age.
    """
    draw = np.random.default_rng(seed)
    ages = [*draw.integers(8, size=10), *draw.integers(oldest, size=rows - 10)]
    table = pa.table(
        {
            "age": [None if i < missing else str(a) for i, a in enumerate(ages)],
            "city": [("x", "y", "z", "w")[c] for c in draw.integers(4, size=rows)],
            "ill": [("flu", "hiv", "cold")[i] for i in draw.integers(3, size=rows)],
        }
    )
    return shoal.Study(table, quasi={"age": AGE, "city": CITY}, sensitive="ill")


def test_a_walk_ends_everywhere_alike():
    draw = random.Random(3)
    ends = Counter(
        wander(0, 2, lambda at, way: at + (1, -1)[way], range(4).__contains__, draw, Clock(), 60).state
        for _ in range(2_000)
    )
    assert set(ends) == {0, 1, 2, 3}
    assert all(440 < ends[at] < 560 for at in range(4))


def test_cuts_near_the_best_are_those_that_trying_all_finds():
    with study() as opened:
        question = OptimizeQuestion(k=3, theta="1/2")
        problem = pose(opened.material(), question)
        best = opened.optimize(k=3, theta="1/2")
        within = Fraction(1, 10)
        more = within * all_detail(problem)
        forest = problem.forest(merged=True)
        walk = CutWalk(problem.question(forest))
        parents = [parent for _, _, parent in forest.nodes]
        inner = sorted({parent for parent in parents if parent >= 0})
        near = set()
        for chosen in product((False, True), repeat=len(inner)):
            cut = {i for i, there in zip(inner, chosen, strict=True) if there}
            if any(parents[i] >= 0 and parents[i] not in cut for i in cut):
                continue
            forbidden, cost, _, deleted, _ = walk.measure(sorted(cut))
            # A suppressed row costs two columns more than LM says.
            lost = Fraction(cost, problem.unit) - 2 * deleted
            dear = Fraction(cost, problem.unit) > Fraction(best.cost) + more
            most = Fraction(best.cost) - 2 * best.suppressed_records + more
            if not (forbidden or dear or deleted == 60 or lost > most):
                near.add(frozenset(cut))
        draw = random.Random(5)
        found = [near_cut(problem, best.cut, more, draw, Clock()) for _ in range(40)]
    drawn = {frozenset(forest.specialized(one.cut)) for one in found}
    # Those that are reached by toggling one label or two at a time.
    reached, waiting = set(), [frozenset(forest.specialized(best.cut))]
    while waiting:
        here = waiting.pop()
        reached.add(here)
        waiting += [cut for cut in near - reached if len(cut ^ here) <= 2 and cut not in waiting]
    assert drawn == reached
    assert max(one.met for one in found) == len(reached)
    assert 2 < len(reached) <= len(near)


def test_nodes_near_the_best_are_those_that_trying_all_finds():
    with study() as opened:
        task = pose_task(opened.material(), AnonymizeQuestion("flash", k=3, suppress="5%"))
        judge, within = task.judge(), Fraction(1, 5)
        nodes = [judge.judge(node) for node in product(range(4), range(3))]
        best = min((one for one in nodes if one.allowed), key=lambda one: one.loss)
        most = best.loss + within * task.metric.largest
        near = {one.node for one in nodes if one.allowed and one.loss <= most}
        draw = random.Random(2)
        found = [near_node(judge, best.node, within, draw, Clock()) for _ in range(40)]
    assert {one.state for one in found} == near
    assert len(near) > 1


@pytest.mark.parametrize("labels", ["hierarchy", "sets"])
def test_widened_labels_hold_their_groups_within_the_room(labels):
    with study(1) as opened:
        material = opened.material()
        task = pose_task(material, AnonymizeQuestion("local-recoding", k=3))
        ground = Grouping.of(task, labels)
        of = Regrouper(ground, 0, Clock()).gathered().reshape(-1)
        tight = ground.recoding(of)
        plain = _share(material, task, tight)
        ceiling = Fraction(plain) + Fraction(1, 20)
        wide = widened(ground, of, ceiling, random.Random(4))
        assert wide.details["widened"] > 0
        assert wide.details["room"] == pytest.approx(0.05)
        assert plain < _share(material, task, wide.recoding) <= float(ceiling) + 1e-12
    assert [group.combinations for group in wide.recoding.groups] == [
        group.combinations for group in tight.groups
    ]
    assert len({tuple(group.labels.values()) for group in wide.recoding.groups}) == len(tight.groups)
    wider = [a.labels != b.labels for a, b in zip(tight.groups, wide.recoding.groups, strict=True)]
    assert any(wider)


@pytest.mark.parametrize("missing", [0, 5])
@pytest.mark.parametrize("labels", ["hierarchy", "sets"])
def test_a_wider_label_costs_what_is_counted_on_the_rows(labels, missing):
    with study(2, missing=missing) as opened:
        material = opened.material()
        task = pose_task(material, AnonymizeQuestion("local-recoding", k=3))
        ground = Grouping.of(task, labels)
        of = np.unique(Regrouper(ground, 0, Clock()).gathered(), return_inverse=True)[1].reshape(-1)
        sizes = np.bincount(of, weights=ground.points.rows[ground.kept]).astype(np.int64)
        none = (np.zeros(0, dtype=np.int64),) * 2
        plain = _share(material, task, ground.recoding(of))
        axes = [_Axis(ground, a, of, of) for a in range(2)]
        assert sum(one.lost(sizes) for one in axes) == pytest.approx(plain)
        able = Widenings.joined([axis.able(sizes) for axis in axes])
        assert len(able.cost) > 10
        for group, axis, value, _, cost in zip(*able, strict=True):
            more = (np.array([value]), np.array([group]))
            wide = ground.recoding(of, [more if a == axis else none for a in range(2)])
            assert cost == pytest.approx(_share(material, task, wide) - plain)


@pytest.mark.parametrize("seed", range(5))
def test_no_two_groups_are_widened_to_the_same_labels(seed):
    table = pa.table({"age": [str(a) for a in range(8) for _ in range(3)]})
    with shoal.Study(table, quasi={"age": AGE}) as opened:
        task = pose_task(opened.material(), AnonymizeQuestion("local-recoding", k=3))
        ground = Grouping.of(task, "hierarchy")
        # Neighbours become the same when both are widened; and whoever is not is what another becomes.
        of = np.array([0, 1, 2, 3, 4, 4, 5, 6])
        wide = widened(ground, of, Fraction(1), random.Random(seed))
    labels = [group.labels["age"] for group in wide.recoding.groups]
    assert len(set(labels)) == 7
    assert wide.details["widened"] < 7


def test_rows_that_are_suppressed_leave_less_room():
    with study(3, oldest=4) as opened:
        material = opened.material()
        task = pose_task(material, AnonymizeQuestion("local-recoding", k=3, suppress="50%"))
        ladders = tuple(replace(one, hi=one.height - 1) for one in task.problem.ladders)
        task = replace(task, problem=replace(task.problem, ladders=ladders))
        ground = Grouping.of(task, "hierarchy")
        smallest = int(np.bincount(ground.block_of, weights=ground.points.rows).min())
        ground = ground.at(smallest + 1)
        assert ground.lost == smallest
        of = Regrouper(ground, 0, Clock()).gathered().reshape(-1)
        plain = _share(material, ground.task, ground.recoding(of))
        shares = set()
        for seed in range(9):  # by some draws the few groups all become the same, and stay as they are
            wide = widened(ground, of, Fraction(3, 4), random.Random(seed))
            assert wide.details["room"] == pytest.approx(0.75 - plain)
            shares.add(_share(material, ground.task, wide.recoding))
        assert plain <= min(shares) < max(shares) <= 0.75


@pytest.mark.parametrize("labels", ["hierarchy", "sets"])
def test_no_label_is_widened_above_its_highest_level(labels):
    with study(1, rows=12) as opened:
        task = pose_task(opened.material(), AnonymizeQuestion("local-recoding", k=1))
        ladders = tuple(replace(one, hi=one.height - 1) for one in task.problem.ladders)
        task = replace(task, problem=replace(task.problem, ladders=ladders))
        ground = Grouping.of(task, labels)
        of = np.arange(len(ground))
        able = Widenings.joined([_Axis(ground, a, of, of).able(np.ones_like(of)) for a in range(2)])
    assert len(able.cost) > 10
    for group, axis, value, _, cost in zip(*able, strict=True):
        assert cost > 0
        highest = ladders[axis].codes[-2]
        assert highest[value] == highest[ground.codes[group, axis]]


def widenings(*each):
    """Widenings by group, axis, value, label and cost."""
    return Widenings(*(np.array(one) for one in zip(*each, strict=True)))


@pytest.mark.parametrize("seed", range(5))
def test_narrow_groups_are_widened_first_and_all_within_the_room(seed):
    able = widenings((0, 0, 0, 1, 1.0), (1, 0, 0, 1, 3.0), (1, 1, 0, 1, 3.0), (1, 1, 1, 2, 3.0))
    for room, count in ((2, 1), (3, 1), (4, 2), (6, 2), (7, 3), (99, 3)):
        chosen = _chosen(able, np.array([False, True]), room, random.Random(seed))
        assert len(set(zip(able.group[chosen], able.axis[chosen], strict=True))) == len(chosen) == count
        assert able.cost[chosen].sum() <= room
        assert room < 3 or chosen[0] != 0


def test_who_keeps_a_tight_label_is_not_met_by_another_s_wider_one():
    # The first and the third would become the same; so the second may not become what the first stays.
    chosen = widenings((0, 0, 0, 9, 1.0), (1, 0, 0, 0, 1.0), (2, 0, 0, 9, 1.0))
    tight = np.array([[0], [1], [2]])
    assert not _apart(tight, chosen).any()
    assert _apart(tight, chosen.at(np.array([0]))).tolist() == [True, False, False]


def test_any_of_the_labels_may_be_widened_the_cheap_ones_sooner():
    able = widenings(*((group, 0, 0, 1, 1.0 + group) for group in range(3)))
    narrow = np.zeros(3, dtype=np.bool_)
    first = Counter(_chosen(able, narrow, 3.0, random.Random(seed))[0] for seed in range(600))
    assert first.keys() == {0, 1, 2}
    assert first[0] > first[1] > first[2]


def test_widening_never_lists_the_combinations_of_all_groups(monkeypatch):
    """It did so twice for every label: on the 30,000 rows of Adult that took hours."""
    with study(1) as opened:
        task = pose_task(opened.material(), AnonymizeQuestion("local-recoding", k=3))
        ground = Grouping.of(task, "hierarchy")
        of = Regrouper(ground, 0, Clock()).gathered().reshape(-1)
        ceiling = Fraction(_share(opened.material(), task, ground.recoding(of))) + Fraction(1, 20)
        listed: list[GroupRecoding] = []
        each = GroupRecoding.each
        monkeypatch.setattr(GroupRecoding, "each", lambda one: listed.append(one) or each(one))
        assert widened(ground, of, ceiling, random.Random(4)).details["widened"] > 0
    assert not listed


def _share(material, task, recoding) -> float:
    decision = Decision(recoding, task.promise)
    treatment = treat(decision, task.tally, task.hierarchies)
    return utility_of(material, recoding, treatment, task.tally).figures["shares"]["LM"]


class TestAsked:
    @pytest.mark.parametrize("algorithm", ["flash", "k-optimize", "local-recoding", "mondrian"])
    def test_it_loses_no_more_than_was_allowed_and_is_released(self, algorithm, tmp_path):
        with study(2) as opened:
            plain = opened.anonymize(algorithm, k=3, suppress="5%")
            robust = opened.anonymize(algorithm, k=3, suppress="5%", robust=0.1)
            assert robust.share <= plain.share + 0.1 + 1e-9
            assert not robust.optimal
            told = robust.details["robust"]
            assert told["not_measured"] == []
            assert {case["attack"] for case in told["attacks"]} >= {"refinement", "homogeneity"}
            made = opened.release(robust).write(tmp_path / "out.csv")
        assert made.verdict.measured.k >= 3
        assert made.record["decision"]["details"]["robust"] == told
        assert "robust" not in str(made.certificate)

    def test_a_saved_solution_keeps_what_was_measured(self):
        with study(2) as opened:
            plain = opened.optimize(k=3, theta="1/2")
            drawn = opened.optimize(k=3, theta="1/2", robust="1/10")
        assert drawn.share <= plain.share + 0.1 + 1e-9
        decision = Decision.from_dict(drawn.to_dict())
        assert isinstance(decision.recoding, CutRecoding)
        assert decision.details["within"] == 0.1
        assert decision.details["best_proven"] is True
        assert decision.details["robust"]["attacks"]

    @pytest.mark.parametrize(
        ("gone", "tried"), [(0.0, {True}), (0.8, {False}), (1.0, set())], ids=["early", "late", "over"]
    )
    def test_where_time_is_short_groups_are_not_tried_by_chance_first(self, gone, tried, monkeypatch):
        asked = []

        def run(material, task, *given, **options):
            asked.append((task.ceiling is not None, task.by_chance))
            return named.run(material, task, *given, **options)

        monkeypatch.setattr(near_best, "run", run)
        monkeypatch.setattr(Clock, "past", lambda clock, share: share <= gone)
        with study(2) as opened:
            found = opened.anonymize("local-recoding", k=3, robust=0.5, options={"effort": 0})
        assert asked[0] == (False, False)  # the plain answer
        assert {by_chance for again, by_chance in asked if again} == tried
        assert ("formed_by_chance" in found.details) == bool(tried)

    def test_two_ways_to_draw_are_one_too_many(self):
        with pytest.raises(shoal.InputError, match="leave top and gap out"):
            OptimizeQuestion(k=3, robust=0.1, top=5)

    def test_nobody_can_draw_again_by_a_seed(self):
        for ask in (OptimizeQuestion, partial(AnonymizeQuestion, "flash")):
            ask(k=3, robust=0.1)
            with pytest.raises(shoal.InputError, match="leave the seed out"):
                ask(k=3, robust=0.1, seed=4)

    @pytest.mark.parametrize(
        ("name", "asked"),
        [("anatomy", {"l": 2}), ("mu-argus", {"k": 3}), ("local-suppression", {"k": 3})],
    )
    def test_some_algorithms_have_nothing_to_draw_from(self, name, asked):
        with study() as opened, pytest.raises(shoal.InputError, match="leave robust out"):
            opened.anonymize(name, **asked, robust=0.1)

    def test_cuts_are_drawn_under_k_and_theta_only(self):
        with study() as opened, pytest.raises(shoal.InputError, match="use flash, mondrian"):
            opened.anonymize("top-down", k=3, l=2, robust=0.1)

    def test_the_command_shows_attacks_before_and_after(self, tmp_path):
        with study() as opened:
            rows = opened.specification.table
        lines = ["age,city,ill", *(",".join(row.values()) for row in rows.to_pylist())]
        (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
        for name, tree in (("age", AGE), ("city", CITY)):
            text = "".join(";".join(row) + "\n" for row in tree.rows())
            (tmp_path / f"{name}.csv").write_text(text)
        (tmp_path / "study.yaml").write_text(
            "table: t.csv\nattributes:\n  age: {role: quasi, hierarchy: age.csv}\n"
            "  city: {role: quasi, hierarchy: city.csv}\n  ill: {role: sensitive}\n"
        )
        asked = ("anonymize", tmp_path / "study.yaml", "--algorithm", "mondrian", "--k", "3")
        told = command(*asked, "--robust", "0.1")
        assert told.returncode == 0, told.stderr
        assert "Groups formed and labels widened at random" in told.stdout
        assert "downcoding" in told.stdout
        refused = command(*asked, "--robust", "2")
        assert refused.returncode == 2
        assert "robust" in refused.stderr
