"""Top-down specialization (Fung, Wang and Yu 2005) over full-subtree cuts: greedy, from the root down.

Starting from the most general cut, the value with the largest gain is specialized repeatedly while the
promise can be kept. If the most general cut breaks the promise but a finer one may not, `first_cut` says
where to begin. The gain is the reduction in loss per row by which the smallest group shrinks (the paper's
gain of information per loss of anonymity, with any loss in place of entropy).

Guarantee: an allowed cut; specializing any one value of it is not allowed, or loses more. Nothing else
is proven of its loss. If the promise is monotone, a step that is not allowed never becomes so, since
groups only shrink, and is not tried again. At most as many steps as the taxonomies have inner nodes,
each judging the values of the cut.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import takewhile

from shoal.running.clock import Clock
from shoal.search.cuts.cut_judge import CutJudge, JudgedCut
from shoal.search.cuts.first_cut import first_cut
from shoal.search.task import Algorithm, Found, Task


def top_down(task: Task, clock: Clock) -> Found:
    """Return the cut that greedy specialization ends in."""
    judge = CutJudge(task)
    start: set[int] = set()
    judged = judge.judge(start)
    if not judged.allowed:
        start = first_cut(judge, clock, "top-down")
        judged = judge.judge(start)
    specialized, steps = specialize(judge, start, judged, clock)
    return Found(judge.recoding(specialized), task.promise, details={"steps": steps})


def specialize(
    judge: CutJudge, start: set[int], judged: JudgedCut, clock: Clock
) -> tuple[set[int], int]:
    """Return the cut that greedy specialization of an allowed cut ends in, and how many steps it took."""
    task = judge.task
    monotone = task.monotone
    specialized, hopeless, steps = set(start), set[int](), 0
    # Each step changes the candidates' gains, so all are judged each time.
    while not clock.over:
        best: tuple[Fraction, int, JudgedCut] | None = None
        for candidate in takewhile(lambda _: not clock.over, judge.frontier(specialized)):
            if candidate in hopeless:
                continue
            found = judge.judge(specialized | {candidate})
            if not found.allowed:
                if monotone:
                    hopeless.add(candidate)
                continue
            gain = judged.loss - found.loss
            score = Fraction(gain, 1 + max(judged.k - found.k, 0))
            if gain >= 0 and (best is None or score > best[0]):
                best = (score, candidate, found)
        if best is None:
            break
        _, chosen, judged = best
        specialized.add(chosen)
        steps += 1
        lost = judge.metric.share(judged.loss)
        clock.show(len(specialized) / max(len(judge.inner), 1), f"{steps:,} specializations", lost)
    return specialized, steps


TOP_DOWN = Algorithm(
    "top-down",
    "Top-down specialization (Fung, Wang and Yu 2005)",
    "cut",
    top_down,
    ("the promise is kept", "a cut is found if one exists and there is enough time"),
    at_end=("no single value of the cut could be specialized at a gain",),
)
