"""What a release costs and whom it loses, compared with the rows one by one."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from fractions import Fraction
from math import log2, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.answers.recoding import CutRecoding, Decision, Group, GroupRecoding, NodeRecoding, Scheme
from shoal.assess.utility import classification, measure_utility, suppressed_by_subgroup
from shoal.data.tally.ladders import make_ladder
from shoal.data.tally.problem import Problem
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.promise import Promise, ShareLimits
from shoal.errors import InputError, MissingExtraError
from shoal.metrics import METRICS
from shoal.recode.treatment import treat
from shoal.search.lattice.evaluator import Evaluator
from tests.examples import examples
from tests.search.cuts.cases import tally_of as count
from tests.strategies import WEIGHTS, hierarchies

COLUMNS = ("x", "y", "illness", "pay")


def tally_of(rows):
    return count(rows, COLUMNS[:2], COLUMNS[2:], {name: i for i, name in enumerate(COLUMNS)})


@st.composite
def cuts(draw, tree):
    """A random cut of a tree."""
    if not tree.children or draw(st.booleans()):
        return (tree.label,)
    return tuple(label for child in tree.children for label in draw(cuts(child)))


@st.composite
def cases(draw, schemes=(Scheme.ALL_REC,), metric="LM", missing=True, kinds=("node", "cut", "groups")):
    """A table, its hierarchies and a random decision about it."""
    trees = {name: draw(hierarchies()) for name in "xy"}
    rows = []
    for _ in range(draw(st.integers(1, 20))):
        values = [draw(st.sampled_from(tree.leaves)) for tree in trees.values()]
        if missing and draw(st.integers(0, 9)) == 0:
            values[0] = None
        rows.append((*values, draw(st.sampled_from("abc")), draw(st.sampled_from(["low", "high"]))))
    full = {
        name: tree.with_missing() if any(row[i] is None for row in rows) else tree
        for i, (name, tree) in enumerate(trees.items())
    }
    kind = draw(st.sampled_from(kinds))
    if kind == "node":
        recoding = NodeRecoding({name: draw(st.integers(0, tree.height)) for name, tree in full.items()})
    elif kind == "cut":
        recoding = CutRecoding({name: draw(cuts(tree.tree())) for name, tree in full.items()})
    else:
        recoding = draw(groups(rows, full))
    scheme = draw(st.sampled_from(schemes))
    limits = (
        {"illness": ShareLimits(Fraction(draw(st.integers(1, 3)), 3))}
        if scheme != Scheme.ALL_REC
        else {}
    )
    k = 1 if scheme in (Scheme.ALL_SA, Scheme.VIO_SA) else draw(st.integers(1, 4))
    return rows, trees, full, Decision(recoding, Promise(k, None, limits), scheme, metric)


@st.composite
def groups(draw, rows, full):
    """Random groups of the combinations, some labelled as in the hierarchy, some by their values."""
    combinations = sorted({row[:2] for row in rows}, key=str)
    members, meanings = defaultdict(list), defaultdict(dict)
    for combination in combinations:
        members[draw(st.integers(0, 2))].append(combination)
    made = []
    for number, inside in members.items():
        labels = {}
        for a, (name, tree) in enumerate(full.items()):
            leaves = {combination[a] for combination in inside}
            above = [
                tree.labels[level][tree.codes[level][tree.leaves.index(next(iter(leaves)))]]
                for level in range(tree.height + 1)
            ]
            own = f"{number}{{{','.join(sorted(map(str, leaves)))}}}"
            labels[name] = draw(st.sampled_from([*above, own]))
            if labels[name] == own and draw(st.booleans()):
                more = draw(st.sets(st.sampled_from(tree.leaves)))
                meanings[name][own] = tuple(leaves | more)
        made.append(Group(labels, tuple(inside)))
    return GroupRecoding(("x", "y"), tuple(made), meanings)


def stands_for(recoding, tree, label, values, name):
    """The leaves that a label stands for and its level, straight from the definition."""
    table = tree.rows()
    below = [{row[0] for row in table if row[level] == label} for level in range(tree.height + 1)]
    if isinstance(recoding, NodeRecoding):
        level = recoding.levels[name]
        return below[level], level
    if isinstance(recoding, CutRecoding):
        node = next(node for node in tree.tree().walk() if node.label == label)
        return set(node.leaves), next(level for level, leaves in enumerate(below) if leaves)
    values = set(recoding.meanings.get(name, {}).get(label, values))
    for level, leaves in enumerate(below):
        if leaves and values <= leaves:
            return leaves, level
    together = next(
        level
        for level in range(tree.height + 1)
        if len({row[level] for row in table if row[0] in values}) == 1
    )
    return values, together


def lowest_level(tree, leaves, level):
    """The lowest level that has a label for just these leaves, else the level they stand on."""
    for low in range(tree.height + 1):
        for label in tree.labels[low]:
            if {row[0] for row in tree.rows() if row[low] == label} == leaves:
                return low
    return level


def class_of_rows(rows, tally, treatment):
    """The class of each row."""
    of = {}
    for i, codes in enumerate(tally.codes.tolist()):
        of[tuple(tally.domains[a][code] for a, code in enumerate(codes))] = int(treatment.classes[i])
    return [of[row[:2]] for row in rows]


def delete(rows, classes, treatment, favours):
    """Which rows go: those of deleted classes, and for each quota the first that may."""
    gone = {i for i, c in enumerate(classes) if c in treatment.deleted}
    for quota in treatment.quotas:
        pool = [i for i, c in enumerate(classes) if c == quota.class_ and rows[i][2:3] == quota.values]
        pool.sort(key=lambda i: favours and rows[i][3] == quota.favoured)
        gone.update(pool[: quota.rows])
    return gone


@given(
    case=cases(schemes=(Scheme.ALL_REC, Scheme.VIO_REC), metric="CM"),
    weights=st.fixed_dictionaries({"x": st.sampled_from(WEIGHTS), "y": st.just(Fraction(1))}),
)
def test_every_metric_is_the_sum_over_the_rows(case, weights):
    rows, trees, full, decision = case
    tally = tally_of(rows)
    treatment = treat(decision, tally, trees, "pay")
    classes = class_of_rows(rows, tally, treatment)
    gone = delete(rows, classes, treatment, favours=True)
    assert len(gone) == treatment.suppressed_rows
    released = Counter(c for i, c in enumerate(classes) if i not in gone)
    labels = defaultdict(Counter)
    for i, c in enumerate(classes):
        if i not in gone:
            labels[c][rows[i][3]] += 1
    n = len(rows)
    loss = {
        "DM": n * len(gone) + sum(size * size for size in released.values()),
        "CM": n - sum(max(found.values()) for found in labels.values()),
        "ClassSize": Fraction(n, max(len(released), 1)),
        **dict.fromkeys(["LM", "Prec", "NCP", "Intensity"], sum(weights.values()) * len(gone)),
        **dict.fromkeys(["NUE", "Ambiguity"], 0),
    }
    highest = {name: [] for name in full}
    bits = 0.0
    per_attribute = {"x": Fraction(0), "y": Fraction(0)}
    for i, c in enumerate(classes):
        ambiguity = 1
        for a, (name, tree) in enumerate(full.items()):
            weight, all_leaves, height = weights[name], len(tree.leaves), max(tree.height, 1)
            alike = sum(row[a] == rows[i][a] for row in rows)
            bits += float(weight) * log2(n / alike)
            if i in gone:
                ambiguity *= all_leaves
                loss["NUE"] += float(weight) * log2(n / alike)
                continue
            values = {rows[j][a] for j in range(n) if classes[j] == c}
            leaves, level = stands_for(decision.recoding, tree, treatment.labels[c][a], values, name)
            highest[name].append(level)
            ambiguity *= len(leaves)
            part = Fraction(len(leaves) - 1, max(all_leaves - 1, 1))
            per_attribute[name] += part
            loss["LM"] += weight * part
            loss["NCP"] += weight * Fraction(len(leaves), all_leaves) if len(leaves) > 1 else 0
            loss["Prec"] += weight * Fraction(level, height)
            loss["Intensity"] += weight * Fraction(lowest_level(tree, leaves, level), height)
            loss["NUE"] += float(weight) * log2(sum(row[a] in leaves for row in rows) / alike)
        loss["Ambiguity"] += ambiguity
    if released:
        loss["Height"] = sum(map(max, highest.values()))
    found = measure_utility(decision.recoding, treatment, tally, trees, "pay", weights)
    loss["NUE"] = pytest.approx(loss["NUE"])
    assert {name: one.loss for name, one in found.losses.items() if name in loss} == loss
    cells = n * sum(weights.values())
    assert {name: one.most for name, one in found.losses.items()} == {
        "LM": cells, "NCP": cells, "Prec": cells, "Intensity": cells, "DM": n * n, "CM": n, "ClassSize": n,
        "NUE": pytest.approx(bits), "Ambiguity": n * prod(len(tree.leaves) for tree in full.values()),
        "Height": sum(tree.height for tree in full.values()),
    }  # fmt: skip
    for name, lost in per_attribute.items():
        kept = n - len(gone)
        assert found.attributes[name].released == (pytest.approx(float(lost / kept)) if kept else None)
        assert found.attributes[name].all_rows == pytest.approx(float((lost + len(gone)) / n))
    assert min(one.share for one in found.losses.values()) >= 0
    assert max(one.share for one in found.losses.values()) <= 1


@given(
    case=cases(kinds=("node",)),
    weights=st.fixed_dictionaries({"x": st.sampled_from(WEIGHTS), "y": st.sampled_from(WEIGHTS)}),
)
def test_a_node_costs_as_a_release_what_it_costs_in_a_search(case, weights):
    rows, trees, full, decision = case
    tally = tally_of(rows)
    ladders = tuple(
        make_ladder(name, full[name], tally.domain(name), tally.totals(name), weight=weights[name])
        for name in "xy"
    )
    problem = Problem(ladders, tally.codes, tally.counts, tally.histogram("pay"))
    treatment = treat(decision, tally, trees, "pay")
    found = measure_utility(decision.recoding, treatment, tally, trees, "pay", weights)
    node = tuple(decision.recoding.levels[name] for name in "xy")
    for kind in METRICS:
        metric = kind(problem)
        searched = Evaluator(problem, metric, treatment.suppressed_rows).measure(node)
        if searched.suppressed == treatment.suppressed_rows:
            assert found.losses[kind.name].loss == pytest.approx(float(metric.figure(searched.loss)))
        assert found.losses[kind.name].most == pytest.approx(float(metric.figure(metric.largest)))


def test_an_ambiguity_beyond_all_floating_point_numbers_is_left_out():
    tree = Hierarchy.from_rows([(f"v{i}", "*") for i in range(1000)])
    names = [f"q{a}" for a in range(110)]
    rows = [("v1",) * len(names), ("v2",) * len(names)]
    tally = count(rows, names, (), {name: a for a, name in enumerate(names)})
    trees = dict.fromkeys(names, tree)
    decision = Decision(NodeRecoding(dict.fromkeys(names, 0)), Promise(1))
    found = measure_utility(decision.recoding, treat(decision, tally, trees), tally, trees)
    assert "Ambiguity" not in found.losses
    assert found.losses["LM"].loss == 0


@given(case=cases(schemes=(Scheme.VIO_REC,), metric="LM", missing=False))
def test_cm_is_left_out_where_the_seed_decides_and_told_where_it_does_not(case):
    rows, trees, _, decision = case
    tally = tally_of(rows)
    treatment = treat(decision, tally, trees)
    found = measure_utility(decision.recoding, treatment, tally, trees, "pay")
    assert ("CM" in found.losses) == (not treatment.quotas)
    assert "CM" not in measure_utility(decision.recoding, treatment, tally, trees).losses
    # The sensitive column itself as the class: how many of each value stay is known.
    found = measure_utility(decision.recoding, treatment, tally, trees, "illness")
    classes = class_of_rows(rows, tally, treatment)
    gone = delete(rows, classes, treatment, favours=False)
    labels = defaultdict(Counter)
    for i, c in enumerate(classes):
        if i not in gone:
            labels[c][rows[i][2]] += 1
    assert found.losses["CM"].loss == len(rows) - sum(max(one.values()) for one in labels.values())


@settings(max_examples=examples(200))
@given(
    case=cases(schemes=(Scheme.ALL_REC, Scheme.ALL_SA, Scheme.VIO_SA, *[Scheme.VIO_REC] * 4)),
    favours=st.booleans(),
)
def test_subgroups_lose_what_their_rows_lose(case, favours):
    rows, trees, _, decision = case
    decision = Decision(decision.recoding, decision.promise, decision.scheme, "CM" if favours else "LM")
    tally = tally_of(rows)
    treatment = treat(decision, tally, trees, "pay")
    classes = class_of_rows(rows, tally, treatment)
    chance = [Fraction(c in treatment.deleted) for c in classes]
    for quota in treatment.quotas:
        pool = [i for i, c in enumerate(classes) if c == quota.class_ and rows[i][2:3] == quota.values]
        liked = [i for i in pool if favours and rows[i][3] == quota.favoured]
        first, left = [i for i in pool if i not in liked], quota.rows
        for part in (first, liked):
            for i in part:
                chance[i] = Fraction(min(left, len(part)), len(part))
            left = max(left - len(part), 0)
    blanked = [
        any(
            c == class_ and (values is None or row[2] in values)
            for class_, values in treatment.blanked.get("illness", ())
        )
        for row, c in zip(rows, classes, strict=True)
    ]
    found = suppressed_by_subgroup(treatment, tally, None, "pay")
    for group in found:
        a = COLUMNS.index(group.attribute)
        inside = [i for i, row in enumerate(rows) if row[a] == group.value]
        assert group.rows == len(inside)
        assert group.deleted == sum(classes[i] in treatment.deleted for i in inside)
        assert group.deleted + group.drawn == pytest.approx(float(sum(chance[i] for i in inside)))
        assert group.blanked == sum(blanked[i] for i in inside)
    for attribute in "xy":
        lost = sum(group.share * group.rows for group in found if group.attribute == attribute)
        assert lost == pytest.approx(treatment.suppressed_rows)
    assert [group.share for group in found] == sorted((group.share for group in found), reverse=True)
    assert suppressed_by_subgroup(treatment, tally, 2, "pay") == found[:2]


def people(rows=600):
    """Age and sex decide the pay, but for some noise."""
    draw = np.random.default_rng(3)
    made = []
    for _ in range(rows):
        age, sex = int(draw.integers(20, 60)), str(draw.choice(["f", "m"]))
        pay = (age >= 40) != (sex == "f") if draw.random() < 0.95 else draw.random() < 0.5
        made.append((str(age), sex, "a", "high" if pay else "low"))
    return made


AGES = Hierarchy.from_rows([(str(a), f"{a // 10 * 10}s", "*") for a in range(20, 60)])
SEXES = Hierarchy.from_rows([("f", "*"), ("m", "*")])


def learn(levels, k=1, **options):
    tally = tally_of(people())
    trees = {"x": AGES, "y": SEXES}
    treatment = treat(Decision(NodeRecoding(levels), Promise(k)), tally, trees)
    return classification(treatment, tally, "pay", **options)


def test_an_untouched_release_teaches_as_much_and_an_empty_one_the_majority():
    same, none = learn({"x": 0, "y": 0}), learn({"x": 2, "y": 1})
    assert same.released == same.original < 0.15
    assert none.released == none.majority > 0.3
    assert same.trained + same.tested == 600
    assert same.trained_released == same.trained


def test_decades_still_teach_what_decides():
    found = learn({"x": 1, "y": 0})
    assert found.released < 0.15


def test_suppressed_rows_teach_nothing():
    found = learn({"x": 0, "y": 0}, k=8)
    assert 0 < found.trained_released < found.trained


def test_the_same_seed_gives_the_same_errors_and_a_sample_is_drawn():
    assert learn({"x": 1, "y": 0}, seed=5) == learn({"x": 1, "y": 0}, seed=5)
    assert learn({"x": 1, "y": 0}, most=90).trained == 60


@settings(max_examples=examples(20))
@given(case=cases(schemes=(Scheme.ALL_REC, Scheme.VIO_REC)))
def test_any_release_can_be_learnt_from_or_is_refused_in_a_line(case):
    rows, trees, _, decision = case
    tally = tally_of(rows)
    try:
        found = classification(treat(decision, tally, trees, "pay"), tally, "pay")
    except InputError:
        return
    assert 0 <= found.released <= 1


def test_a_class_that_is_generalized_itself_is_refused():
    tally = tally_of(people(30))
    treatment = treat(
        Decision(NodeRecoding({"x": 0, "y": 1}), Promise(1)), tally, {"x": AGES, "y": SEXES}
    )
    with pytest.raises(InputError, match="'y' is itself generalized"):
        classification(treatment, tally, "y")


def test_without_scikit_learn_one_line_says_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "sklearn"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtraError, match=r"need scikit-learn: pip install 'shoal\[utility\]'"):
        learn({"x": 0, "y": 0})
