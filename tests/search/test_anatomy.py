"""Dealing rows into buckets: what the paper's own loop reaches, and possible exactly where it is."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import Study
from shoal.errors import InputError, NoSolutionError
from shoal.search.groups.anatomy import deal

COUNTS = st.lists(st.integers(1, 9), min_size=1, max_size=7)


def dealt_groups(dealt, counts):
    """The values of each group, from the rule that the engine carries out; counts are by value."""
    groups = [Counter() for _ in range(dealt.groups)]
    for value, start in zip(dealt.values, dealt.starts, strict=True):
        for rank in range(counts[value]):
            groups[(start + rank) % dealt.groups][value] += 1
    return groups


def papers_groups(counts, l):  # noqa: E741
    """Xiao and Tao's loop: one row from each of the l fullest buckets, then the residues; None if stuck."""
    left, groups = Counter(dict(enumerate(counts))), []
    while sum(n > 0 for n in left.values()) >= l:
        chosen = [value for value, _ in left.most_common(l)]
        groups.append(Counter(chosen))
        left.subtract(chosen)
    for value in left.elements():
        free = next((group for group in groups if value not in group), None)
        if free is None:
            return None
        free[value] += 1
    return groups


def error(groups):
    """The reconstruction error of the paper: each row against its group's share of every value."""
    total = Fraction(0)
    for group in groups:
        size = group.total()
        shares = {value: Fraction(n, size) for value, n in group.items()}
        for value, n in group.items():
            others = sum(share**2 for other, share in shares.items() if other != value)
            total += n * ((1 - shares[value]) ** 2 + others)
    return total


@given(COUNTS, st.integers(2, 5))
def test_a_deal_is_as_good_as_the_papers_and_exists_where_it_does(counts, l):  # noqa: E741
    values = [f"v{i}" for i in range(len(counts))]
    # The whole table as one group is the last resort: its shares are the averages of all groups' shares.
    eligible = all(Fraction(n, sum(counts)) <= Fraction(1, l) for n in counts)
    paper = papers_groups(counts, l)
    assert eligible == (paper is not None and bool(paper))
    if not eligible:
        with pytest.raises(NoSolutionError, match=f"{max(counts)} of {sum(counts)} rows"):
            deal("s", values, counts, l)
        return
    named = dict(zip(values, counts, strict=True))
    groups = dealt_groups(deal("s", values, counts, l), named)
    assert sum(groups, Counter()) == Counter(named)
    assert len(groups) == len(paper) == sum(counts) // l
    for group in groups:
        assert set(group.values()) == {1}
        assert group.total() >= l
    assert max(g.total() for g in groups) - min(g.total() for g in groups) <= 1
    assert error(groups) == error(paper) == sum(counts) - len(groups)
    assert error(groups) < sum(counts) * (1 - Fraction(1, l)) + 1


def study(rows, **options):
    import pyarrow as pa

    table = pa.table(rows)
    return Study(table, quasi={"zip": {"mask": {"digits": 2}}}, **options)


def test_an_l_that_is_too_large_names_the_value_and_what_is_possible():
    rows = {"zip": ["10"] * 6, "s": ["flu", "flu", None, None, "cold", "gout"]}
    with study(rows, sensitive="s") as opened:
        assert opened.anonymize("anatomy", l=3).details["buckets"] == 2
        with pytest.raises(NoSolutionError, match=r"'flu' of 's' has 2 of 6 rows.*l = 3 at most"):
            opened.anonymize("anatomy", l=4)
    with (
        study({"zip": ["10"] * 3, "s": [None, None, "a"]}, sensitive="s") as opened,
        pytest.raises(NoSolutionError, match=r"\(missing\).*no l can be kept"),
    ):
        opened.anonymize("anatomy", l=2)


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ({"l": 1}, "2 or more"),
        ({"k": 2}, "give only l"),
        ({"l": 2, "k": 2}, "give only l"),
        ({"l": 2, "theta": "1/2"}, "give only l"),
        ({"l": 2, "options": {"sensitive": "zip"}}, "not a sensitive column"),
        ({"l": 2, "options": {"column": "s"}}, "did you mean|known are"),
    ],
)
def test_what_anatomy_cannot_keep_is_refused(asked, what):
    rows = {"zip": ["10", "11"], "s": ["a", "b"]}
    with study(rows, sensitive="s") as opened, pytest.raises(InputError, match=what):
        opened.anonymize("anatomy", **asked)


def test_of_several_sensitive_columns_one_must_be_chosen():
    rows = {"zip": ["10", "11"], "s": ["a", "b"], "t": ["a", "a"]}
    with study(rows, sensitive=["s", "t"]) as opened:
        with pytest.raises(InputError, match="choose it with the option sensitive: s, t"):
            opened.anonymize("anatomy", l=2)
        found = opened.anonymize("anatomy", l=2, options={"sensitive": "s"})
        assert found.details["not_released"] == ["t"]
        assert opened.release(found).table().column_names == ["zip", "group"]


def test_quasi_values_that_must_be_coarser_or_are_sensitive_themselves_are_refused():
    rows = {"zip": ["10", "11"], "s": ["a", "b"]}
    with (
        study(rows, sensitive="s", levels={"zip": (1, 2)}) as opened,
        pytest.raises(InputError, match="min_level"),
    ):
        opened.anonymize("anatomy", l=2)
    with study(rows, sensitive="zip") as opened, pytest.raises(InputError, match="quasi and sensitive"):
        opened.anonymize("anatomy", l=2)
    # A quasi column stays exact whichever column is split off, so it hides nothing of another.
    with (
        study(rows, sensitive=["s", "zip"]) as opened,
        pytest.raises(InputError, match="'zip' is quasi and sensitive"),
    ):
        opened.anonymize("anatomy", l=2, options={"sensitive": "s"})
    with (
        study(rows, sensitive=["s", "zip"]) as opened,
        pytest.raises(InputError, match="Anatomy releases quasi values unchanged, so it hides nothing"),
    ):
        opened.anonymize("anatomy", l=2, sensitive=["s"], options={"sensitive": "s"})
