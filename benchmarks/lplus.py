"""Adult as section VIII of the l+ paper asks about it: 45,222 rows, 356,440,500 cuts, 55 questions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import shared_folder
from benchmarks.runner import SkipError
from shoal import Study
from shoal.describe.specification import HierarchyLike
from shoal.running.clock import Clock
from shoal.search.cuts.cut_problem import CutProblem
from shoal.search.cuts.l_plus_optimize import CutOutcome, Improvement, Techniques, l_plus_optimize

QUASI = ("age-band", "education", "native-country", "workclass", "marital-status", "sex", "race")
"""The quasi attributes, in the order of the paper's Table II."""
SENSITIVE = "occupation"
CLASS = "salary-class"
SPACE = 356_440_500
SCHEMES = ("NoSupp", "allRec", "vioRec", "allSA", "vioSA")
PAIRS = [("LM", scheme) for scheme in SCHEMES] + [
    (metric, scheme) for metric in ("DM", "CM") for scheme in SCHEMES[:3]
]
DIVERSITIES = (2, 3, 4, 5, 6)
CORES = os.cpu_count() or 1
QUICK_QUASI = QUASI[3:]
QUICK_PAIRS = [("LM", "allRec"), ("DM", "vioRec"), ("CM", "NoSupp")]


@dataclass(frozen=True)
class Census:
    """The table and the folder of the taxonomies."""

    table: Path
    taxonomies: Path

    @property
    def source(self) -> str:
        return f"Adult data: {self.table}; taxonomies: {self.taxonomies}"

    def hierarchies(self, quasi: Sequence[str] = QUASI) -> dict[str, HierarchyLike]:
        return {name: self.taxonomies / f"{name}.csv" for name in quasi}

    def study(
        self,
        quasi: Sequence[str] = QUASI,
        levels: Mapping[str, tuple[int, int]] | None = None,
    ) -> Study:
        return Study(
            self.table,
            quasi=self.hierarchies(quasi),
            sensitive=SENSITIVE,
            class_=CLASS,
            levels={name: span for name, span in (levels or {}).items() if name in quasi},
        )


def census() -> Census:
    """The shared data; the package that `data` falls back on holds the rows, but not these taxonomies."""
    folder = shared_folder()
    found = Census(folder / "adult.csv", folder / "cuts-356440500")
    for path in (found.table, found.taxonomies):
        if not path.exists():
            raise SkipError(f"{path} is not there; set SHOAL_DATA to the folder that holds adult")
    return found


def solve(
    problem: CutProblem,
    threads: int = 1,
    limit: float | None = None,
    techniques: Techniques | None = None,
) -> tuple[CutOutcome, list[Improvement]]:
    """What l+-Optimize finds, and its improvements on the way."""
    told: list[Improvement] = []
    outcome = l_plus_optimize(
        problem, threads=threads, clock=Clock(limit), on_improvement=told.append, techniques=techniques
    )
    return outcome, told


def cost_at(told: Sequence[Improvement], seconds: float) -> float | None:
    """The best cost that was known after so many seconds."""
    return min((news.cost for news in told if news.seconds <= seconds), default=None)


def seconds_to(told: Sequence[Improvement], cost: float) -> float | None:
    """The seconds until a cost of at most this was known."""
    return min((news.seconds for news in told if news.cost <= cost), default=None)
