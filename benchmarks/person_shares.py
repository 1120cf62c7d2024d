"""Claim: the best cut by shares of persons is proven as by rows; it takes longer where their rows lie apart.

Adult as the l+ paper asks about it, its rows shared out at random to persons of whom one in five has two to
five rows. Each question is answered by rows, by persons each of whom has all rows in one combination, and by
persons whose rows lie apart. Of those only bounds add up, so a proof takes many times as long; where it took
longer than the limit, what is left of the gap is told.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from benchmarks.lplus import QUASI, QUICK_QUASI, census
from benchmarks.made_persons import shared_out
from benchmarks.runner import Options, alone
from benchmarks.table import Result
from shoal.answering.best_cut import pose
from shoal.questions.material import Material
from shoal.questions.searches import OptimizeQuestion
from shoal.running.clock import Clock
from shoal.search.cuts.l_plus_optimize import l_plus_optimize

ASKED = (
    ("LM", "NoSupp", 3),
    ("LM", "allRec", 4),
    ("LM", "allSA", 4),
    ("LM", "vioSA", 4),
    ("DM", "allRec", 4),
    ("CM", "allRec", 4),
)
"""Metric, scheme and l."""
MOST_SECONDS = 60.0


def run(options: Options) -> Result:
    data = census()
    most = 1.0 if options.quick else MOST_SECONDS
    with data.study(QUICK_QUASI if options.quick else QUASI) as study:
        rows = [_asked(study.material(), *asked, most) for asked in ASKED]
    return Result(
        "The best cut of Adult by shares of persons",
        rows,
        [f"processor seconds of one thread, {most:.0f} s of search at most", data.source],
    )


def _asked(material: Material, metric: str, scheme: str, l: int, most: float) -> dict[str, Any]:  # noqa: E741
    """The processor seconds of a question, with what is weighed and posed; and the gap that is left."""
    problem = pose(material, OptimizeQuestion(l=l, scheme=scheme, metric=metric))
    row: dict[str, Any] = {"metric": metric, "scheme": scheme, "l": l}
    tally = problem.tally
    for way, persons in (
        ("rows", None),
        ("together", shared_out(tally.cell_counts, 1, tally.cell_combinations)),
        ("apart", shared_out(tally.cell_counts, 1)),
    ):
        asked = replace(problem, tally=replace(tally, persons=persons))
        start = time.process_time()
        found = l_plus_optimize(asked, clock=Clock(most))
        row[f"{way} s"] = time.process_time() - start
        row[f"{way} gap"] = 1 - found.lower_bound / found.found[0].cost if found.found else 1.0
    return row


if __name__ == "__main__":
    alone(__file__)
