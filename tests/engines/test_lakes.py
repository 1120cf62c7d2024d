"""Tables of Delta and Iceberg: the rows they have now, counted and released like those of a file."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from shoal import Study
from shoal.again import remake
from shoal.data.opening import open_engine
from shoal.describe import Place
from shoal.errors import InputError, MissingExtraError, NoTableError
from shoal.verification import verify_release
from tests.docs.pages import ROOT, blocks

deltalake = pytest.importorskip("deltalake")
pytest.importorskip("pyiceberg")
pytest.importorskip(
    "sqlalchemy", reason="pyiceberg writes through a catalog, which keeps its books with it"
)

ATTRIBUTES = """\
attributes:
  age: {role: quasi, hierarchy: {intervals: {widths: [10, 20]}}}
  town: {role: quasi, hierarchy: {"*": [Aby, Bby]}}
  ill: {role: sensitive}
"""


def rows(first: int, last: int) -> pa.Table:
    numbers = range(first, last)
    return pa.table(
        {
            "age": [20 + i % 23 for i in numbers],
            "town": [("Aby", "Bby")[i % 2] for i in numbers],
            "ill": [("flu", "cold", None)[i % 3] for i in numbers],
        }
    )


GONE = pa.table({"age": [99], "town": ["Aby"], "ill": ["rare"]})


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same rows as a Delta table, an Iceberg table and a CSV file; the first two had one more."""
    from pyiceberg.catalog.sql import SqlCatalog

    folder = tmp_path_factory.mktemp("lake")
    table = str(folder / "visits")
    deltalake.write_deltalake(table, pa.concat_tables([rows(0, 90), GONE]), partition_by=["town"])
    deltalake.write_deltalake(table, rows(90, 200), mode="append")
    deltalake.DeltaTable(table).delete("ill = 'rare'")
    catalog = SqlCatalog("prod", uri=f"sqlite:///{folder}/books.db", warehouse=f"file://{folder}/ice")
    catalog.create_namespace("ward")
    ice = catalog.create_table("ward.visits", schema=rows(0, 1).schema)
    ice.append(pa.concat_tables([rows(0, 90), GONE]))
    ice.append(rows(90, 200))
    ice.delete("ill = 'rare'")
    metadata = ice.metadata_location.removeprefix("file://")
    csv.write_csv(rows(0, 200), folder / "visits.csv")
    for name, place in {
        "delta": "{engine: delta, table: visits}",
        "iceberg": f"{{engine: iceberg, url: {metadata}, table: ward.visits}}",
        "csv": "visits.csv",
    }.items():
        (folder / f"{name}.yaml").write_text(f"table: {place}\n{ATTRIBUTES}")
    catalog.close()
    return folder


@pytest.mark.parametrize("kind", ["delta", "iceberg"])
def test_a_study_is_answered_and_released_as_from_a_file(lake: Path, kind: str) -> None:
    costs, released = {}, {}
    for name in (kind, "csv"):
        with Study.open(lake / f"{name}.yaml") as study:
            front = study.frontier(suppress="5%")
            costs[name] = [(point.k, point.loss) for point in front]
            out = study.release(front, k=5, seed=3).write(lake / f"{name}.out.csv", force=True).path
        released[name] = sorted(out.read_text().splitlines())
        assert verify_release(out).holds
    assert costs[kind] == costs["csv"]
    assert released[kind] == released["csv"]
    again = remake(lake / f"{kind}.out.csv.record.json", lake / "again.csv", force=True)
    assert again.path.read_bytes() == (lake / f"{kind}.out.csv").read_bytes()


def test_a_removed_row_is_in_the_files_of_the_table_and_not_in_the_table(lake: Path) -> None:
    """So a folder of Delta must not be read as a folder of Parquet files."""
    files = [parquet.ParquetFile(path).read(["ill"]) for path in (lake / "visits").rglob("*.parquet")]
    assert any("rare" in file["ill"].to_pylist() for file in files)
    with pytest.raises(InputError, match=r"engine: delta, url: .*, table: visits"):
        open_engine(lake / "visits")
    engine = open_engine(Place("delta", "visits", str(lake)))
    assert engine.first_values("ill", 9) == ("cold", "flu")
    engine.close()


