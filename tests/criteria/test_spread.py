"""What verification measures of one column is what its definitions over rows give, missing values too."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import prod

from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal.describe.promise import Promise, Recursive, ShareLimits
from shoal.verification.spread import sensitive_column as spread_column
from shoal.verification.spread import uncertainty as entropy
from shoal.verification.spread.measure import measure_spread
from tests.criteria.definitions import cells_of, has_entropy, has_recursive, shares, tables
from tests.examples import examples

PARTS = Fraction(1, 1000)


def measured(table, promise=None):
    return measure_spread(cells_of(table), [0], promise or Promise(), counts_l=True)


@settings(max_examples=examples(100))
@given(tables(most_rows=5))
@example([["1", "2", "3"], [None]])
@example([[None], [None, None]])
def test_the_worst_of_all_groups(table):
    spread, failures = measured(table)
    assert not failures
    assert spread.l == min(len(set(rows) - {None}) for rows in table)
    # Rounded down: every group reaches it, and some group does not reach a thousandth more.
    assert all(has_entropy(rows, spread.entropy) for rows in table)
    assert not all(has_entropy(rows, spread.entropy + PARTS) for rows in table)
    if spread.l:
        assert all(has_recursive(rows, spread.c + PARTS / 10**6, spread.l) for rows in table)
        assert not all(has_recursive(rows, spread.c, spread.l) for rows in table)
    else:
        assert spread.c is None
    whole = Counter(value for rows in table for value in rows)
    ratios = [
        Fraction(n, len(rows)) / Fraction(whole[value], sum(whole.values()))
        for rows in table
        for value, n in Counter(rows).items()
        if value is not None
    ]
    assert spread.disclosure == max((max(ratio, 1 / ratio) for ratio in ratios), default=1)


@settings(max_examples=examples(100))
@given(
    tables(most_rows=5),
    st.integers(1, 3),
    shares,
    st.fractions(1, 3, max_denominator=4),
    st.fractions(Fraction(1, 2), 3, max_denominator=3),
    st.integers(1, 3),
    st.booleans(),
)
def test_what_breaks_a_promise_is_named_and_nothing_else(table, l, theta, least, c, place, known):  # noqa: E741
    promise = Promise(
        l=l,
        theta={"s": ShareLimits(theta, known=known)},
        entropy={"s": least},
        recursive={"s": Recursive(c, place)},
    )
    _, failures = measured(table, promise)
    assert {failure.split(":")[0] for failure in failures} == {
        name
        for name, kept in (
            ("l", all(len(set(rows) - {None}) >= l for rows in table)),
            (
                "theta",
                all(
                    rows.count(v) <= theta * (len(rows) - known * rows.count(None))
                    for rows in table
                    for v in set(rows) - {None}
                ),
            ),
            ("entropy l", all(has_entropy(rows, least) for rows in table)),
            ("recursive l", all(has_recursive(rows, c, place) for rows in table)),
        )
        if not kept
    }


@given(tables(most_groups=6))
def test_groups_taken_a_few_at_a_time_are_measured_alike(table):
    whole = measured(table)
    before = spread_column.BLOCK
    spread_column.BLOCK = 1
    try:
        assert measured(table) == whole
    finally:
        spread_column.BLOCK = before


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.data())
def test_decimals_decide_of_entropies_as_whole_numbers_do(counts, data):
    n = sum(counts)
    nearly = n / prod(m ** (m / n) for m in counts)  # a tie but for rounding
    l = data.draw(st.sampled_from([Fraction(nearly), Fraction(len(counts)), Fraction(1)]))  # noqa: E741
    before, entropy.MOST_DIGITS = entropy.MOST_DIGITS, 0
    try:
        found = entropy.keeps(counts, l)
    finally:
        entropy.MOST_DIGITS = before
    assert found == entropy.keeps(counts, l)
