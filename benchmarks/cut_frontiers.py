"""Claim: the frontier of all 356,440,500 cuts of Adult is certified in seconds, for k, l and theta.

Without suppression, and with up to 1% of the rows suppressed; five minutes for each. Seconds are those of one
processor. The peer is the frontier of nodes, whose curve the cuts' lies below.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from benchmarks.lplus import QUASI, QUICK_QUASI, census
from benchmarks.runner import Options, alone
from benchmarks.table import Result
from shoal.answering.trade_off import frontier
from shoal.questions.execution import Engines
from shoal.questions.material import Material
from shoal.questions.searches import FrontierQuestion

OBJECTIVES = ("k,loss", "l,loss", "theta,loss")
MOST = 300.0
"""Seconds for a frontier."""
AT = 5
"""The k at which the curves are compared."""


def run(options: Options) -> Result:
    data = census()
    with data.study(QUICK_QUASI if options.quick else QUASI) as study:
        material = replace(study.material(), limits=Engines(threads=1))
        rows = [
            _ask(material, metric, objectives, suppress)
            for metric in (("LM",) if options.quick else ("LM", "DM"))
            for objectives in OBJECTIVES
            for suppress in ("0", "1%")
        ]
    notes = [
        f"{sum(row['certified'] for row in rows)} of {len(rows)} certified, of {rows[0]['cuts']:,} cuts",
        f"at {AT}: the share that is lost at k = {AT}, by cuts and by nodes",
        "proven to: where time ended it, up to here no point is missing",
        data.source,
    ]
    return Result("Frontiers of cuts on Adult", rows, notes)


def _ask(material: Material, metric: str, objectives: str, suppress: str) -> dict[str, Any]:
    start = time.process_time()
    front = frontier(
        material,
        FrontierQuestion(
            recoding="cuts", metric=metric, objectives=objectives, suppress=suppress, time_limit=MOST
        ),
    )
    seconds = time.process_time() - start
    row: dict[str, Any] = {
        "metric": metric,
        "objectives": objectives,
        "suppress": suppress,
        "points": len(front),
        "certified": front.certified,
        "proven to": front.proven_to,
        "cuts": front.nodes,
        "examined": front.evaluated,
        "processor s": seconds,
    }
    of_k = objectives == "k,loss"
    nodes = frontier(material, FrontierQuestion(metric=metric, suppress=suppress)) if of_k else ()
    for name, curve in (("cuts", front if of_k else ()), ("nodes", nodes)):
        shares = [point.share or 0.0 for point in curve if point.k >= AT]
        row[f"at {AT}, {name}"] = min(shares, default=None)
    return row


if __name__ == "__main__":
    alone(__file__)
