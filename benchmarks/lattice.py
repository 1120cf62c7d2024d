"""Claim: the whole lattice of 17,920 nodes is measured in a fraction of a second.

The kernel that measures a box of the lattice, over all of Adult's, with one thread and with two. The
peer measures nodes one by one, each from the bottom, without rolling up from a node below.
"""

from __future__ import annotations

from functools import partial
from statistics import median

import numpy as np

from benchmarks.data import ATTRIBUTES, SUPPRESS, adult
from benchmarks.runner import Options, alone
from benchmarks.table import Result
from benchmarks.timing import rounds, timed
from shoal.data.tally.problem import Node, Problem
from shoal.kernels import Codebook, Column


def run(options: Options) -> Result:
    data = adult()
    problem = data.study(ATTRIBUTES[:4] if options.quick else ATTRIBUTES).problem()
    lattice = _Lattice(problem)
    groups = int(lattice.measure_all(threads=1, eta=0)[:, Column.CLASSES].sum())
    rng = np.random.default_rng(1)
    sample = rng.choice(problem.nodes, size=20 if options.quick else 200, replace=False)
    seconds = rounds(
        {
            "all, 1 thread": timed(partial(lattice.measure_all, threads=1)),
            "all, 2 threads": timed(partial(lattice.measure_all, threads=2)),
            f"each from the bottom ({len(sample)} nodes, scaled)": timed(
                partial(lattice.measure_each, lattice.nodes(sample))
            ),
        },
        9 if options.full else 2,
    )
    peer = min(seconds["all, 1 thread"])
    rows = []
    for way, measured in seconds.items():
        scale = problem.nodes / len(sample) if "scaled" in way else 1.0
        best = scale * min(measured)
        rows.append(
            {
                "way": way,
                "nodes": problem.nodes,
                "groups": groups,
                "best s": best,
                "median s": scale * median(measured),
                "nodes/s": problem.nodes / best,
                "million groups/s": groups / best / 1e6,
                "times faster": peer / best,
            }
        )
    return Result(
        "The whole lattice of Adult",
        rows,
        ["times faster: than with one thread, best to best", data.source],
    )


class _Lattice:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.book = Codebook(
            [ladder.codes for ladder in problem.ladders],
            [ladder.covered - 1 for ladder in problem.ladders],
        )
        self.keys = self.book.pack(problem.codes)
        self.counts = problem.counts[:, None].copy()

    def measure_all(self, threads: int, eta: int = SUPPRESS) -> np.ndarray:
        lo, hi = self.problem.bottom, self.problem.top
        order = sorted(range(len(hi)), key=lambda a: -hi[a])
        return self.book.measure_box(self.keys, self.counts, lo, lo, hi, order, eta, threads)

    def measure_each(self, nodes: list[Node]) -> None:
        for node in nodes:
            table = self.book.roll_up(self.keys, self.counts, self.problem.bottom, node)
            self.book.measure(*table, node, SUPPRESS)

    def nodes(self, places: np.ndarray) -> list[Node]:
        spans = [high + 1 for high in self.problem.top]
        return [tuple(map(int, node)) for node in zip(*np.unravel_index(places, spans), strict=True)]


if __name__ == "__main__":
    alone(__file__)
