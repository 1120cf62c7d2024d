"""Claim: within a limit of suppressed rows the best cut of Adult is proven in about a second.

k runs from 2 to 200, the limits are 0, 1% and 5% of the rows, without a time limit. Seconds are those
of one processor, because other programs may keep the machine busy.
"""

from __future__ import annotations

import time
from statistics import median
from typing import Any

from benchmarks.lplus import QUASI, QUICK_QUASI, census, solve
from benchmarks.runner import Options, alone
from benchmarks.table import Result
from shoal.answering.best_cut import pose
from shoal.questions.material import Material
from shoal.questions.searches import OptimizeQuestion
from shoal.search.cuts.l_plus_optimize import suppressed

KS = (2, 3, 5, 10, 20, 50, 100, 200)
LIMITS = ("0", "1%", "5%")


def run(options: Options) -> Result:
    data = census()
    with data.study(QUICK_QUASI if options.quick else QUASI) as study:
        material = study.material()
        rows = [
            _ask(material, metric, k, limit)
            for metric in (("LM",) if options.quick else ("LM", "DM", "CM"))
            for k in ((5,) if options.quick else KS)
            for limit in LIMITS
        ]
    seconds = [row["processor s"] for row in rows]
    notes = [
        f"{sum(row['proven'] for row in rows)} of {len(rows)} proven, of {rows[0]['space']:,} cuts; "
        f"the largest gap is {max(row['gap %'] for row in rows):.2f}%",
        f"one thread: {median(seconds):.2f} s of the processor in the middle, {max(seconds):.2f} s at most; "
        "the tally, taken once, is not in them",
        "allRec: groups of fewer than k rows are deleted whole",
        data.source,
    ]
    return Result("The best cut within a limit of suppressed rows, on Adult", rows, notes)


def _ask(material: Material, metric: str, k: int, limit: str) -> dict[str, Any]:
    problem = pose(material, OptimizeQuestion(k=k, metric=metric, suppress=limit))
    start = time.process_time()
    outcome, _ = solve(problem, 1)
    best = outcome.found[0]
    return {
        "metric": metric,
        "k": k,
        "limit": limit,
        "cost": best.cost,
        "suppressed": suppressed(problem, best.cut)[0],
        "proven": outcome.optimal,
        "gap %": 100 * (1 - outcome.lower_bound / best.cost) if best.cost else 0.0,
        "space": outcome.space,
        "examined": outcome.examined,
        "processor s": time.process_time() - start,
    }


if __name__ == "__main__":
    alone(__file__)
