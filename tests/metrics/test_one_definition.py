"""A recoding loses the same by every way to price it: as a node, as a cut, as groups, and released.

Each is compared with the rows one by one (`tests.oracles`), exactly.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.answers.recoding import CutRecoding, Decision, Group, GroupRecoding, NodeRecoding
from shoal.assess.utility import measure_utility
from shoal.data.tally.ladders import make_ladder
from shoal.data.tally.problem import Problem
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.promise import Promise
from shoal.describe.specification import Attribute, Role, Specification
from shoal.kernels import Column
from shoal.metrics import CM, DM, LM, METRICS, NCP, metric_named
from shoal.metrics.metric import Sum
from shoal.metrics.on_cuts import CUT_COSTS, cut_metric_named
from shoal.recode.treatment import treat
from shoal.running.clock import Clock
from shoal.search.cuts.cut_judge import CutJudge
from shoal.search.groups.grouping import Grouping
from shoal.search.groups.regroup import Regrouper
from shoal.search.lattice.node_judge import Judge
from shoal.search.task import Task
from tests.examples import examples
from tests.oracles import classes, losses_without
from tests.search.cuts.cases import tally_of
from tests.strategies import WEIGHTS, hierarchies

EVERY = ("LM", "Prec", "NCP", "Intensity", "NUE", "DM", "CM", "ClassSize", "Ambiguity", "Height")


class Case:
    """A random table, a node of its lattice, and the k that it is to keep."""

    def __init__(self, trees, rows, weights, levels, k):
        self.names = tuple(trees)
        self.trees, self.weights, self.k = trees, weights, k
        columns = (*self.names, "pay")
        self.tally = tally_of(rows, self.names, ("pay",), {name: i for i, name in enumerate(columns)})
        self.node = tuple(levels[name] for name in self.names)
        ladders = tuple(
            make_ladder(
                name, trees[name], self.tally.domain(name), self.tally.totals(name), weight=weights[name]
            )
            for name in self.names
        )
        self.problem = Problem(ladders, self.tally.codes, self.tally.counts, self.tally.histogram("pay"))
        roles = {name: Attribute(frozenset({Role.QUASI}), weight=weights[name]) for name in self.names}
        self.specification = Specification(None, roles | {"pay": Attribute(frozenset({Role.CLASS}))})

    def expected(self, name):
        """The loss with all classes below k suppressed, row by row."""
        found = classes(self.problem, self.node)
        gone = {
            key
            for key, inside in found.items()
            if sum(int(self.problem.counts[i]) for i in inside) < self.k
        }
        return losses_without(self.problem, self.node, gone, (name,))[name], gone, found

    def task(self, metric, limit):
        return Task(
            self.specification, self.tally, self.problem, self.trees, Promise(self.k), limit, metric
        )

    def node_recoding(self):
        return NodeRecoding(dict(zip(self.names, self.node, strict=True)))

    def cut(self):
        """The node as a cut, by the labels of the trees: a label above a single one is that one."""
        labels = {}
        for name, level in zip(self.names, self.node, strict=True):
            tree = self.trees[name]
            by_leaves = {frozenset(node.leaves): node.label for node in tree.tree().walk()}
            below = {}
            for row in tree.rows():
                below.setdefault(row[level], set()).add(row[0])
            labels[name] = tuple(by_leaves[frozenset(leaves)] for leaves in below.values())
        return CutRecoding(labels)

    def groups(self, found):
        """The classes of the node as groups, under its labels."""
        combinations = self.tally.combinations()
        made = []
        for inside in found.values():
            shown = {}
            for name, level, value in zip(self.names, self.node, combinations[inside[0]], strict=True):
                tree = self.trees[name]
                shown[name] = tree.labels[level][tree.codes[level][tree.leaves.index(value)]]
            made.append(Group(shown, tuple(combinations[i] for i in inside)))
        return GroupRecoding(self.names, tuple(made))

    def released(self, recoding):
        """What a release by a recoding loses, by every metric."""
        decision = Decision(recoding, Promise(self.k))
        treatment = treat(decision, self.tally, self.trees)
        return measure_utility(recoding, treatment, self.tally, self.trees, "pay", self.weights).losses


@st.composite
def cases(draw):
    trees = {name: draw(hierarchies(most_leaves=5, most_levels=3)) for name in "xy"}
    rows = [
        (*(draw(st.sampled_from(tree.leaves)) for tree in trees.values()), draw(st.sampled_from("ab")))
        for _ in range(draw(st.integers(1, 12)))
    ]
    weights = {name: draw(st.sampled_from(WEIGHTS)) for name in trees}
    levels = {name: draw(st.integers(0, tree.height)) for name, tree in trees.items()}
    return Case(trees, rows, weights, levels, draw(st.integers(1, 4)))


@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=examples(30))
@given(case=cases())
def test_a_node_a_cut_groups_and_the_release_lose_the_same(name, case):
    expected, gone, found = case.expected(name)
    metric = metric_named(name)(case.problem)
    rows = case.problem.rows
    suppressed = sum(int(case.problem.counts[i]) for key in gone for i in found[key])
    judged = Judge(case.problem, case.tally, case.task(metric, rows).criteria, rows, metric).judge(
        case.node
    )
    if suppressed < rows:
        assert metric.figure(judged.loss) == expected
    released = case.released(case.node_recoding())[name]
    assert (released.loss, released.most) == (expected, metric.figure(metric.largest))
    assert 0 <= released.share <= 1

    # Groups keep the node's labels, and with them the lowest level that has each: of Prec and Height the
    # node's own level may be higher, where a step only repeats a label. Cuts rename besides.
    grouped = case.released(case.groups(found))[name].loss
    assert grouped == expected if name not in ("Prec", "Height") else grouped <= expected
    cut = case.cut()
    as_cut = case.released(cut)[name].loss
    assert as_cut == expected if name not in ("Prec", "Height") else as_cut <= expected
    judge = CutJudge(case.task(metric, rows), metric)
    specialized = judge.forest.specialized(cut.labels)
    known = judge.judge(specialized)
    assert known.suppressed == suppressed
    # The judge shows a label with rows below one child alone as that child, which loses no more.
    own = case.released(judge.recoding(specialized))[name].loss
    assert metric.figure(known.loss) == own <= as_cut


@settings(max_examples=examples(40), deadline=None)
@given(case=cases())
def test_the_kernels_of_groups_cost_what_lm_does(case):
    _, _, found = case.expected("LM")
    case.k = 1
    lm = LM(case.problem)
    ground = Grouping.of(case.task(lm, 0), "hierarchy")
    regrouper = Regrouper(ground, 0, Clock())
    of = np.zeros((len(ground), 1), dtype=np.int64)
    for group, inside in enumerate(found.values()):
        of[ground.point_of[inside]] = group
    # Groups take the tightest labels, so they may lose less than the node they come from.
    measured = case.released(ground.recoding(of.reshape(-1)))["LM"].loss
    assert (
        Fraction(regrouper.cost(of), lm.unit)
        == measured
        <= losses_without(case.problem, case.node, set(), ("LM",))["LM"]
    )


@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=examples(20))
@given(case=cases())
def test_all_is_lost_when_all_is_suppressed_and_cells_lose_nothing_when_raw(name, case):
    case.k = case.problem.rows + 1
    whole = case.released(case.node_recoding())[name]
    if name != "Height":  # which is about the recoding alone
        assert whole.share == (1 if whole.most else 0)
    case.k, case.node = 1, (0, 0)
    raw = case.released(case.node_recoding())[name]
    least = losses_without(case.problem, (0, 0), set(), (name,))[name]
    assert raw.loss == least
    if name in ("LM", "Prec", "NCP", "Intensity", "NUE", "Height"):
        assert raw.share == 0


def test_every_metric_is_compared():
    assert {kind.name for kind in METRICS} == set(EVERY)
    # The kernels lay their sums over suppressed classes out as metrics take them.
    assert [Column.ROWS + one for one in (Sum.CLASSES, Sum.SQUARES, Sum.MINORITY)] == [
        Column.SUPPRESSED_CLASSES,
        Column.SUPPRESSED_SQUARES,
        Column.SUPPRESSED_MINORITY,
    ]
    assert Column.ROWS + Sum.PRODUCTS == Column.SUPPRESSED_PRODUCTS
    assert Column.ROWS + Sum.CELLS == Column.WEIGHTS
    assert [Column.CLASSES, Column.SQUARES, Column.MINORITY, Column.PRODUCTS] == [
        Sum.CLASSES, Sum.SQUARES, Sum.MINORITY, Sum.PRODUCTS,
    ]  # fmt: skip


def test_a_suppressed_row_costs_optimize_more_than_it_loses():
    tree = Hierarchy.from_rows([("a", "*"), ("b", "*")])
    ladders = tuple(
        make_ladder(name, tree, ["a", "b"], np.array([1, 2]), weight=weight)
        for name, weight in (("x", Fraction(1)), ("y", Fraction(3)))
    )
    problem = Problem(
        ladders, np.array([[0, 0], [1, 1]], np.int32), np.array([1, 2]), np.array([[1, 0], [1, 1]])
    )
    weights = {"x": Fraction(1), "y": Fraction(3)}
    for kind, price in ((LM, 8), (NCP, 8), (DM, 3), (CM, 1)):
        metric = kind(problem)
        cost = cut_metric_named(kind.name)(["x", "y"], 3, 2, weights)
        assert cost.record_cost() == price
        assert Fraction(metric.row, metric.unit) == (price / 2 if kind in (LM, NCP) else price)
        assert cost.blank_cost() == (4 if kind in (LM, NCP) else 0)
        for covered in (1, 2):
            if kind in (LM, NCP):
                assert cost.value_cost("y", covered, 2) == 3 * (covered - 1)
    names = {kind.__name__ for kind in CUT_COSTS}
    assert not names & {kind.__name__ for kind in METRICS}
