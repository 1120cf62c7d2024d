"""Claim: columns that a question does not need cost nothing: 1 million rows of 200 or 800 columns in 2 GB.

Tables that DuckDB makes: in seven cells of ten a row has the value of one of 2,000 profiles, so columns
depend on each other; values are skewed. The first 30 columns are quasi, and with so many nearly every row is
unique. Each question runs in a process of its own, two threads: the risk, a search, and the release of what
it found, with all columns, as Parquet with its papers; DuckDB has 1 GB for the latter two. A table of 800
columns that are all quasi is not here: its codes alone take 3.2 GB.
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmarks.runner import Options
from benchmarks.table import Result
from benchmarks.timing import apart, peak_mb

if TYPE_CHECKING:
    from shoal import Study

ROWS = 1_000_000
COLUMNS = (30, 200, 800)
QUASI = 30
VALUES = (2, 3, 5, 8, 12, 20, 50, 100)
LIMIT = "1GB"


def run(options: Options) -> Result:
    rows: list[dict[str, Any]] = []
    count = 200 if options.quick else ROWS
    for columns in (QUASI + 2,) if options.quick else COLUMNS if options.full else COLUMNS[1:2]:
        with TemporaryDirectory() as folder:
            given = {"table": str(Path(folder) / "rows.parquet"), "rows": count, "columns": columns}
            apart("benchmarks.wide_tables:make", **given)
            rows.append(apart("benchmarks.wide_tables:risk", **given))
            rows.append(
                apart(
                    "benchmarks.wide_tables:genetic",
                    **given,
                    limit=0.1 if options.quick else 120 if options.full else 10,
                )
            )
            rows.append(apart("benchmarks.wide_tables:release", **given))
    notes = ["seconds: of the processor, all threads; peak: of the whole process, DuckDB included"]
    return Result(f"Wide tables, {QUASI} quasi columns", rows, notes)


def make(table: str, rows: int, columns: int) -> dict[str, Any]:
    """Write a table, in this process."""
    import duckdb

    def column(a: int) -> str:
        own = f"CASE WHEN hash(i * 1009 + {a}) % 10 < 7 THEN hash(i) % 2000 ELSE i END"
        part = f"hash({own} * 4001 + {a}) / 18446744073709551616.0"
        return f"CAST(floor({VALUES[a % 8]} * pow({part}, 2)) AS INT) AS c{a}"

    chosen = ", ".join(column(a) for a in range(columns))
    with duckdb.connect(config={"threads": 2, "memory_limit": LIMIT}) as connection:
        connection.execute(f"COPY (SELECT {chosen} FROM range({rows}) t(i)) TO '{table}'")
    return {}


def _figures(question: str, rows: int, columns: int, begun: float) -> dict[str, Any]:
    return {
        "question": question,
        "rows": rows,
        "columns": columns,
        "seconds": round(time.process_time() - begun, 1),
        "peak MB": round(peak_mb()),
    }


def risk(table: str, rows: int, columns: int) -> dict[str, Any]:
    """Measure the risk over the quasi columns, in this process."""
    import shoal

    begun = time.process_time()
    shoal.risk(table, quasi=[f"c{a}" for a in range(QUASI)])
    return _figures("risk", rows, columns, begun)


def genetic(table: str, rows: int, columns: int, limit: float) -> dict[str, Any]:
    """Anonymize by one level a column, in this process, and keep the answer beside the table."""
    from shoal.cli.output import save

    begun = time.process_time()
    with _study(table, columns) as study:
        found = study.anonymize("genetic", k=5, suppress="5%", time_limit=limit)
        save(_solution(table), found, False)
    return _figures(f"genetic, k = 5, {limit} s at most", rows, columns, begun)


def release(table: str, rows: int, columns: int) -> dict[str, Any]:
    """Release the answer beside the table with all columns, in this process."""
    from shoal.release.solutions import read_solution

    begun = time.process_time()
    with _study(table, columns) as study:
        study.release(read_solution(_solution(table)), seed=1).write(
            Path(table).with_name("out.parquet")
        )
    return _figures("release", rows, columns, begun)


def _solution(table: str) -> Path:
    return Path(table).with_name("solution.json")


def _study(table: str, columns: int) -> Study:
    from shoal import Study
    from shoal.describe.hierarchies import Hierarchy

    quasi = {
        f"c{a}": Hierarchy.from_rows([(str(v), f"{v // 4 * 4}+", "*") for v in range(VALUES[a % 8])])
        for a in range(QUASI)
    }
    others = [f"c{a}" for a in range(QUASI, columns)]
    return Study(table, quasi=quasi, insensitive=others, threads=2, memory_limit=LIMIT)
