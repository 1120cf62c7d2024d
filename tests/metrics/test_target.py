"""A metric with an aim costs the information that mergers lose, and keeps what the searches rely on."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import product
from math import inf, log, log2

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.metrics import TargetLoss, metric_named
from shoal.search.lattice.evaluator import Evaluator
from shoal.search.lattice.exact_frontier import exact_frontier
from shoal.search.lattice.exhaustive import exhaustive
from tests.examples import examples
from tests.oracles import all_nodes, class_sizes, classes, suppressed_sizes
from tests.search.negotiation.cases import case_of
from tests.strategies import problems


def entropy(counts):
    total = sum(counts)
    return -sum(c / total * log2(c / total) for c in counts if c) if total else 0.0


def cost_of(problem, a, value, level):
    """The bits that a row with this value loses on its way to a level, merger by merger."""
    ladder, labels = problem.ladders[a], problem.labels
    lost = 0.0
    for step in range(1, level + 1):
        same = ladder.codes[step] == ladder.codes[step, value]
        here = same[problem.codes[:, a]]
        whole = labels[here].sum(axis=0)
        parts = {}
        for code in set(ladder.codes[step - 1][same].tolist()):
            inside = (ladder.codes[step - 1] == code)[problem.codes[:, a]]
            if labels[inside].sum():
                parts[code] = labels[inside].sum(axis=0)
        rows = whole.sum()
        gain = rows * entropy(whole) - sum(one.sum() * entropy(one) for one in parts.values())
        chance = (len(parts) - 1) * max(int((whole > 0).sum()) - 1, 0) / (2 * log(2))
        lost += max(gain - chance, 0.0) / rows
    return lost


@settings(deadline=None, max_examples=examples(60))
@given(problem=problems(most_attributes=3, most_rows=20), data=st.data())
def test_a_node_costs_what_its_rows_lose_merger_by_merger(problem, data):
    limit = data.draw(st.integers(0, problem.rows))
    node = data.draw(st.sampled_from(all_nodes(problem)))
    metric = TargetLoss(problem)
    found = Evaluator(problem, metric, limit).measure(node)
    sizes = class_sizes(problem, node)
    gone, _ = suppressed_sizes(list(sizes.values()), limit)
    expected = 0.0
    for i, count in enumerate(problem.counts.tolist()):
        key = tuple(
            int(ladder.codes[level, problem.codes[i, a]])
            for a, (ladder, level) in enumerate(zip(problem.ladders, node, strict=True))
        )
        for a, ladder in enumerate(problem.ladders):
            level = ladder.height if sizes[key][0] in gone else node[a]
            expected += count * float(ladder.weight) * cost_of(problem, a, problem.codes[i, a], level)
    assert float(metric.figure(found.loss)) == pytest.approx(expected, abs=1e-6)
    assert 0 <= found.loss <= metric.largest


@settings(deadline=None, max_examples=examples(60))
@given(problem=problems(), data=st.data())
def test_the_three_facts_hold(problem, data):
    limit = data.draw(st.integers(0, problem.rows))
    node = data.draw(st.sampled_from(all_nodes(problem)))
    other = data.draw(st.sampled_from(all_nodes(problem)))
    above = tuple(map(max, zip(node, other, strict=True)))
    evaluator = Evaluator(problem, TargetLoss(problem), limit)
    low, high = evaluator.measure(node), evaluator.measure(above)
    assert low.loss0 <= high.loss0
    assert low.loss0 <= low.loss
    for b in range(problem.rows + 1):
        at_low, at_high = (sum(size <= b for size in one.sizes) for one in (low, high))
        if low.k > b:
            assert low.excess[at_low] >= high.excess[at_high]


@settings(deadline=None, max_examples=examples(40))
@given(problem=problems(most_attributes=3), data=st.data())
def test_the_exact_frontier_is_that_of_all_nodes(problem, data):
    limit = data.draw(st.integers(0, problem.rows))
    found = exact_frontier(Evaluator(problem, TargetLoss(problem), limit), fill=True)
    every = exhaustive(Evaluator(problem, TargetLoss(problem), limit))
    assert [(one.k, one.loss) for one in found.points] == [(one.k, one.loss) for one in every.points]


@settings(deadline=None, max_examples=examples(30))
@given(problem=problems(most_attributes=3), data=st.data())
def test_merged_combinations_and_some_columns_tell_the_same(problem, data):
    node = data.draw(st.sampled_from(all_nodes(problem)))
    whole, coarse = TargetLoss(problem), TargetLoss(problem.on(node))
    assert [one.tolist() for one in whole.weights()] == [one.tolist() for one in coarse.weights()]
    part = TargetLoss(problem.part([0]))
    assert (part._kept[0] == whole._kept[0]).all() or part._grid != whole._grid


ROWS = [(f"{g}{i % 4}", "f" if i % 2 else "m", str(int(g == "b"))) for g in "ab" for i in range(16)]
PEOPLE = pa.table(
    {"code": [r[0] for r in ROWS], "sex": [r[1] for r in ROWS], "ill": [r[2] for r in ROWS]}
)
CODES = shoal.Hierarchy.from_rows([(f"{g}{i}", g, "*") for g in "ab" for i in range(4)])
SEXES = shoal.Hierarchy.from_rows([("f", "*"), ("m", "*")])


def study(**more):
    return shoal.Study(PEOPLE, quasi={"code": CODES, "sex": SEXES}, **({"class_": "ill"} | more))


def test_what_tells_the_target_is_kept_and_what_does_not_costs_nothing():
    """The letter of the code tells the target; its digit and the sex tell nothing."""
    one = study()
    for metric in ("target", "target:ill", "TARGET: ill"):
        best = one.anonymize("flash", k=16, metric=metric)
        assert best.decision().recoding.levels == {"code": 1, "sex": 1}
        assert best.loss == 0
    front = one.frontier(metric="target:ill")
    assert front.metric == "target:ill"
    assert front.certified
    assert float(front.points[-1].loss) in {0.0, 32.0}
    assert one.frontier(metric="target").points == front.points


@pytest.mark.parametrize(
    ("algorithm", "options"), [("local-recoding", {"effort": 1}), ("mondrian", {"labels": "hierarchy"})]
)
def test_groups_keep_what_tells_the_target(algorithm, options):
    """Sixteen rows alike have one letter or one sex: only the letter tells something."""
    rows = [(letter, i, sex, letter) for letter in "ab" for i in range(8) for sex in "fm"]
    table = {
        name: [str(row[i]) for row in rows] for i, name in enumerate(("letter", "digit", "sex", "ill"))
    }
    digits = shoal.Hierarchy.from_rows([(str(i), "*") for i in range(8)])
    letters = shoal.Hierarchy.from_rows([("a", "*"), ("b", "*")])
    quasi = {"letter": letters, "digit": digits, "sex": SEXES}
    one = shoal.Study(pa.table(table), quasi=quasi, class_="ill", weights={"sex": 3})
    by_lm = one.anonymize(algorithm, k=16, options=options)
    aimed = one.anonymize(algorithm, k=16, metric="target:ill", options=options)
    assert set(one.release(by_lm).table()["letter"].to_pylist()) == {"*"}
    assert set(one.release(aimed).table()["letter"].to_pylist()) == {"a", "b"}
    assert aimed.loss == 0


def test_an_aimed_solution_is_released_and_kept(tmp_path):
    one = study(class_=None, insensitive="ill")
    front = one.frontier(metric="target:ill")
    done = one.release(front, k=16, seed=1).write(tmp_path / "out.csv")
    assert done.verdict.holds
    assert one.compare(k=4, algorithms=["flash", "mondrian"], metric="target:ill").answers
    table = shoal.utility(tmp_path / "out.csv", source=one)
    assert table.of("ill").distance == 0


def test_a_target_that_cannot_be_is_refused():
    one = study()
    for metric, said in (
        ("target:none", "no column"),
        ("target:sex", "is quasi"),
        ("target:", "unknown metric"),
        ("targt", "did you mean"),
    ):
        with pytest.raises(shoal.InputError, match=said):
            one.frontier(metric=metric)
    with pytest.raises(shoal.InputError, match="role class"):
        study(class_=None).frontier(metric="target")
    for ask in (one.negotiate, one.optimize):
        with pytest.raises(shoal.InputError, match="is quasi"):
            ask(k=2, metric="target:sex")


def test_many_rare_values_do_not_tell_a_random_target():
    draw = np.random.default_rng(5)
    table = pa.table(
        {
            "rare": [str(i % 100) for i in range(300)],
            "y": [str(one) for one in draw.integers(0, 2, 300)],
        }
    )
    tree = shoal.Hierarchy.from_rows([(str(i), "*") for i in range(100)])
    one = shoal.Study(table, quasi={"rare": tree}, class_="y")
    metric = metric_named("target")(one.material().posed(metric_named("target"))[0])
    assert metric.figure(metric.largest) <= Fraction(60)  # uncorrected it is about 130 bits


def random_study(seed):
    """A few rows with two quasi columns, one with missing values and levels between, and a target."""
    rng = random.Random(seed)
    leaves = [f"{a}{b}" for a in "xyz" for b in "012"]
    tree = [(one, one[0] if one < "z" else one, "xy" if one < "z" else "zz", "*") for one in leaves]
    code = [rng.choice(leaves) for _ in range(24)]
    sex = [rng.choice(["f", "m", None]) for _ in range(24)]
    ill = [rng.choice("abc") if rng.random() < 0.3 else "ab"[one > "y"] for one in code]
    sick = [rng.choice("pq") for _ in range(24)]
    table = pa.table({"code": code, "sex": sex, "ill": ill, "sick": sick})
    given = {"code": shoal.Hierarchy.from_rows(tree), "sex": SEXES}
    return shoal.Study(table, quasi=given, sensitive="sick", insensitive="ill")


def bits_lost(rows, paths, cut, gone):
    """The bits that rows lose on their way to a cut's labels, to the root if suppressed; counted by rows.

    The rule of `cost_of`, for labels of a tree instead of levels.
    """
    total = 0.0
    for a, path in enumerate(paths):
        members = {}
        for i, row in enumerate(rows):
            for level, label in enumerate(path[row[a]]):
                members.setdefault((level, label), []).append(i)
        for i, row in enumerate(rows):
            way = path[row[a]]
            last = len(way) - 1 if i in gone else max(n for n, one in enumerate(way) if one in cut[a])
            for level in range(1, last + 1):
                whole = members[level, way[level]]
                parts = {}
                for j in whole:
                    parts.setdefault(path[rows[j][a]][level - 1], []).append(j)
                told = [Counter(rows[j][-1] for j in part) for part in (whole, *parts.values())]
                gain = len(whole) * entropy(told[0].values()) - sum(
                    sum(one.values()) * entropy(one.values()) for one in told[1:]
                )
                chance = (len(parts) - 1) * (len(told[0]) - 1) / (2 * log(2))
                total += max(gain - chance, 0.0) / len(whole)
    return total


def left_out(rows, paths, cut):
    """A cut, and the rows whose groups have fewer than three by it."""
    groups = {}
    for i, row in enumerate(rows):
        shown = tuple(
            next(label for label in path[value] if label in labels)
            for value, path, labels in zip(row, paths, cut, strict=False)
        )
        groups.setdefault(shown, []).append(i)
    return cut, {i for group in groups.values() if len(group) < 3 for i in group}


def all_cuts_of(tree):
    found = [(tree.label,)]
    if tree.children:
        below = product(*(all_cuts_of(child) for child in tree.children))
        found += [sum(parts, ()) for parts in below]
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("limit", [0, 6])
def test_the_best_cut_for_a_target_is_that_of_brute_force(seed, limit):
    one = random_study(seed)
    table = one.material().engine.cells(["code", "sex", "ill"])
    rows = [
        tuple(table.domains[c][code] for c, code in enumerate(line))
        for line, n in zip(table.codes.tolist(), table.counts.tolist(), strict=True)
        for _ in range(n)
    ]
    trees = [one.hierarchy("code"), one.hierarchy("sex").with_missing()]
    paths = [dict(zip(tree.leaves, tree.rows(), strict=True)) for tree in trees]
    least = inf
    for each in product(*(all_cuts_of(tree.tree()) for tree in trees)):
        cut, gone = left_out(rows, paths, each)
        if len(gone) <= limit:
            least = min(least, bits_lost(rows, paths, cut, gone))
    best = one.optimize(k=3, metric="target:ill", suppress=limit)
    assert best.optimal
    cost = bits_lost(rows, paths, *left_out(rows, paths, [best.cut["code"], best.cut["sex"]]))
    assert cost == pytest.approx(least, abs=1e-6)
    front = one.frontier(metric="target:ill", recoding="cuts", suppress=limit, min_k=3)
    assert min(point.loss for point in front.points) == pytest.approx(least, abs=1e-6)
    named = one.anonymize("k-optimize", k=3, metric="target:ill", suppress=limit)
    assert named.loss == pytest.approx(least, abs=1e-6)


@settings(deadline=None, max_examples=examples(40))
@given(problem=problems(most_attributes=3, most_rows=16), data=st.data())
def test_a_negotiation_finds_the_node_that_loses_least(problem, data):
    k, limit = data.draw(st.integers(1, 5)), data.draw(st.integers(0, problem.rows))
    least = inf
    for node in all_nodes(problem):
        groups = classes(problem, node)
        sizes = {key: sum(int(problem.counts[i]) for i in group) for key, group in groups.items()}
        gone = {key for key, size in sizes.items() if size < k}
        if sum(sizes[key] for key in gone) > min(limit, problem.rows - 1):
            continue
        lost = 0.0
        for key, group in groups.items():
            for i, (a, ladder) in product(group, enumerate(problem.ladders)):
                level = ladder.height if key in gone else node[a]
                bits = cost_of(problem, a, problem.codes[i, a], level)
                lost += int(problem.counts[i]) * float(ladder.weight) * bits
        least = min(least, lost)
    for talk in (case_of(problem).lazy(), case_of(problem).indexed()):
        found = talk.ask(k=k, max_suppressed=limit, metric="target").exact
        assert (found is None) == (least == inf)
        assert found is None or found.loss == pytest.approx(least, abs=1e-6)


def test_a_negotiation_aims_at_any_column():
    one = random_study(1)
    found = one.negotiate(k=3, metric="target:ill", max_suppressed=6)
    best = one.anonymize("flash", k=3, metric="target:ill", suppress=6)
    assert found.metric == "target:ill"
    assert found.exact.loss == pytest.approx(best.loss, abs=1e-9)
