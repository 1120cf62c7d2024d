"""DuckDB opens the files that were named and no others, whatever a table or a database file says."""

from __future__ import annotations

import csv

import duckdb
import pyarrow as pa
import pyarrow.parquet
import pytest

from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.engines.duckdb.instances import locked, reader, shared
from shoal.data.sql import statements as sql
from shoal.describe import Place
from shoal.errors import InputError

ROWS = pa.table({"age": ["1", "2", "2"], "town": ["a", "b", "b"]})


def text(path):
    path.write_text("age,town\n1,a\n2,b\n2,b\n")
    return path


def parquet(path):
    pyarrow.parquet.write_table(ROWS, path)
    return path


def large(path):
    with path.open("w") as file:
        csv.writer(file).writerows([["age", "town"], *(["2", "b" * 40] for _ in range(30_000))])
    return path


def database(path, *statements):
    with duckdb.connect(str(path)) as connection:
        connection.register("rows", ROWS)
        connection.execute("CREATE TABLE people AS SELECT * FROM rows")
        for statement in statements:
            connection.execute(statement)
    return Place("duckdb", "people", str(path))


TABLES = {
    "small text": lambda folder: text(folder / "a.csv"),
    "large text": lambda folder: large(folder / "a.csv"),
    "parquet": lambda folder: parquet(folder / "a.parquet"),
    "frame": lambda _: ROWS,
    "large frame": lambda _: pa.table({"age": ["2"] * 100_000, "town": ["b"] * 100_000}),
    "database": lambda folder: database(folder / "a.duckdb"),
}
ESCAPES = {
    "read": "SELECT * FROM read_csv('{other}')",
    "named as a table": "SELECT * FROM '{other}'",
    "bytes": "SELECT * FROM read_blob('{other}')",
    "list": "SELECT * FROM glob('{folder}/*')",
    "write": "COPY (SELECT 1) TO '{folder}/made.csv'",
    "attach": "ATTACH '{folder}/made.duckdb'",
    "extension": "LOAD httpfs",
    "install": "INSTALL httpfs",
    "network": "SELECT * FROM read_csv('http://127.0.0.1:9/a.csv')",
    "variable": "SELECT * FROM ROWS",
    "unlock": "SET enable_external_access = true",
    "setting": "SET autoload_known_extensions = true",
    "lock": "SET lock_configuration = false",
}


@pytest.mark.parametrize("kind", TABLES)
def test_a_connection_reaches_nothing_but_its_table(tmp_path, kind):
    home, away = tmp_path / "home", tmp_path / "away"
    home.mkdir()
    away.mkdir()
    other = text(away / "other.csv")
    engine = DuckDBEngine(TABLES[kind](home))
    try:
        assert engine.count() > 0
        for statement in ESCAPES.values():
            with pytest.raises(duckdb.Error):
                engine._connection.execute(statement.format(other=other, folder=away)).fetchall()
        assert [path.name for path in away.iterdir()] == ["other.csv"]
        assert sum(engine.cells(["age"]).counts) == engine.count()
    finally:
        engine.close()


def test_what_writes_a_release_reaches_nothing_but_table_and_release(tmp_path):
    other, out = text(tmp_path / "other.csv"), tmp_path / "out.csv"
    out.write_text("older")
    engine = DuckDBEngine(parquet(tmp_path / "a.parquet"))
    with engine._session.writing(out) as connection:
        connection.sql("SELECT * FROM source").write_csv(str(out))
        with pytest.raises(duckdb.PermissionException):
            connection.execute(f"SELECT * FROM read_csv('{other}')")
        with pytest.raises(duckdb.PermissionException):
            connection.sql("SELECT * FROM source").write_csv(str(tmp_path / "b.csv"))
    engine.close()
    assert out.read_text().startswith("age,town\n")


def test_what_reads_small_files_loads_no_extension_and_keeps_its_settings():
    with reader.cursor() as connection:
        for statement in ("LOAD httpfs", "SET lock_configuration = false", "SELECT * FROM ROWS"):
            with pytest.raises(duckdb.Error):
                connection.execute(statement).fetchall()


@pytest.mark.parametrize("settings", [{}, {"threads": 1}], ids=["shared", "alone"])
@pytest.mark.parametrize(
    "name", ["a.csv", "a[1]*.csv", "it's.csv", "é b.csv", "a.parquet", "a[1]*.parquet"]
)
def test_a_table_is_found_by_every_name_that_it_has(tmp_path, monkeypatch, name, settings):
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / name
    (text if name.endswith("csv") else parquet)(path)
    link = tmp_path / f"link{path.suffix}"
    link.symlink_to(path)
    (tmp_path / "way").symlink_to(folder)
    monkeypatch.chdir(folder)
    for given in (path, link, tmp_path / "way" / name, name, f"../folder/{name}", f"./{name}"):
        engine = DuckDBEngine(given, **settings)
        assert engine.count() == 3
        engine.close()


