"""The bound on all recodings with labels, held against every partition of tiny tables."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Study
from shoal.data.person_rows import PersonRows
from shoal.describe.hierarchies import Hierarchy
from shoal.kernels import cheapest_covers, near_covers, shared_covers
from shoal.metrics import CM, DM, LM, NCP, Ambiguity, ClassSize, NonUniformEntropy, Precision
from shoal.running.clock import Clock
from shoal.search.groups import lower_bound
from shoal.search.groups.lower_bound import NearOnes, lower_bounds
from tests.examples import examples
from tests.kernels.twins import regions as twins
from tests.strategies import problem_of, problems

BOUNDED = (LM, Precision, NCP, NonUniformEntropy, DM, ClassSize)
MOST = 5
"""Rows of the tables whose partitions are all gone through."""


def partitions(rows):
    """Every way to put rows into groups; group 0 is suppressed."""
    if not rows:
        yield []
        return
    for rest in partitions(rows[1:]):
        for group in range(max(rest, default=0) + 2):
            yield [group, *rest]


def cheapest_labels(metric, members, codes):
    """What the labels of a group cost a row by its cells, at least; None where no labels are allowed."""
    total = 0
    for a, (ladder, factor, costs) in enumerate(
        zip(metric.problem.ladders, metric.factors, metric.weights(), strict=True)
    ):
        levels = [
            level
            for level in range(ladder.lo, ladder.hi + 1)
            if len({int(ladder.codes[level][codes[m][a]]) for m in members}) == 1
        ]
        if not levels:
            return None
        total += min(factor * int(costs[level][codes[members[0]][a]]) for level in levels)
    return total


def least_of_all(metric, k, persons=None):
    """The least loss of any recoding with labels, by going through all of them; each row is a person's."""
    problem = metric.problem
    codes = np.repeat(problem.codes, problem.counts, axis=0).tolist()
    best, by_cells = metric.largest, metric.by_cells
    priced = metric if by_cells else LM(problem)
    for of in partitions(list(range(len(codes)))):
        groups = [[r for r, g in enumerate(of) if g == group] for group in range(1, max(of) + 1)]
        if any(len({r if persons is None else persons[r] for r in group}) < k for group in groups):
            continue
        costs = [cheapest_labels(priced, group, codes) for group in groups]
        if None in costs:
            continue
        gone = of.count(0)
        if by_cells:
            released = sum(cost * len(group) for cost, group in zip(costs, groups, strict=True))
            loss = released + gone * metric.row - metric.refund
        else:
            sums = metric.sums(np.array([len(group) for group in groups], dtype=np.int64), None, ())
            loss = metric.loss(sums, gone)
        best = min(best, loss)
    return best


@settings(max_examples=examples(60))
@given(problems(most_attributes=3, most_rows=MOST, labelled=False), st.sampled_from(BOUNDED))
def test_no_recoding_loses_less(problem, kind):
    metric = kind(problem)
    ks = [1, 2, 3, MOST + 1]
    least = [least_of_all(metric, k) for k in ks]
    for rounds in (0, 1, 4):
        for best, bound in zip(least, lower_bounds(metric, ks, Clock(), rounds=rounds), strict=True):
            assert bound <= best


def of_persons(problem, persons):
    """The problem in which each row is a person's."""
    places = np.repeat(np.arange(len(problem.counts)), problem.counts)
    nobody, one = np.zeros(len(problem.counts), dtype=np.int64), np.ones(len(places), dtype=np.int64)
    return replace(
        problem, persons=PersonRows.listed(nobody, places, np.array(persons[: len(places)]), one)
    )


@settings(max_examples=examples(60))
@given(
    problems(most_attributes=3, most_rows=MOST, labelled=False),
    st.sampled_from(BOUNDED),
    st.lists(st.integers(0, 3), min_size=MOST, max_size=MOST),
)
def test_no_recoding_loses_less_where_persons_have_several_rows(problem, kind, persons):
    metric = kind(of_persons(problem, persons))
    ks = [1, 2, 3, MOST + 1]
    least = [least_of_all(metric, k, persons) for k in ks]
    for rounds in (0, 1, 4):
        for best, bound in zip(least, lower_bounds(metric, ks, Clock(), rounds=rounds), strict=True):
            assert bound <= best


