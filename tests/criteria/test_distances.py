"""t-closeness: the closed formulas equal an earth mover's distance that a linear program finds."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from shoal.criteria import TCloseness
from shoal.criteria.flows import flows
from shoal.describe.promise import Distance, DistanceKind, Promise
from shoal.errors import InputError
from shoal.verification.spread.measure import measure_spread
from tests.criteria.definitions import (
    DISTANCES,
    DOMAIN,
    TREE,
    between,
    cells_of,
    groups_of,
    shares,
    tables,
    values,
)
from tests.examples import examples


def transported(distance, rows, all_rows) -> float:
    """The cheapest way to turn the shares of some rows into those of all: the transport problem."""
    domain = sorted(set(all_rows), key=lambda v: (v is None, v))
    cost = [float(between(distance, a, b, set(all_rows))) for a in domain for b in domain]
    n = len(domain)
    leave = np.kron(np.eye(n), np.ones(n))
    arrive = np.kron(np.ones(n), np.eye(n))
    mine, theirs = Counter(rows), Counter(all_rows)
    limits = [mine[v] / len(rows) for v in domain] + [theirs[v] / len(all_rows) for v in domain]
    found = linprog(cost, A_eq=np.vstack([leave, arrive]), b_eq=limits, bounds=(0, None))
    assert found.success
    return found.fun


def by_edges(distance, table) -> list[Fraction]:
    """The distances as the criterion adds them up."""
    groups = groups_of(table)
    found = flows(distance, groups.histograms["s"], DOMAIN)
    totals, rows = found.beyond.sum(axis=0).tolist(), int(groups.sizes.sum())
    return [
        sum(
            (
                Fraction(length, found.unit) * abs(Fraction(b, size) - Fraction(total, rows))
                for length, b, total in zip(found.lengths.tolist(), beyond, totals, strict=True)
            ),
            Fraction(0),
        )
        for beyond, size in zip(found.beyond.tolist(), groups.sizes.tolist(), strict=True)
    ]


@settings(max_examples=examples(80), deadline=None)
@given(st.sampled_from(DISTANCES), tables(), shares)
@example(DISTANCES[1], [["1", "2", None], ["3", None], ["10"]], Fraction(1, 2))
@example(DISTANCES[3], [[None], ["3", None], ["10"]], Fraction(1, 2))
def test_formulas_criterion_and_verification_equal_the_transport_problem(distance, table, t):
    exact = by_edges(distance, table)
    everything = [value for rows in table for value in rows]
    for rows, found in zip(table, exact, strict=True):
        assert float(found) == pytest.approx(transported(distance, rows, everything), abs=1e-7)
    kept = TCloseness("s", t, DOMAIN, distance).kept(groups_of(table))
    assert kept.tolist() == [found <= t for found in exact]
    for limit in exact:  # at its own distance a group is just near enough
        assert TCloseness("s", limit, DOMAIN, distance).kept(groups_of(table))[exact.index(limit)]
    # A release states the order of the values that it has, and verification takes that at its word.
    promise = Promise(t={"s": t}, distances={"s": distance.only(set(everything))})
    spread, failures = measure_spread(cells_of(table), [0], promise, counts_l=False)
    measured = spread.t if distance.kind is DistanceKind.EQUAL else spread.promised[1]
    assert measured == max(exact)
    assert [failure[:2] for failure in failures] == ["t:"] * (max(exact) > t)


@given(st.sampled_from(DISTANCES), values, values, values)
def test_the_distances_are_metrics(distance, a, b, c):
    everything = set(DOMAIN)
    assert between(distance, a, b, everything) == between(distance, b, a, everything)
    assert between(distance, a, c, everything) <= between(distance, a, b, everything) + between(
        distance, b, c, everything
    )
    if a != b and None in (a, b):
        assert between(distance, a, b, everything) >= 1


def test_the_salaries_of_the_paper():
    """Li and others, section 4: {3k, 4k, 5k} lies 0.375 and {6k, 8k, 11k} 0.167 from {3k, ..., 11k}."""
    salaries = [str(1000 * n) for n in range(3, 12)]
    low, high = ["3000", "4000", "5000"], ["6000", "8000", "11000"]
    # Nine classes of three, three times each salary: the whole table is even.
    others = salaries * 3
    for value in low + high:
        others.remove(value)
    table = [low, high, others]
    rows = [(f"group {g}", value) for g, group in enumerate(table) for value in group]
    counts = np.array([[group.count(s) for s in salaries] for group in table])
    found = flows(Distance(DistanceKind.ORDERED), counts, salaries)
    shares_beyond = found.beyond / counts.sum(axis=1, keepdims=True)
    apart = np.abs(shares_beyond - found.beyond.sum(axis=0) / len(rows)).sum(axis=1) / found.unit
    assert apart[:2] == pytest.approx([0.375, 1 / 6])


def test_a_tree_compares_where_values_meet():
    distance = Distance(DistanceKind.HIERARCHICAL, rows=TREE)
    near, far = [["1"], ["2"]], [["1"], ["3"]]
    # Half of the rows move to a sibling at 1/2, or across the root at 1.
    assert by_edges(distance, near) == [Fraction(1, 4)] * 2
    assert by_edges(distance, far) == [Fraction(1, 2)] * 2


def test_values_without_a_place_are_refused():
    with pytest.raises(
        InputError,
        match="'x' is not a number or a date of one form, so its place in the order is unknown",
    ):
        Distance(DistanceKind.ORDERED).ordered(["1", "x"])
    with pytest.raises(InputError, match="'x' has no place in the stated order"):
        Distance(DistanceKind.ORDERED, order=("1", "2")).ordered(["x"])
    with pytest.raises(InputError, match="'x' has no place in the hierarchy"):
        Distance(DistanceKind.HIERARCHICAL, rows=TREE).path("x")


def test_dates_have_the_order_of_time_where_their_form_is_known():
    distance = Distance(DistanceKind.ORDERED)
    assert distance.ordered(["31.01.2024", "1.2.2024", "15.12.2023"]) == (
        "15.12.2023",
        "31.01.2024",
        "1.2.2024",
    )
    assert distance.ordered(["Jan 31, 2024", "May 1, 2023"]) == ("May 1, 2023", "Jan 31, 2024")
    with pytest.raises(InputError, match="'03/04/2024' is not a number or a date of one form"):
        distance.ordered(["03/04/2024", "04/03/2024"])
