"""Claim: the compiled kernels are many times faster than their numpy twins, with the same results.

Each kernel of `shoal.kernels` against the one of the same name in `tests/kernels/twins`, on the
tally of Adult and on made-up ones. A tally is held twice to be aggregated, rolled up from the bottom to
the middle of the lattice, measured there, and a box of nodes is measured from the middle up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.data import adult
from benchmarks.made import made_study
from benchmarks.runner import Options, alone
from benchmarks.table import Result
from benchmarks.timing import rounds, timed
from shoal import kernels
from shoal.data.tally.problem import Problem
from tests.kernels.twins import lattice as reference

HEIGHTS = (7, 6, 5, 5, 4, 3, 3, 2)
BOX_ATTRIBUTES = 4
"""The box has two levels of so many attributes: 16 nodes."""


def run(options: Options) -> Result:
    rows = []
    for name, problem, repeats in _problems(options):
        tasks = {module: _tasks(module, problem) for module in (kernels, reference)}
        for task in tasks[kernels]:
            mine, twin = tasks[kernels][task], tasks[reference][task]
            seconds = rounds({"kernel": timed(mine), "twin": timed(twin)}, repeats)
            kernel_s, twin_s = min(seconds["kernel"]), min(seconds["twin"])
            rows.append(
                {
                    "tally": name,
                    "combinations": len(problem.counts),
                    "kernel": task,
                    "kernel ms": 1000 * kernel_s,
                    "twin ms": 1000 * twin_s,
                    "times faster": twin_s / kernel_s,
                    "same result": _same(mine(), twin()),
                }
            )
    return Result("Kernels against their numpy twins (best of each, one thread)", rows)


def _problems(options: Options) -> Iterator[tuple[str, Problem, int]]:
    """Tallies with the number of rounds."""
    if options.quick:
        yield "made up", made_study(500, HEIGHTS).problem(), 1
        return
    yield "Adult", adult().study().problem(), 3
    yield "made up", made_study(31_000, HEIGHTS).problem(), 3
    if options.full:
        yield "made up", made_study(1_250_000, HEIGHTS).problem(), 2


def _tasks(module: ModuleType, problem: Problem) -> dict[str, Callable[[], Any]]:
    maps = [ladder.codes for ladder in problem.ladders]
    book = module.Codebook(maps, [ladder.covered - 1 for ladder in problem.ladders])
    bottom, top = problem.bottom, problem.top
    middle = tuple(high // 2 for high in top)
    upper = tuple(level + (a < BOX_ATTRIBUTES and level < top[a]) for a, level in enumerate(middle))
    eta = problem.rows // 100
    keys, counts = book.pack(problem.codes), problem.counts[:, None].copy()
    table = book.roll_up(keys, counts, bottom, middle)
    order = range(len(top))
    return {
        "aggregate": partial(module.aggregate, np.tile(keys, (2, 1)), np.tile(counts, (2, 1))),
        "roll_up": partial(book.roll_up, keys, counts, bottom, middle),
        "measure": partial(book.measure, *table, middle, eta),
        "measure_box": partial(book.measure_box, keys, counts, bottom, middle, upper, order, eta, 1),
    }


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, tuple):
        return all(map(_same, one, other))
    return bool(np.array_equal(one, other))


if __name__ == "__main__":
    alone(__file__)
