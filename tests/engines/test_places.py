"""Tables that are no files: database files of DuckDB, and addresses that keep their secrets."""

from __future__ import annotations

import duckdb
import pytest

from shoal import Study
from shoal.describe import Place
from shoal.errors import InputError

YAML = """table: {{engine: duckdb, url: {url}, table: {table}}}
attributes:
  zip: {{role: quasi, hierarchy: {{mask: {{digits: 5}}}}}}
"""


@pytest.fixture
def database(tmp_path):
    with duckdb.connect(str(tmp_path / "people.duckdb")) as connection:
        connection.execute('CREATE SCHEMA "odd; schema"')
        connection.execute('CREATE TABLE "odd; schema"."my.people" (zip VARCHAR)')
        connection.execute("INSERT INTO \"odd; schema\".\"my.people\" VALUES ('02138'), ('02139')")
        connection.execute("CREATE TABLE people AS SELECT '02138' AS zip")
    return tmp_path


def test_a_table_of_a_database_file(database):
    (database / "study.yaml").write_text(
        YAML.format(url="people.duckdb", table='\'"odd; schema"."my.people"\'')
    )
    with Study.open(database / "study.yaml") as study:
        assert [point.k for point in study.frontier()] == [2, 1]
        rows = study.release(study.frontier(), k=2).table()
    assert rows.to_pydict() == {"zip": ["0213*", "0213*"]}
    (database / "study.yaml").write_text(YAML.format(url="people.duckdb", table="people"))
    with Study.open(database / "study.yaml") as study:
        assert study.tally().rows == 1


def test_what_is_not_there_is_named(database):
    with pytest.raises(InputError, match="no such file"):
        Study(Place("duckdb", "people", str(database / "none.duckdb")), quasi={"zip": {"mask": {}}})
    with pytest.raises(InputError, match="nobody"):
        Study(Place("duckdb", "nobody", str(database / "people.duckdb")), quasi={"zip": {"mask": {}}})
    for table, words in (
        ("{engine: oracle}", "unknown engine 'oracle'"),
        ("{url: x}", "engine: duckdb"),
        ("{engine: postgres}", "no table of postgres is named"),
        ("[x]", "a mapping with engine"),
    ):
        (database / "bad.yaml").write_text(
            f"table: {table}\nattributes:\n  zip: {{role: insensitive}}\n"
        )
        with pytest.raises(InputError, match=words) as refused:
            Study.open(database / "bad.yaml")
        assert refused.value.line == 1


def test_an_address_never_shows_its_secrets(monkeypatch):
    for url in (
        "postgresql://ann:s3cret@db.example/x",
        "host=db user=ann password=s3cret",
        "postgresql://ann:x#s3cret@db.example/x",
        "postgresql://ann:x/s3cret@db.example/x",
        "${SECRET_URL}",
    ):
        place = Place("postgres", "public.people", url)
        monkeypatch.setenv("SECRET_URL", "postgresql://ann:s3cret@db.example/x")
        assert "s3cret" in place.address
        for shown in (str(place), repr(place), f"{place}"):
            assert "s3cret" not in shown
            assert "ann" not in shown
    monkeypatch.delenv("SECRET_URL")
    with pytest.raises(InputError, match="the url names the variable SECRET_URL"):
        _ = place.address


def test_names_are_taken_apart():
    assert Place("postgres", 'a."b.""c"').names == ("a", 'b."c')
    for wrong in ('a."b', "a..b", '"'):
        with pytest.raises(InputError, match="cannot be read"):
            _ = Place("postgres", wrong).names


def test_what_documents_show_of_an_address():
    for url, public in (
        ("postgresql://ann:s3cret@db:5432/x", "postgresql://db:5432/x"),
        ("postgresql://ann@db/x?password=s3cret&sslmode=require", "postgresql://db/x?sslmode=require"),
        ("postgresql://db/x?sslmode=require&password=s3cret", "postgresql://db/x?sslmode=require"),
        ("postgresql://${U}:${P}@db/x", "postgresql://${U}:${P}@db/x"),
        ("postgresql://ann:${P}@db/x", "postgresql://db/x"),
        ("host=db user=ann password='s3 \\' cret' dbname=x", "host=db dbname=x"),
        ("host=db password=${P}", "host=db password=${P}"),
        ("${URL}", "${URL}"),
        ("postgresql://ann:s3/cr@s3cret@db/x", "postgresql://db/x"),
        ("host=db password=s3;cret port=5", "host=db port=5"),
        ("password = s3\\ cret host=db", "host=db"),
        ("sc://db:15002/;user_id=ann;token=s3cret;use_ssl=true", "sc://db:15002/;use_ssl=true"),
        ("spark://host:7077", "spark://host:7077"),
        ("local[2]", "local[2]"),
        ("", ""),
    ):
        assert Place("postgres", "people", url).public().url == public
