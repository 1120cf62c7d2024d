"""Claim: the exact method proves the whole frontier from a fraction of the nodes; POkA misses points.

Exhaustive, POkA and exact on Adult's 30,162 rows with 301 suppressed at most, for every metric. For CM
salary-class is the class and not a quasi attribute, which halves the lattice.
"""

from __future__ import annotations

from functools import partial
from statistics import median

from benchmarks.data import ATTRIBUTES, SUPPRESS, adult
from benchmarks.frontiers import POKA_ENDS, found
from benchmarks.runner import Options, alone
from benchmarks.table import Result
from benchmarks.timing import rounds
from shoal.metrics import METRICS

CONTESTANTS = (("exhaustive", 1), ("exhaustive", 2), ("poka", 1), ("exact", 1))
"""Methods with their threads; POkA and exact measure node after node, on one thread."""


def run(options: Options) -> Result:
    data = adult()
    attributes = ATTRIBUTES[:4] if options.quick else ATTRIBUTES[:-1]
    rows = []
    for metric in (kind.name for kind in METRICS):
        quasi, class_ = (
            (attributes, ATTRIBUTES[-1]) if metric == "CM" else ((*attributes, ATTRIBUTES[-1]), None)
        )
        studies = {threads: data.study(quasi, class_, threads) for threads in (1, 2)}
        contestants = {
            (method, threads): partial(
                studies[threads].frontier, metric=metric, suppress=SUPPRESS, method=method
            )
            for method, threads in CONTESTANTS
        }
        runs = rounds(contestants, 1 if options.quick else 9)
        truth = runs["exhaustive", 1][0]
        peer = min(front.seconds for front in runs["exhaustive", 1])
        for (method, threads), fronts in runs.items():
            seconds = [front.seconds for front in fronts]
            rows.append(
                {
                    "metric": metric,
                    "nodes": truth.nodes,
                    "method": method,
                    "threads": threads,
                    **found(fronts[0], truth),
                    "certified": fronts[0].certified,
                    "best s": min(seconds),
                    "median s": median(seconds),
                    "times faster": peer / min(seconds),
                }
            )
    notes = ["times faster: than exhaustive on one thread, best to best", POKA_ENDS, data.source]
    return Result("Methods: the frontier of Adult", rows, notes)


if __name__ == "__main__":
    alone(__file__)
