"""Random problems: small tables with random hierarchies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
from hypothesis import strategies as st

from shoal.data.person_rows import PersonRows
from shoal.data.tally.ladders import make_ladder
from shoal.data.tally.problem import Problem
from shoal.describe.hierarchies import Hierarchy

WEIGHTS = (Fraction(0), Fraction(2), Fraction("0.5"), Fraction("1.3"))
MOST = 1 << 20
"""So many choices go into one draw; of far more, Hypothesis would mostly try the first few."""


_below = cache(lambda size: st.integers(0, size - 1))


def packed(draw: st.DrawFn, sizes: Sequence[int]) -> list[int]:
    """A number from 0 up for each size and below it, in few draws, since draws are what takes the time."""
    found: list[int] = []
    while len(found) < len(sizes):
        whole, end = sizes[len(found)], len(found) + 1
        while end < len(sizes) and whole * sizes[end] <= MOST:
            whole *= sizes[end]
            end += 1
        number = draw(_below(whole))
        for size in sizes[len(found) : end]:
            whole //= size
            digit, number = divmod(number, whole)
            found.append(digit)
    return found


def packed_rows(draw: st.DrawFn, rows: int, sizes: Sequence[int]) -> list[list[int]]:
    """As many rows of numbers, each below its size."""
    numbers = packed(draw, [*sizes] * rows)
    return [numbers[start : start + len(sizes)] for start in range(0, len(numbers), len(sizes))]


@st.composite
def hierarchies(draw: st.DrawFn, most_leaves: int = 7, most_levels: int = 4) -> Hierarchy:
    """A hierarchy whose levels merge random groups until the root, its rows in any order."""
    leaves, levels = (1 + choice for choice in packed(draw, (most_leaves, most_levels)))
    columns = [[f"v{i}" for i in range(leaves)]]
    groups = list(range(leaves))
    for level in range(1, levels):
        parent = packed(draw, [max(groups) + 1] * (max(groups) + 1))
        groups = [parent[group] for group in groups]
        columns.append([f"l{level}g{group}" for group in groups])
    columns.append(["*"] * leaves)
    rows = list(zip(*columns, strict=True))
    order = packed(draw, range(leaves, 0, -1))
    return Hierarchy.from_rows([rows.pop(place) for place in order])


@st.composite
def problems(
    draw: st.DrawFn,
    most_attributes: int = 4,
    most_rows: int = 24,
    labelled: bool = True,
    persons: bool = False,
) -> Problem:
    """A problem over a random table, some values of some hierarchies unused, some missing.

    With `persons` some of its rows are of the same persons.
    """
    attributes, rows = (1 + choice for choice in packed(draw, (most_attributes, most_rows)))
    trees = [draw(hierarchies()) for _ in range(attributes)]
    table = []
    # In about one row of twenty, some values are missing.
    sizes = [*(len(tree.leaves) for tree in trees), 3, 20 << attributes]
    for *codes, label, missing in packed_rows(draw, rows, sizes):
        row = [
            None if missing >> attributes == 0 and missing >> a & 1 else tree.leaves[code]
            for a, (tree, code) in enumerate(zip(trees, codes, strict=True))
        ]
        table.append((*row, label))
    problem = problem_of(trees, table, draw, labelled)
    return with_persons(draw, problem) if persons else problem


def with_persons(draw: st.DrawFn, problem: Problem) -> Problem:
    """The problem, its rows shared out to persons at random."""
    cells = np.repeat(np.arange(len(problem.counts)), problem.counts)
    most = 1 + packed(draw, [problem.rows])[0]
    names = np.array(packed(draw, [most] * problem.rows), dtype=np.int64)
    nobody = np.zeros(len(problem.counts), dtype=np.int64)
    return replace(problem, persons=PersonRows.listed(nobody, cells, names, np.ones_like(cells)))


def problem_of(trees, table, draw=None, labelled=True) -> Problem:
    """The problem of a table of rows whose last field is the class."""
    ladders, columns = [], []
    for a, tree in enumerate(trees):
        values = [row[a] for row in table]
        domain = sorted(set(values), key=lambda v: (v is None, v))
        counts = np.array([values.count(value) for value in domain], dtype=np.int64)
        height = tree.height
        lo, hi, weight = 0, height, Fraction(1)
        if draw:
            ranges = (5, height + 1, 5, height + 1, 5, len(WEIGHTS))
            raised, low, lowered, span, weighed, heavy = packed(draw, ranges)
            lo = low if raised == 0 else lo
            hi = lo + span % (height - lo + 1) if lowered == 0 else hi
            weight = WEIGHTS[heavy] if weighed == 0 else weight
        ladders.append(make_ladder(f"a{a}", tree, domain, counts, lo, hi, weight=weight))
        columns.append([domain.index(value) for value in values])
    codes = np.array(columns, dtype=np.int32).T.reshape(len(table), len(trees))
    distinct, inverse = np.unique(codes, axis=0, return_inverse=True)
    labels = np.zeros((len(distinct), 3), dtype=np.int64)
    np.add.at(labels, (inverse.reshape(-1), [row[-1] for row in table]), 1)
    return Problem(tuple(ladders), distinct, labels.sum(axis=1), labels if labelled else None)
