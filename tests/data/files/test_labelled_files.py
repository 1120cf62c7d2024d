"""Files of SPSS, Stata, SAS and spreadsheets hold what is written to them, with their labels."""

from __future__ import annotations

import datetime as dt
import sys

import polars as pl
import pyarrow as pa
import pyreadstat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.files import stat_reading
from shoal.data.files.calendars import SAS, SPSS, STATA
from shoal.data.files.codebook import Codebook, Kind, Variable
from shoal.data.files.table_files import find_files
from shoal.errors import InputError, MissingExtraError
from tests.data.files.labelled_tables import STATISTICS, WRITTEN, read, write
from tests.examples import examples

TABLE = pa.table(
    {
        "id": pa.array([1, 2, 3], pa.int64()),
        "share": pa.array([0.25, None, -1.5]),
        "text": ["Ärger, «雪»", "", "x" * 700],
        "day": pa.array([dt.date(2024, 2, 29), None, dt.date(1969, 12, 31)]),
        "at": pa.array(
            [dt.datetime(2024, 2, 29, 23, 59, 58, 500_000), dt.datetime(1960, 1, 1, 1), None]
        ),
        "clock": pa.array([dt.time(23, 59, 59), dt.time(0, 0, 1), None], pa.time64("us")),
    }
)


@pytest.mark.parametrize("ending", WRITTEN)
def test_numbers_texts_dates_and_times_come_back(ending, tmp_path):
    found, codebook = read(write(TABLE, tmp_path / f"t{ending}"))
    expected = TABLE.to_pydict()
    expected["text"][1] = None
    assert {name: [v or None for v in values] for name, values in found.items()} == expected
    kinds = [Kind.NUMBER, Kind.NUMBER, Kind.TEXT, Kind.DATE, Kind.MOMENT, Kind.TIME]
    assert [one.kind for one in codebook.variables] == kinds


CELLS = {
    "whole": (pa.int64(), st.integers(-(10**14), 10**14)),
    "decimal": (pa.float64(), st.integers(-(10**9), 10**9).map(lambda n: n / 1024)),
    "text": (
        pa.string(),
        st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=40).filter(
            lambda text: text == text.strip()
        ),
    ),
    "day": (pa.date32(), st.dates(dt.date(1901, 1, 1), dt.date(2200, 12, 31))),
    "at": (
        pa.timestamp("us"),
        st.datetimes(dt.datetime(1901, 1, 1), dt.datetime(2200, 12, 31)).map(
            lambda at: at.replace(microsecond=0, second=at.second or 1)
        ),
    ),
    "clock": (pa.time64("us"), st.times().map(lambda at: at.replace(microsecond=0))),
}
ROWS = st.lists(
    st.fixed_dictionaries({name: st.none() | values for name, (_, values) in CELLS.items()}), max_size=6
)


@pytest.mark.parametrize("ending", WRITTEN)
@settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
@given(rows=ROWS)
def test_what_a_format_can_hold_is_read_as_it_was_written(ending, tmp_path, rows):
    columns = {name: pa.array([row[name] for row in rows], kind) for name, (kind, _) in CELLS.items()}
    table = pa.table({"id": pa.array(range(len(rows)), pa.int64()), **columns})
    found, _ = read(write(table, tmp_path / f"t{ending}"))
    empty = {"text": [cell or None for cell in table["text"].to_pylist()]}
    assert {**found, **({"text": [cell or None for cell in found["text"]]} if rows else {})} == (
        {**table.to_pydict(), **empty} if rows else {}
    )


LABELLED = Codebook(
    (
        Variable(
            "sex",
            Kind.NUMBER,
            "Sex of person",
            {"1": "Male", "2": "Fémale"},
            ((-9.0, -9.0), (90.0, 99.0)),
        ),
        Variable("region", Kind.TEXT, "Region", {"N": "North", "S": "South"}, (("ZZ", "ZZ"),)),
        Variable("weight", Kind.NUMBER, measure="scale", format="F8.2"),
    )
)


def coded(**columns):
    return pa.table(
        {"sex": ["1", "2", None], "region": ["N", "S", "N"], "weight": [1.5, 2.0, 3.0], **columns}
    )


