"""What values say about a column that is called nothing in particular, and what it adds to the risk."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.opening import opened
from shoal.proposal import propose
from shoal.proposal.check_digits import card, iban, luhn, national_ids
from shoal.proposal.evidence import evidence
from shoal.proposal.unique_rows import Added, UniqueRows


@pytest.mark.parametrize(
    ("values", "role", "reason"),
    [
        (["ann@post.example", "b.c@mail.example"], "identifying", "e-mail"),
        (["+49 30 1234567", "0049 171 5551234"], "identifying", "phone"),
        (["(212) 555-0142", "(646) 555-0199"], "identifying", "phone"),
        (["DE89370400440532013000", "GB82 WEST 1234 5698 7654 32"], "identifying", "IBAN"),
        (["078-05-1120", "219-09-9999"], "identifying", "social security"),
        (["12345678Z", "X1234567L"], "identifying", "Spanish"),
        (["192.168.0.1", "10.0.0.254"], "identifying", "IP"),
        (["2001:db8::8a2e:370:7334", "fe80::1:2:3"], "identifying", "IP"),
        (["3f2504e0-4f89-11d3-9a0c-0305e82c3301"], "identifying", "random identifiers"),
        (["52.52000, 13.40500", "48.85660, 2.35220"], "identifying", "map"),
        (["4111 1111 1111 1111", "5500-0000-0000-0004"], "identifying", "card"),
        (["SW1A 1AA", "M1 1AE", "EH8 9YL"], "quasi", "British"),
        (["1011 AB", "9999ZZ"], "quasi", "Dutch"),
        (["I10", "E11.9", "J45.0", "C50"], "sensitive", "ICD-10"),
        (["A10BA02", "C09AA05", "N02BE01"], "sensitive", "ATC"),
        (["flu", "diabetes", "asthma", "none"], "sensitive", "illnesses"),
        (["catholic", "protestant", "none"], "sensitive", "beliefs"),
        (["Anna Weber", "Paul Kim", "Weber, Marie", "Claire X", "Omar B", "Jan D", "Eva E", "Leo F"],
         "identifying", "names"),
    ],
)  # fmt: skip
def test_values_tell_what_a_column_is(values: list[str], role: str, reason: str) -> None:
    found = evidence(values, all(value.isdigit() for value in values), True)
    assert found is not None
    assert found.role == role
    assert reason in found.reason


@pytest.mark.parametrize(
    "values",
    [
        ["2024-01-31", "2023-12-01"],
        ["31.01.2024", "01.12.2023"],
        ["12.5", "13.75", "1.0"],
        ["red", "green", "blue"],
        ["Berlin", "Bremen", "Köln", "Erfurt", "Lyon", "Nantes", "Leeds", "Perth"],
        ["1", "2", "3"],
        ["A1", "B2"],
        ["R2D", "T100", "V60"],
        ["15-19", "20-24"],
        [""],
        [],
    ],
)
def test_ordinary_values_tell_nothing(values: list[str]) -> None:
    assert evidence(values, all(value.isdigit() for value in values), False) is None


def test_one_wrong_value_in_twenty_hides_nothing() -> None:
    mails = [f"a{i}@post.example" for i in range(19)] + ["unknown"]
    found = evidence(mails, False, True)
    assert found is not None
    assert "e-mail" in found.reason


@given(st.integers(10**9, 10**18).map(str))
def test_one_last_digit_in_ten_passes_for_a_card(digits: str) -> None:
    assert sum(luhn(digits[:-1] + str(last)) for last in range(10)) == 1


@given(st.integers(0, 10**18 - 1))
def test_one_pair_of_check_digits_in_97_passes_for_an_account(account: int) -> None:
    right = [digits for digits in range(2, 99) if iban(f"DE{digits:02d}{account:018d}")]
    assert len(right) == 1


@pytest.mark.parametrize(
    ("number", "name"),
    [
        ("44051401359", "eleven"),  # PESEL, as its office explains it
        ("52998224725", "eleven"),  # CPF
        ("943 476 5919", "ten"),  # NHS
        ("111222333", "nine"),  # BSN
        ("756.9217.0769.85", "Swiss"),
        ("11010519491231002X", "Chinese"),
        ("811228-9874", "Swedish"),
        ("RSSMRA85T10A562S", "Italian"),
        ("QQ123456C", ""),  # Q is no letter of these
        ("AB123456C", "British"),
        ("123-45-6789", "US"),
        ("000-45-6789", ""),
        ("44051401358", ""),
    ],
)
def test_national_numbers_are_told_by_form_and_check_digits(number: str, name: str) -> None:
    found = national_ids([number], 1.0)
    assert name in found
    assert bool(name) == bool(found)


def test_a_card_has_the_length_of_one() -> None:
    assert card("4111111111111111")
    assert not card("41111111")


def test_what_a_column_adds_is_what_counting_rows_finds() -> None:
    chance = Random(3)
    columns = {
        name: [str(chance.randint(1, most)) for _ in range(60)]
        for name, most in (("sex", 2), ("region", 4), ("civil", 3), ("x", 9))
    }
    with opened(pa.table(columns)) as engine:
        profiles = {one.column: one for one in engine.profile(100)}
        found = UniqueRows(engine, 60, [profiles[name] for name in ("sex", "region", "civil")]).added(
            profiles["x"]
        )

    def unique(*names: str) -> float:
        rows = list(zip(*(columns[name] for name in names), strict=True))
        return sum(rows.count(row) == 1 for row in rows) / 60

    pairs = list(combinations(("sex", "civil", "region"), 2))
    adds = {pair: unique(*pair, "x") - unique(*pair) for pair in pairs}
    assert found.alone == unique("x")
    assert (found.least, found.most) == (
        pytest.approx(min(adds.values())),
        pytest.approx(max(adds.values())),
    )
    assert adds[found.beside] == max(adds.values())


def test_undecided_columns_say_what_they_would_add() -> None:
    sexes, answers = ["f", "m"] * 60, [1, 2, 3, 4, 2, 2] * 20
    table = pa.table({"sex": sexes, "region": ["n", "s", "s"] * 40, "q7": answers, "age": [40, 50] * 60})
    with opened(table) as engine:
        column = next(one for one in propose(engine).columns if one.name == "q7")
    assert column.role == "undecided"
    assert column.reason.startswith("numbers of which nothing says what they are; ")
    assert "unique" in column.reason


@pytest.mark.parametrize(
    ("alone", "most", "beside", "said"),
    [
        (
            0.1,
            0.2,
            ("sex", "age"),
            "released as it is, it would make 20% more rows unique beside sex and age",
        ),
        (0.1, 0.0, (), "released as it is, it would make 10% of the rows unique"),
        (0.0, 0.0, ("sex", "age"), "alone it would make no row unique, nor any more beside sex and age"),
        (0.0, 0.0, (), "alone it would make no row unique"),
    ],
)
def test_no_more_is_said_of_a_column_than_was_counted(alone, most, beside, said):
    assert Added(alone, 0.0, most, beside).sentence == said
