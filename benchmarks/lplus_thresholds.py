"""Claim: limits by sensitivity cost less than one limit for all (the l+ paper's Fig. 6).

Values of at most average frequency may have the share 1/l, more frequent ones more in proportion; beside
it all may have 1/l. Average l is 1 over the average limit.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from benchmarks.lplus import (
    CORES,
    DIVERSITIES,
    PAIRS,
    QUASI,
    QUICK_PAIRS,
    QUICK_QUASI,
    SENSITIVE,
    census,
    solve,
)
from benchmarks.plots import Panel, save
from benchmarks.runner import Options, alone
from benchmarks.table import Result
from shoal.answering.best_cut import pose
from shoal.questions.searches import OptimizeQuestion
from shoal.search.cuts.cut_problem import CutProblem


def run(options: Options) -> Result:
    data = census()
    rows: list[dict[str, Any]] = []
    with data.study(QUICK_QUASI if options.quick else QUASI) as study:
        material = study.material()
        for metric, scheme in QUICK_PAIRS if options.quick else PAIRS:
            for l in (4,) if options.quick else DIVERSITIES:  # noqa: E741  the literature's name
                base = Fraction(1, l)
                problems = [
                    pose(material, OptimizeQuestion(scheme=scheme, metric=metric, **{limits: base}))
                    for limits in ("theta", "theta_by_frequency")
                ]
                (uniform, _), (single, _) = (solve(problem, CORES) for problem in problems)
                cost, other = uniform.found[0].cost, single.found[0].cost
                rows.append(
                    {
                        "metric": metric,
                        "scheme": scheme,
                        "l": l,
                        "average l": average(problems[1]),
                        "cost, uniform": cost,
                        "cost, by frequency": other,
                        "saved %": 100 * (1 - other / cost) if cost else 0.0,
                        "proven": uniform.optimal and single.optimal,
                        "uniform s": uniform.seconds,
                        "by frequency s": single.seconds,
                    }
                )
    saved = [row["saved %"] for row in rows]
    notes = [
        f"saved: {min(saved):.1f}% to {max(saved):.1f}%; all cores; the paper reports 13% to 22% for LM and "
        "8% to 26% for CM, both with NoSupp, on taxonomies of its own",
        data.source,
    ]
    notes += save(_panels(rows), "lplus_thresholds", options.results)
    return Result("Limits by sensitivity against one limit for all, on Adult", rows, notes)


def average(problem: CutProblem) -> float:
    """1 over the average limit of the sensitive values."""
    limits = [problem.limits[SENSITIVE].of(value) for value in problem.tally.domain(SENSITIVE)]
    return len(limits) / float(sum(limit for limit in limits if limit is not None))


def _panels(rows: list[dict[str, Any]]) -> list[Panel]:
    panels = []
    for kind in ("uniform", "by frequency"):
        for metric in dict.fromkeys(row["metric"] for row in rows):
            lines: dict[str, list[tuple[float, float]]] = {}
            for row in rows:
                if row["metric"] == metric:
                    lines.setdefault(row["scheme"], []).append((row["l"], row[f"cost, {kind}"]))
            panels.append(Panel(f"{metric}, limits {kind}", "l = 1 / base", "least cost", lines))
    return panels


if __name__ == "__main__":
    alone(__file__)
