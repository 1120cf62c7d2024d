"""Claim: the table stays in its engine, so a hundred million rows need minutes and little memory.

The same made-up table, row for row, is generated inside each engine by arithmetic alone. Then every step of
the job runs in a process of its own: the tally, the frontier on it, a release, and its verification.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks.runner import Options, alone
from benchmarks.table import Result
from benchmarks.timing import apart

PRIME = 2_147_483_647
MEMORY = "2GB"
"""For DuckDB; what does not fit goes to disk."""


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


class DuckDBFile:
    """Parquet read by DuckDB."""

    name = "DuckDB"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def make(self, rows: int) -> str:
        """Make the table, and return what a study needs to find it."""
        import duckdb

        path = self._folder / f"people-{rows}.parquet"
        with duckdb.connect(config={"memory_limit": MEMORY}) as connection:
            source = rows_sql(f"range({rows}) AS numbers(i)", "i")
            connection.execute(f"COPY ({source}) TO '{path}' (FORMAT parquet)")
        return str(path)


def run(options: Options) -> Result:
    rows: list[dict[str, Any]] = []
    sizes = options.rows or ((5_000,) if options.quick else (1_000_000, 10_000_000, 100_000_000))
    with TemporaryDirectory() as name:
        folder = Path(name).absolute()
        for count in sizes:
            home = DuckDBFile(folder)
            table = home.make(count)
            for width in (5, 9):
                rows.append(
                    {"engine": home.name, "rows": count, "quasi": width, **steps(folder, table, width)}
                )
                print(rows[-1], flush=True)
    return Result(
        "The whole job by engine, rows and quasi attributes; two threads",
        rows,
        ["peak MB: of Shoal's process"],
    )


def steps(folder: Path, table: str, width: int) -> dict[str, Any]:
    """Return seconds and memory of each step, each in a process of its own."""
    given = {"table": table, "width": width, "folder": str(folder)}
    found: dict[str, Any] = {}
    for step in ("tally", "frontier", "release", "verify"):
        taken = apart(f"benchmarks.scale:{step}", **given)
        found |= {f"{step} s": taken.pop("seconds"), f"{step} MB": taken.pop("peak MB"), **taken}
    return found


@contextmanager
def opened(table: str, width: int, folder: str) -> Iterator[Any]:
    """Open the study of a table."""
    from shoal import Study

    with Study(
        table,
        **specified(width),
        threads=2,
        memory_limit=MEMORY,
        temp_directory=Path(folder) / "spilled",
    ) as study:
        yield study


def tally(table: str, width: int, folder: str) -> dict[str, Any]:
    """Take the tally with the sensitive column, which the release needs too."""
    with opened(table, width, folder) as study:
        start = time.perf_counter()
        taken = study.tally(DIAGNOSIS.name)
        seconds = time.perf_counter() - start
        return {"seconds": seconds, "combinations": len(taken), "cells": len(taken.cell_counts)}


def frontier(table: str, width: int, folder: str) -> dict[str, Any]:
    """Find the frontier at 1% suppressed, and keep it."""
    import json

    with opened(table, width, folder) as study:
        front = study.frontier(suppress="1%", time_limit=300)
        (Path(folder) / "frontier.json").write_text(json.dumps(front.to_dict()))
        return {"seconds": front.seconds, "points": len(front), "certified": front.certified}


def release(table: str, width: int, folder: str) -> dict[str, Any]:
    """Release the point with k of 10 or more; the tally it needs is counted too."""
    import json

    document = json.loads((Path(folder) / "frontier.json").read_text())
    with opened(table, width, folder) as study:
        start = time.perf_counter()
        point = min((p for p in document["points"] if p["k"] >= 10), key=lambda p: p["k"])
        made = study.release({"node": point["node"], "k": point["k"]}, seed=1)
        made.write(Path(folder) / "released.parquet", force=True)
        return {"seconds": time.perf_counter() - start, "k": point["k"]}


def verify(table: str, width: int, folder: str) -> dict[str, Any]:
    """Verify the release from its rows."""
    from shoal.verify import verify_release

    start = time.perf_counter()
    verdict = verify_release(Path(folder) / "released.parquet")
    return {"seconds": time.perf_counter() - start, "holds": verdict.holds}


if __name__ == "__main__":
    alone(__file__)
