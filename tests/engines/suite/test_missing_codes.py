"""Codes for missing values are missing in every engine: in counts, profiles and released rows."""

from __future__ import annotations

import re

import pyarrow as pa
from hypothesis import strategies as st

from shoal import Study
from shoal.data.engine import Cells
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.opening import open_engine
from shoal.describe.table_reading import Reading
from tests.engines.suite.tables import multiset, on_every_home, typed_tables


def rows_of(cells: Cells) -> dict[tuple[str | None, ...], int]:
    """How many rows have each combination of texts."""
    found: dict[tuple[str | None, ...], int] = {}
    for codes, count in zip(cells.codes.tolist(), cells.counts.tolist(), strict=True):
        values = tuple(domain[c] for domain, c in zip(cells.domains, codes, strict=True))
        found[values] = found.get(values, 0) + count
    return found


def stands_for_missing(value: str, codes: tuple[str, ...]) -> bool:
    """Whether a text is one of the codes, or a whole number among them with zeros after the point."""
    bare = value.strip(" ")
    whole = re.fullmatch(r"([+-]?[0-9]+)[.]0*", bare)
    return bare in codes or (whole is not None and whole[1] in codes)


@on_every_home(20, data=st.data())
def test_codes_are_counted_as_missing(home, data):
    table = data.draw(typed_tables())
    names, twin = table.column_names, DuckDBEngine(table)
    known = {name: [v.strip() for v in twin.cells([name]).domains[0] if v is not None] for name in names}
    own = {
        name: tuple(data.draw(st.lists(st.sampled_from(known[name]), max_size=3)))
        for name in names
        if known[name]
    }
    some = sorted({code for codes in known.values() for code in codes if code})
    everywhere = data.draw(st.lists(st.sampled_from(some), max_size=2)) if some else []
    reading = Reading(tuple(everywhere), {name: tuple(filter(None, own[name])) for name in own})
    expected: dict[tuple[str | None, ...], int] = {}
    for values, count in rows_of(twin.cells(names)).items():
        seen = tuple(
            None if value is not None and stands_for_missing(value, reading.codes(name)) else value
            for name, value in zip(names, values, strict=True)
        )
        expected[seen] = expected.get(seen, 0) + count
    engine = open_engine(home.put(table), reading)
    try:
        assert rows_of(engine.cells(names)) == expected
        assert engine.count() == table.num_rows
        missing = {profile.column: profile.missing for profile in engine.profile(3)}
        for i, name in enumerate(names):
            alone = sum(count for values, count in expected.items() if values[i] is None)
            assert missing[name] == alone
    finally:
        engine.close()


def test_codes_are_released_as_missing_and_types_stay(home):
    table = pa.table(
        {
            "age": pa.array([31, 31, -9, -9], pa.int32()),
            "illness": ["flu", "?", "cold", "it's \\ odd"],
            "pay": pa.array([1.5, -9.0, 2.5, -9.0]),
            "share": pa.array(["1.25", "-9.00", "2.50", "-9.00"]).cast(pa.decimal128(5, 2)),
        }
    )
    study = Study(
        home.put(table),
        quasi={"age": {"intervals": {"widths": [10]}}},
        sensitive="illness",
        insensitive=["pay", "share"],
        missing=["?", -9, "it's \\ odd"],
    )
    with study:
        released, verdict = study.release(study.anonymize(algorithm="flash", k=2)).verified_table()
        rows = multiset(released)
    expected = {
        "age": ["31", "31", None, None],
        "illness": ["flu", None, "cold", None],
        "pay": pa.array([1.5, None, 2.5, None]),
        "share": pa.array(["1.25", None, "2.50", None]).cast(pa.decimal128(5, 2)),
    }
    assert rows == multiset(pa.table(expected))
    assert verdict.measured.k == 2
