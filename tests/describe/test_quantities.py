"""How much may be suppressed: shares, percentages and counts, read exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.describe.quantities import suppression_limit
from shoal.errors import InputError

ROWS = 30_162


@pytest.mark.parametrize(
    ("given", "limit"),
    [
        ("1%", 301), ("0.01", 301), (0.01, 301), ("301", 301), (301, 301), (0, 0), ("0", 0), ("0%", 0),
        ("0.0", 0), (0.0, 0), ("0.5%", 150), (".5%", 150), ("1 %", 301), (" 5 ", 5), ("+5", 5), ("-0", 0),
        ("100%", ROWS), ("1.0", ROWS), (1.0, ROWS), (1, 1), ("1", 1), (ROWS, ROWS), ("1e-2", 301),
        ("1E-2", 301), (1e-5, 0), (1e-4, 3), ("1e-400", 0), ("1e2%", ROWS), (np.float64(0.01), 301),
        (np.int64(7), 7), (Fraction(1, 2).__float__(), 15_081), ("5.0%", 1508),
    ],
)  # fmt: skip
def test_shares_percentages_and_counts(given, limit):
    assert suppression_limit(given, ROWS) == limit


@pytest.mark.parametrize(
    "given",
    ["abc", "", "%", "1%%", "%1", "1/3", "1/0", "nan", "inf", "-inf", "infinity", "1_000", "0x10", "1e",
     "e5", "--1", "1,5%", "1.2.3", "1 000", True, None, float("nan"), float("inf"), "9" * 5000,
     "1e999999999", "1e-999999999", "1e99999%", [], "½", "1e+-2",
     "١%", "٠.٠١", "３", "1e-٢"],
)  # fmt: skip
def test_what_is_no_amount_is_refused(given):
    with pytest.raises(
        InputError, match=r"is not an amount of suppression; write 1%, 0\.01 or a number of rows"
    ):
        suppression_limit(given, ROWS)


@pytest.mark.parametrize("given", ["-1", -1, "-1%", -0.5, "-0.5%", "-1e-9"])
def test_negative_amounts_are_refused(given):
    with pytest.raises(InputError, match=f"suppression of {given} is negative"):
        suppression_limit(given, ROWS)


@pytest.mark.parametrize("given", ["101%", "100.01%", "1.01", 1.5, 301.0, "1e400", "1e2", "5."])
def test_more_than_the_whole_table_is_refused(given):
    with pytest.raises(InputError, match="is more than the whole table; write at most 100%"):
        suppression_limit(given, ROWS)


@pytest.mark.parametrize("given", [ROWS + 1, str(ROWS + 1), 10**30])
def test_more_rows_than_the_table_has_are_refused(given):
    with pytest.raises(InputError, match="but the table has 30,162"):
        suppression_limit(given, ROWS)


def test_an_empty_table_has_nothing_to_suppress():
    assert suppression_limit("50%", 0) == 0


@given(st.integers(0, 10_000), st.integers(0, 10**9))
def test_a_percentage_is_rounded_down_exactly(hundredths, rows):
    percent = f"{hundredths // 100}.{hundredths % 100:02d}%"
    assert suppression_limit(percent, rows) == hundredths * rows // 10_000


@given(st.decimals(0, 1, places=6), st.integers(0, 10**12))
def test_a_share_is_rounded_down_exactly(share, rows):
    assert suppression_limit(f"{share:f}", rows) == int(Fraction(share) * rows)
    assert suppression_limit(float(share), rows) == int(Fraction(str(float(share))) * rows)
