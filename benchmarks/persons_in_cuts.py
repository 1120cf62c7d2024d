"""Claim: the best cut, Mondrian and local recoding take at most three times as long by persons as by rows.

Adult as the l+ paper asks about it, its rows shared out to the persons of `made_persons.py`. Each search is
run by rows and by persons in turn, k = 5.
Greedy searches over cuts, and groups with limited shares, are judged outside of the kernels.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from benchmarks.lplus import QUASI, QUICK_QUASI, census
from benchmarks.made_persons import shared_out
from benchmarks.runner import Options, alone
from benchmarks.table import Result
from benchmarks.timing import rounds
from shoal.answering.named import pose
from shoal.questions.searches import AlgorithmQuestion
from shoal.running.clock import Clock
from shoal.search.algorithms import algorithm_named
from shoal.search.task import Task

ASKED: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("k-optimize", "LM", {}),
    ("k-optimize", "LM", {"suppress": "1%"}),
    ("k-optimize", "DM", {"suppress": "1%"}),
    ("annealing", "LM", {}),
    ("top-down", "LM", {}),
    ("mondrian", "LM", {}),
    ("mondrian", "LM", {"theta": "1/2"}),
    ("local-recoding", "LM", {}),
)


def run(options: Options) -> Result:
    data = census()
    rows: list[dict[str, Any]] = []
    persons = 0
    with data.study(QUICK_QUASI if options.quick else QUASI) as study:
        for name, metric, asked in ASKED:
            task = pose(study.material(), AlgorithmQuestion(k=5, metric=metric, **asked))
            several = about_persons(task, seed=1)
            persons = several.tally.people
            turns = {
                "rows": partial(_seconds, name, task),
                "persons": partial(_seconds, name, several),
            }
            found = {way: min(each) for way, each in rounds(turns, 3 if options.full else 1).items()}
            rows.append(
                {
                    "algorithm": name,
                    "metric": metric,
                    "asked": ", ".join(f"{key} {value}" for key, value in asked.items()),
                    "rows s": found["rows"],
                    "persons s": found["persons"],
                    "times": found["persons"] / found["rows"],
                }
            )
    return Result(
        "Cuts and groups of Adult by persons",
        rows,
        [f"{persons:,} persons; processor seconds of one thread, the best of each", data.source],
    )


def _seconds(name: str, task: Task) -> float:
    """The processor seconds of one search."""
    run: Callable[[Task, Clock], Any] = algorithm_named(name)
    start = time.process_time()
    run(task, Clock())
    return time.process_time() - start


def about_persons(task: Task, seed: int) -> Task:
    """The same question of rows that are shared out to persons, some of whom have several."""
    tally = replace(task.tally, persons=shared_out(task.tally.cell_counts, seed))
    problem = replace(task.problem, persons=tally.in_combinations)
    return replace(task, tally=tally, problem=problem, metric=type(task.metric)(problem))


if __name__ == "__main__":
    alone(__file__)
