"""MinGen (Sweeney 2002): of all generalizations that satisfy, the most precise; of these the preferred.

Guarantee: a k-minimal distortion: no allowed node is more precise. Cost: every node of the lattice is
judged, which the literature calls unrealistic; on a tally it takes seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from shoal.errors import NoSolutionError
from shoal.lattice.judge import Judged
from shoal.problem import Node
from shoal.search.clock import Clock
from shoal.search.question import Algorithm, Found, Question

Preferred = Callable[[Sequence[Node]], Node]
"""Chooses among the most precise nodes."""


def mingen(question: Question, clock: Clock, preferred: Preferred | None = None) -> Found:
    """Return the preferred one of the allowed nodes with the highest precision."""
    judge = question.judge()
    spans = [
        range(lo, hi + 1) for lo, hi in zip(question.problem.bottom, question.problem.top, strict=True)
    ]
    protected: list[Judged] = [found for node in product(*spans) if (found := judge.judge(node)).allowed]
    if not protected:
        raise NoSolutionError("no node of the lattice keeps the promise within the suppression allowed")
    best = min(protected, key=lambda found: (found.loss, sum(found.node), found.node))
    return Found(question.at(best.node), question.promise, True)


MINGEN = Algorithm(
    "mingen", "MinGen (Sweeney 2002)", "node", mingen, ("no allowed node is more precise",), exact=True
)
