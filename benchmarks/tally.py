"""Claim: the tally of millions of rows takes seconds, and its memory can be bounded.

A made-up hospital table in Parquet; each tally in a process of its own, two threads. The peer is the
plain GROUP BY over the same columns in DuckDB, which neither numbers the values nor leaves DuckDB.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.runner import Options, alone
from benchmarks.table import Result
from benchmarks.timing import apart, peak_mb, processor
from shoal.demo import write_hospital

ROWS = (1_000_000, 10_000_000)
OTHERS = ("diagnosis", "outcome")


def run(options: Options) -> Result:
    rows: list[dict[str, Any]] = []
    for count in options.rows or ((200,) if options.quick else ROWS if options.full else ROWS[:1]):
        with TemporaryDirectory() as folder:
            study = write_hospital(Path(folder), count, format="parquet")
            for others in (OTHERS,) if options.quick else ((), OTHERS):
                given = {"study": str(study), "others": others}
                peer = apart("benchmarks.tally:group", **given)
                for limit in ("1GB",) if options.quick else (None, "1GB"):
                    taken = apart("benchmarks.tally:take", **given, memory_limit=limit)
                    rows.append(
                        {
                            "rows": count,
                            "others": ", ".join(others) or "none",
                            "memory limit": limit or "none",
                            **taken,
                            "GROUP BY s": peer["seconds"],
                            "GROUP BY peak MB": peer["peak MB"],
                            "times GROUP BY": taken["seconds"] and taken["seconds"] / peer["seconds"],
                        }
                    )
    return Result(
        "Tally of a hospital table: age, sex, zip, occupation, admission-date; two threads",
        rows,
        ["peak MB: of the whole process; idle MB: of the same process before the tally"],
    )


def take(study: str, others: list[str], memory_limit: str | None) -> dict[str, Any]:
    """Take one tally, in this process."""
    from shoal import InputError, Study

    temporary = Path(study).parent / "spilled"
    with Study.open(study, threads=2, memory_limit=memory_limit, temp_directory=temporary) as opened:
        idle = peak_mb()
        start = processor()
        try:
            tally = opened.tally(*others)
        except InputError as problem:
            return {
                "seconds": None,
                "combinations": None,
                "cells": None,
                "idle MB": idle,
                "refusal": str(problem),
            }
        return {
            "seconds": processor() - start,
            "combinations": len(tally),
            "cells": len(tally.cell_counts),
            "idle MB": idle,
            "refusal": "",
        }


def group(study: str, others: list[str]) -> dict[str, Any]:
    """Count the same cells by a plain GROUP BY, in this process."""
    import duckdb

    from shoal import Study

    with Study.open(study) as opened:
        names = ", ".join(f'"{name}"' for name in (*opened.quasi, *others))
    table = Path(study).with_name("hospital.parquet")
    with duckdb.connect(config={"threads": 2}) as connection:
        start = processor()
        connection.execute(
            f"CREATE TEMP TABLE cells AS SELECT {names}, count(*) AS n FROM '{table}' GROUP BY {names}"
        )
        return {"seconds": processor() - start}


if __name__ == "__main__":
    alone(__file__)
