"""Claim: a tally takes no more memory than its estimate, so that the budget is kept, and a coarser one less.

Tables of nothing but different combinations, made by DuckDB; each is counted and its frontier searched in a
process of its own, two threads, DuckDB held to 1 GB. Peaks are above what the process held before, and hold
some 60 MB of code that is loaded meanwhile (--quick shows it).
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.runner import Options, alone
from benchmarks.table import Result
from benchmarks.timing import apart, peak_mb, processor

ROWS = ((1_000_000, 5), (5_000_000, 5), (5_000_000, 9), (20_000_000, 5))
VALUES = 100
LIMIT = "1GB"


def run(options: Options) -> Result:
    rows: list[dict[str, Any]] = []
    asked = (
        [(count, 5) for count in options.rows]
        if options.rows
        else list(ROWS if options.full else ROWS[:2])
    )
    for count, columns in [(200, 5)] if options.quick else asked:
        with TemporaryDirectory() as folder:
            table = str(Path(folder) / "rows.parquet")
            given = {"table": table, "count": count, "columns": columns}
            apart("benchmarks.budget:make", **given)
            rows += [apart("benchmarks.budget:search", **given, coarse=way) for way in (False, True)]
    notes = [
        "estimate: what the budget charges for the combinations; peaks: above the idle process",
        f"tally peak: DuckDB included, which may hold {LIMIT}; frontier peak: DuckDB is closed by then",
        "coarse: counted from level 1 of the first attribute on (10 labels for 100 values)",
    ]
    return Result("Memory of tallies and frontiers, beside the estimate", rows, notes)


def make(table: str, count: int, columns: int) -> dict[str, Any]:
    """Write a table of different combinations, in this process."""
    import duckdb

    # The last columns vary with the first ones, so that no hierarchy is needed to make rows different.
    digits = [f"(i // {VALUES ** min(a, 4)} + {a} * (i % 7)) % {VALUES} AS q{a}" for a in range(columns)]
    digits[0] = f"i % {VALUES} AS q0"
    with duckdb.connect(config={"threads": 2, "memory_limit": LIMIT}) as connection:
        connection.execute(f"COPY (SELECT {', '.join(digits)} FROM range({count}) t(i)) TO '{table}'")
    return {}


def search(table: str, count: int, columns: int, coarse: bool) -> dict[str, Any]:
    """Take the tally and search the frontier, in this process."""
    from shoal import Study
    from shoal.data.budget import memory_of

    names = [f"q{a}" for a in range(columns)]
    widths = {"intervals": {"origin": 0, "widths": [10, 50]}}
    levels = {name: (0, 3) if a < 4 else (0, 1) for a, name in enumerate(names)}
    # A budget that the fine tally does not fit into is what makes the coarse one.
    budget = memory_of(count, columns) - 1
    if coarse:
        levels["q0"] = (1, 3)
    start = processor()
    with Study(
        table,
        quasi=dict.fromkeys(names, widths),
        levels=levels,
        threads=2,
        memory_limit=LIMIT,
        temp_directory=Path(table).parent / "spilled",
        tally_memory=budget if coarse else budget + 1,
    ) as study:
        idle = peak_mb()
        tally = study.tally()
        counted, taken = processor() - start, peak_mb() - idle
        found = study.frontier()
    estimate = memory_of(len(tally), columns) / (1 << 20)
    return {
        "rows": count,
        "columns": columns,
        "coarse": bool(tally.coarse),
        "combinations": len(tally),
        "tally s": counted,
        "frontier s": found.seconds,
        "estimate MB": estimate,
        "tally peak MB": taken,
        "frontier peak MB": peak_mb() - idle,
        "idle MB": idle,
    }


if __name__ == "__main__":
    alone(__file__)
