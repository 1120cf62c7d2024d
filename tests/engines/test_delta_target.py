"""Releases into new tables of Delta: verified before others see them, and whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal import Study
from shoal.data.engines.duckdb import delta_target
from shoal.data.engines.duckdb.delta_target import DeltaTarget
from shoal.describe import Place
from shoal.errors import InputError
from shoal.verification import verify_release

deltalake = pytest.importorskip("deltalake")

STUDY = """\
table: {table}
attributes:
  age: {{role: quasi, hierarchy: {{intervals: {{widths: [10, 20]}}}}}}
  town: {{role: quasi, hierarchy: {{"*": [Aby, Bby]}}}}
  ill: {{role: sensitive}}
{more}"""


def rows(many: int) -> pa.Table:
    return pa.table(
        {
            "age": [20 + i % 23 for i in range(many)],
            "town": [("Aby", "Bby")[i % 2] for i in range(many)],
            "ill": [("flu", "cold", None)[i % 3] for i in range(many)],
            "who": [f"p{i // 2}" for i in range(many)],
        }
    )


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A folder with a table of Delta, and studies of it and of the same rows in a file."""
    deltalake.write_deltalake(str(tmp_path / "lake" / "visits"), rows(200))
    parquet.write_table(rows(200), tmp_path / "visits.parquet")
    place = "{engine: delta, url: lake, table: visits}"
    for name, table, more in (
        ("delta", place, "  who: {role: identifying}\n"),
        ("file", "visits.parquet", "  who: {role: identifying}\n"),
        ("persons", place, "persons: [who]\n"),
    ):
        (tmp_path / f"{name}.yaml").write_text(STUDY.format(table=table, more=more))
    return tmp_path


def release(lake: Path, study: str = "delta", *, into: str = "safe", k: int = 5, force: bool = False):
    with Study.open(lake / f"{study}.yaml") as opened:
        solution = opened.anonymize("flash", k=k)
        return opened.release(solution, seed=3).write(lake / "out.yaml", into=into, force=force)


def content(lake: Path, table: str = "safe") -> list[dict[str, object]]:
    found = deltalake.DeltaTable(str(lake / "lake" / table)).to_pyarrow_table().to_pylist()
    return sorted(found, key=str)


def beside(lake: Path) -> list[str]:
    return sorted(path.name for path in (lake / "lake").iterdir())


def test_a_release_into_delta_has_the_rows_of_one_to_a_file_and_is_verified_afresh(lake: Path) -> None:
    published = release(lake)
    assert published.certificate["table"]["engine"] == "delta"
    assert verify_release(lake / "out.yaml").holds
    with Study.open(lake / "file.yaml") as study:
        study.release(study.anonymize("flash", k=5), seed=3).write(lake / "out.parquet")
    from_file = sorted(parquet.read_table(lake / "out.parquet").to_pylist(), key=str)
    assert content(lake) == from_file
    assert beside(lake) == ["safe", "visits"]
    assert (lake / "out.yaml").read_text() == "engine: delta\nurl: lake\ntable: safe\n"
    plain = lake / "lake" / "plain"
    plain.mkdir()
    (plain / "file").touch()
    for made, usual in ((lake / "lake" / "safe", plain), *((p, plain / "file") for p in parts(lake))):
        assert made.stat().st_mode == usual.stat().st_mode


def parts(lake: Path) -> list[Path]:
    return [path for path in (lake / "lake" / "safe").rglob("*") if path.is_file()]


def test_persons_are_counted_and_then_nobody_is_named(lake: Path) -> None:
    published = release(lake, "persons")
    assert published.certificate["measured"]["persons"]["k"] >= 5
    assert set(content(lake)[0]) == {"age", "town", "ill"}
    assert verify_release(lake / "out.yaml").holds
    assert not any(b"p99" in path.read_bytes() for path in parts(lake))


def test_an_older_table_is_replaced_with_all_its_versions_and_only_if_asked(lake: Path) -> None:
    release(lake, k=20)
    old = content(lake)
    with pytest.raises(InputError, match="already exists"):
        release(lake)
    assert content(lake) == old
    release(lake, force=True)
    assert content(lake) != old
    assert deltalake.DeltaTable(str(lake / "lake" / "safe")).version() == 0
    assert len(parts(lake)) == 2  # a file of rows, a log
    assert beside(lake) == ["safe", "visits"]
    assert verify_release(lake / "out.yaml").holds


