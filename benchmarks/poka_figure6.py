"""Claim: the share of nodes that POkA evaluates falls as the lattice grows (its paper's Figure 6).

DM (the paper's DCN) on Adult with 2 to 8 attributes in the order of the paper's Table 2, depth d_avg
each; beside it what the exact method needs to prove the whole frontier by the same rule, that every node
suppresses as much as it may (fill).
"""

from __future__ import annotations

from benchmarks.data import ATTRIBUTES, SUPPRESS, adult
from benchmarks.frontiers import POKA_ENDS, POKA_FILLS, found
from benchmarks.runner import Options, alone
from benchmarks.table import Result
from shoal.search.lattice.poka import average_depth


def run(options: Options) -> Result:
    data = adult()
    rows = []
    for count in range(2, 5 if options.quick else len(ATTRIBUTES) + 1):
        study = data.study(ATTRIBUTES[:count])
        fronts = {
            method: study.frontier(metric="DM", suppress=SUPPRESS, method=method, fill=True)
            for method in ("exhaustive", "poka", "exact")
        }
        row = {
            "attributes": count,
            "with": ATTRIBUTES[count - 1],
            "nodes": fronts["exact"].nodes,
            "true optima": len(fronts["exhaustive"]),
            "depth": average_depth(study.problem()),
        }
        for method, name in (("poka", "POkA"), ("exact", "exact")):
            figures = found(fronts[method], fronts["exhaustive"])
            row |= {
                f"{name}: {part}": figures[part] for part in ("points", "true optima", "evaluated", "%")
            }
        rows.append({**row, "certified": fronts["exact"].certified})
    return Result(
        "POkA's Figure 6: DM, share of the nodes evaluated", rows, [POKA_FILLS, POKA_ENDS, data.source]
    )


if __name__ == "__main__":
    alone(__file__)
