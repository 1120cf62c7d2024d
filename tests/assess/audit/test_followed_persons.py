"""Whom several released rows single out, compared with trying every set of rows."""

from __future__ import annotations

import itertools
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Study
from shoal.answers.recoding import Decision, NodeRecoding
from shoal.assess.audit import followed_persons
from shoal.assess.audit.followed_persons import Followed, followed
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.describe.promise import Promise
from tests.examples import examples


def counted(rows):
    table = pa.table({"q": [group for _, group in rows], "person": [person for person, _ in rows]})
    return followed(DuckDBEngine(table).cells(["q", "person"]))


def singled_out(rows, persons):
    """Whom some two, and some two or three, of their rows single out, by trying every set of rows."""
    people = {p: Counter(g for q, g in rows if q == p) for p in {p for p, _ in rows}}
    two, three = (
        {
            p
            for p in persons
            for chosen in itertools.combinations(people[p].elements(), size)
            if not [q for q in people if q != p and not Counter(chosen) - people[q]]
        }
        for size in (2, 3)
    )
    return two, two | three


def by_hand(rows):
    visits = Counter(person for person, _ in rows)
    two, three = singled_out(rows, {*visits})
    return Followed(len(visits), sum(n > 1 for n in visits.values()), len(two), len(three))


VISITS = st.lists(st.tuples(st.sampled_from("123456"), st.sampled_from("abcd")), min_size=1, max_size=24)


@settings(max_examples=examples(100), deadline=None)
@given(VISITS)
def test_exactly_those_are_counted_whom_some_rows_single_out(rows):
    assert counted(rows) == by_hand(rows)


@settings(max_examples=examples(60), deadline=None)
@given(VISITS, st.integers(1, 3))
def test_with_persons_of_many_groups_the_count_is_an_upper_bound(rows, most):
    whole = by_hand(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(followed_persons, "MOST_GROUPS", most)
        found = counted(rows)
    crowded = {p for p, _ in rows if len({g for q, g in rows if q == p}) > most}
    assert found.most == (most if crowded else None)
    assert (found.persons, found.several) == (whole.persons, whole.several)
    # Of persons of few groups the count is exact: those of many are looked at as others.
    light = singled_out(rows, {p for p, _ in rows} - crowded)
    assert (found.two, found.three) == (len(light[0]) + len(crowded), len(light[1]) + len(crowded))


def test_with_too_many_sets_persons_of_fewer_groups_are_taken_for_singled_out(monkeypatch):
    rows = [(str(p), g) for p in range(6) for g in "abcde"[: 2 + p % 3]]
    monkeypatch.setattr(followed_persons, "MOST_SETS", 20)
    found = counted(rows)
    assert found.most == 2
    assert found.two == 4  # those of three and of four groups; two persons share the pair a, b


def test_it_is_warned_of_and_recorded(tmp_path):
    rows = [(str(i), group) for i in range(8) for group in ("ab", "ac", "bc")[i % 3]] + [
        ("9", "a"),
        ("9", "d"),
    ]
    table = pa.table({"id": [p for p, _ in rows], "q": [g for _, g in rows]})
    with Study(table, quasi={"q": {"*": [*"abcd"]}}, persons="id") as study:
        decision = Decision(NodeRecoding({"q": 0}), Promise(k=1))
        made = study.release(decision, pseudonyms="fresh").write(tmp_path / "out.csv")
        plain = study.release(decision).write(tmp_path / "plain.csv")
    assert made.record["followed"] == {"persons": 9, "several": 9, "two": 1, "three": 1, "exact": True}
    (warned,) = [one for one in made.warnings if one.code == "followed-persons"]
    assert warned.sentence.startswith(
        "Pseudonyms show whose rows belong together: 2 of their rows single out 1 of 9 released persons (11"
    )
    assert warned.sentence in (tmp_path / "out.csv.report.html").read_text().replace("&#39;", "'")
    assert warned.sentence not in (tmp_path / "out.csv.public.html").read_text().replace("&#39;", "'")
    assert "followed" not in plain.record
    assert not [one for one in plain.warnings if one.code == "followed-persons"]
