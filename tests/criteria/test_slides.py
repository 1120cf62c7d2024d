"""The table of conditions in Kantarcioglu's slides on Sweeney's methods, worked by hand."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa

from shoal.describe.promise import Promise, Recursive, ShareLimits
from shoal.verification import verify_table

HEART, VIRAL, CANCER = "Heart Disease", "Viral Infection", "Cancer"
GROUPS = {
    ("130**", "< 30", "*"): [HEART, HEART, VIRAL, VIRAL],
    ("1485*", ">= 40", "*"): [CANCER, HEART, VIRAL, VIRAL],
    ("130**", "3*", "*"): [CANCER] * 4,
}
QUASI = ["Zip Code", "Age", "Nationality"]
ROWS = [(*key, condition) for key, conditions in GROUPS.items() for condition in conditions]
TABLE = pa.table(dict(zip([*QUASI, "Condition"], map(list, zip(*ROWS, strict=True)), strict=True)))
CANCERS = "('130**', '3*', '*')"
YOUNG = "('130**', '< 30', '*')"


def check(promise, rows=TABLE):
    return verify_table(rows, promise, QUASI, ["Condition"])


def without_cancers():
    return TABLE.slice(0, 8)


def test_four_anonymous_but_one_group_has_one_condition():
    """Bob, in his thirties, has cancer: his group has one value of Condition, so only l = 1 holds."""
    verdict = check(Promise(4, 2))
    assert verdict.measured.k == 4
    assert verdict.failures == (
        f"l: the group {CANCERS} has 1 distinct values of 'Condition', fewer than 2",
    )
    assert check(Promise(4, 1)).holds
    spread = verdict.measured.sensitive["Condition"]
    assert (spread.l, spread.share, spread.value, spread.entropy) == (1, 1, CANCER, 1)
    # Of 12 rows 5 have cancer: all 4 of the group are 7/12 from the table.
    assert spread.t == Fraction(7, 12)


def test_which_groups_fail_three_values():
    """The young have two conditions, those over forty three: l = 3 fails twice, l = 2 once."""
    assert check(Promise(l=2), without_cancers()).holds
    assert check(Promise(l=3), without_cancers()).failures == (
        f"l: the group {YOUNG} has 2 distinct values of 'Condition', fewer than 3",
    )


def test_entropy_and_recursive_diversity_of_the_two_other_groups():
    """(2, 2) is as uncertain as 2 values, (2, 1, 1) as sqrt(8); r = (2, 2) keeps (c, 2) for c > 1."""
    rows = without_cancers()
    spread = check(Promise(), rows).measured.sensitive["Condition"]
    assert (spread.entropy, spread.c, spread.share) == (2, 1, Fraction(1, 2))
    assert check(Promise(entropy={"Condition": Fraction(2)}), rows).holds
    assert not check(Promise(entropy={"Condition": Fraction(2001, 1000)}), rows).holds
    over_forty = rows.slice(4)
    spread = check(Promise(), over_forty).measured.sensitive["Condition"]
    assert (spread.l, spread.entropy, spread.c) == (3, Fraction(2828, 1000), 2)
    assert check(Promise(recursive={"Condition": Recursive(Fraction(11, 10), 2)}), rows).holds
    assert not check(Promise(recursive={"Condition": Recursive(Fraction(1), 2)}), rows).holds


def test_umeko_has_a_viral_infection_with_even_odds():
    """Japanese Umeko cannot have a heart disease; what others can tell of her group is a half."""
    half = Promise(theta={"Condition": ShareLimits(Fraction(1, 2))})
    assert check(half, without_cancers()).holds
    assert check(half).failures == (
        f"theta: 'Cancer' of 'Condition' has a share of 1 in the group {CANCERS}, more than 1/2",
    )
