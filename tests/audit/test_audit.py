"""Every warning comes where it must and only there, with true figures in its sentence."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.audit import CHECKS, LEVELS, Evidence, Released, audit_release
from shoal.promise import Promise, ShareLimits

HOMES = {
    "homogeneity": "homogeneity",
    "many-suppressed": "suppressed",
    "minimality": "minimality",
    "skewness": "skewness",
    "small-suppressed-set": "suppressed",
    "unchanged-column": "linked",
    "uniqueness": "uniqueness",
    "untouched-quasi": "untouched",
}
groups = st.sampled_from(["g", "h", None])
illnesses = st.sampled_from(["flu", "flu", "flu", "cold", "cancer", None])


def frame(**columns):
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


def found(facts, code):
    """The warnings of one code."""
    (check,) = (check for check in CHECKS if check.__name__.endswith(HOMES[code]))
    with Released(facts) as released:
        warnings = list(check.check(released))
    assert all(HOMES[warning.code] == HOMES[code] for warning in warnings)
    return [warning for warning in warnings if warning.code == code]


@given(rows=st.lists(st.tuples(groups, illnesses), min_size=1, max_size=40))
def test_homogeneity_counts_the_groups_that_give_a_value_away(rows):
    table = frame(place=[row[0] for row in rows], illness=[row[1] for row in rows])
    warnings = found(Evidence(table, Promise(k=1), ("place",), ("illness",)), "homogeneity")
    inside = defaultdict(Counter)
    for place, illness in rows:
        inside[place][illness] += 1
    totals = Counter(illness for _, illness in rows)
    expected = {}
    for counts in inside.values():
        size = sum(counts.values())
        for illness, count in counts.items():
            if illness is None:
                continue
            common = Fraction(totals[illness], len(rows)) > Fraction(9, 10)
            if count == size:
                level = "note" if common else "serious"
            elif Fraction(count, size) > Fraction(9, 10) and not common:
                level = "warning"
            else:
                continue
            many, of = expected.get(level, (0, 0))
            expected[level] = (many + 1, of + size)
    assert {
        warning.level: (warning.details["groups"], warning.details["rows"]) for warning in warnings
    } == expected
    for warning in warnings:
        example = warning.details["example"]
        counts = inside[example["group"]["place"]]
        assert example["share"] == counts[example["value"]] / sum(counts.values())
        assert f"'{example['value']}'" in warning.sentence


@given(rows=st.lists(st.tuples(groups, illnesses), min_size=1, max_size=40))
def test_skewness_measures_the_total_variation(rows):
    table = frame(place=[row[0] for row in rows], illness=[row[1] for row in rows])
    warnings = found(Evidence(table, Promise(k=1), ("place",), ("illness",)), "skewness")
    totals = Counter(illness for _, illness in rows)
    distances, sizes = {}, Counter(place for place, _ in rows)
    for place, size in sizes.items():
        counts = Counter(illness for there, illness in rows if there == place)
        distances[place] = (
            sum(
                abs(Fraction(counts[illness], size) - Fraction(totals[illness], len(rows)))
                for illness in totals
            )
            / 2
        )
    far = [place for place, distance in distances.items() if distance >= Fraction(1, 2)]
    assert len(warnings) == bool(far)
    for warning in warnings:
        assert warning.level == "note"
        assert warning.details["groups"] == len(far)
        assert warning.details["rows"] == sum(sizes[place] for place in far)
        assert warning.details["largest_distance"] == pytest.approx(float(max(distances.values())))


@given(
    rows=st.lists(st.tuples(groups, st.sampled_from("abcdefghijklmnopqrst")), min_size=1, max_size=20)
)
def test_uniqueness_is_about_values_that_few_share(rows):
    table = frame(place=[row[0] for row in rows], note=[row[1] for row in rows])
    warnings = found(Evidence(table, Promise(k=1), ("place",), (), ("note",)), "uniqueness")
    counts = Counter(note for _, note in rows)
    alone = sum(count == 1 for count in counts.values())
    level = None
    if len(counts) < 10:
        pass
    elif 10 * alone >= 9 * len(rows):
        level = "serious"
    elif 2 * len(counts) >= len(rows):
        level = "warning"
    assert [warning.level for warning in warnings] == ([level] if level else [])
    for warning in warnings:
        assert (warning.details["distinct"], warning.details["alone"]) == (len(counts), alone)
        assert f"{len(counts):,} different values in {len(rows):,} rows" in warning.sentence


def test_a_sensitive_column_that_is_quasi_too_is_nobodys_secret():
    table = frame(place=["g"] * 4, illness=["flu"] * 4)
    assert not found(Evidence(table, Promise(k=2), ("place", "illness"), ("illness",)), "homogeneity")


@pytest.mark.parametrize(("gone", "warns"), [(0, False), (1, True), (4, True), (5, False), (90, False)])
def test_a_small_suppressed_set_has_1_to_k_minus_1_rows(gone, warns):
    table = frame(place=["g"] * 6)
    facts = Evidence(table, Promise(k=5), ("place",), suppressed_rows=gone)
    assert bool(found(facts, "small-suppressed-set")) == warns


@pytest.mark.parametrize(("gone", "warns"), [(0, False), (24, False), (25, True), (400, True)])
def test_every_fifth_row_suppressed_is_told(gone, warns):
    facts = Evidence(frame(place=["g"] * 100), Promise(k=5), ("place",), suppressed_rows=gone)
    warnings = found(facts, "many-suppressed")
    assert bool(warnings) == warns
    if gone == 400:
        assert "400 of 500 rows (80%)" in warnings[0].sentence


def test_a_column_released_as_it_is_may_undo_the_groups():
    """Ages that are released beside groups of five look-alikes tell almost every row apart."""
    ages = [str(i % 40) for i in range(100)]
    table = frame(place=[f"g{i % 5}" for i in range(100)], age=ages, ward=["a", "b"] * 50)
    evidence = Evidence(table, Promise(k=5), ("place",), (), ("age", "ward"))
    (warning,) = found(evidence, "unchanged-column") or [None]
    # 40 ages with 5 places are 40 combinations of 100 rows here: fewer than every second row.
    assert warning is None
    apart = table.set_column(1, "age", pa.array([str(i % 33) for i in range(100)]))
    evidence = Evidence(apart, Promise(k=5), ("place",), (), ("age", "ward"))
    (warning,) = found(evidence, "unchanged-column")
    assert warning.level == "warning"
    assert warning.details == {"column": "age", "groups": 5, "rows": 100}
    assert not found(evidence, "uniqueness")
    # Nobody is said to know a sensitive value.
    assert not found(Evidence(apart, Promise(k=5), ("place",), ("age",)), "unchanged-column")


def test_a_column_is_warned_of_once():
    """What is nearly unique by itself needs no groups to tell rows apart."""
    for own in range(10, 101, 10):
        ages = [str(i % own) for i in range(100)]
        table = frame(place=[f"g{i // 20}" for i in range(100)], age=ages)
        evidence = Evidence(table, Promise(k=5), ("place",), (), ("age",))
        codes = ("unchanged-column", "uniqueness")
        assert len([warning for code in codes for warning in found(evidence, code)]) == 1, own


def test_without_a_promised_k_the_smallest_group_counts():
    facts = Evidence(frame(place=["g"] * 3), Promise(l=1), ("place",), ("place",), suppressed_rows=2)
    (warning,) = found(facts, "small-suppressed-set")
    assert "2 rows were suppressed, fewer than k = 3" in warning.sentence


def test_untouched_quasi_columns_with_many_values_are_named():
    towns = [f"t{i}" for i in range(12) for _ in range(20)]
    table = frame(town=towns, sex=["f", "m"] * 120)
    facts = Evidence(table, Promise(k=10), ("town", "sex"), untouched=frozenset({"town", "sex"}))
    (warning,) = found(facts, "untouched-quasi")
    assert warning.details == {"column": "town", "distinct": 12, "rows": 240}
    assert "20 rows each" in warning.sentence
    few = Evidence(table, Promise(k=2), ("town", "sex"), untouched=frozenset({"town", "sex"}))
    assert not found(few, "untouched-quasi")
    recoded = Evidence(table, Promise(k=10), ("town", "sex"), untouched=frozenset({"sex"}))
    assert not found(recoded, "untouched-quasi")


@pytest.mark.parametrize(
    ("optimal", "drawn_from", "promise", "level"),
    [
        (True, 1, Promise(k=2), "note"),
        (True, 1, Promise(k=2, theta={"x": ShareLimits(Fraction(1, 2))}), "warning"),
        (True, 5, Promise(k=2), None),
        (False, 1, Promise(k=2), None),
    ],
)
def test_minimality_is_about_a_single_proven_optimum(optimal, drawn_from, promise, level):
    facts = Evidence(frame(x=["a"] * 2), promise, ("x",), optimal=optimal, drawn_from=drawn_from)
    warnings = found(facts, "minimality")
    assert [warning.level for warning in warnings] == ([level] if level else [])
    assert all("--top" in warning.sentence for warning in warnings)


def test_warnings_come_the_serious_first_and_as_documents():
    table = frame(place=["g"] * 20, illness=["flu"] * 20, note=[str(i) for i in range(20)])
    facts = Evidence(
        table, Promise(k=3), ("place",), ("illness",), ("note",), suppressed_rows=1, optimal=True
    )
    warnings = audit_release(facts)
    ranks = [LEVELS.index(warning.level) for warning in warnings]
    assert ranks == sorted(ranks)
    assert {warning.code for warning in warnings} >= {"uniqueness", "small-suppressed-set", "minimality"}
    for warning in warnings:
        assert set(warning.to_dict()) == {"code", "level", "sentence", "details"}
        assert warning.sentence.endswith(".")
        assert "\n" not in warning.sentence


def test_a_file_is_audited_like_a_frame_and_no_rows_give_no_warnings(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("place,illness\ng,flu\ng,flu\nh,cold\nh,flu\n")
    assert [w.code for w in audit_release(Evidence(path, Promise(k=2), ("place",), ("illness",)))] == [
        "homogeneity"
    ]
    path.write_text("place,illness\n")
    assert audit_release(Evidence(path, Promise(k=2), ("place",), ("illness",))) == []


def test_every_check_says_in_a_line_what_it_is_about():
    assert all(check.__doc__ and check.check.__doc__ for check in CHECKS)
