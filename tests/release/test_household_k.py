"""Households that too few look like are suppressed whole, whatever else is promised."""

from __future__ import annotations

import json
from collections import Counter, defaultdict

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import Study, apply, remake, verify
from shoal.answers.recoding import Decision, NodeRecoding
from shoal.describe.promise import Promise
from shoal.errors import InputError, NoSolutionError, VerificationError

TREE = {"tree": {"*": {"low": ["a", "b"], "high": ["c", "d"]}}}
UP = {"a": "low", "b": "low", "c": "high", "d": "high"}


def study_of(rows, **more):
    table = pa.table(
        {"one": [r[0] for r in rows], "other": [r[1] for r in rows], "home": [r[2] for r in rows]}
    )
    return Study(table, quasi={"one": TREE, "other": TREE}, households="home", **more)


def decision(levels=(1, 0), k=2):
    return Decision(NodeRecoding({"one": levels[0], "other": levels[1]}), Promise(k))


def expected(rows, k, homes_alike):
    """What is released, row by row: homes with too few alike go, and classes with too few rows, in turn."""
    left = [(UP[one], other, home) for one, other, home in rows]
    gone = set()
    while True:
        here = [row for row in left if row[2] not in gone]
        sizes = Counter(row[:2] for row in here)
        released = [row for row in here if sizes[row[:2]] >= k]
        members = defaultdict(list)
        for one, other, home in released:
            members[home].append((one, other))
        alike = Counter(tuple(sorted(inside)) for inside in members.values())
        few = {home for home, inside in members.items() if alike[tuple(sorted(inside))] < homes_alike}
        if not few:
            return released, gone
        gone |= few


people = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("ab"), st.sampled_from("12345678")),
    min_size=1,
    max_size=24,
)


@given(people, st.integers(1, 3), st.integers(1, 3))
def test_households_go_as_if_counted_row_by_row(rows, k, homes_alike):
    released, gone = expected(rows, k, homes_alike)
    with study_of(rows) as study:
        made = study.release(decision(k=k), household_k=homes_alike)
        assert set(made.treatment.homes) == gone
        assert made.treatment.released_rows == len(released)
        if not released:
            with pytest.raises(NoSolutionError):
                made.table()
            return
        written = made.table().select(["one", "other"]).to_pylist()
    assert Counter(map(tuple, map(dict.values, written))) == Counter(row[:2] for row in released)


def expected_of_persons(rows, k, homes_alike):
    """The same where members are persons: a member has the set of the classes of their released rows."""
    gone = set()
    while True:
        here = [(UP[one], other, home, who) for one, other, home, who in rows if home not in gone]
        crowds = defaultdict(set)
        for one, other, _, who in here:
            crowds[one, other].add(who)
        released = [row for row in here if len(crowds[row[:2]]) >= k]
        members = defaultdict(lambda: defaultdict(set))
        for one, other, home, who in released:
            members[home][who].add((one, other))
        looks = {
            home: tuple(sorted(tuple(sorted(values)) for values in inside.values()))
            for home, inside in members.items()
        }
        alike = Counter(looks.values())
        few = {home for home, look in looks.items() if alike[look] < homes_alike}
        if not few:
            return released, gone
        gone |= few


@given(people, st.integers(1, 3), st.integers(1, 3), st.randoms(use_true_random=False))
def test_members_are_persons_where_these_have_several_rows(rows, k, homes_alike, rng):
    rows = [(*row, f"p{rng.randrange(max(len(rows) * 2 // 3, 1))}") for row in rows]
    released, gone = expected_of_persons(rows, k, homes_alike)
    table = pa.table({n: [r[i] for r in rows] for i, n in enumerate(["one", "other", "home", "who"])})
    with Study(table, quasi={"one": TREE, "other": TREE}, households="home", persons="who") as study:
        made = study.release(decision(k=k), household_k=homes_alike)
        assert set(made.treatment.homes) == gone
        assert made.treatment.released_rows == len(released)
        assert made.treatment.released_persons == len({row[3] for row in released})
        assert made.treatment.persons == len({row[3] for row in rows})
        if not released:
            with pytest.raises(NoSolutionError):
                made.table()
            return
        written = made.table().select(["one", "other"]).to_pylist()
    assert Counter(map(tuple, map(dict.values, written))) == Counter(row[:2] for row in released)


PAIRS = [
    ("a", "a", "1"), ("c", "a", "1"), ("b", "a", "2"), ("d", "a", "2"),
    ("a", "a", "3"), ("a", "b", "3"), ("b", "b", "4"), ("b", "b", "4"),
]  # fmt: skip


