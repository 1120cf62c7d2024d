"""Claim: what is kept of a recoding by groups is at most three times as large as the released table.

All combinations of values are kept as they were, so that does not hold where labels say next to nothing about
them: local recoding of amounts, whose labels are those of the hierarchies, shows how far that goes.

Adult's nine attributes, where the data is here, and tables of 24 columns: 14 amounts and a date of birth with
thousands of values, and nine columns of few values, as in tables of bank customers. At k = 5: the most memory
that search, saved solution and releases took, and the sizes of the files. The record is counted with the
groups and hierarchies beside it; `times` is the larger of solution and record beside the released table.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks import multidimensional
from benchmarks.data import shared_folder
from benchmarks.runner import Options, alone
from benchmarks.table import Result
from benchmarks.timing import apart, peak_mb
from shoal import Study
from shoal.answers.anonymization import Anonymization
from shoal.cli.output import save

K = 5
AMOUNTS, STATES = 14, 7
SIZES = (30_000, 200_000, 1_000_000)
COARSE = 10_000
"""Rows that local recoding gives labels which say next to nothing about the amounts."""
FORMATS = ("csv", "parquet")
BESIDE = (".record.json", ".groups.parquet", ".hierarchies.parquet")
"""What is kept for the curator of a release, beside the reports."""
ADULT, BANK = "Adult, 9 columns", "made up, 24 columns"


def run(options: Options) -> Result:
    sizes = (200,) if options.quick else SIZES if options.full else SIZES[:1]
    asked: list[dict[str, Any]] = [
        {"table": BANK, "rows": rows, "algorithm": "mondrian"} for rows in sizes
    ]
    asked.append({"table": BANK, "rows": min(COARSE, sizes[0]), "algorithm": "local-recoding"})
    notes = [
        f"k = {K}, Mondrian within 120 s, local recoding within 15 s; sizes in MB, memory in GB",
        "record: with the groups and hierarchies beside it; times: the larger of both, released: 1",
    ]
    if (shared_folder() / "arx-12960").is_dir():
        rows = 500 if options.quick else 30_162
        adult = [
            {"table": ADULT, "rows": rows, "algorithm": name} for name in ("mondrian", "local-recoding")
        ]
        asked = [*adult, *asked]
    else:
        notes.append("Adult's hierarchies arx-12960 are not here")
    lines = []
    for one in asked:
        limit = 15 if one["algorithm"] == "local-recoding" else 120
        found = apart("benchmarks.group_files:measured", **one, limit=limit)
        peak = {name: value for name, value in found.items() if name != "formats"}
        lines += [line | peak for line in found["formats"]]
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


def measured(table: str, rows: int, algorithm: str, limit: float) -> dict[str, Any]:
    """Search, save and release one table in each format, in this process."""
    adult = table == ADULT
    own = (
        multidimensional.study_of(shared_folder(), multidimensional.NINE, rows)
        if adult
        else study_of(rows)
    )
    with tempfile.TemporaryDirectory() as folder, own as study:
        begun = time.process_time()
        found = study.anonymize(algorithm, k=K, time_limit=limit)
        sizes = {ending: kept(study, found, Path(folder) / ending, ending) for ending in FORMATS}
        told = {"table": table, "rows": rows, "algorithm": algorithm}
        taken = {
            "memory": peak_mb() / 1000,
            "CPU s": time.process_time() - begun,
            "lost": found.shares["LM"],
        }
        lines = [
            {
                **told,
                "format": ending,
                "released": released / 1e6,
                "solution": solution / 1e6,
                "record": record / 1e6,
                "times": max(solution, record) / released,
                **taken,
            }
            for ending, (released, solution, record) in sizes.items()
        ]
        return {"formats": lines}


def kept(study: Study, found: Anonymization, folder: Path, ending: str) -> tuple[int, int, int]:
    """Save and release an answer in a new folder.

    Returns the bytes of the released table, of the saved solution, and of the record with all beside it.
    """
    folder.mkdir()
    save(folder / "solution.json", found, False)
    size = {path.name: path.stat().st_size for path in folder.iterdir()}
    out = folder / f"out.{ending}"
    study.release(found, seed=1).write(out)
    beside = [out.with_name(out.name + suffix) for suffix in BESIDE]
    record = sum(path.stat().st_size for path in beside if path.exists())
    return out.stat().st_size, sum(size.values()), record


if __name__ == "__main__":
    alone(__file__)
