"""Claim: the exact method serves lattices of any size: a time limit holds, and what it returns helps.

A made-up table of 15 quasi attributes (more than a billion nodes) under time limits, and one of ten
(about a million nodes) to the end or to a minute; each in a process of its own. The peer is the
exhaustive search, cut off by the longest limit.
"""

from __future__ import annotations

from typing import Any

from benchmarks.made import made_study
from benchmarks.runner import Options, alone
from benchmarks.table import Result
from benchmarks.timing import apart

BILLION = (6, 5, 4, 4, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2)
MILLION = (6, 4, 4, 3, 3, 3, 3, 2, 2, 2)
ROWS = 20_000
K = 5


def run(options: Options) -> Result:
    if options.quick:
        cases = [(BILLION, 0.05, 100, "exact"), (MILLION[:4], 0.5, 100, "exact")]
    else:
        cases = [
            (heights, limit, ROWS, method)
            for heights, limits in ((BILLION, (1.0, 5.0, 20.0)), (MILLION, (1.0, 5.0, 60.0)))
            for method, limit in [
                *(("exact", limit) for limit in limits if options.full or limit != 20.0),
                ("exhaustive", limits[-1] if options.full else limits[1]),
            ]
        ]
    rows = [
        apart("benchmarks.large_lattice:search", heights=heights, limit=limit, rows=rows, method=method)
        for heights, limit, rows, method in cases
    ]
    notes = [
        f"loss: LM's lowest for k of {K} or more, in percent of the most; peak MB: the whole process"
    ]
    return Result(f"Large lattices, {rows[0]['rows']:,} rows, 1% suppressed at most", rows, notes)


def search(heights: list[int], limit: float, rows: int, method: str) -> dict[str, Any]:
    """Search one made-up lattice, in this process."""
    with made_study(rows, heights) as study:
        front = study.frontier(suppress="1%", method=method, time_limit=limit)
    most = rows * len(heights)
    return {
        "rows": rows,
        "attributes": len(heights),
        "nodes": front.nodes,
        "method": method,
        "limit s": limit,
        "search s": front.seconds,
        "evaluated": front.evaluated,
        "points": len(front),
        "certified": front.certified,
        f"loss at k >= {K}, %": min(
            (100 * point.loss / most for point in front if point.k >= K), default=None
        ),
    }


if __name__ == "__main__":
    alone(__file__)
