"""Claim: what privacy costs by any means, twenty values of k on Adult, is known within 15 s on two cores.

The nine attributes of `arx-12960`, LM, nothing suppressed: nodes and cuts proven, local recoding and Mondrian
found, and the loss that no recoding with labels of the hierarchies goes below.
"""

from __future__ import annotations

import time

from benchmarks.data import ARX_ATTRIBUTES, arx
from benchmarks.runner import Options, alone
from benchmarks.table import Result
from shoal import PrivacyCosts

THREADS = 2


def run(options: Options) -> Result:
    quasi = ARX_ATTRIBUTES[:4] if options.quick else ARX_ATTRIBUTES
    with arx().study(quasi, threads=THREADS) as study:
        study.tally()
        cpu = time.process_time()
        costs = study.frontier(recoding="all", max_k=10 if options.quick else None)
        cpu = time.process_time() - cpu
    assert isinstance(costs, PrivacyCosts)
    shown = costs.as_table()
    rows = [
        {
            column.title or column.name: column.values[i]
            if column.name == "k"
            else round(column.values[i], 4)
            for column in shown.columns
        }
        for i in range(len(costs.ks))
    ]
    proven = all(curve.certified for curve in costs.curves if curve.name in ("nodes", "cuts"))
    notes = [
        f"{len(costs.ks)} values of k: {costs.seconds:.1f} s on {THREADS} threads, {cpu:.1f} s of processor",
        f"shares of LM; nodes and cuts proven: {proven}",
    ]
    return Result("What privacy costs by any means: Adult, nine attributes", rows, notes)


if __name__ == "__main__":
    alone(__file__)
