"""Claim: counting persons takes a frontier of k at most three times as long as counting rows.

Adult, its rows shared out to the persons of `made_persons.py`, who are in several classes of most nodes. The
peer is the same search by rows; where every person has one row, it is the same search altogether. Frontiers
with l and t of occupation, also of three objectives, are held against the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from statistics import median
from typing import Any

from benchmarks.data import ATTRIBUTES, SUPPRESS, adult
from benchmarks.made_persons import shared_out
from benchmarks.runner import Options, alone
from benchmarks.table import Result
from benchmarks.timing import rounds
from shoal.data.tally.problem import Problem
from shoal.data.tally.tally import Tally
from shoal.kernels import Diversity
from shoal.metrics import DM, LM, Metric
from shoal.search.lattice.evaluator import Evaluator
from shoal.search.lattice.exact_frontier import exact_frontier
from shoal.search.lattice.exhaustive import exhaustive
from shoal.search.lattice.objective_frontier import ObjectiveOutcome, objective_frontier
from shoal.search.lattice.pareto import Outcome
from shoal.search.lattice.person_thresholds import threshold_evaluator
from shoal.search.lattice.thresholds import Thresholds
from shoal.search.lattice.two_objectives import two_objectives

OBJECTIVES = (
    (("l", "loss"), 0),
    (("l", "loss"), SUPPRESS),
    (("t", "loss"), 0),
    (("k", "l", "loss"), 0),
)


def run(options: Options) -> Result:
    data = adult()
    study = data.study(ATTRIBUTES[:4] if options.quick else ATTRIBUTES)
    plain, tally = study.problem(), study.tally("occupation")
    several = replace(plain, persons=shared_out(plain.counts, seed=1))
    rows = []
    for kind in (LM, DM):
        for limit in (0, SUPPRESS):
            for way, search in (("exact", exact_frontier), ("every node", exhaustive)):
                asked = {
                    "rows": partial(_search, search, kind, limit, plain),
                    "persons": partial(_search, search, kind, limit, several),
                }
                told = {"metric": kind.name, "suppress": limit, "search": way}
                rows.append(told | _compared(rounds(asked, 7 if options.full else 1)))
    weighed = replace(tally, persons=shared_out(tally.cell_counts, seed=1))
    known = replace(plain, persons=weighed.in_combinations)
    for names, limit in OBJECTIVES:
        asked = {
            "rows": partial(_objective, names, limit, plain, tally),
            "persons": partial(_objective, names, limit, known, weighed),
        }
        told = {"metric": "LM", "suppress": limit, "search": ",".join(names)}
        rows.append(told | _compared(rounds(asked, 7 if options.full else 1)))
    whose = several.persons
    told = "nobody" if whose is None else f"{whose.total:,} persons, {whose.spread:,} of them in several"
    return Result(
        "Frontiers of Adult by persons",
        rows,
        [
            f"{plain.rows:,} rows of {told} combinations; processor seconds of one thread",
            data.source,
        ],
    )


def _compared(found: dict[str, list[tuple[float, Any]]]) -> dict[str, Any]:
    best = {name: min(seconds for seconds, _ in each) for name, each in found.items()}
    middle = {name: median(seconds for seconds, _ in each) for name, each in found.items()}
    outcomes = {name: each[0][1] for name, each in found.items()}
    return {
        "points by rows": len(outcomes["rows"].points),
        "points by persons": len(outcomes["persons"].points),
        "nodes by rows": outcomes["rows"].evaluated,
        "nodes by persons": outcomes["persons"].evaluated,
        "rows s": best["rows"],
        "persons s": best["persons"],
        "times": best["persons"] / best["rows"],
        "times (median)": middle["persons"] / middle["rows"],
    }


def _search(
    search: Callable[[Evaluator], Outcome], kind: type[Metric], limit: int, problem: Problem
) -> tuple[float, Outcome]:
    """The processor seconds of a whole search, and what it found."""
    start = time.process_time()
    outcome = search(Evaluator(problem, kind(problem), limit))
    return time.process_time() - start, outcome


def _objective(
    names: tuple[str, ...], limit: int, problem: Problem, tally: Tally
) -> tuple[float, ObjectiveOutcome]:
    """The same for objectives with l or t of occupation, as a question searches them."""
    start = time.process_time()
    evaluator = threshold_evaluator(
        problem,
        LM(problem),
        tally,
        Thresholds(1, "k" in names, Diversity.EVERY if "l" in names else Diversity.NONE, limit),
        diverse=("occupation",) if "l" in names else (),
        close=("occupation",) if "t" in names else (),
    )
    two = len(names) == 2
    outcome = two_objectives(evaluator, names[0]) if two else objective_frontier(evaluator, names)
    return time.process_time() - start, outcome


if __name__ == "__main__":
    alone(__file__)
