"""Criteria about persons with several rows, against the rows one by one."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.criteria import (
    DistinctDiversity,
    EntropyDiversity,
    Groups,
    KAnonymity,
    RecursiveDiversity,
    ShareLimit,
    TCloseness,
    broken,
    criteria_of,
)
from shoal.criteria.different_values import different_values
from shoal.criteria.l_diversity import enough
from shoal.data.person_rows import PersonRows
from shoal.data.tally import Tally
from shoal.describe.promise import Promise, Recursive, ShareLimits
from tests.criteria.definitions import DISTANCES, DOMAIN, groups_of, shares
from tests.examples import examples
from tests.search.questions import Row, different, weights

TABLES = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(DOMAIN), st.integers(0, 4)), min_size=1, max_size=12
)
HALF = Fraction(1, 2)


def tally_of(rows) -> Tally:
    """The tally of rows of a combination, a sensitive value and a person."""
    cells = sorted({(c, DOMAIN.index(v)) for c, v, _ in rows})
    combinations = sorted({c for c, _ in cells})
    place = {cell: j for j, cell in enumerate(cells)}
    counts = np.zeros(len(cells), dtype=np.int64)
    at = np.array([place[c, DOMAIN.index(v)] for c, v, _ in rows], dtype=np.int64)
    np.add.at(counts, at, 1)
    of = np.array([combinations.index(c) for c, _ in cells], dtype=np.int64)
    persons = np.array([p for *_, p in rows], dtype=np.int64)
    whose = PersonRows.listed(np.zeros_like(counts), at, persons, np.ones_like(at))
    return Tally(
        ("q",),
        (tuple(map(str, combinations)),),
        np.arange(len(combinations), dtype=np.int32)[:, None],
        np.bincount(of, weights=counts).astype(np.int64),
        ("s",),
        (DOMAIN,),
        of,
        np.array([[v] for _, v in cells], dtype=np.int32),
        counts,
        persons=whose,
    )


def grouped(rows, merged) -> tuple[Groups, list[list[Row]]]:
    """The groups of combinations under `merged`, as criteria get them and as rows."""
    tally = tally_of(rows)
    combinations = sorted({c for c, *_ in rows})
    names = sorted({merged[c] for c in combinations})
    of = np.array([names.index(merged[c]) for c in combinations], dtype=np.int64)
    members = [[Row((str(c), v, "x"), p) for c, v, p in rows if merged[c] == name] for name in names]
    return Groups.of(tally, of, len(names), ["s"]), members


def expanded(group) -> list:
    """As many rows of each value as it weighs, so that every person has as many rows in all."""
    weighed = weights(group)
    scale = np.lcm.reduce([weight.denominator for weight in weighed.values()])
    return [value for value, weight in weighed.items() for _ in range(int(weight * int(scale)))]


@settings(max_examples=examples(60))
@given(TABLES, st.lists(st.integers(0, 2), min_size=4, max_size=4), st.data())
def test_every_criterion_judges_as_the_persons_do(rows, merged, data):
    groups, members = grouped(rows, merged)
    people = [len({row.person for row in group}) for group in members]
    assert groups.sizes.tolist() == people
    assert groups.rows.tolist() == [len(group) for group in members]
    k, l = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 4))  # noqa: E741
    assert KAnonymity(k).kept(groups).tolist() == [size >= k for size in people]
    found = DistinctDiversity("s", DOMAIN, l).kept(groups).tolist()
    assert found == [different(group) >= l for group in members]
    alike = groups_of([expanded(group) for group in members])
    for criterion in (
        ShareLimit("s", DOMAIN, ShareLimits(data.draw(shares), {"1": data.draw(shares)})),
        EntropyDiversity("s", DOMAIN, data.draw(st.fractions(1, 3, max_denominator=4))),
        RecursiveDiversity(
            "s", DOMAIN, Recursive(data.draw(st.fractions(HALF, 3, max_denominator=3)), l)
        ),
    ):
        assert criterion.kept(groups).tolist() == criterion.kept(alike).tolist()


@settings(max_examples=examples(60))
@given(
    TABLES, st.lists(st.integers(0, 2), min_size=4, max_size=4), shares, st.sampled_from(DISTANCES[:2])
)
def test_t_compares_with_all_released_rows_in_which_a_person_weighs_one(rows, merged, t, distance):
    rows = [row for row in rows if row[1] is not None] or [(0, "1", 0)]
    groups, members = grouped(rows, merged)
    everything = weights([row for group in members for row in group])
    total = sum(everything.values())
    line = [value for value in ("1", "2", "3", "10") if value in everything]

    def apart(group):
        own, size = weights(group), sum(weights(group).values())
        differences = [own.get(v, 0) / size - everything[v] / total for v in line]
        if distance is DISTANCES[0]:
            return sum(map(abs, differences)) / 2
        beyond = [abs(sum(differences[: i + 1])) for i in range(len(line) - 1)]
        return sum(beyond) / max(len(line) - 1, 1)

    expected = [apart(group) <= t for group in members]
    assert TCloseness("s", t, DOMAIN, distance).kept(groups).tolist() == expected


@settings(max_examples=examples(60))
@given(TABLES, st.lists(st.integers(0, 2), min_size=4, max_size=4), st.data())
def test_some_of_the_groups_are_judged_as_if_the_others_were_not_there(rows, merged, data):
    groups, _ = grouped(rows, merged)
    some = np.array(data.draw(st.lists(st.booleans(), min_size=len(groups), max_size=len(groups))))
    if not some.any():
        return
    names = sorted({merged[c] for c, *_ in rows})
    kept = {name for name, stays in zip(names, some, strict=True) if stays}
    rest, _ = grouped([row for row in rows if merged[row[0]] in kept], merged)
    criterion = TCloseness("s", data.draw(shares), DOMAIN)
    assert criterion.kept(groups.where(some)).tolist() == criterion.kept(rest).tolist()
    assert different_values(groups.where(some).whose["s"], len(rest)).tolist() == (
        different_values(rest.whose["s"], len(rest)).tolist()
    )


@settings(max_examples=examples(80))
@given(TABLES, st.lists(st.integers(0, 1), min_size=4, max_size=4), st.integers(1, 4), shares)
def test_what_is_said_to_be_monotone_is(rows, merged, least, share):
    promise = Promise(least, least, {"s": ShareLimits(share)}, {"s": share})
    groups, _ = grouped(rows, list(range(4)))
    fewer, _ = grouped(rows, merged)
    for criterion in criteria_of(promise, tally_of(rows), ["s"]):
        if criterion.monotone and criterion.kept(groups).all():
            assert criterion.kept(fewer).all()
        if criterion.monotone_with_suppression:
            gone, later = broken(groups, [criterion]), broken(fewer, [criterion])
            assert fewer.rows[later].sum() <= groups.rows[gone].sum()


P, Q, R = range(3)
APART = [(0, "1", P), (0, "2", Q), (1, "1", R), (1, "2", Q)]


@pytest.mark.parametrize(
    "criterion",
    [
        ShareLimit("s", DOMAIN, ShareLimits(HALF)),
        EntropyDiversity("s", DOMAIN, Fraction(2)),
        RecursiveDiversity("s", DOMAIN, Recursive(Fraction(3, 2), 2)),
    ],
)
def test_a_person_of_two_groups_breaks_what_both_keep(criterion):
    # 1 has a share of 1/2 in each group, and of 2/3 in both together: Q is one person.
    apart, _ = grouped(APART, [0, 1, 2, 3])
    together, _ = grouped(APART, [0, 0, 0, 0])
    assert criterion.kept(apart).all()
    assert not criterion.kept(together).any()
    assert criterion.monotone
    assert not replace(criterion, spread=True).monotone
    promise = Promise(None, None, {"s": ShareLimits(HALF)})
    assert not criteria_of(promise, tally_of(APART), ["s"])[-1].monotone
    alone = tally_of([(0, "1", P), (0, "2", P), (1, "1", R)])
    assert criteria_of(promise, alone, ["s"])[-1].monotone


def test_one_person_with_five_values_is_one_value():
    rows = [(0, value, P) for value in DOMAIN]
    groups, _ = grouped(rows, [0, 0, 0, 0])
    assert not DistinctDiversity("s", DOMAIN, 2).kept(groups).any()
    assert DistinctDiversity("s", DOMAIN, 1).kept(groups).all()


@pytest.mark.parametrize(
    ("held", "values"),
    [
        ([{0, 1}, {0, 2}, {2}], 3),  # 0 is taken from the first, who alone has 1
        ([{2}, {1, 2}, {1, 2}], 2),  # 2 is given once
        ([{0, 1, 2, 3}], 1),
        ([{0, 1}, {0, 1}, {0, 1}], 2),
        ([{0, 1}, {1, 2}, {2, 3}, {0, 3}], 4),
    ],
)
def test_values_are_given_to_different_persons(held, values):
    rows = [(0, DOMAIN[value], person) for person, own in enumerate(held) for value in own]
    groups, _ = grouped(rows, [0, 0, 0, 0])
    assert different_values(groups.whose["s"], 1).tolist() == [values]


def test_a_long_chain_of_persons_is_matched():
    # Person i has the values i and i + 1: n persons have n of n + 1 values, whatever the order.
    n = 2000
    cells = np.concatenate([[i, i + 1] for i in range(n)])
    whose = PersonRows.listed(
        np.zeros(n + 1, dtype=np.int64),
        cells,
        np.repeat(np.arange(n), 2),
        np.ones(2 * n, dtype=np.int64),
    )
    assert different_values(whose, 1).tolist() == [n]


def test_the_entropy_of_huge_weights_is_decided_without_powers():
    large = 3**40
    assert enough([large + 1, large, large], Fraction(299, 100))
    assert not enough([large + 1, large, large], Fraction(3))
