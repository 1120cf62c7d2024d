"""Claim: the best cut is found about as soon as by lucky annealing, but always, and then proven.

The l+ paper's Fig. 7: LM, l = 5, one thread each; the best cost known over time, of one run of l+-Optimize
and on average of two walks (with --full, six) of simulated annealing, which cool fast or slowly.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.lplus import QUASI, QUICK_QUASI, SCHEMES, census, cost_at, seconds_to, solve
from benchmarks.plots import Panel, save
from benchmarks.runner import Options, alone
from benchmarks.table import Result
from shoal.answering.best_cut import pose
from shoal.questions.searches import OptimizeQuestion
from shoal.running.clock import Clock
from shoal.search.cuts.annealing import annealing
from shoal.search.cuts.l_plus_optimize import Improvement

TIMES = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
SEEDS = range(6)
STEPS = (2_000, 50_000)
"""Walks that cool fast and slowly: the temperature falls over all steps, which take up to five seconds."""


def run(options: Options) -> Result:
    data = census()
    times = TIMES[:2] if options.quick else TIMES
    schedules = (300,) if options.quick else STEPS
    rows: list[dict[str, Any]] = []
    with data.study(QUICK_QUASI if options.quick else QUASI) as study:
        material = study.material()
        for scheme in SCHEMES[1:2] if options.quick else SCHEMES:
            problem = pose(material, OptimizeQuestion(l=5, scheme=scheme))
            outcome, told = solve(problem)
            best = outcome.found[0].cost
            first = partial(_row, scheme, times=times, best=best)
            rows.append(first("l+-Optimize", [told], outcome.seconds, outcome.optimal))
            for steps in schedules:
                walks: list[list[Improvement]] = []
                seconds = []
                for seed in SEEDS if options.full else SEEDS[:2]:
                    news: list[Improvement] = []
                    clock = Clock(times[-1])
                    walk = annealing(
                        problem, seed=seed, steps=steps, clock=clock, on_improvement=news.append
                    )
                    walks.append(news)
                    seconds.append(walk.seconds)
                rows.append(
                    first(f"annealing, {steps:,} steps", walks, sum(seconds) / len(seconds), False)
                )
    notes = [
        "costs: the best known after so many seconds, on average of the runs; empty: none known yet in some",
        "hits: runs that came to the optimum; after s: on average of these; ended s: by proof, by the last "
        f"step of annealing, or by {times[-1]:g} s",
        data.source,
    ]
    panels = [
        Panel(
            f"LM, {scheme}, l = 5",
            "seconds",
            "best cost",
            {
                row["method"]: [(t, row[f"{t:g} s"]) for t in times]
                for row in rows
                if row["scheme"] == scheme
            },
            log_x=True,
        )
        for scheme in dict.fromkeys(row["scheme"] for row in rows)
    ]
    notes += save(panels, "lplus_annealing", options.results)
    return Result("Best cost over time: l+-Optimize and simulated annealing, LM, l = 5", rows, notes)


def _row(
    scheme: str,
    method: str,
    runs: list[list[Improvement]],
    seconds: float,
    proven: bool,
    *,
    times: tuple[float, ...],
    best: float,
) -> dict[str, Any]:
    hits = [after for told in runs if (after := seconds_to(told, best)) is not None]
    row: dict[str, Any] = {"scheme": scheme, "method": method, "runs": len(runs)}
    for t in times:
        costs = [cost_at(told, t) for told in runs]
        known = [cost for cost in costs if cost is not None]
        row[f"{t:g} s"] = sum(known) / len(known) if len(known) == len(costs) else None
    return {
        **row,
        "hits": len(hits),
        "after s": sum(hits) / len(hits) if hits else None,
        "proven": proven,
        "ended s": seconds,
    }


if __name__ == "__main__":
    alone(__file__)