@settings(max_examples=examples(60))
@given(problems(most_attributes=3, most_rows=9, labelled=False), st.integers(1, 3))
def test_the_kernel_and_its_twin_give_each_row_its_cheapest_labels(problem, threads):
    metric = LM(problem)
    axes = [
        (np.ascontiguousarray(ladder.codes[ladder.lo : ladder.hi + 1]), costs * factor)
        for ladder, costs, factor in zip(
            problem.ladders,
            [c[p.lo : p.hi + 1] for c, p in zip(metric.weights(), problem.ladders, strict=True)],
            metric.factors,
            strict=True,
        )
    ]
    ks = np.array([[1], [2], [3], [7], [20]])
    rows = problem.counts[:, None].copy()
    given = (axes, problem.codes, rows, rows, ks, metric.row, threads, 60.0)
    found = cheapest_covers(*given)
    assert (found == twins.cheapest_covers(*given)).all()
    by_persons = (axes, problem.codes, rows, np.maximum(rows - 1, 0), *given[4:])
    assert (cheapest_covers(*by_persons) == twins.cheapest_covers(*by_persons)).all()
    assert lower_bounds(metric, ks[:, 0].tolist(), Clock()) == found[:, 0].tolist()
    # On all attributes at once, among the rows near each, whatever is known of them before.
    dear, any_ = np.full_like(rows, metric.row), np.zeros((len(rows), 1), dtype=np.int32)
    for k, (total,) in zip(ks[:, 0].tolist(), found.tolist(), strict=True):
        near = (axes, problem.codes, rows, rows, k, metric.row, dear, any_[:, :0], 10**9, threads, 60.0)
        assert near_covers(*near) == (total, len(rows))
        assert near_covers(*near[:7], any_, *near[8:])[0] == total
        low = near_covers(*near[:6], np.zeros_like(dear), *near[7:])[0]
        assert low <= total
        assert near_covers(*near[:8], 0, *near[9:]) == (0, 0)


def all_of_three(many):
    """What the kernel takes of all combinations of three columns, where a value that is not told costs 1."""
    values = np.array(list(product(range(many), repeat=3)), dtype=np.int32)
    one = np.ones((len(values), 1), dtype=np.int64)
    codes = np.array([range(many), [0] * many], dtype=np.int32)
    axes = [(codes, np.array([[0] * many, [1] * many], dtype=np.int64))] * 3
    return axes, values, one, one, np.empty((len(values), 0), dtype=np.int32)


@pytest.mark.parametrize(("k", "each"), [(3, 1), (20, 1), (2100, 3), (3000, 10)])
def test_where_too_many_are_near_the_nearest_that_are_enough_tell_the_bound(k, each):
    """Of the 14^3 rows 39 differ in one value from each, which 20 need not share: that would cost 2."""
    *given_, unknown = all_of_three(14)
    found = near_covers(*given_, k, 10, 10 * given_[2], unknown, 10**12, 1, 60.0)
    assert found == (each * 14**3, 14**3)