def test_an_open_table_keeps_its_moment(tmp_path: Path) -> None:
    deltalake.write_deltalake(str(tmp_path / "t"), rows(0, 20))
    engine = open_engine(Place("delta", "t", str(tmp_path)))
    deltalake.write_deltalake(str(tmp_path / "t"), rows(0, 5), mode="append")
    assert engine.count() == 20
    engine.close()


def test_removed_rows_that_only_a_deletion_vector_marks_are_not_read(tmp_path: Path) -> None:
    deltalake.write_deltalake(str(tmp_path / "t"), rows(0, 20))
    (log,) = (tmp_path / "t" / "_delta_log").glob("*.json")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for line in lines:
        if "protocol" in line:
            named = {"readerFeatures": ["deletionVectors"], "writerFeatures": ["deletionVectors"]}
            line["protocol"] = {"minReaderVersion": 3, "minWriterVersion": 7, **named}
    log.write_text("\n".join(map(json.dumps, lines)) + "\n")
    with pytest.raises(InputError, match="deletion vectors"):
        open_engine(Place("delta", "t", str(tmp_path)))


@pytest.fixture
def catalog(lake: Path, monkeypatch) -> None:
    """The catalog `prod` of pyiceberg's own configuration, which keeps the tables of the lake."""
    monkeypatch.setenv("PYICEBERG_CATALOG__PROD__TYPE", "sql")
    monkeypatch.setenv("PYICEBERG_CATALOG__PROD__URI", f"sqlite:///{lake}/books.db")
    monkeypatch.setenv("PYICEBERG_CATALOG__PROD__WAREHOUSE", f"file://{lake}/ice")
    import pyiceberg.catalog
    from pyiceberg.utils.config import Config

    monkeypatch.setattr(pyiceberg.catalog, "_ENV_CONFIG", Config())


@pytest.mark.usefixtures("catalog")
def test_a_catalog_of_the_package_s_configuration_finds_an_iceberg_table() -> None:
    engine = open_engine(Place("iceberg", "ward.visits", "catalog:prod"))
    assert (engine.columns, engine.count()) == (("age", "town", "ill"), 200)
    engine.close()
    with pytest.raises(NoTableError, match="the catalog has no such table"):
        open_engine(Place("iceberg", "ward.others", "catalog:prod"))


@pytest.mark.usefixtures("catalog")
def test_a_released_file_becomes_a_table_as_the_page_says(
    lake: Path, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Study.open(lake / "csv.yaml") as study:
        study.release(study.anonymize("flash", k=5), seed=3).write("out.parquet")
    (block,) = (one for one in blocks(ROOT / "docs" / "engines.md") if one.language == "python")
    exec(compile(block.text, "docs/engines.md", "exec"), {})
    released = sorted(parquet.read_table("out.parquet").to_pylist(), key=str)
    for place in (
        Place("delta", "published", "lake"),
        Place("iceberg", "ward.published", "catalog:prod"),
    ):
        engine = open_engine(place)
        assert engine.count() == len(released)
        assert engine.columns == tuple(released[0])
        engine.close()


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (Place("delta", "nowhere"), "there is no such folder"),
        (Place("delta", "empty", "."), "it has no _delta_log"),
        (Place("iceberg", "t", "nowhere.metadata.json"), "no such file"),
        (Place("iceberg", "t", "broken.json"), "cannot be read"),
    ],
)
def test_what_is_no_table_is_one_sentence(place: Place, said: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.json").write_text("{}")
    with pytest.raises(InputError, match=said) as refused:
        open_engine(place)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("engine", "package"), [("delta", "deltalake"), ("iceberg", "pyiceberg")])
def test_without_its_package_the_extra_is_named(engine: str, package: str, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, f"{package}.catalog", None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'shoal\[{engine}\]'"):
        open_engine(Place(engine, "t", "x.json"))
