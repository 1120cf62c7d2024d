"""What verification measures is what pycanon computes; and where it is not, who is right."""

from __future__ import annotations

import math
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycanon import anonymity

from shoal.describe.promise import Distance, DistanceKind, Promise
from shoal.verification import verify_table
from tests.examples import examples

cells = st.tuples(st.sampled_from("xy"), st.sampled_from("12"), st.integers(1, 4), st.integers(0, 2))
tables = st.lists(cells, min_size=1, max_size=24)


def frame(rows) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["p", "q", "pay", "ill"]).astype({"ill": str})


def measure(table, promise=None):
    return verify_table(table, promise or Promise(), ["p", "q"], ["ill", "pay"]).measured


@settings(max_examples=examples(20), deadline=None)
@given(tables)
def test_the_same_k_l_entropy_l_recursive_l_t_and_delta(rows):
    table = frame(rows)
    ordered = Promise(t={"pay": Fraction(1)}, distances={"pay": Distance(DistanceKind.ORDERED)})
    measured = measure(table, ordered)
    assert measured.k == anonymity.k_anonymity(table, ["p", "q"])
    for column, spread in measured.sensitive.items():
        asked = (table, ["p", "q"], [column])
        assert spread.l == anonymity.l_diversity(*asked)
        assert spread.l == anonymity.recursive_c_l_diversity(*asked)[1]
        assert spread.share == pytest.approx(anonymity.alpha_k_anonymity(*asked)[0])
        # pycanon cuts floats to whole numbers: where l is one exactly, it may find one less.
        whole = anonymity.entropy_l_diversity(*asked)
        assert whole == math.floor(spread.entropy) or (
            spread.entropy.denominator == 1 and whole == spread.entropy - 1
        )
        assert math.log(spread.disclosure) == pytest.approx(anonymity.delta_disclosure(*asked), abs=1e-9)
    assert measured.sensitive["ill"].t == pytest.approx(
        anonymity.t_closeness(table, ["p", "q"], ["ill"])
    )
    if table["pay"].nunique() > 1:  # pycanon divides by nothing where there is one number
        assert float(measured.sensitive["pay"].promised[1]) == pytest.approx(
            anonymity.t_closeness(table, ["p", "q"], ["pay"])
        )


def test_pycanon_loses_a_whole_l_to_rounding():
    """l equally frequent values have the entropy log l; in floats it may be less, and pycanon cuts it off."""
    found = []
    for l in range(2, 9):  # noqa: E741
        table = pd.DataFrame(
            {"p": ["x"] * l, "q": ["1"] * l, "ill": list("abcdefgh")[:l], "pay": range(l)}
        )
        assert measure(table).sensitive["ill"].entropy == l
        found.append(anonymity.entropy_l_diversity(table, ["p", "q"], ["ill"]) - l)
    assert set(found) == {0, -1}


def test_the_c_of_pycanon_is_not_that_of_the_definition():
    """r_1 < c (r_3 + ...) with r = (2, 1, 1) needs a c above 2. pycanon ranks from the rarest value up.

    It finds (2, 3): but 2 < 2 * 1 does not hold. The second group, r = (1, 1, 1), needs a c above 1.
    """
    table = pd.DataFrame({"p": list("xxxxyyy"), "q": ["1"] * 7, "ill": list("abccabc"), "pay": [1] * 7})
    assert anonymity.recursive_c_l_diversity(table, ["p", "q"], ["ill"]) == (2, 3)
    spread = measure(table).sensitive["ill"]
    assert (spread.c, spread.l) == (2, 3)  # every c above 2, not 2 itself