def test_spss_keeps_labels_missing_codes_measures_and_formats(tmp_path):
    _, codebook = read(write(coded(), tmp_path / "t.sav", LABELLED))
    sex, region, weight = codebook.variables
    assert sex.values == {"1": "Male", "2": "Fémale"}
    assert set(sex.missing) == {(-9.0, -9.0), (90.0, 99.0)}
    assert (region.label, region.values, region.missing) == (
        "Region",
        {"N": "North", "S": "South"},
        (("ZZ", "ZZ"),),
    )
    assert (weight.measure, weight.format) == ("scale", "F8.2")


def test_stata_keeps_labels_of_variables_and_whole_numbers(tmp_path):
    _, codebook = read(write(coded(), tmp_path / "t.dta", LABELLED))
    assert codebook.of("sex").label == "Sex of person"
    assert codebook.of("sex").values == {"1": "Male", "2": "Fémale"}
    assert codebook.of("region").values == {}


def test_sas_keeps_labels_of_variables(tmp_path):
    _, codebook = read(write(coded(), tmp_path / "t.xpt", LABELLED))
    assert codebook.of("sex").label == "Sex of person"


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_labels_of_values_that_no_row_has_are_not_written(ending, tmp_path):
    path = write(coded(sex=["1", "1", None], region=["N", "N", "N"]), tmp_path / f"t{ending}", LABELLED)
    assert read(path)[1].of("sex").values == {"1": "Male"}
    for word in ("Fémale".encode(), b"South"):
        assert word not in path.read_bytes()


def test_codes_become_numbers_again_only_if_all_values_are_still_codes(tmp_path):
    assert read(write(coded(), tmp_path / "a.sav", LABELLED))[0]["sex"] == [1, 2, None]
    found, codebook = read(write(coded(sex=["1", "1-2", None]), tmp_path / "b.sav", LABELLED))
    assert [cell or None for cell in found["sex"]] == ["1", "1-2", None]
    assert codebook.of("sex").kind is Kind.TEXT
    assert codebook.of("sex").values == {"1": "Male"}
    # Not written as 1 is: it would come back as another value.
    assert read(write(coded(sex=["01", "2", "2"]), tmp_path / "c.sav", LABELLED))[0]["sex"] == [
        "01",
        "2",
        "2",
    ]


def test_a_released_value_is_never_read_as_a_missing_code(tmp_path):
    found, _ = read(write(coded(sex=["95", "1", "1"]), tmp_path / "t.sav", LABELLED))
    assert found["sex"] == [95, 1, 1]


def test_user_missing_values_are_missing_and_told(tmp_path):
    frame = pl.DataFrame({"sex": [1.0, -9.0, 95.0], "region": ["N", "ZZ", "S"]})
    path = tmp_path / "t.sav"
    ranges = {"sex": [-9.0, {"lo": 90.0, "hi": 99.0}], "region": ["ZZ"]}
    pyreadstat.write_sav(frame, path, missing_ranges=ranges)
    found, codebook = read(path)
    assert found["sex"] == [1, None, None]
    assert [cell or None for cell in found["region"]] == ["N", None, "S"]
    assert set(codebook.of("sex").missing_texts) == {"-9", "90 to 99"}


def test_stata_has_letters_for_missing(tmp_path):
    frame = pl.DataFrame({"sex": pl.Series([1, "a", 2], dtype=pl.Object)})
    path = tmp_path / "t.dta"
    labels = {"sex": {1: "Male", 2: "Female", "a": "refused"}}
    pyreadstat.write_dta(frame, path, missing_user_values={"sex": ["a"]}, variable_value_labels=labels)
    found, codebook = read(path)
    assert found["sex"] == [1, None, 2]
    assert codebook.of("sex").values == {"1": "Male", "2": "Female"}


