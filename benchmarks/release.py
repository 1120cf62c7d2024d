"""Claim: ten million rows go from the table to a verified release in about a minute, memory bounded.

A made-up hospital table in Parquet; the tally, a release with k = 10 and its verification from the written
file, in one process with two threads, once as DuckDB likes it and once with 1 GB for it. The peer is the
same SELECT without any recoding, in random order, to Parquet.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.runner import Options, alone
from benchmarks.table import Result
from benchmarks.timing import apart, processor
from shoal.demo import write_hospital

ROWS = (1_000_000, 10_000_000)
NODE = {"age": 3, "sex": 0, "zip": 4, "occupation": 3, "admission-date": 2}


def run(options: Options) -> Result:
    rows: list[dict[str, Any]] = []
    for count in options.rows or ((1_000,) if options.quick else ROWS if options.full else ROWS[:1]):
        with TemporaryDirectory() as folder:
            study = write_hospital(Path(folder), count, format="parquet")
            peer = apart("benchmarks.release:copy", study=str(study))
            for limit in ("1GB",) if options.quick else (None, "1GB"):
                made = apart("benchmarks.release:release", study=str(study), memory_limit=limit)
                total = made["tally s"] + made["release s"]
                rows.append(
                    {
                        "rows": count,
                        "memory limit": limit or "none",
                        **made,
                        "plain copy s": peer["seconds"],
                        "times the copy": total / peer["seconds"],
                    }
                )
    return Result(
        "Release of a hospital table: five quasi attributes, k = 10, to Parquet, verified; two threads",
        rows,
        ["release s: apply, write, verify, papers and reports; peak MB: of the whole process"],
    )


def release(study: str, memory_limit: str | None) -> dict[str, Any]:
    """Release one table, in this process."""
    from shoal import Study

    out = Path(study).parent / "out.parquet"
    spill = Path(study).parent / "spilled"
    with Study.open(study, threads=2, memory_limit=memory_limit, temp_directory=spill) as opened:
        start = processor()
        opened.tally()
        taken = processor()
        published = opened.release({"node": NODE, "k": 10}, seed=1).write(out, force=True)
        done = processor()
    return {
        "tally s": taken - start,
        "release s": done - taken,
        "released": published.verdict.measured.rows,
        "groups": published.verdict.measured.groups,
    }


def copy(study: str) -> dict[str, Any]:
    """Copy the released columns as they are, in random order, in this process."""
    import duckdb

    table = Path(study).parent / "hospital.parquet"
    names = ", ".join(f'"{name}"' for name in (*NODE, "diagnosis", "outcome"))
    connection = duckdb.connect(config={"threads": 2})
    start = processor()
    connection.execute(
        f"COPY (SELECT {names} FROM read_parquet('{table}') ORDER BY random()) "
        f"TO '{table.with_name('copy.parquet')}' (FORMAT parquet)"
    )
    seconds = processor() - start
    connection.close()
    return {"seconds": seconds}


if __name__ == "__main__":
    alone(__file__)
