"""Claim: the table stays in its engine, so a hundred million rows need minutes and little memory.

The same made-up table, row for row, is generated inside each engine by arithmetic alone. Then every step of
the job runs in a process of its own: the tally, the frontier on it, a release, and its verification.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from benchmarks.runner import Options, alone
from benchmarks.table import Result
from benchmarks.timing import Stopwatch, apart

PRIME = 2_147_483_647
MEMORY = "2GB"
"""For DuckDB; what does not fit goes to disk."""
SIZES = (1_000_000, 10_000_000, 100_000_000)
MOST_ELSEWHERE = 10_000_000
"""Rows for engines other than DuckDB."""


class Column(NamedTuple):
    """A column of whole numbers: the larger `skew`, the more rows have the small ones."""

    name: str
    values: int
    skew: int
    widths: tuple[int, ...]


QUASI = (
    Column("age", 80, 2, (5, 10, 20)),
    Column("sex", 2, 1, ()),
    Column("region", 50, 4, (5, 25)),
    Column("occupation", 12, 4, (3, 6)),
    Column("month", 12, 1, (3, 6)),
    Column("education", 8, 4, (2, 4)),
    Column("marital", 5, 6, ()),
    Column("origin", 10, 9, (5,)),
    Column("household", 5, 6, ()),
)
DIAGNOSIS = Column("diagnosis", 12, 3, ())


def drawn(at: int, column: Column, number: str) -> str:
    """Return the SQL of a column in row `number`: squares of a sequence modulo a prime."""
    first = f"(({number} * {48_271 + 16_807 * at} + {1_013 * at + 7}) % {PRIME})"
    share = f"((({first} * {first} + {69_621 * at + 1}) % {PRIME}) / {PRIME}.0)"
    return f"CAST(FLOOR({column.values} * POWER({share}, {column.skew})) AS INT) AS {column.name}"


def rows_sql(numbers: str, number: str) -> str:
    """Return the SELECT of the whole table over numbered rows."""
    columns = [drawn(at, column, number) for at, column in enumerate((*QUASI, DIAGNOSIS))]
    return f"SELECT {', '.join(columns)} FROM {numbers}"


def specified(width: int) -> dict[str, Any]:
    """Return the roles of a study over the first attributes."""
    trees = {
        column.name: {"intervals": {"origin": 0, "widths": list(column.widths)}}
        if column.widths
        else {"tree": {"*": [str(value) for value in range(column.values)]}}
        for column in QUASI[:width]
    }
    return {"quasi": trees, "sensitive": DIAGNOSIS.name}


Named = dict[str, str]
"""Where a table lies: engine, table and url; a plain file has no engine."""


class DuckDBHome:
    """Parquet files read by DuckDB; releases are Parquet files."""

    name = "DuckDB"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @staticmethod
    def missing() -> str | None:
        """DuckDB comes with Shoal."""
        return None

    def make(self, rows: int) -> Named:
        """Make the table, and say where it lies."""
        import duckdb

        path = self._folder / "people.parquet"
        with duckdb.connect(config={"memory_limit": MEMORY}) as connection:
            source = rows_sql(f"range({rows}) AS numbers(i)", "i")
            connection.execute(f"COPY ({source}) TO '{path}' (FORMAT parquet)")
        return {"table": str(path)}

    def close(self) -> None:
        """Nothing runs."""


class PostgresHome:
    """A PostgreSQL server with its own settings, on loopback; releases are new tables."""

    name = "PostgreSQL"

    @staticmethod
    def missing() -> str | None:
        """Say what of it is not installed here, if anything is."""
        from tests.engines import scratch_postgres

        if find_spec("psycopg") is None:
            return "psycopg is not installed"
        return None if scratch_postgres.binaries() else "no PostgreSQL server is installed"

    def __init__(self, folder: Path) -> None:
        from tests.engines import scratch_postgres

        self._server, self._folder = scratch_postgres, folder / "postgres"
        folder.chmod(0o755)  # the server runs as another user
        self._url = scratch_postgres.start(self._folder)

    def make(self, rows: int) -> Named:
        """Make the table, and say where it lies."""
        import psycopg

        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute("DROP TABLE IF EXISTS people")
            source = rows_sql(f"generate_series(0::bigint, {rows - 1}) AS numbers(i)", "i")
            connection.execute(f"CREATE TABLE people AS {source}")
            connection.execute("VACUUM ANALYZE people")
        return {"engine": "postgres", "table": "people", "url": self._url, "into": "released"}

    def close(self) -> None:
        """Stop the server and remove its data."""
        self._server.stop(self._folder)


class SparkHome:
    """Parquet files read by Spark in one process with two threads; releases are folders."""

    name = "Spark"

    @staticmethod
    def missing() -> str | None:
        """Say what of it is not installed here, if anything is."""
        if find_spec("pyspark") is None:
            return "pyspark is not installed"
        java = shutil.which("java") or os.environ.get("JAVA_HOME")
        return None if java else "no Java is installed"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def make(self, rows: int) -> Named:
        """Make the table, and say where it lies."""
        given = {"rows": rows, "path": str(self._folder / "people.spark")}
        apart("benchmarks.scale:make_in_spark", **given)
        into = str(self._folder / "released.spark")
        return {"engine": "spark", "table": given["path"], "url": "local[2]", "into": into}

    def close(self) -> None:
        """Nothing runs: each step has a process of its own."""


def make_in_spark(rows: int, path: str) -> dict[str, Any]:
    """Make the table in a process of its own, which takes Spark with it."""
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.sql(rows_sql(f"range({rows})", "id")).write.mode("overwrite").parquet(path)
    spark.stop()
    return {}


Home = type[DuckDBHome] | type[PostgresHome] | type[SparkHome]
NOTES = [
    "each step in a process of its own; release s: with the tally that it needs, its papers and reports",
    "seconds: of the processor on DuckDB, and of the clock where a server or Spark's Java does the work",
    "MB: the peak of Shoal and of the programs it started (Spark), not of a server (PostgreSQL)",
]


def run(options: Options) -> Result:
    rows: list[dict[str, Any]] = []
    sizes = options.rows or ((500,) if options.quick else SIZES if options.full else SIZES[:2])
    homes: tuple[Home, ...] = (DuckDBHome, PostgresHome, SparkHome) if options.full else (DuckDBHome,)
    missing = {kind.name: why for kind in homes if (why := kind.missing())}
    for kind in homes:
        for count in sizes:
            if kind.name in missing or (kind is not DuckDBHome and count > MOST_ELSEWHERE):
                continue
            widths = (5, 9) if options.full or SIZES[0] == count else (5,)
            rows += [whole_job(kind, count, width) for width in widths]
    notes = [*NOTES, *(f"{name} is left out: {why}" for name, why in missing.items())]
    return Result("The whole job by engine, rows and quasi attributes; two threads", rows, notes)


def whole_job(kind: Home, count: int, width: int) -> dict[str, Any]:
    """Return the seconds and the memory of every step with a table of so many rows in an engine."""
    with TemporaryDirectory() as folder:
        home = kind(Path(folder))
        try:
            found = steps(folder, home.make(count), width)
        finally:
            home.close()
    return {"engine": kind.name, "rows": count, "quasi": width, **found}


def steps(folder: str, table: Named, width: int) -> dict[str, Any]:
    """Return seconds and memory of each step."""
    found: dict[str, Any] = {}
    for step in ("tally", "frontier", "release", "verify"):
        taken = apart(f"benchmarks.scale:{step}", table=table, width=width, folder=folder)
        children = taken.pop("children MB", 0.0)
        memory = taken.pop("peak MB") + children
        found |= {f"{step} s": taken.pop("seconds"), f"{step} MB": memory, **taken}
    return found


def children_mb() -> float:
    """Return the peaks of the programs that this process has started and that still run."""
    total = 0.0
    for listed in Path("/proc/self/task").glob("*/children"):
        for child in listed.read_text().split():
            status = Path(f"/proc/{child}/status").read_text()
            total += sum(int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line) / 1024
    return total


@contextmanager
def opened(table: Named, width: int, folder: str) -> Iterator[Any]:
    """Open the study of a table."""
    from shoal import Study
    from shoal.describe.places import Place

    where: Any = table["table"]
    if "engine" in table:
        where = Place(table["engine"], table["table"], table["url"])
    spill = Path(folder) / "spilled"
    with Study(where, **specified(width), threads=2, memory_limit=MEMORY, temp_directory=spill) as study:
        yield study


def tally(table: Named, width: int, folder: str) -> dict[str, Any]:
    """Take the tally with the sensitive column."""
    with opened(table, width, folder) as study:
        with Stopwatch() as watch:
            taken = study.tally(DIAGNOSIS.name)
        return {
            "seconds": _seconds(watch, table),
            "combinations": len(taken),
            "cells": len(taken.cell_counts),
            "children MB": children_mb(),
        }


def frontier(table: Named, width: int, folder: str) -> dict[str, Any]:
    """Find the frontier at 1% suppressed, and keep it."""
    with opened(table, width, folder) as study:
        front = study.frontier(suppress="1%", time_limit=300)
        (Path(folder) / "frontier.json").write_text(json.dumps(front.to_dict()))
        return {
            "seconds": front.seconds,
            "points": len(front),
            "certified": front.certified,
            "children MB": children_mb(),
        }


def release(table: Named, width: int, folder: str) -> dict[str, Any]:
    """Release the point with the smallest k of 10 or more."""
    document = json.loads((Path(folder) / "frontier.json").read_text())
    point = min((p for p in document["points"] if p["k"] >= 10), key=lambda p: p["k"])
    with opened(table, width, folder) as study:
        with Stopwatch() as watch:
            made = study.release({"node": point["node"], "k": point["k"]}, seed=1)
            made.write(_out(table, folder), into=table.get("into"))
        return {
            "seconds": _seconds(watch, table),
            "k": point["k"],
            "children MB": children_mb(),
        }


def verify(table: Named, width: int, folder: str) -> dict[str, Any]:
    """Verify the release from its rows."""
    from shoal.verification.release_check import verify_release

    _with_password(table)
    with Stopwatch() as watch:
        verdict = verify_release(_out(table, folder))
    return {
        "seconds": _seconds(watch, table),
        "holds": verdict.holds,
        "children MB": children_mb(),
    }


def _seconds(watch: Stopwatch, table: Named) -> float:
    """Return those of the processor, and of the clock where another program does the work."""
    return watch.wall if "engine" in table else watch.cpu


def _out(table: Named, folder: str) -> Path:
    return Path(folder) / ("released.yaml" if "into" in table else "released.parquet")


def _with_password(table: Named) -> None:
    """Give the environment what a released file does not tell: user and password."""
    found = urlsplit(table.get("url", ""))
    if found.password:
        os.environ |= {"PGUSER": found.username or "", "PGPASSWORD": found.password}


if __name__ == "__main__":
    alone(__file__)
