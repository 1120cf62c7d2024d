"""Frames of pandas, Polars, PyArrow and DuckDB: the same counts as the same rows in a file."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, time, timedelta
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal import Study
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.files.sources import like
from shoal.errors import InputError

ROWS = [("02138", 39, "NA"), ("02138", 39, "NA"), ("2138", 40, None), (None, None, ""), ("", 41, "🐟")]
COLUMNS = ("zip", "age", "remark")
COUNTS = Counter(
    {
        ("02138", "39", "NA"): 2,
        ("2138", "40", None): 1,
        (None, None, None): 1,
        (None, "41", "🐟"): 1,
    }
)


def counts_of(frame, columns=None):
    engine = DuckDBEngine(frame)
    cells = engine.cells(columns or engine.columns)
    engine.close()
    return Counter(
        {
            tuple(domain[code] for domain, code in zip(cells.domains, row, strict=True)): int(count)
            for row, count in zip(cells.codes.tolist(), cells.counts, strict=True)
        }
    )


def values_of(column):
    """The values of a single column, in their order."""
    cells = DuckDBEngine(pa.table({"x": column})).cells(["x"])
    return cells.domains[0]


def refusal(frame, columns=None):
    with pytest.raises(InputError) as problem:
        counts_of(frame, columns)
    message = str(problem.value)
    assert "\n" not in message
    return message


def arrow():
    return pa.table({name: [row[i] for row in ROWS] for i, name in enumerate(COLUMNS)})


def pandas():
    return pd.DataFrame({name: [row[i] for row in ROWS] for i, name in enumerate(COLUMNS)})


def polars():
    return pl.DataFrame(
        ROWS, schema={"zip": pl.String, "age": pl.Int64, "remark": pl.String}, orient="row"
    )


def relation():
    return duckdb.from_arrow(arrow())


FRAMES = {
    "pyarrow Table": arrow,
    "pyarrow RecordBatch": lambda: arrow().to_batches()[0],
    "pyarrow RecordBatchReader": lambda: arrow().to_reader(),
    "pyarrow dictionaries": lambda: pa.table(
        [column.combine_chunks().dictionary_encode() for column in arrow().columns], names=COLUMNS
    ),
    "pyarrow chunks": lambda: pa.concat_tables([arrow().slice(0, 2), arrow().slice(2)]),
    "pyarrow large strings": lambda: arrow().cast(
        pa.schema([("zip", pa.large_string()), ("age", pa.int8()), ("remark", pa.large_string())])
    ),
    "pandas": pandas,
    "pandas objects": lambda: pandas().astype({"zip": object, "remark": object}),
    "pandas categories": lambda: pandas().astype("category"),
    "pandas integers": lambda: pandas().astype({"age": "Int64"}),
    "polars": polars,
    "polars categories": lambda: polars().with_columns(pl.col("zip", "remark").cast(pl.Categorical)),
    "polars floats": lambda: polars().with_columns(pl.col("age").cast(pl.Float32)),
    "duckdb": relation,
    "duckdb enumeration": lambda: relation().project(
        "zip::ENUM('02138', '2138', '') AS zip, age::SMALLINT AS age, remark"
    ),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_every_frame_gives_the_same_counts(kind):
    assert counts_of(FRAMES[kind]()) == COUNTS


def test_a_frame_is_named_by_its_kind():
    names = [DuckDBEngine(frame).name for frame in (arrow(), pandas(), polars(), relation())]
    assert names == [
        "the pyarrow Table",
        "the pandas DataFrame",
        "the polars DataFrame",
        "the duckdb DuckDBPyRelation",
    ]


def test_a_frame_can_be_asked_again():
    engine = DuckDBEngine(polars())
    assert engine.count() == 5
    assert engine.cells(["age"]).counts.sum() == 5
    assert engine.cells(["zip"]).counts.sum() == 5


def test_a_frame_is_left_as_it_was():
    frame = pandas()
    counts_of(frame)
    pd.testing.assert_frame_equal(frame, pandas())


class TestTypes:
    def test_whole_numbers_in_floating_point_have_no_decimal_places(self):
        assert values_of([39.0, 39.5, -1.0, 1e15, 123456789012345678.0]) == (
            "-1", "1000000000000000", "123456789012345680", "39", "39.5",
        )  # fmt: skip

    def test_zero_has_no_sign(self):
        assert values_of([0.0, -0.0]) == ("0",)

    def test_what_is_not_a_number_is_missing(self):
        assert values_of([float("nan"), None, 1.5]) == ("1.5", None)

    def test_endless_and_large_numbers_are_values(self):
        assert values_of([float("inf"), float("-inf"), 1e300]) == ("-inf", "1e+300", "inf")

    def test_single_precision_shows_no_more_than_it_has(self):
        assert values_of(pa.array([0.1, 2.0, float("nan")], pa.float32())) == ("0.1", "2", None)

    def test_booleans(self):
        assert values_of([True, False, None]) == ("false", "true", None)

    def test_dates_and_times(self):
        assert values_of([date(2020, 2, 29), None]) == ("2020-02-29", None)
        assert values_of([datetime(2020, 2, 29, 12)]) == ("2020-02-29 12:00:00",)
        assert values_of([time(12, 30)]) == ("12:30:00",)
        assert values_of([timedelta(days=1)]) == ("24:00:00",)

    @pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York"])
    def test_moments_are_the_same_wherever_the_machine_stands(self, zone, monkeypatch):
        column = pa.array([datetime(2020, 1, 1, 0, 30), None], pa.timestamp("us", tz="UTC"))
        connect = duckdb.connect

        def there(**given):
            connection = connect(**given)
            connection.execute(f"SET TimeZone='{zone}'")
            return connection

        monkeypatch.setattr(duckdb, "connect", there)
        engine = DuckDBEngine(pa.table({"x": column}), threads=1)
        assert engine.cells(["x"]).domains == (("2020-01-01 00:30:00", None),)

    def test_decimals_keep_their_places(self):
        assert values_of([Decimal("39.50"), Decimal("1.00"), None]) == ("1.00", "39.50", None)

    def test_large_integers(self):
        assert values_of(pa.array([2**64 - 1, 0], pa.uint64())) == ("0", "18446744073709551615")

    def test_dictionaries_of_anything(self):
        assert values_of(pa.array(["a", "", None]).dictionary_encode()) == ("a", None)
        assert values_of(pa.array([1, 2, None]).dictionary_encode()) == ("1", "2", None)
        assert values_of(pa.array([39.0, 2.5]).dictionary_encode()) == ("2.5", "39")

    def test_a_column_of_nothing(self):
        assert values_of(pa.array([None, None], pa.null())) == (None,)

    def test_views_of_text(self):
        assert values_of(pa.array(["a", "", None], pa.string_view())) == ("a", None)

    def test_text_that_looks_like_something_else_stays(self):
        words = ("007", "7", "7.0", "NA", "NaN", "nan", "null", "true")
        assert values_of(list(reversed(words))) == words

    @pytest.mark.parametrize(
        ("column", "kind"),
        [
            (pa.array([b"a"]), "BLOB"),
            (pa.array([b"ab"], pa.binary(2)), "BLOB"),
            (pa.array([["a"]]), r"VARCHAR\[\]"),
            (pa.array([[1, 2]], pa.list_(pa.int64(), 2)), r"BIGINT\[2\]"),
            (pa.array([{"a": 1}]), r"STRUCT\("),
            (pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())), r"MAP\("),
        ],
    )
    def test_nested_types_are_refused(self, column, kind):
        with pytest.raises(
            InputError, match=f"the column 'x' holds {kind}.*, not plain values; turn it into text"
        ):
            values_of(column)

    @pytest.mark.parametrize(
        "column",
        [pa.array(np.array([1.5], dtype=np.float16)), pa.array([Decimal(1)], pa.decimal256(50, 2))],
    )
    def test_types_that_duckdb_does_not_read_are_refused(self, column):
        assert "turn it into text" in refusal(pa.table({"x": column, "y": ["a"]}))


class TestPandas:
    def test_missing_values_of_every_kind_are_missing(self):
        frame = pd.DataFrame(
            {
                "f": [np.nan, 1.0],
                "s": [None, "a"],
                "c": pd.Categorical([None, "a"]),
                "d": pd.to_datetime([None, "2020-01-01"]),
                "b": pd.array([None, True], dtype="boolean"),
                "i": pd.array([None, 5], dtype="Int64"),
            }
        )
        assert counts_of(frame) == Counter(
            [(None,) * 6, ("1", "a", "a", "2020-01-01 00:00:00", "true", "5")]
        )

    def test_names_may_be_numbers(self):
        assert DuckDBEngine(pd.DataFrame([[1, 2]])).columns == ("0", "1")

    def test_rows_that_were_chosen_are_counted(self):
        frame = pandas()
        assert counts_of(frame[frame["age"] > 39], ["age"]) == {("40",): 1, ("41",): 1}

    def test_columns_that_stand_twice_are_refused(self):
        assert refusal(pd.DataFrame([[1, 2]], columns=["a", "a"])) == (
            "the pandas DataFrame: the column 'a' appears twice; rename one"
        )
        assert "case does not count" in refusal(pd.DataFrame([[1, 2]], columns=["a", "A"]))

    def test_columns_of_objects_are_refused(self):
        assert refusal(pd.DataFrame({"x": [object()]})).startswith("the pandas DataFrame: ")

    def test_columns_of_mixed_kinds_are_refused_where_they_are_used(self):
        frame = pd.DataFrame(
            {"age": [31, 31, 44], "x": [None, 1, "a"], "ill": ["flu", "cold", "flu"]},
            index=[7, 8, 9],
        )
        quasi = {"age": {"intervals": {"widths": [10]}}}
        with Study(frame, quasi=quasi, sensitive="ill") as study:
            assert "x" in study.unlisted
            released = study.release(study.anonymize(algorithm="flash", k=1)).frame()
        assert sorted(released["ill"]) == ["cold", "flu", "flu"]
        assert list(frame["x"]) == [None, 1, "a"]
        words = (
            "the pandas DataFrame: the column 'x' holds values of several types (row 8 has 1, of type int; "
            "row 9 has 'a', of type str), not plain values; turn it into text"
        )
        for used in ({"sensitive": "x"}, {"insensitive": "x"}, {"class_": "x"}):
            with Study(frame, quasi=quasi, **used) as study, pytest.raises(InputError) as problem:
                study.release(study.anonymize(algorithm="flash", k=1)).verified_table()
            assert str(problem.value) == words

    def test_text_that_is_no_unicode_is_refused(self):
        assert refusal(pd.DataFrame({"x": ["\ud800"]}, dtype=object)).startswith(
            "the pandas DataFrame: "
        )

    def test_a_frame_of_nothing_is_refused(self):
        assert refusal(pd.DataFrame()) == "the pandas DataFrame: the table has no columns"


class TestOthers:
    def test_no_columns(self):
        assert refusal(pa.table({})) == "the pyarrow Table: the table has no columns"
        assert refusal(pl.DataFrame()) == "the polars DataFrame: the table has no columns"

    def test_no_rows(self):
        assert counts_of(pl.DataFrame({"a": []}, schema={"a": pl.String})) == Counter()
        assert counts_of(pa.table({"a": pa.array([], pa.string())})) == Counter()

    @pytest.mark.parametrize("names", [["a", "a"], ["a", "A"]])
    def test_columns_that_stand_twice(self, names):
        assert "appears twice" in refusal(pa.table([["1"], ["2"]], names=names))
        assert "appears twice" in refusal(duckdb.sql(f"SELECT 1 AS {names[0]}, 2 AS {names[1]}"))

    def test_a_column_without_a_name(self):
        assert "column 2 has no name" in refusal(pa.table([["1"], ["2"]], names=["a", ""]))

    def test_a_name_with_a_nul(self):
        assert "NUL" in refusal(pa.table([["1"], ["2"]], names=["a", "a\0"]))

    @pytest.mark.parametrize(
        "series", [pd.Series(["a"], name="x"), pl.Series("x", ["a"]), pa.chunked_array([["a"]])]
    )
    def test_a_single_column_is_no_table(self, series):
        assert "cannot be read as a table" in refusal(series)

    @pytest.mark.parametrize("thing", [5, None, {"a": [1]}, [1], pl.LazyFrame({"a": [1]}), b"a.csv"])
    def test_other_things_are_no_tables(self, thing):
        assert refusal(thing).endswith("give a path, or a frame of pandas, Polars, PyArrow or DuckDB")

    def test_a_relation_that_fails_is_refused(self):
        bad = duckdb.sql("SELECT CAST(x AS INTEGER) AS a FROM (VALUES ('a')) t(x)")
        assert refusal(bad).startswith("the duckdb DuckDBPyRelation: cannot be read as a table: ")

    def test_text_that_is_not_utf_8_is_refused(self):
        offsets = pa.py_buffer(np.array([0, 2], dtype=np.int32))
        column = pa.StringArray.from_buffers(1, offsets, pa.py_buffer(b"\xff\xfe"))
        assert "not UTF-8" in refusal(pa.table({"x": column}))

    def test_nul_and_long_values_are_values(self):
        values = ["a", "a\0b", "a\0c", "x" * 1_000_000]
        assert values_of(values) == tuple(values)


class TestResults:
    ROWS = pa.table({"a": ["x", None]})

    def test_come_back_as_the_kind_that_went_in(self):
        assert isinstance(like(pandas(), self.ROWS), pd.DataFrame)
        assert isinstance(like(polars(), self.ROWS), pl.DataFrame)
        assert isinstance(like(arrow(), self.ROWS), pa.Table)
        assert isinstance(like("people.csv", self.ROWS), pa.Table)

    def test_come_back_as_a_relation(self):
        assert like(relation(), self.ROWS).fetchall() == [("x",), (None,)]
