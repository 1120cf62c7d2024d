"""Random tables with every kind of decision about them."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
from hypothesis import strategies as st

from shoal import Study
from shoal.answers.recoding import CutRecoding, Decision, Group, GroupRecoding, NodeRecoding, Scheme
from shoal.describe.promise import Promise, ShareLimits
from tests.strategies import hierarchies

SHARES = st.sampled_from([Fraction(1, 2), Fraction(1, 3), Fraction(3, 10), Fraction(2, 3), Fraction(1)])


@st.composite
def tables(draw, most_rows=30):
    """A table of two or three quasi columns, a sensitive, a class and an identity column."""
    trees = {
        f"q{a}": draw(hierarchies(most_leaves=5, most_levels=3)) for a in range(draw(st.integers(1, 3)))
    }
    rows = draw(st.integers(1, most_rows))
    missing = draw(st.booleans())
    columns = {"name": [f"person {i}" for i in range(rows)], "id": [str(i) for i in range(rows)]}
    for name, tree in trees.items():
        values = st.sampled_from(tree.leaves) | st.none() if missing else st.sampled_from(tree.leaves)
        columns[name] = [draw(values) for _ in range(rows)]
    columns["illness"] = [draw(st.sampled_from(["flu", "cold", "gout", None])) for _ in range(rows)]
    columns["outcome"] = [draw(st.sampled_from(["well", "ill"])) for _ in range(rows)]
    table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    return table, trees


def study_of(table, trees, extra=()):
    """The study of a table or a place, with `extra` columns that are released unchanged."""
    return Study(
        table,
        quasi=trees,
        sensitive="illness",
        class_="outcome",
        identifying="name",
        insensitive=["id", *extra],
    )


def full(tree, values):
    return tree.with_missing() if None in values else tree


@st.composite
def recodings(draw, table, trees):
    kind = draw(st.sampled_from(["node", "cut", "groups"]))
    whole = {name: full(tree, table[name].to_pylist()) for name, tree in trees.items()}
    if kind == "node":
        return NodeRecoding({name: draw(st.integers(0, tree.height)) for name, tree in whole.items()})
    if kind == "cut":
        return CutRecoding({name: tuple(draw(cuts(tree.tree()))) for name, tree in whole.items()})
    names = tuple(trees)
    combinations = sorted(
        set(zip(*(table[name].to_pylist() for name in names), strict=True)),
        key=lambda c: tuple((v is None, v) for v in c),
    )
    groups: dict[int, list] = {}
    for combination in combinations:
        groups.setdefault(draw(st.integers(0, 3)), []).append(combination)
    return GroupRecoding(
        names,
        tuple(
            Group({name: f"{name} of group {g}" for name in names}, tuple(members))
            for g, members in groups.items()
        ),
    )


@st.composite
def cuts(draw, tree):
    if not tree.children or draw(st.booleans()):
        return [tree.label]
    return [label for child in tree.children for label in draw(cuts(child))]


@st.composite
def promises(draw):
    values = draw(st.dictionaries(st.sampled_from(["flu", "cold"]), SHARES, max_size=2))
    uniform = draw(st.none() | SHARES)
    return Promise(draw(st.none() | st.integers(1, 5)), None, {"illness": ShareLimits(uniform, values)})


@st.composite
def cases(draw):
    table, trees = draw(tables())
    decision = Decision(
        draw(recodings(table, trees)),
        draw(promises()),
        draw(st.sampled_from(list(Scheme))),
        draw(st.sampled_from(["LM", "CM"])),
    )
    return table, trees, decision
