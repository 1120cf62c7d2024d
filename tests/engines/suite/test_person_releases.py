"""Every engine counts the persons of a release, gives them the same names, and never writes their key."""

from __future__ import annotations

from datetime import date

import pyarrow as pa
import pytest
from hypothesis import strategies as st

from shoal import Study
from shoal.answers.recoding import Decision, NodeRecoding
from shoal.describe.promise import Promise
from shoal.errors import NoSolutionError, VerificationError
from shoal.release.pseudonyms import Pseudonyms
from tests.engines.suite.tables import multiset, on_every_home
from tests.release.persons import QUASI, study_of, tables

NAMES = Pseudonyms("stable", "0f" * 32)


def released(study, k):
    with study:
        decision = Decision(NodeRecoding({"town": 1, "sex": 0}), Promise(k=k))
        made = study.carry_out(decision, pseudonyms=NAMES, seed=1)
        try:
            rows, verdict = made.verified_table()
        except NoSolutionError:
            return None
        return multiset(rows), verdict.measured.to_dict()


@on_every_home(12, table=tables(), k=st.integers(1, 3))
def test_the_same_names_stand_for_the_same_rows(home, table, k):
    assert released(study_of(home.put(table)), k) == released(study_of(table), k)


@on_every_home(6, table=tables(), k=st.integers(1, 3), wild=st.booleans())
def test_blanked_cells_are_the_same_everywhere_and_count_persons(home, table, k, wild):
    options = {"missing": "wildcard" if wild else "value", "proof": 0}

    def blanked(place):
        with study_of(place) as study:
            try:
                found = study.anonymize("local-suppression", k=k, options=options)
                rows, verdict = study.release(found, seed=1).verified_table()
            except NoSolutionError:
                return None
            return multiset(rows), verdict.measured.to_dict(), found.details["blanked"]

    assert blanked(home.put(table)) == blanked(table)


@on_every_home(8, table=tables(), k=st.integers(1, 3), pseudonyms=st.sampled_from([None, "fresh"]))
def test_a_new_table_never_holds_the_key(home, table, k, pseudonyms):
    decision = Decision(NodeRecoding({"town": 1, "sex": 0}), Promise(k=k))
    with study_of(home.put(table)) as study:
        made = study.release(decision, pseudonyms=pseudonyms)
        try:
            with made.into(home.new_table, replace=True) as engine:
                verdict = made.check_landed(engine)
                there, columns = engine.place, engine.columns
        except NoSolutionError:
            return
    expected = ("town", "sex", "ill", "day") + ("person",) * (pseudonyms is not None)
    assert tuple(columns) == tuple(home.read(there).column_names) == expected
    with study_of(table) as study:
        twin = study.release(decision).verified_table()[1]
    assert verdict.measured == twin.measured


@on_every_home(1, seed=st.just(1))
def test_rows_that_break_the_promise_are_not_written(home, seed):
    """As if the treatment counted rows: what the engine staged is counted afresh, in persons."""
    table = pa.table({"id": ["1", "1", "2"], "town": ["a"] * 3, "sex": ["f"] * 3})
    with Study(home.put(table), quasi=QUASI, persons="id") as study:
        made = study.release(Decision(NodeRecoding({"town": 0, "sex": 0}), Promise(k=1)), seed=seed)
        made.__dict__["promise"] = Promise(k=3)
        with (
            pytest.raises(VerificationError, match="2 persons, fewer than 3"),
            made.into(home.new_table, replace=True),
        ):
            pass


@on_every_home(2, kind=st.sampled_from([pa.date32(), pa.timestamp("us"), pa.string()]))
def test_dates_move_by_the_same_days_within_a_person(home, kind):
    days = ["2024-02-28", "2024-03-01", None] * 20
    table = pa.table(
        {
            "id": [str(i // 3) for i in range(60)],
            "town": ["a"] * 60,
            "sex": ["f"] * 60,
            "day": pa.array(days, pa.string()).cast(kind),
        }
    )
    options = {"quasi": QUASI, "persons": "id", "insensitive": "day", "shift": {"day": 400}}
    with Study(home.put(table), **options) as study:
        made = study.release(
            Decision(NodeRecoding({"town": 0, "sex": 0}), Promise(k=3)), pseudonyms="fresh"
        )
        with made.into(home.new_table, replace=True) as engine:
            made.check_landed(engine)
            cells = engine.cells(["person", "day"])
    found: dict = {}
    for person, day in cells.codes.tolist():
        value = cells.domains[1][day]
        found.setdefault(person, []).append(None if value is None else date.fromisoformat(value[:10]))
    moved = set()
    for first, second, missing in (sorted(v, key=lambda d: (d is None, d)) for v in found.values()):
        assert missing is None
        assert (second - first).days == 2
        moved.add((first - date(2024, 2, 28)).days)
    assert len(found) == 20
    assert len(moved) > 12
    assert max(map(abs, moved)) <= 400