@pytest.mark.parametrize(
    ("calendar", "shape", "kind"),
    [
        (SPSS, "EDATE10", Kind.DATE), (SPSS, "DATETIME22.3", Kind.MOMENT), (SPSS, "F8.2", Kind.NUMBER),
        (STATA, "%td", Kind.DATE), (STATA, "%-tdDD/NN/CCYY", Kind.DATE), (STATA, "%tcHH:MM:SS", Kind.TIME),
        (STATA, "%tcDDmonCCYY_HH:MM", Kind.MOMENT), (STATA, "%tm", Kind.NUMBER),
        (STATA, "%8.0g", Kind.NUMBER),
        (SAS, "DATE9.", Kind.DATE), (SAS, "E8601DA10.", Kind.DATE), (SAS, "DATETIME20.", Kind.MOMENT),
        (SAS, "TIME8.", Kind.TIME), (SAS, None, Kind.NUMBER), (SAS, "BEST12.", Kind.NUMBER),
    ],
)  # fmt: skip
def test_formats_tell_dates_from_numbers(calendar, shape, kind):
    assert calendar.kind_of(shape) is kind


def test_times_beyond_a_day_stay_numbers(tmp_path):
    path = tmp_path / "t.sav"
    frame = pl.DataFrame(
        {"clock": [3600.0, 90_000.0], "day": [86_400.0 * 150_000, 86_400.0 * 150_000 + 60]}
    )
    pyreadstat.write_sav(frame, path, variable_format={"clock": "TIME8", "day": "DATE11"})
    found, codebook = read(path)
    assert found["clock"] == [3600, 90_000]
    assert codebook.of("day").kind is Kind.MOMENT
    assert found["day"][1] - found["day"][0] == dt.timedelta(minutes=1)


@pytest.mark.parametrize("ending", STATISTICS)
def test_chunks_give_the_rows_that_one_chunk_gives(ending, tmp_path, monkeypatch):
    table = pa.table({"n": list(range(2500)), "t": [f"row {i}" for i in range(2500)]})
    path = write(table, tmp_path / f"t{ending}")
    whole = read(path)
    monkeypatch.setattr(stat_reading, "CELLS", 10)  # a thousand rows is the least
    spill = tmp_path / "spill"
    engine = DuckDBEngine(path, temp_directory=spill)
    (folder,) = spill.glob("shoal-*")
    assert folder.stat().st_mode & 0o077 == 0
    assert engine.count() == 2500
    engine.close()
    assert list(spill.iterdir()) == []
    assert read(path) == whole == (table.to_pydict(), whole[1])


def test_the_digest_is_that_of_the_file(tmp_path):
    path = write(TABLE, tmp_path / "t.sav")
    before = find_files(path).digest()
    write(TABLE.slice(1), path)
    assert find_files(path).digest() != before


@pytest.mark.parametrize("ending", [".sav", ".zsav", ".dta", ".sas7bdat", ".xpt", ".xlsx", ".ods"])
def test_a_damaged_file_is_refused_in_one_line(ending, tmp_path):
    path = tmp_path / f"t{ending}"
    path.write_bytes(b"no such thing" * 100)
    with pytest.raises(InputError, match="check it, or its ending") as caught:
        DuckDBEngine(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("ending", "instead"), [(".sas7bdat", ".xpt"), (".ods", ".xlsx")])
def test_what_is_not_written_says_the_way_out(ending, instead, tmp_path):
    with pytest.raises(InputError, match=f"is read, not written; release as {instead}"):
        write(TABLE, tmp_path / f"t{ending}")


@pytest.mark.parametrize(
    ("ending", "package", "extra"),
    [(".sav", "pyreadstat", "stat"), (".dta", "polars", "stat"), (".xlsx", "xlsxwriter", "excel"),
     (".xlsx", "python_calamine", "excel")],
)  # fmt: skip
def test_without_the_extra_the_error_names_it(ending, package, extra, tmp_path, monkeypatch):
    path = tmp_path / f"t{ending}"
    if package == "python_calamine":
        write(TABLE, path)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'shoal\[{extra}\]'"):
        read(write(TABLE, path) if not path.exists() else path)


def test_a_folder_of_such_files_is_refused(tmp_path):
    for name in "ab":
        write(TABLE, tmp_path / f"{name}.sav")
    (tmp_path / "rows.arrow").unlink()
    with pytest.raises(InputError, match=r"a table in .sav is a single file"):
        find_files(tmp_path)


def test_a_name_that_the_format_does_not_take_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"cannot be written as \.dta") as caught:
        write(pa.table({"hours-per-week": [1]}), tmp_path / "t.dta")
    assert "release as CSV or Parquet" in str(caught.value)