def test_a_database_is_read_and_written_through_a_link(tmp_path):
    database(tmp_path / "a.duckdb")
    (tmp_path / "link.duckdb").symlink_to(tmp_path / "a.duckdb")
    engine = DuckDBEngine(Place("duckdb", "people", str(tmp_path / "link.duckdb")))
    with engine._session.writing(tmp_path / "out.csv") as connection:
        connection.sql("SELECT * FROM source").write_csv(str(tmp_path / "out.csv"))
    assert DuckDBEngine(tmp_path / "out.csv").count() == 3
    many = sql.whole("source CROSS JOIN range(100000) AS t(n)")  # more than DuckDB keeps in its log
    with engine._outlet(many, {}).into("released") as written:
        assert written.count() == 300_000
    engine.close()
    assert DuckDBEngine(Place("duckdb", "released", str(tmp_path / "a.duckdb"))).count() == 300_000


BEYOND = {
    "a file": ("SELECT * FROM read_csv('{other}')", "reads the file '{other}'"),
    "a file's name": ("SELECT * FROM '{other}'", "reads the file '{other}'"),
    "another view": ("SELECT * FROM inner_view", "reads the file '{other}'"),
    "a folder": ("SELECT * FROM glob('{folder}/*')", "reads the file"),
    "a macro": ("SELECT * FROM leak()", "reads the file '{other}'"),
}


@pytest.mark.parametrize("how", BEYOND)
def test_a_view_that_reads_beyond_its_database_is_refused_by_name(tmp_path, how):
    other = text(tmp_path / "other.csv")
    names = {"other": other, "folder": tmp_path}
    body, told = BEYOND[how]
    place = database(
        tmp_path / "a.duckdb",
        f"CREATE VIEW inner_view AS SELECT * FROM read_csv('{other}')",
        f"CREATE MACRO leak() AS TABLE SELECT * FROM read_csv('{other}')",
        "CREATE VIEW sly AS " + body.format(**names),
    )
    with pytest.raises(InputError) as caught:
        DuckDBEngine(place.at("sly"))
    message = str(caught.value)
    assert "the view 'sly'" in message
    assert told.format(**names) in message
    assert "\n" not in message


def test_a_view_inside_its_database_is_read(tmp_path):
    place = database(tmp_path / "a.duckdb", "CREATE VIEW plain AS SELECT * FROM people WHERE age = '2'")
    assert DuckDBEngine(place.at("plain")).count() == 2


def test_macros_of_a_database_do_not_stand_for_shoals_functions(tmp_path):
    names = ("md5", "count", "sum", "upper", "strlen", "nullif", "concat", "approx_count_distinct")
    macros = [f"CREATE MACRO {name}(a) AS 'mine'" for name in names]
    place = database(tmp_path / "a.duckdb", *macros)
    plain = DuckDBEngine(database(tmp_path / "b.duckdb"))
    engine = DuckDBEngine(place)
    assert engine.count() == 3
    assert engine.profile(5) == plain.profile(5)
    found, wanted = engine.cells(["age", "town"]), plain.cells(["age", "town"])
    assert (found.domains, found.codes.tolist()) == (wanted.domains, wanted.codes.tolist())
    assert found.counts.tolist() == [1, 2]


def test_values_that_a_database_takes_for_equal_are_counted_apart(tmp_path):
    place = database(
        tmp_path / "a.duckdb",
        'CREATE TABLE soft (town VARCHAR COLLATE NOCASE, "o\'dd""" VARCHAR COLLATE NOACCENT, n INTEGER)',
        "INSERT INTO soft VALUES ('A', 'e', 1), ('a', 'é', 1)",
        "CREATE VIEW softer AS SELECT town COLLATE NOCASE AS town FROM soft",
    )
    assert DuckDBEngine(place.at("soft")).cells(["town"]).domains == (("A", "a"),)
    assert DuckDBEngine(place.at("soft")).cells(["o'dd\""]).domains == (("e", "é"),)
    assert DuckDBEngine(place.at("softer")).cells(["town"]).domains == (("A", "a"),)
    assert DuckDBEngine(place.at("soft")).columns == ("town", "o'dd\"", "n")


def test_a_file_of_another_database_is_refused_in_a_line(tmp_path):
    import sqlite3

    with sqlite3.connect(tmp_path / "a.duckdb") as connection:
        connection.execute("CREATE TABLE people (age)")
    with pytest.raises(InputError) as caught:
        DuckDBEngine(Place("duckdb", "people", str(tmp_path / "a.duckdb")))
    assert "\n" not in str(caught.value)


def test_shared_cursors_show_no_bar():
    ask = "SELECT current_setting('enable_progress_bar')"
    with shared.cursor() as cursor:
        assert cursor.execute(ask).fetchone() == (False,)


def test_a_notebook_without_widgets_has_no_progress_and_everything_else():
    """There DuckDB refuses to change whether it shows progress."""
    done = []

    class InNotebook:
        def execute(self, statement, *_):
            if "progress" in statement:
                raise duckdb.InvalidInputException("required package 'ipywidgets' is missing")
            done.append(statement)

    locked(InNotebook())
    assert done == ["SET enable_external_access = false", "SET lock_configuration = true"]
