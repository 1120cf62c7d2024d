"""How many rows vioRec keeps for several columns at once, compared with trying everything."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from shoal.answers.recoding import Scheme
from shoal.errors import InputError
from shoal.kernels import keep_jointly
from shoal.metrics.on_cuts import cut_metric_named
from shoal.search.cuts.cut_problem import refuse_too_hard
from shoal.search.cuts.l_plus_optimize import l_plus_optimize, suppressed
from tests.search.cuts.cases import SHARES, random_case
from tests.search.cuts.oracle import all_cuts, most_rows, price


def ask(limits, tuples, counts):
    """The kernel's answer; `limits[c][v]` is the share of value v of column c, None without a limit."""
    firsts = np.cumsum([0, *map(len, limits)])[:-1]
    rows = [
        (*((0, 0) if limit is None else limit.as_integer_ratio()), c, 0)
        for c, column in enumerate(limits)
        for limit in column
    ]
    places = np.array(tuples, dtype=np.int32).reshape(len(tuples), len(limits)) + firsts
    return keep_jointly(
        np.array(rows, dtype=np.int64), places.astype(np.int32), np.array(counts, dtype=np.int64)
    )


def allowed(limits, tuples, kept):
    total = sum(kept)
    for c, column in enumerate(limits):
        for v, limit in enumerate(column):
            with_value = sum(n for t, n in zip(tuples, kept, strict=True) if t[c] == v)
            if limit is not None and with_value > limit * total:
                return False
    return True


def draw(rng, columns, most_values, most_rows_each, most_tuples):
    limits = [
        [rng.choice([None, *SHARES[:-1]]) for _ in range(rng.randint(1, most_values))]
        for _ in range(columns)
    ]
    every = list(product(*(range(len(column)) for column in limits)))
    tuples = rng.sample(every, min(len(every), rng.randint(1, most_tuples)))
    return limits, tuples, [rng.randint(0, most_rows_each) for _ in tuples]


@pytest.mark.parametrize("columns", [2, 3, 4])
def test_no_subset_of_more_rows_respects_all_limits(columns):
    for seed in range(150):
        rng = random.Random(f"subset {columns} {seed}")
        limits, tuples, counts = draw(rng, columns, 3, 3, 6)
        kept, certain = ask(limits, tuples, counts)
        assert certain
        assert all(0 <= keep <= n for keep, n in zip(kept, counts, strict=True))
        assert allowed(limits, tuples, kept)
        best = max(
            sum(chosen)
            for chosen in product(*(range(n + 1) for n in counts))
            if allowed(limits, tuples, chosen)
        )
        assert sum(kept) == best


def quarrel(rng, columns, values, rows):
    """Rows of which each has the frequent value of another column, so that limits do not help each other."""
    share = rng.choice([Fraction(1, 4), Fraction(1, 3), Fraction(2, 5), Fraction(1, 2)])
    counts = Counter()
    for _ in range(rows):
        frequent = rng.randrange(columns + 1)
        counts[tuple(0 if c == frequent else rng.randrange(values) for c in range(columns))] += 1
    return [[share] * values for _ in range(columns)], list(counts), list(counts.values())


@pytest.mark.parametrize(("columns", "values", "most"), [(2, 4, 20), (3, 3, 20), (3, 4, 16)])
def test_columns_that_quarrel_keep_as_many_rows_as_a_plain_search_finds(columns, values, most):
    fewer = 0
    for seed in range(80):
        rng = random.Random(f"quarrel {columns} {seed}")
        limits, tuples, counts = quarrel(rng, columns, values, rng.randint(4, most))
        kept, certain = ask(limits, tuples, counts)
        assert certain
        assert allowed(limits, tuples, kept)
        assert sum(kept) == sum(most_rows(limits, tuples, counts))
        alone = [most_rows([limits[c]], [(t[c],) for t in tuples], counts) for c in range(columns)]
        assert sum(kept) <= min(map(sum, alone))
        fewer += sum(kept) < min(map(sum, alone))
    assert fewer > 5  # than each column alone would keep: or nothing was shown


def test_of_tuples_that_are_alike_each_loses_its_share():
    limits = [[Fraction(1, 2), None], [None] * 4]
    tuples = [(0, 0), (0, 1), (0, 2), (1, 3)]
    assert ask(limits, tuples, [20, 20, 20, 30]) == ([10, 10, 10, 30], True)


@pytest.mark.parametrize("columns", [2, 3])
def test_ten_thousand_times_the_rows_keep_at_least_ten_thousand_times_as_many(columns):
    for seed in range(40):
        rng = random.Random(f"many {columns} {seed}")
        limits, tuples, counts = quarrel(rng, columns, 5, rng.randint(10, 99))
        few, certain = ask(limits, tuples, counts)
        assert certain
        many, certain = ask(limits, tuples, [10_000 * n for n in counts])
        assert certain
        assert allowed(limits, tuples, many)
        assert sum(many) >= 10_000 * sum(few)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(IndexError, match="no such value"):
        ask([[None], [None]], [(0, 1)], [1])
    with pytest.raises(ValueError, match="differ in length"):
        ask([[None], [None]], [(0, 0)], [1, 2])
    with pytest.raises(IndexError, match="no share"):
        ask([[Fraction(3, 2)], [None]], [(0, 0)], [1])


def test_cm_takes_one_column_and_says_so():
    problem = random_case("several", "DM", Scheme.VIO_REC, columns=2).problem
    cm = cut_metric_named("CM")(problem.metric.attributes, problem.tally.rows, 2)
    with pytest.raises(InputError, match="CM with vioRec limits one sensitive column"):
        replace(problem, metric=cm)


def test_tables_with_too_many_counts_are_refused(monkeypatch):
    problem = random_case("counts", "LM", Scheme.VIO_REC, columns=2).problem
    assert problem.limits
    monkeypatch.setattr("shoal.search.cuts.cut_problem.MOST_COUNTS", 0)
    with pytest.raises(InputError, match="handles up to 0 counts for several sensitive columns"):
        replace(problem)


def test_a_group_without_a_proof_is_refused():
    refuse_too_hard(False)
    with pytest.raises(InputError, match="vioRec could not prove how many rows of a group can be kept"):
        refuse_too_hard(True)


@pytest.mark.parametrize("columns", [2, 3])
@pytest.mark.parametrize("metric", ["LM", "DM", "Sizes"])
def test_the_best_cut_is_that_of_trying_all(metric, columns):
    for seed in range(24):
        case = random_case(f"cuts {metric} {seed}", metric, Scheme.VIO_REC, 60, columns)
        known = [found for cut in all_cuts(case) if (found := price(case, cut))[1] < len(case.rows)]
        outcome = l_plus_optimize(case.problem)
        assert bool(outcome.found) == bool(known)
        if not known:
            continue
        assert outcome.optimal
        assert outcome.found[0].cost == pytest.approx(float(min(known)[0]))
        cost, deleted, _ = price(case, outcome.found[0].cut)
        assert outcome.found[0].cost == pytest.approx(float(cost))
        assert suppressed(case.problem, outcome.found[0].cut) == (deleted, 0)
