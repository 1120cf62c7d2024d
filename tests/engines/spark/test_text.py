"""Spark's values are the texts that DuckDB writes, whatever the session's settings are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.engines.spark.engine import SparkEngine
from shoal.data.opening import open_engine
from shoal.errors import InputError
from tests.engines.spark.tables import TYPES, counted, every_type, people

SETTINGS = {
    "spark.sql.ansi.enabled": "false",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.ansi.enforceReservedKeywords": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.parser.escapedStringLiterals": "true",
    "spark.sql.parser.quotedRegexColumnNames": "true",
    "spark.sql.session.timeZone": "America/St_Johns",
    "spark.sql.execution.arrow.useLargeVarTypes": "true",
}


def floats():
    """Numbers of every size, those next to powers of two and ten, and those between two short texts."""
    random = np.random.default_rng(1)
    bits = random.integers(0, 2**64, 1500, dtype=np.uint64).view(np.float64)
    return np.concatenate(
        [
            bits,
            5e-324 * np.arange(1, 60),
            1.401298464324817e-45 * np.arange(1, 60),
            2.0 ** np.arange(-60, 60),
            10.0 ** np.arange(-10, 22),
            random.integers(1, 2**24, 1000) / 2.0 ** random.integers(1, 20, 1000),
            np.round(random.random(500) * 1e8, 3),
            random.random(500) * 10.0 ** random.integers(-10, 25, 500),
            -random.random(300) * 1e-4,
            [2e23, 4503599627370495.5, 2.0**50 + 0.25, -0.0, float("inf"), float("nan")],
        ]
    )


def test_every_type_is_written_as_duckdb_writes_it(spark):
    table = every_type()
    assert set(TYPES) == set(table.column_names)
    assert counted(spark.parts(table)) == counted(table)
    assert counted(spark.frame(table, spark.remote)) == counted(table)


def test_floating_point_numbers_have_the_digits_that_duckdb_writes(spark):
    numbers = floats()
    with np.errstate(all="ignore"):
        table = pa.table({"double": numbers, "float": numbers.astype(np.float32)})
    assert counted(spark.parts(table)) == counted(table)


def test_no_setting_of_the_session_counts_and_none_is_changed(spark):
    table = every_type()
    other = spark.session.newSession()
    for name, value in SETTINGS.items():
        other.conf.set(name, value)
    before = (
        dict(other.sparkContext.getConf().getAll()),
        {name: other.conf.get(name) for name in SETTINGS},
    )
    engine = open_engine(spark.frame(table, other))
    twin = DuckDBEngine(table)
    assert engine.cells(engine.columns).domains == twin.cells(twin.columns).domains
    assert engine.profile(5) == twin.profile(5)
    after = (
        dict(other.sparkContext.getConf().getAll()),
        {name: other.conf.get(name) for name in SETTINGS},
    )
    assert after == before
    assert not [table.name for table in other.catalog.listTables() if table.isTemporary]


def test_a_column_is_described_as_duckdb_describes_it(spark):
    looks = ["12\n", "12", "-1.5e3", "007", "2020-02-29", "2020-02-30 x", "0000-01-01", "2021-02-03T\r"]
    table = pa.table({f"c{i}": [look, "13"] for i, look in enumerate(looks)} | {"few": ["a", None]})
    engine = open_engine(spark.parts(table))
    assert engine.profile(2) == DuckDBEngine(table).profile(2)
    assert engine.first_values("c1", 1) == ("12",)
    empty = table.slice(0, 0)
    assert open_engine(spark.frame(empty)).profile(2) == DuckDBEngine(empty).profile(2)
    assert open_engine(spark.frame(empty)).count() == 0


def test_padding_is_no_value_and_collations_do_not_count(spark):
    session = spark.session
    session.sql(
        "CREATE TABLE padded (c CHAR(5), v VARCHAR(5), s STRING COLLATE UTF8_LCASE) USING parquet"
    )
    session.sql("INSERT INTO padded VALUES ('a', 'a ', 'B'), ('a', 'a', 'b')")
    try:
        cells = open_engine(session.table("padded")).cells(["c", "v", "s"])
    finally:
        session.sql("DROP TABLE padded")
    assert cells.domains == (("a",), ("a", "a "), ("B", "b"))


def test_what_holds_no_plain_values_is_refused_only_when_it_is_needed(spark):
    frame = spark.session.sql(
        "SELECT 'a' AS a, ARRAY(1) AS many, MAP('k', 1) AS map, X'00' AS bytes, "
        "NAMED_STRUCT('f', 1) AS struct, INTERVAL '1' YEAR AS years, PARSE_JSON('1') AS variant"
    )
    engine = open_engine(frame)
    assert engine.cells(["a"]).domains == (("a",),)
    for column, kind in {
        "many": "ARRAY<INT>",
        "map": "MAP<STRING,INT>",
        "bytes": "BINARY",
        "struct": "STRUCT<F:INT>",
        "years": "INTERVAL YEAR",
        "variant": "VARIANT",
    }.items():
        with pytest.raises(InputError) as refused:
            engine.cells([column])
        assert f"the column '{column}' holds {kind}, not plain values" in str(refused.value)
    assert {seen.column: seen.nested for seen in engine.profile(1)}["many"] == "ARRAY<INT>"


def test_tables_that_make_no_sense_are_refused(spark):
    session = spark.session
    twice = session.range(1).selectExpr("id AS a", "id AS A")
    with pytest.raises(InputError, match="case does not count"):
        open_engine(twice)
    with pytest.raises(InputError, match="a stream has no end"):
        open_engine(session.readStream.format("rate").load())
    with pytest.raises(InputError, match="not a Spark frame"):
        SparkEngine(people())
    with pytest.raises(InputError, match="no column 'agee'; did you mean age"):
        open_engine(spark.parts(people(3))).cells(["agee"])
    # Frames have their columns as attributes.
    assert counted(spark.parts(pa.table({"cells": ["x"]}))) == counted(pa.table({"cells": ["x"]}))


def test_where_no_method_of_java_may_be_called_numbers_are_still_written(spark, monkeypatch):
    from pyspark.errors import AnalysisException

    write = SparkEngine._write

    def guarded(self, fields, frame, *, reflect):
        if reflect:
            raise AnalysisException("no reflection here")
        return write(self, fields, frame, reflect=reflect)

    monkeypatch.setattr(SparkEngine, "_write", guarded)
    table = pa.table({"x": [0.1, 39.0, 1e-7, 123456789.5]})
    assert counted(spark.parts(table)) == counted(table)
