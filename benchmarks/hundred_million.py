"""Claim: a hundred million rows are counted in seconds and released in minutes, with 2 GB for DuckDB.

The table and the steps are those of `scale.py`, with five quasi attributes; making the
table is not measured.
"""

from __future__ import annotations

from benchmarks.runner import Options, alone
from benchmarks.scale import NOTES, DuckDBHome, whole_job
from benchmarks.table import Result

ROWS, QUICK = 100_000_000, 500
WIDTH = 5


def run(options: Options) -> Result:
    sizes = options.rows or ((QUICK if options.quick else ROWS),)
    rows = [whole_job(DuckDBHome, count, WIDTH) for count in sizes]
    return Result("A hundred million rows on DuckDB; two threads", rows, NOTES[:1])


if __name__ == "__main__":
    alone(__file__)
