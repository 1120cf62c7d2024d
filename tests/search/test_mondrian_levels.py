"""Mondrian within a study's levels: no label is finer than the lowest or reaches beyond the highest."""

from __future__ import annotations

from itertools import combinations

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shoal import NoSolutionError, Study
from shoal.describe.hierarchies import Hierarchy
from shoal.search.groups.group_labels import GroupLabels
from tests.examples import examples

OPTIONS = [
    {"regions": regions, "labels": labels, "effort": 0}
    for regions in ("strict", "relaxed")
    for labels in ("sets", "hierarchy")
]
DATES = ["1977-05-17"] * 3 + ["1980-01-01", "1980-06-01", "1980-07-09"]


@st.composite
def columns(draw, rows):
    """A column of numbers or texts, its hierarchy of four levels, and the levels that are allowed."""
    leaves = draw(st.sampled_from([list("12345678"), list("abcdefgh")]))
    middle = sorted(draw(st.lists(st.sampled_from("pqrs"), min_size=8, max_size=8)))
    if draw(st.booleans()):
        middle = draw(st.permutations(middle))
    upper = {"p": "U", "q": "U", "r": "V", "s": draw(st.sampled_from("UV"))}
    tree = Hierarchy.from_rows(
        [(v, m, upper[m], "*") for v, m in zip(leaves, middle, strict=True)]
    ).with_missing()
    low = draw(st.integers(0, 3))
    values = [draw(st.sampled_from([*leaves, None])) for _ in range(rows)]
    return values, tree, (low, draw(st.integers(low, 3)))


@st.composite
def studies(draw):
    rows = draw(st.integers(2, 14))
    return {name: draw(columns(rows)) for name in ("x", "y")[: draw(st.integers(1, 2))]}


def below(tree, level):
    """The leaves of each label on a level."""
    found = {}
    for row in tree.rows():
        found.setdefault(row[level], set()).add(row[0])
    return found


def read(label, tree, low, high):
    """What anybody reads in a label, if it is made of labels between the lowest and the highest level."""
    for level in range(low, high + 1):
        if label in below(tree, level):
            return below(tree, level)[label]
    parts = below(tree, low)
    if label[0] == "{":
        names = [None if name == "missing" else name for name in label[1:-1].split(", ")]
        return set().union(*(parts[name] for name in names))
    ends, *missing = label.split(" or ")
    assert missing in ([], ["missing"])
    ends = [ends] if ends in parts else ends.split(" to " if " to " in ends else "-")
    covered = parts[ends[0]] | parts[ends[-1]]
    # The text does not say what lies between: whoever knows the order knows it.
    between = {v for v in below(tree, 0) if v is not None and min(covered) <= v <= max(covered)}
    return between | (parts[None] if missing else set())


@settings(max_examples=examples(150))
@given(studies(), st.sampled_from(OPTIONS), st.integers(1, 3))
def test_labels_are_made_of_the_lowest_levels_and_stay_below_the_highest(given_, options, k):
    table = pa.table({name: pa.array(values, pa.string()) for name, (values, _, _) in given_.items()})
    table = table.append_column("row", pa.array([str(i) for i in range(table.num_rows)]))
    trees = {name: tree for name, (_, tree, _) in given_.items()}
    levels = {name: levels for name, (_, _, levels) in given_.items()}
    with Study(table, quasi=trees, levels=levels, insensitive="row") as study:
        try:
            found = study.anonymize("mondrian", k=k, options=options)
        except NoSolutionError:
            assume(False)
        shown = study.release(found, seed=1).table().to_pylist()
    boxes, lost, rows = set(), 0, table.to_pylist()
    for released in shown:
        row, box = rows[int(released["row"])], []
        for name, tree in trees.items():
            low, high = levels[name]
            covered = read(released[name], tree, low, high)
            assert row[name] in covered
            # Whole classes of the lowest level, within one of the highest.
            assert all(inside <= covered or not inside & covered for inside in below(tree, low).values())
            assert any(covered <= inside for inside in below(tree, high).values())
            lost += (len(covered) - 1) / (len(tree.leaves) - 1)
            box.append(frozenset(covered))
        boxes.add(tuple(box))
    assert found.losses["LM"] == pytest.approx(lost)
    if options["regions"] == "strict":
        for one, other in combinations(boxes, 2):
            assert any(not mine & yours for mine, yours in zip(one, other, strict=True))


@pytest.mark.parametrize(
    ("values", "described", "level", "k", "shown"),
    [
        (DATES, {"dates": ["month", "year"]}, 2, 3, {"1977", "1980"}),
        (DATES, {"dates": ["month", "year"]}, 1, 3, {"1977-05", "1980-01 to 1980-07"}),
        (DATES, {"dates": ["month", "year"]}, 2, 6, {"1977-1980"}),
        ([*DATES[2:], None], {"dates": ["month", "year"]}, 2, 5, {"1977-1980 or missing"}),
        (["94107", "94107", "94211", "94235"], {"mask": {"digits": 5}}, 2, 2, {"941**", "942**"}),
        (
            ["94107", "94107", "94211", "95235"],
            {"mask": {"digits": 5}},
            2,
            2,
            {"941**", "942** to 952**"},
        ),
        (["ab", "ab", "cd", "ce"], {"*": {"a": ["ab"], "c": ["cd"], "e": ["ce"]}}, 1, 4, {"*"}),
        (["ab", "cd"], {"*": {"a": ["ab"], "c": ["cd"], "e": ["ce"]}}, 1, 2, {"{a, c}"}),
    ],
)
def test_the_only_value_of_a_class_is_shown_as_the_class(values, described, level, k, shown):
    table = pa.table({"q": pa.array(values, pa.string())})
    with Study(table, quasi={"q": described}, levels={"q": (level, None)}) as study:
        released = study.release(study.anonymize("mondrian", k=k)).table()
        assert set(released["q"].to_pylist()) == shown


def test_values_that_the_highest_level_keeps_apart_are_never_in_one_interval():
    odd_and_even = Hierarchy.from_rows([(v, "even" if v in "24" else "odd", "*") for v in "1234"])
    population = pa.table({"q": list("1234") * 4})
    with Study(
        pa.table({"q": list("1324") * 2}),
        quasi={"q": odd_and_even},
        levels={"q": (0, 1)},
        population=population,
    ) as study:
        # By strict regions nobody of the population fits two groups.
        found = study.anonymize("mondrian", k=4, delta=(0, "1/2"))
        assert set(study.release(found).table()["q"].to_pylist()) == {"odd", "even"}


AWKWARD = st.text(alphabet='a-~{} "', min_size=1, max_size=3) | st.sampled_from(
    ["a to b", "b to c", "a", "b", "c", "b or missing", "missing", "a-b", "1", "2", "1-2"]
)


@given(st.lists(AWKWARD.filter(str.strip), min_size=2, max_size=5, unique=True))
def test_intervals_of_classes_never_share_a_label(names):
    leaves = [str(n) for n in range(len(names))]
    labels = GroupLabels(
        Hierarchy.from_rows([(f"value {v}", name, "*") for v, name in zip(leaves, names, strict=True)]),
        1,
    )
    leaves = [f"value {v}" for v in leaves]
    seen = {}
    for low in range(len(leaves)):
        for high in range(low + 1, len(leaves) + 1):
            inside = leaves[low:high]
            label = labels.of_interval(inside, False)
            assert seen.setdefault(label, inside) == inside
            assert not any(f"value {v}" in label for v in range(len(leaves)))