def test_a_table_that_was_changed_is_found_out(lake: Path) -> None:
    release(lake)
    more = deltalake.DeltaTable(str(lake / "lake" / "safe")).to_pyarrow_table().slice(0, 1)
    deltalake.write_deltalake(str(lake / "lake" / "safe"), more, mode="append")
    assert any("fingerprint" in one for one in verify_release(lake / "out.yaml").failures)


@pytest.mark.parametrize("exchanges", [True, False])
def test_what_fails_leaves_the_older_table(lake: Path, monkeypatch, exchanges: bool) -> None:
    release(lake, k=20)
    old = content(lake)
    if not exchanges:
        monkeypatch.setattr(delta_target, "exchanged", lambda *_: False)
    target = DeltaTarget(Place("delta", "visits", str(lake / "lake")), "safe")
    with pytest.raises(RuntimeError), target.written(rows(9), replace=True):
        raise RuntimeError("not verified")
    assert content(lake) == old
    assert beside(lake) == ["safe", "visits"]
    with target.written(rows(9), replace=True) as staged:
        assert staged.table.startswith('".safe.')
        assert content(lake) == old
        # Until it is verified, nobody else can read it.
        assert (lake / "lake" / ".safe.shoal-new").stat().st_mode & 0o077 == 0
    assert len(content(lake)) == 9
    assert beside(lake) == ["safe", "visits"]


def test_what_a_killed_run_left_is_put_back_and_cleaned(lake: Path) -> None:
    release(lake, k=20)
    old = content(lake)
    folder = lake / "lake"
    # Killed between the two steps that take the place of an exchange.
    (folder / "safe").rename(folder / ".safe.shoal-before")
    (folder / ".safe.shoal-new").mkdir()
    target = DeltaTarget(Place("delta", "visits", str(folder)), "safe")
    with pytest.raises(InputError, match="already exists"), target.written(rows(9), replace=False):
        pass
    assert content(lake) == old
    assert beside(lake) == ["safe", "visits"]


@pytest.mark.parametrize(
    ("into", "said"),
    [
        ("visits", "is the table that is released"),
        ("visits.part", "is the table that is released, or lies in it"),
        ("folder", "is no table of Delta, so it is not replaced"),
        ("nowhere.safe", "its folder does not exist"),
        ('"../safe"', "is no name for a table"),
    ],
)
def test_what_cannot_be_written_is_refused_in_a_sentence(lake: Path, into: str, said: str) -> None:
    (lake / "lake" / "folder").mkdir()
    before = beside(lake)
    with pytest.raises(InputError, match=said) as refused:
        release(lake, into=into, force=True)
    assert "\n" not in str(refused.value)
    assert beside(lake) == before
    assert not (lake / "out.yaml").exists()


def test_an_address_of_an_object_store_is_refused() -> None:
    with pytest.raises(InputError, match="is written to a folder"):
        DeltaTarget(Place("delta", "visits", "s3://bucket/lake"), "safe")


def test_types_that_delta_does_not_have_are_refused_without_their_values(lake: Path) -> None:
    target = DeltaTarget(Place("delta", "visits", str(lake / "lake")), "safe")
    odd = pa.table({"secret": pa.array([1, 2], pa.time64("ns"))})
    with (
        pytest.raises(InputError, match="cannot be written as a table of Delta"),
        target.written(odd, replace=False),
    ):
        pass
    assert beside(lake) == ["visits"]


def test_the_log_of_a_new_table_tells_nothing_but_released_rows(lake: Path) -> None:
    release(lake)
    (log,) = (lake / "lake" / "safe" / "_delta_log").glob("*.json")
    told = [json.loads(line) for line in log.read_text().splitlines()]
    (stats,) = [json.loads(line["add"]["stats"]) for line in told if "add" in line]
    ages = sorted(str(row["age"]) for row in content(lake))
    assert (stats["minValues"]["age"], stats["maxValues"]["age"]) == (ages[0], ages[-1])
    assert str(lake) not in log.read_text()
