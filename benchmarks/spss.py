"""Claim: a file of SPSS with five million rows is read, released as one and verified within 2 GB.

A made-up survey of eight coded variables with labels and user-missing codes and a text. It is counted and
released with k = 5, in one process with two threads and 1 GB for DuckDB.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.runner import Options, alone
from benchmarks.table import Result
from benchmarks.timing import apart, processor

ROWS = (1_000_000, 5_000_000)
CODES = {"sex": 2, "age": 80, "region": 16, "school": 7, "job": 40, "income": 12, "ill": 30, "year": 5}
QUASI = ("sex", "region", "school")


def run(options: Options) -> Result:
    rows: list[dict[str, Any]] = []
    for count in options.rows or ((200,) if options.quick else ROWS if options.full else ROWS[:1]):
        with TemporaryDirectory() as folder:
            made = apart("benchmarks.spss:make", folder=folder, rows=count)
            told = apart("benchmarks.spss:release", folder=folder)
            rows.append({"rows": count, "file MB": made["MB"], **told})
    return Result(
        "A file of SPSS with nine variables: read and counted, released as .sav with k = 5, verified",
        rows,
        ["release s: apply, write, verify, papers and reports; peak MB: of the whole process"],
    )


def make(folder: str, rows: int) -> dict[str, Any]:
    """Write the file, in this process."""
    import numpy as np
    import polars as pl
    import pyreadstat

    drawn = np.random.default_rng(1)
    columns: dict[str, Any] = {
        name: drawn.integers(0, n + 1, rows).astype(float) for name, n in CODES.items()
    }
    columns["town"] = drawn.choice(np.array([f"Town {i}" for i in range(50)]), rows)
    path = Path(folder) / "survey.sav"
    pyreadstat.write_sav(
        pl.DataFrame(columns),
        path,
        column_labels={name: f"The {name} of the person" for name in CODES},
        variable_value_labels={
            name: {float(i): f"{name} {i}" for i in range(n + 1)} for name, n in CODES.items()
        },
        missing_ranges={name: [0.0] for name in CODES},
    )
    return {"MB": path.stat().st_size / (1 << 20)}


def release(folder: str) -> dict[str, Any]:
    """Count and release the file, in this process."""
    from shoal import Study

    path, spill = Path(folder) / "survey.sav", Path(folder) / "spilled"
    quasi: dict[str, Any] = {}
    for name in QUASI:
        values = [str(i) for i in range(1, CODES[name] + 1)]
        quasi[name] = {"*": {"low": values[: len(values) // 2], "high": values[len(values) // 2 :]}}
    start = processor()
    with Study(
        path,
        quasi=quasi,
        sensitive="ill",
        insensitive=["age", "job", "income", "year", "town"],
        threads=2,
        memory_limit="1GB",
        temp_directory=spill,
    ) as study:
        study.tally()
        counted = processor()
        solution = study.anonymize("flash", k=5)
        published = study.release(solution, seed=1).write(Path(folder) / "out.sav")
        done = processor()
    return {
        "read and tally s": counted - start,
        "release s": done - counted,
        "released": published.verdict.measured.rows,
        "k": published.verdict.measured.k,
    }


if __name__ == "__main__":
    alone(__file__)
