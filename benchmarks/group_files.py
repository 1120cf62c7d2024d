"""Claim: what is kept of a recoding by groups is at most three times as large as the released table.

Tables of 24 columns: 14 amounts and a date of birth with thousands of values, and nine columns of few values,
as in tables of bank customers. Mondrian at k = 5: the most memory that search, saved solution and release
took, and the sizes of the files.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.runner import Options, alone
from benchmarks.table import Result
from benchmarks.timing import apart, peak_mb
from shoal import Study
from shoal.cli.output import save

K = 5
AMOUNTS, STATES = 14, 7
SIZES = (30_000, 200_000, 1_000_000)


def run(options: Options) -> Result:
    sizes = (200,) if options.quick else SIZES if options.full else SIZES[:1]
    lines = [apart("benchmarks.group_files:kept", rows=rows, limit=120) for rows in sizes]
    notes = [f"Mondrian, k = {K}, intervals and sets, within 120 s; sizes in MB, memory in GB"]
    return Result("Files of groups: sizes and memory", lines, notes)


def study_of(rows: int, seed: int = 1) -> Study:
    """A study like a table of bank customers: amounts that hang together, states of payment, three traits."""
    rng = np.random.default_rng(seed)
    wealth = rng.lognormal(0, 1, rows)
    table: dict[str, Any] = {}
    quasi: dict[str, Any] = {}
    for a in range(AMOUNTS):
        paid = np.minimum(wealth * rng.lognormal(0, 0.7, rows) * 3000, 99_999).astype(np.int64)
        paid[rng.random(rows) < 0.1] = 0
        table[f"amount{a}"] = pa.array(paid).cast(pa.string())
        quasi[f"amount{a}"] = {"intervals": {"origin": 0, "widths": [100, 1000, 10_000]}}
    for a in range(STATES):
        table[f"state{a}"] = pa.array(np.minimum(rng.zipf(1.6, rows), 10)).cast(pa.string())
        quasi[f"state{a}"] = {"intervals": {"origin": 0, "widths": [2, 6]}}
    born = np.datetime64("1940-01-01") + rng.integers(0, 20_000, rows)
    table["born"] = pa.array(born.astype(str))
    quasi["born"] = {"dates": ["month", "year"]}
    table["sex"] = pa.array(rng.choice(["f", "m"], rows))
    quasi["sex"] = {"*": ["f", "m"]}
    table["school"] = pa.array(rng.choice(["none", "low", "middle", "high"], rows))
    quasi["school"] = {"*": {"short": ["none", "low"], "long": ["middle", "high"]}}
    return Study(pa.table(table), quasi=quasi)


def kept(rows: int, limit: float) -> dict[str, Any]:
    """Search, save and release one table, in this process."""
    with tempfile.TemporaryDirectory() as folder, study_of(rows) as study:
        place, begun = Path(folder), time.process_time()
        found = study.anonymize("mondrian", k=K, time_limit=limit)
        save(place / "solution.json", found, False)
        study.release(found, seed=1).write(place / "out.csv")
        size = {path.name: path.stat().st_size / 1e6 for path in place.iterdir() if path.is_file()}
        return {
            "rows": rows,
            "memory": peak_mb() / 1000,
            "CPU s": time.process_time() - begun,
            "released": size["out.csv"],
            "solution": size["solution.json"] + size.get("solution.json.groups.parquet", 0),
            "record": size["out.csv.record.json"] + size.get("out.csv.groups.parquet", 0),
            "lost": found.shares["LM"],
        }


if __name__ == "__main__":
    alone(__file__)
