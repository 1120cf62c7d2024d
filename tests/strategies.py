"""Random problems: small tables with random hierarchies."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from shoal.data.tally.ladders import make_ladder
from shoal.data.tally.problem import Problem
from shoal.describe.hierarchies import Hierarchy

WEIGHTS = st.sampled_from([Fraction(0), Fraction(2), Fraction("0.5"), Fraction("1.3")])


@st.composite
def hierarchies(draw: st.DrawFn, most_leaves: int = 7, most_levels: int = 4) -> Hierarchy:
    """A hierarchy whose levels merge random groups until the root, its rows in any order."""
    leaves = draw(st.integers(1, most_leaves))
    columns = [[f"v{i}" for i in range(leaves)]]
    groups = list(range(leaves))
    for level in range(1, draw(st.integers(1, most_levels))):
        parent = [draw(st.integers(0, max(groups))) for _ in range(max(groups) + 1)]
        groups = [parent[group] for group in groups]
        columns.append([f"l{level}g{group}" for group in groups])
    columns.append(["*"] * leaves)
    rows = list(zip(*columns, strict=True))
    return Hierarchy.from_rows(draw(st.permutations(rows)))


@st.composite
def problems(
    draw: st.DrawFn, most_attributes: int = 4, most_rows: int = 24, labelled: bool = True
) -> Problem:
    """A problem over a random table, some values of some hierarchies unused, some missing."""
    attributes = draw(st.integers(1, most_attributes))
    trees = [draw(hierarchies()) for _ in range(attributes)]
    rows = draw(st.integers(1, most_rows))
    table = []
    for _ in range(rows):
        row = []
        for tree in trees:
            code = draw(st.integers(-1 if draw(st.integers(0, 9)) == 0 else 0, len(tree.leaves) - 1))
            row.append(None if code == -1 else tree.leaves[code])
        table.append((*row, draw(st.integers(0, 2))))
    return problem_of(trees, table, draw, labelled)


def problem_of(trees, table, draw=None, labelled=True) -> Problem:
    """The problem of a table of rows whose last field is the class."""
    ladders, columns = [], []
    for a, tree in enumerate(trees):
        values = [row[a] for row in table]
        domain = sorted(set(values), key=lambda v: (v is None, v))
        counts = np.array([values.count(value) for value in domain], dtype=np.int64)
        height = tree.height
        lo = draw(st.integers(0, height)) if draw and draw(st.integers(0, 4)) == 0 else 0
        hi = draw(st.integers(lo, height)) if draw and draw(st.integers(0, 4)) == 0 else height
        weight = draw(WEIGHTS) if draw and draw(st.integers(0, 4)) == 0 else Fraction(1)
        ladders.append(make_ladder(f"a{a}", tree, domain, counts, lo, hi, weight=weight))
        columns.append([domain.index(value) for value in values])
    codes = np.array(columns, dtype=np.int32).T.reshape(len(table), len(trees))
    distinct, inverse = np.unique(codes, axis=0, return_inverse=True)
    labels = np.zeros((len(distinct), 3), dtype=np.int64)
    np.add.at(labels, (inverse.reshape(-1), [row[-1] for row in table]), 1)
    return Problem(tuple(ladders), distinct, labels.sum(axis=1), labels if labelled else None)
