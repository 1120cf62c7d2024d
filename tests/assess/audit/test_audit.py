"""Every warning comes where it must and only there, with true figures in its sentence."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.assess.audit import CHECKS, LEVELS, Evidence, Released, audit_release
from shoal.describe.promise import Promise, ShareLimits

HOMES = {
    "homogeneity": "homogeneity",
    "many-suppressed": "suppressed_rows",
    "minimality": "minimality",
    "skewness": "skewness",
    "small-suppressed-set": "suppressed_rows",
    "unique-rows": "unique_rows",
    "uniqueness": "unique_values",
    "untouched-quasi": "untouched_quasi",
}
groups = st.sampled_from(["g", "h", None])
illnesses = st.sampled_from(["flu", "flu", "flu", "cold", "cancer", None])


def frame(**columns):
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


def found(facts, code):
    """The warnings of one code."""
    (check,) = (check for check in CHECKS if check.__name__ == HOMES[code])
    with Released(facts) as released:
        warnings = list(check(released))
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
    warnings = found(Evidence(table, Promise(k=1), ("place",), ("note",)), "uniqueness")
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
        assert f"{len(counts):,} distinct values in {len(rows):,} rows" in warning.sentence


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


letters = st.sampled_from("abc")


@given(
    rows=st.lists(st.tuples(groups, letters, letters, letters, illnesses), min_size=1, max_size=40),
    k=st.integers(1, 5),
)
def test_unique_rows_are_counted_over_all_that_an_attacker_may_know(rows, k):
    names = ("place", "x", "y", "z", "illness")
    table = frame(**{name: [row[i] for row in rows] for i, name in enumerate(names)})
    warnings = found(
        Evidence(table, Promise(k=k), ("place",), ("illness",), ("x", "y", "z")), "unique-rows"
    )

    def figures(columns):
        counts = Counter(tuple(row[names.index(name)] for name in columns) for row in rows)
        small = [n for n in counts.values() if n < k]
        return {"unique": sum(n == 1 for n in counts.values()), "below_k": sum(small)}

    whole = figures(names[:4])
    assert bool(warnings) == (whole != figures(["place"]))
    for warning in warnings:
        details, size = warning.details, len(rows)
        assert {name: details[name] for name in whole} == whole
        assert details["by_columns"] == figures(["place", *details["columns"]])
        assert details["with_sensitive"] in (None, figures(names))
        assert (details["rows"], details["k"]) == (size, k)
        loud, low = 20 * whole["unique"] > size, 20 * whole["below_k"] > size
        assert warning.level == ("serious" if loud else "warning" if low else "note")
        if whole["unique"]:
            assert warning.sentence.startswith(f"{whole['unique']:,} of {size:,} rows (")
        if whole["below_k"] > whole["unique"]:
            assert f"{whole['below_k']:,} " in warning.sentence


@pytest.mark.parametrize(
    ("alone", "level"), [(0, None), (1, "note"), (5, "note"), (6, "serious"), (60, "serious")]
)
def test_unique_rows_are_told_loudly_above_5_percent(alone, level):
    """So many of 100 rows have a note of their own, the others share one."""
    table = frame(place=["g"] * 100, note=[str(i) if i < alone else "none" for i in range(100)])
    warnings = found(Evidence(table, Promise(k=1), ("place",), (), ("note",)), "unique-rows")
    assert [warning.level for warning in warnings] == ([level] if level else [])


def test_rows_below_k_are_a_warning_where_none_is_unique():
    table = frame(place=["g"] * 40, ward=[str(i // 4) for i in range(40)])
    (warning,) = found(Evidence(table, Promise(k=5), ("place",), (), ("ward",)), "unique-rows")
    assert (warning.level, warning.details["unique"], warning.details["below_k"]) == ("warning", 0, 40)
    assert (
        "40 of 40 rows (100%) are in groups of fewer than k = 5, for anyone who knows ward"
        in warning.sentence
    )


@pytest.mark.parametrize(("pairs", "level"), [(2, "note"), (3, "warning"), (4, "warning")])
def test_rows_below_k_are_a_warning_above_5_percent(pairs, level):
    """So many wards of 100 rows have two of them, and one has all the others."""
    ward = [str(i // 2) if i < 2 * pairs else "large" for i in range(100)]
    table = frame(place=["g"] * 100, ward=ward)
    (warning,) = found(Evidence(table, Promise(k=3), ("place",), (), ("ward",)), "unique-rows")
    assert (warning.level, warning.details["below_k"]) == (level, 2 * pairs)


@pytest.mark.parametrize("looks", [1_000_000, 1])
def test_the_few_columns_that_make_rows_unique_are_named(monkeypatch, looks):
    """Day and hour tell the rows apart together; the ward has fewer values, and tells little."""
    monkeypatch.setattr("shoal.assess.audit.told_apart.LOOKS", looks)
    table = frame(
        place=["g"] * 120,
        ward=[str(i % 3) for i in range(120)],
        hour=[str(i % 10) for i in range(120)],
        day=[str(i // 10) for i in range(120)],
    )
    evidence = Evidence(table, Promise(k=5), ("place",), (), ("ward", "hour", "day"))
    (warning,) = found(evidence, "unique-rows")
    assert set(warning.details["columns"]) == {"hour", "day"}
    assert warning.details["by_columns"] == {"unique": 120, "below_k": 120}
    assert "alone: 120 rows; make them quasi" in warning.sentence


def test_of_many_columns_only_those_with_the_most_values_are_tried(monkeypatch):
    """A column with more values hides one that tells more, if only one is tried."""
    monkeypatch.setattr("shoal.assess.audit.told_apart.MOST_TRIED", 1)
    table = frame(
        place=["g"] * 40,
        often=[str(i // 2) for i in range(40)],  # twenty values, none of them alone
        once=[str(i) if i < 15 else "rest" for i in range(40)],
    )
    evidence = Evidence(table, Promise(k=2), ("place",), (), ("often", "once"))
    (warning,) = found(evidence, "unique-rows")
    assert warning.details["columns"] == ["often", "once"]


def test_where_no_few_columns_do_it_that_is_said():
    bits = [[str(i >> b & 1) for i in range(1024)] for b in range(10)]
    table = frame(place=["g"] * 1024, **{f"b{b}": column for b, column in enumerate(bits)})
    evidence = Evidence(table, Promise(k=2), ("place",), (), tuple(f"b{b}" for b in range(10)))
    (warning,) = found(evidence, "unique-rows")
    assert warning.details["unique"] == 1024
    assert len(warning.details["columns"]) == 8
    assert "no small set of columns is to blame" in warning.sentence


def test_lists_and_constants_tell_nobody_apart():
    table = pa.table({"place": ["g"] * 3, "tags": [["a"], ["b"], ["c"]], "year": ["2024"] * 3})
    assert not found(Evidence(table, Promise(k=2), ("place",), (), ("tags", "year")), "unique-rows")


def test_a_column_is_warned_of_once():
    """What is nearly unique by itself is told by one warning, whatever its role."""
    for own in range(10, 101, 10):
        ages = [str(i % own) for i in range(100)]
        table = frame(place=[f"g{i // 20}" for i in range(100)], age=ages)
        for roles in (((), ("age",)), (("age",), ())):
            evidence = Evidence(table, Promise(k=5), ("place",), *roles)
            codes = ("unique-rows", "uniqueness")
            told = [warning for code in codes for warning in found(evidence, code)]
            assert len(told) == (1 if roles[1] or own >= 50 else 0), own


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
    assert all("(top)" in warning.sentence for warning in warnings)


def test_warnings_come_the_serious_first_and_as_documents():
    table = frame(place=["g"] * 20, illness=["flu"] * 20, note=[str(i) for i in range(20)])
    facts = Evidence(
        table, Promise(k=3), ("place",), ("illness",), ("note",), suppressed_rows=1, optimal=True
    )
    warnings = audit_release(facts)
    ranks = [LEVELS.index(warning.level) for warning in warnings]
    assert ranks == sorted(ranks)
    assert {warning.code for warning in warnings} >= {
        "unique-rows",
        "small-suppressed-set",
        "minimality",
    }
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
    assert all(check.__doc__ for check in CHECKS)
