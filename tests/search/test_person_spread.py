"""Values of persons with many rows, rolled up by the kernel, against the classes counted afresh."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from shoal.data.person_rows import PersonRows
from shoal.data.tally import Ladder, Problem, Tally
from shoal.kernels import Diversity
from shoal.metrics import DM, LM
from shoal.search.lattice.person_spread import MOST_ROWS, person_spread
from shoal.search.lattice.person_thresholds import (
    PersonThresholds,
    SpreadThresholds,
    threshold_evaluator,
)
from shoal.search.lattice.thresholds import Thresholds

HALVES = np.stack([np.arange(8) >> level for level in range(4)]).astype(np.int32)
NODES = [*product(range(4), range(4))]


def table(seed: int, values: int, persons: int, most: int) -> tuple[Problem, Tally]:
    """A table whose persons have up to so many rows, of two attributes and a column of so many values."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(persons), rng.integers(1, most + 1, persons))
    count = len(person)
    # Persons like some values and places: so they have the same more than once.
    rows = np.stack(
        [
            (person * 5 + rng.integers(0, 3, count)) % 8,
            rng.integers(0, 8, count),
            (person * 7 + rng.integers(0, 1 + values // 2, count)) % values,
        ],
        axis=1,
    )
    cells, cell = np.unique(rows, axis=0, return_inverse=True)
    cell = cell.reshape(-1)
    codes, combination = np.unique(cells[:, :2], axis=0, return_inverse=True)
    combination, cell_rows = combination.reshape(-1), np.bincount(cell)
    counts = np.bincount(combination, weights=cell_rows).astype(np.int64)
    covered = np.stack([np.full(8, 1 << level) for level in range(4)]).astype(np.int64)
    ladders = tuple(Ladder(name, HALVES, covered, 8, 0, 3) for name in "ab")
    domain = (*(f"v{value:03}" for value in range(values - 1)), None)
    whose = PersonRows.listed(
        np.zeros(len(cells), dtype=np.int64), cell, person, np.ones(count, dtype=np.int64)
    )
    tally = Tally(
        ("a", "b"),
        tuple(tuple(str(value) for value in range(8)) for _ in "ab"),
        codes.astype(np.int32),
        counts,
        ("ill",),
        (domain,),
        combination.astype(np.int64),
        cells[:, 2:].astype(np.int32),
        cell_rows.astype(np.int64),
        persons=whose,
    )
    problem = Problem(ladders, tally.codes, counts, persons=tally.in_combinations)
    return problem, tally


def told(points):
    return [
        tuple(map(int, one))
        for one in zip(
            points.k, points.distinct, points.suppressed, points.loss0, points.excess, strict=True
        )
    ]


@pytest.mark.parametrize("values", [4, 13, 70])
@pytest.mark.parametrize("most", [2, 5, 40])
def test_values_of_different_persons_are_rolled_up(values, most):
    problem, tally = table(values * most, values, 60 // most + 6, most)
    asked = Thresholds(1, True, Diversity.EVERY, problem.rows // 2)
    for kind in (LM, DM):
        slow = PersonThresholds(problem, kind(problem), tally, asked, ("ill",), ())
        fast = threshold_evaluator(problem, kind(problem), tally, asked, diverse=("ill",), threads=2)
        assert isinstance(fast, SpreadThresholds)
        for node in NODES:  # from the bottom up: each from a table below it
            assert told(fast.node(node)) == told(slow.node(node))
        assert told(fast.box((0, 0), (3, 3))) == told(slow.box((0, 0), (3, 3)))
    distinct = [int(slow.bounds(node).distinct.max()) for node in NODES]
    assert len(set(distinct)) > 1


@pytest.mark.parametrize("most", [2, 5, 12])
def test_weights_of_persons_are_rolled_up(most):
    problem, tally = table(most, 5, 90 // most, most)
    asked = Thresholds()
    slow = PersonThresholds(problem, LM(problem), tally, asked, (), ("ill",))
    fast = threshold_evaluator(problem, LM(problem), tally, asked, close=("ill",), threads=2)
    assert isinstance(fast, SpreadThresholds)
    far = {}
    for node in NODES:
        (mine, bound), (other, _) = fast.corner(node), slow.corner(node)
        assert told(mine) == told(other)
        far[node], expected = (Fraction(one.far[0], one.far_of[0]) for one in (mine, other))
        assert far[node] == expected
        below = [far[n] for n in far if n[0] <= node[0] and n[1] <= node[1]]
        assert Fraction(bound.far[0], bound.far_of[0]) <= min(below)
    box = fast.box((0, 0), (3, 3))
    assert [Fraction(*one) for one in zip(box.far, box.far_of, strict=True)] == list(far.values())
    # Different distances are different whole numbers, in the same order.
    levels = [int(one * fast.finest // (2 * problem.rows)) for one in far.values()]
    order = sorted(range(len(levels)), key=levels.__getitem__)
    assert [list(far.values())[i] for i in order] == sorted(far.values())
    assert len(set(levels)) == len(set(far.values())) > 1


def test_a_person_of_too_many_rows_is_weighed_without_the_kernel():
    problem, tally = table(3, 3, 2, MOST_ROWS + 20)
    assert np.bincount(tally.persons.persons, weights=tally.persons.rows).max() > MOST_ROWS
    assert person_spread(tally, (), ("ill",)) is None
    assert person_spread(tally, ("ill",), ()) is not None
    found = threshold_evaluator(problem, LM(problem), tally, Thresholds(), close=("ill",))
    assert isinstance(found, PersonThresholds)
    assert len(found.node((0, 0))) == 1
