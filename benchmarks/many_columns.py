"""Claim: on lattices too large for a proof, one anytime search finds what loses least, whatever is asked.

Tables of many columns: *mach16* (73,489 rows, 16 columns) if it lies beside the shared data, and made-up ones
of 10, 16, 24 and 40 columns (30,000 rows, skewed values that hang together; of 24 columns 5.2e13 nodes). The
share of detail lost (LM) at k = 5 by each method within so many seconds of CPU, all threads together, and the
proven bound. Limits are in seconds of CPU here, so that other programs matter little. The genetic search of
50 generations is what Flash had before for such lattices. ARX is not run; of *mach16* with 10% suppressed it
loses .5552 after 4 s, the best of its four heuristics, measured elsewhere.

The methods that people begin with, `frontier` and `flash`, are asked every time, with every amount; with
`--full`, all methods up to 30 s on *mach16* and on 24 and 40 columns with 10% suppressed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from benchmarks.data import shared_folder
from benchmarks.made import many_columns
from benchmarks.runner import Options, alone
from benchmarks.table import Result
from benchmarks.timing import apart
from shoal import NoSolutionError, Study

K = 5


METHODS = ("frontier", "flash", "frontier of cuts", "k-optimize", "genetic", "genetic, 50 generations")
SECONDS = (1, 3, 10, 30)
SUPPRESS = ("0%", "1%", "10%", "100%")


def run(options: Options) -> Result:
    tables, seconds, amounts, rows = ("10", "16", "24", "40"), SECONDS[:2], SUPPRESS, 30_000
    methods = METHODS[:2]
    if options.quick:
        tables, seconds, amounts, rows = ("10",), (0.05,), ("10%",), 100
    elif options.full:
        tables, seconds, amounts, methods = ("24", "40"), SECONDS, ("10%",), METHODS
    if not options.quick and (shared_folder().parent / "mach16").is_dir():
        tables = ("mach16", *tables)
    lines = []
    for table in tables:
        for suppress in amounts:
            found = apart(
                "benchmarks.many_columns:search",
                table=table,
                rows=rows,
                suppress=suppress,
                methods=methods,
                limits=seconds,
            )["found"]
            for method, cells in zip(methods, found, strict=True):
                line: dict[str, Any] = {"table": table, "suppressed at most": suppress, "method": method}
                for limit, cell in zip(seconds, cells, strict=True):
                    line[f"lost, {limit} s"] = cell["lost"]
                line["CPU s"], line["bound"] = cells[-1]["cpu"], cells[-1]["bound"]
                lines.append(line)
    notes = ["lost: share of LM's most; CPU s and bound: of the longest search", f"k = {K}"]
    return Result("Many columns: the share of detail lost", lines, notes)


def study_of(table: str, rows: int) -> Study:
    """The study of a table by its name, or made up with so many columns."""
    if table != "mach16":
        return many_columns(int(table), rows)
    folder = shared_folder().parent / "mach16"
    hierarchies = {path.stem: path for path in sorted((folder / "hierarchies").glob("*.csv"))}
    return Study(folder / "mach16.csv", quasi=hierarchies)


def search(
    table: str, rows: int, suppress: str, methods: Sequence[str], limits: Sequence[float]
) -> dict[str, Any]:
    """Search one table by each method within each limit, in this process; limits are seconds of CPU."""
    with study_of(table, rows) as study:
        study.tally()
        study.problem()
        return {
            "found": [[_searched(study, suppress, one, limit) for limit in limits] for one in methods]
        }


def _searched(study: Study, suppress: str, method: str, limit: float) -> dict[str, Any]:
    rows = study.problem().rows
    if method.startswith("frontier") and suppress == "100%":
        suppress = str(rows - K)  # all rows would leave no k
    begun = time.process_time()
    name, _, generations = method.partition(", ")
    given: dict[str, Any] = {"suppress": suppress, "time_limit": limit}
    lost = bound = None
    if method.startswith("frontier"):
        recoding = "cuts" if method.endswith("cuts") else "nodes"
        points = study.frontier(**given, recoding=recoding)
        lost = min((one.share for one in points if one.k >= K), default=None)
    else:
        more = {"options": {"generations": 50}} if generations else {}
        try:
            found = study.anonymize(name, k=K, **given, **more)
        except NoSolutionError:
            pass
        else:
            lost = found.shares["LM"]
            bound = found.decision().details.get("lower_bound")
    return {
        "lost": lost,
        "bound": None if bound is None else bound / (rows * len(study.quasi)),
        "cpu": time.process_time() - begun,
    }


if __name__ == "__main__":
    alone(__file__)