def test_papers_say_what_was_done_and_a_record_repeats_it(tmp_path):
    source = tmp_path / "people.csv"
    source.write_text("one,other,home\n" + "".join(",".join(row) + "\n" for row in PAIRS))
    levels = {"one": TREE, "other": TREE}
    with Study(source, quasi=levels, households="home") as study:
        published = study.release(decision(), household_k=2).write(tmp_path / "out.csv")
    # Homes 1 and 2 look alike; 3 and 4 do not.
    assert published.record["households"] == {"column": "home", "k": 2, "suppressed": 2}
    assert published.record["suppressed"]["rows"] == 4
    told = published.certificate["households"]
    assert told["k"] == 2
    assert "at least 1 other, by" in told["said"]
    assert "cannot be recounted" in told["said"]
    assert "home" not in (tmp_path / "out.csv").read_text()
    assert verify(tmp_path / "out.csv").failures == ()
    remake(tmp_path / "out.csv.record.json", tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()
    more = tmp_path / "more.csv"
    more.write_text("one,other,home\n" + "".join(",".join(row) + "\n" for row in PAIRS[:6]))
    apply(tmp_path / "out.csv.record.json", more, tmp_path / "applied.csv")
    record = json.loads((tmp_path / "applied.csv.record.json").read_text())
    assert record["households"]["suppressed"] == 1


def test_the_report_counts_what_is_left(tmp_path):
    with study_of(PAIRS) as study:
        made = study.release(decision(), household_k=2)
        from shoal.assess.utility.rows import deletion_chances, released_sizes

        assert sorted(released_sizes(made.treatment, made.tally).tolist()) == [0, 2, 2]
        chances = deletion_chances(made.treatment, made.tally)
        assert (chances * made.tally.cell_counts).sum() == 4
        made.write(tmp_path / "out.csv")
    assert "2 households after" in (tmp_path / "out.csv.report.html").read_text()


def test_rows_into_a_new_table_are_counted_too(tmp_path):
    import duckdb

    path = tmp_path / "base.duckdb"
    with duckdb.connect(str(path)) as base:
        base.execute("CREATE TABLE people (one TEXT, other TEXT, home INTEGER)")
        base.executemany("INSERT INTO people VALUES (?, ?, ?)", [list(row) for row in PAIRS])
    study = tmp_path / "study.yaml"
    study.write_text(
        "table: {engine: duckdb, url: base.duckdb, table: people}\nhouseholds: home\nattributes:\n"
        "  one: {role: quasi, hierarchy: {tree: {'*': {low: [a, b], high: [c, d]}}}}\n"
        "  other: {role: quasi, hierarchy: {tree: {'*': {low: [a, b], high: [c, d]}}}}\n"
    )
    with Study.open(study) as opened:
        published = opened.release(decision(), household_k=2).write(tmp_path / "out.yaml", into="shown")
    assert published.verdict.measured.rows == 4


def test_what_was_counted_wrongly_is_not_released(monkeypatch):
    with study_of(PAIRS) as study:
        made = study.release(decision(), household_k=2)
        assert made.treatment.homes  # treated before more is asked
        monkeypatch.setattr(made, "household_k", 3)
        with pytest.raises(VerificationError, match="2 households look like one of them, fewer than 3"):
            made.table()


def test_rows_whose_households_were_not_counted_are_not_released():
    with study_of(PAIRS) as study:
        made = study.release(decision(), household_k=2)
        others = pa.table({"one": ["low"] * 4, "other": ["a"] * 4})
        with pytest.raises(VerificationError, match="are not those that were written"):
            made.check(others)


@pytest.mark.parametrize(
    ("rows", "more", "words"),
    [
        ([*PAIRS, ("a", "a", None)], {}, "1 rows have no household in 'home'; give every row one"),
        (PAIRS, {"insensitive": ["home"]}, "'home' tells households, so it is never released"),
    ],
)
def test_what_cannot_be_is_refused(rows, more, words):
    with study_of(rows, **more) as study, pytest.raises(InputError, match=words):
        study.release(decision(), household_k=2).table()


def test_households_must_be_named():
    table = pa.table({"one": ["a"]})
    with (
        Study(table, quasi={"one": TREE}) as study,
        pytest.raises(InputError, match="name their column"),
    ):
        study.release(Decision(NodeRecoding({"one": 0}), Promise(1)), household_k=2)


def test_more_than_the_limit_is_not_suppressed():
    with study_of(PAIRS) as study:
        found = study.anonymize("samarati", k=1)
        with pytest.raises(InputError, match="the solution would suppress 8 rows of this table, and 0"):
            study.release(found, household_k=2).table()