@pytest.mark.parametrize("threads", [1, 3])
def test_work_that_is_used_up_ends_the_bound_at_the_same_row_always(threads):
    *given_, unknown = all_of_three(21)
    upper = 10 * given_[2]
    assert near_covers(*given_, 2, 10, upper, unknown, 1, threads, 60.0) == (8192, 8192)
    assert near_covers(*given_, 2, 10, upper, unknown, 10**12, threads, 60.0) == (21**3, 21**3)
    assert near_covers(*given_, 2, 10, upper, unknown, 10**12, threads, 0.0) == (0, 0)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_near_is_found_where_attributes_are_joined(seed, k):
    """Of 400 rows, whose lattice can still be gone through: the two kernels look in different places."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 9, 400)
    drawn = [
        (kinds * (a + 1) + rng.integers(0, 3, 400)) % many for a, many in enumerate((2, 9, 4, 3, 40, 6))
    ]
    values, counts = np.unique(np.stack(drawn, 1).astype(np.int32), axis=0, return_counts=True)
    axes = []
    for many in (2, 9, 4, 3, 40, 6):
        levels = [np.arange(many) // wide for wide in (1, 3, 100)]
        prices = [np.full(many, price) for price in (0, 5, 12)]
        axes.append((np.array(levels, dtype=np.int32), np.array(prices, dtype=np.int64)))
    rows, dear = counts[:, None].astype(np.int64), np.full((len(values), 1), 72)
    whole = cheapest_covers(axes, values, rows, rows, np.array([[k]]), 72, 1, 60.0)
    unknown = np.empty((len(values), 0), dtype=np.int32)
    assert near_covers(axes, values, rows, rows, k, 72, dear, unknown, 10**9, 1, 60.0) == (
        whole[0, 0],
        len(values),
    )


def test_no_time_is_spent_where_the_known_groups_leave_nothing_to_raise(monkeypatch):
    """Both rows of a value are together, so no group has a price."""
    problem = made("aa", "aa", "bb", "bb")
    monkeypatch.setattr(lower_bound, "near_covers", None)
    of = problem.codes[:, 0].astype(np.int64)
    known = NearOnes(of, np.empty((len(of), 0), dtype=np.int32))
    assert lower_bounds(LM(problem), [2], Clock(), most=1, known=known) == [0]
    with pytest.raises(TypeError):  # where they leave something, time is spent
        lower_bounds(LM(problem), [2], Clock(), most=1, known=replace(known, of=of * 0 - 1))


def least_by_subsets(metric, k):
    """The same for metrics by cells, of more rows: the best for each set of rows, from smaller sets."""
    codes = np.repeat(metric.problem.codes, metric.problem.counts, axis=0).tolist()

    @cache
    def of_group(group):
        members = [r for r in range(len(codes)) if group >> r & 1]
        cost = cheapest_labels(metric, members, codes) if len(members) >= k else None
        return metric.largest + 1 if cost is None else cost * len(members)

    @cache
    def best(rows):
        if not rows:
            return 0
        first = rows & -rows
        others, least, more = rows ^ first, metric.row + best(rows ^ first), rows ^ first
        while True:
            least = min(least, of_group(first | more) + best(others ^ more))
            if not more:
                return least
            more = (more - 1) & others

    return best((1 << len(codes)) - 1) - metric.refund


@settings(max_examples=examples(40))
@given(problems(most_attributes=3, most_rows=8, labelled=False), st.integers(2, 4))
def test_rows_that_share_a_group_never_pay_more_than_the_best_recoding(problem, k):
    metric = LM(problem)
    best = least_by_subsets(metric, k)
    alone, *shared = (lower_bounds(metric, [k], Clock(), rounds=r)[0] for r in (0, 1, 2, 4, 14))
    assert alone <= shared[1]
    assert shared == sorted(shared)
    assert shared[-1] <= best


@settings(max_examples=examples(60))
@given(problems(most_attributes=3, most_rows=8, labelled=False), st.integers(2, 4), st.data())
def test_what_is_known_of_groups_raises_the_bound_but_never_above_the_best(problem, k, data):
    metric, n = LM(problem), len(problem.counts)
    of = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)), dtype=np.int64)
    near = np.array(data.draw(st.lists(st.integers(-1, n - 1), min_size=n, max_size=n)), dtype=np.int32)
    whole = lower_bounds(metric, [k], Clock())
    parts = lower_bounds(metric, [k], Clock(), most=1)
    alone = lower_bounds(metric, [k], Clock(), most=1, known=NearOnes(of, near[:, None]))
    assert parts[0] <= alone[0] <= whole[0] <= least_by_subsets(metric, k)


@settings(max_examples=examples(30))
@given(st.lists(st.text("abcd", min_size=2, max_size=2), min_size=4, max_size=8), st.integers(2, 4))
def test_no_search_by_groups_is_below_the_best_recoding_nor_the_bound_above(rows, k):
    table = pa.table({"one": [row[0] for row in rows], "other": [row[1] for row in rows]})
    with Study(table, quasi={"one": PAIRS, "other": PAIRS}, threads=1) as study:
        metric = LM(study.problem())
        best = metric.figure(least_by_subsets(metric, k))
        local = study.anonymize("local-recoding", k=k)
        for found in (
            local,
            study.anonymize("local-recoding", k=k, options={"start": "rounds"}),
            study.anonymize("mondrian", k=k, options={"labels": "hierarchy"}),
            study.anonymize("mondrian", k=k, options={"labels": "hierarchy", "regions": "relaxed"}),
        ):
            assert found.loss >= float(best) * (1 - 1e-12)
        assert local.details["lower_bound"] <= float(best) * (1 + 1e-12)


def test_the_two_ways_to_the_best_recoding_agree():
    for rows in (("aa", "bb", "cd", "dd"), ("aa", "aa", "cb", "dd", "ad")):
        for k in (1, 2, 3):
            metric = LM(made(*rows))
            assert least_by_subsets(metric, k) == least_of_all(metric, k)


def test_a_row_that_is_alone_takes_others_along():
    metric = LM(made("aa", "aa", "ba"))
    # Two rows are alike, and cost nothing; the third shares the label ab with one of them at least.
    assert lower_bounds(metric, [2], Clock()) == [metric.unit // 3]
    assert lower_bounds(metric, [2], Clock(), rounds=2) == [2 * metric.unit // 3]
    assert least_of_all(metric, 2) == 3 * metric.unit // 3


def test_shares_without_time_or_work_are_none():
    given_ = _one_column()
    assert shared_covers(*given_, 2, 9, [100], 10**6, 60.0) == 2 * 3
    assert shared_covers(*given_, 2, 9, [100], 10**6, 0.0) is None
    assert shared_covers(*given_, 2, 9, [100], 0, 60.0) is None
    assert shared_covers(*given_, 10**18, 9, [], 10**6, 60.0) == 2 * 9  # no group: all are suppressed


def _one_column():
    """Two rows of one column, of which each is alone below a root that costs 3."""
    codes = np.array([[0, 1], [0, 0]], dtype=np.int32)
    prices = np.array([[0, 0], [3, 3]], dtype=np.int64)
    return [(codes, prices)], np.array([[0], [1]], dtype=np.int32), np.ones((2, 1), dtype=np.int64)


PAIRS = Hierarchy.from_rows([("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")])


def made(*rows):
    """A problem of two attributes, each of the pairs a and b, c and d."""
    return problem_of([PAIRS, PAIRS], [(*row, 0) for row in rows], labelled=False)


def test_rows_of_one_person_do_not_cover_one_another():
    problem, persons = made("aa", "aa", "ba", "ba"), [0, 0, 1, 1]
    assert lower_bounds(LM(problem), [2], Clock()) == [0]
    metric = LM(of_persons(problem, persons))
    assert lower_bounds(metric, [2], Clock()) == [least_of_all(metric, 2, persons)] != [0]


def test_it_is_reached_where_every_row_can_have_its_cheapest_labels():
    problem = made("aa", "ba", "cc", "cc")
    metric = LM(problem)
    # One pair shares the label ab, a third of the attribute's leaves more; the other pair is alike.
    assert lower_bounds(metric, [1, 2], Clock()) == [0, 2 * metric.unit // 3]
    assert least_of_all(metric, 2) == 2 * metric.unit // 3
    # No three rows share less than both roots.
    assert lower_bounds(metric, [3], Clock()) == [metric.largest]


@pytest.mark.parametrize(
    ("kind", "bounds"),
    [(LM, [0, 0, 8, 24]), (Precision, [0, 0, 8, 16]), (DM, [4, 8, 12, 16]), (ClassSize, [0, 2, 3, 4])],
)
def test_two_pairs_that_are_alike(kind, bounds):
    metric = kind(made("aa", "aa", "bb", "bb"))
    assert lower_bounds(metric, [1, 2, 3, 5], Clock()) == bounds
    assert all(bound <= least_of_all(metric, k) for k, bound in zip([1, 2, 3, 5], bounds, strict=True))


def test_parts_of_the_attributes_bound_too_and_less():
    problem = made("aa", "ba", "ab", "bb", "cd", "dc")
    whole = lower_bounds(LM(problem), [2, 3, 5], Clock())
    parts = lower_bounds(LM(problem), [2, 3, 5], Clock(), most=1)
    assert all(0 <= less <= more for less, more in zip(parts, whole, strict=True))
    assert 0 < sum(parts) < sum(whole)


def test_a_search_without_time_gives_a_bound_that_is_true(monkeypatch):
    problem = made("aa", "bb", "cc", "dd")
    assert lower_bounds(LM(problem), [2], Clock(0.0))[0] <= least_of_all(LM(problem), 2)
    whole = lower_bounds(LM(problem), [4], Clock())
    monkeypatch.setattr(lower_bound, "cheapest_covers", lambda *given: None)
    assert lower_bounds(LM(problem), [4], Clock()) == [0] < whole


def test_numbers_that_do_not_fit_are_rounded_down(monkeypatch):
    problem = made("aa", "bb", "cc", "cd")
    exact = lower_bounds(LM(problem), [2, 3], Clock())
    monkeypatch.setattr(lower_bound, "FITS", 60)
    rounded = lower_bounds(LM(problem), [2, 3], Clock())
    assert all(0 <= less <= more for less, more in zip(rounded, exact, strict=True))
    assert sum(rounded) > 0


@pytest.mark.parametrize("kind", [CM, Ambiguity])
def test_other_metrics_have_no_bound(kind):
    trees, rows = [PAIRS], [("a", 0), ("b", 1)]
    assert lower_bounds(kind(problem_of(trees, rows)), [2], Clock()) is None


class Passing(Clock):
    """A clock that is over after so many looks, and of which each part is itself."""

    def __init__(self, looks):
        super().__init__(3600.0)
        self.looks = looks

    @property
    def over(self):
        self.looks -= 1
        return self.looks < 0

    @property
    def left(self):
        return 3600.0 if self.looks > 0 else 0.0

    def part(self, share):
        return self


@pytest.mark.parametrize("looks", [0, 1, 5])
def test_a_bound_that_has_no_time_left_looks_at_nothing_more(looks, monkeypatch):
    columns = 8
    codes = np.random.default_rng(3).integers(0, 4, (60, columns))
    tree = Hierarchy.from_rows([str(code), f"{code // 2}-", "*"] for code in range(4))
    table = pa.table({f"a{a}": pa.array(codes[:, a].astype(str)) for a in range(columns)})
    with Study(table, quasi=dict.fromkeys(table.column_names, tree)) as study:
        problem = study.problem()
    calls = []
    for name in ("cheapest_covers", "shared_covers", "near_covers"):
        kernel = getattr(lower_bound, name)

        def noted(*given_, kernel=kernel):
            calls.append(kernel)
            return kernel(*given_)

        monkeypatch.setattr(lower_bound, name, noted)
    groups = NearOnes(
        np.zeros(len(problem.codes), np.int64), np.full((len(problem.codes), 1), -1, np.int32)
    )
    whole = lower_bounds(LM(problem), [3], Clock(), most=500, rounds=1, known=groups)
    assert len(calls) > 2 * columns
    calls.clear()
    found = lower_bounds(LM(problem), [3], Passing(looks), most=500, rounds=1, known=groups)
    assert len(calls) <= looks
    assert 0 <= found[0] <= whole[0]
