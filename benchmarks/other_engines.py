"""Claim: a table is counted, released and verified where it lies, on PostgreSQL and on Spark, too.

A million rows with nine quasi attributes; the table and the steps are those of `scale.py`, which has more
sizes (`--full`). An engine that is not installed is left out.
"""

from __future__ import annotations

from benchmarks.runner import Options, SkipError, alone
from benchmarks.scale import NOTES, Home, PostgresHome, SparkHome, whole_job
from benchmarks.table import Result

BY_THE_WALL = True
ROWS, QUICK = 1_000_000, 500
WIDTH = 9


def run(options: Options) -> Result:
    # Spark takes half a minute to start, which says nothing about whether this runs.
    homes: tuple[Home, ...] = (PostgresHome,) if options.quick else (PostgresHome, SparkHome)
    missing = {kind.name: why for kind in homes if (why := kind.missing())}
    sizes = options.rows or ((QUICK if options.quick else ROWS),)
    rows = [whole_job(kind, n, WIDTH) for kind in homes if kind.name not in missing for n in sizes]
    left_out = [f"{name} is left out: {why}" for name, why in missing.items()]
    if not rows:
        raise SkipError("; ".join(missing.values()))
    return Result("The whole job on PostgreSQL and Spark; two threads", rows, [*NOTES, *left_out])


if __name__ == "__main__":
    alone(__file__)
