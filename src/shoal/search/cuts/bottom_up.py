"""Bottom-up generalization (Wang, Yu and Chakraborty 2004) over full-subtree cuts: greedy, leaves first.

Starting from the original values, siblings are repeatedly generalized to their parent until the promise is
kept: each time the step with the least loss per row that it takes out of broken groups (the paper's loss of
information per gain of anonymity). If not even the most general cut keeps the promise but a finer one may,
`first_cut` finds it. Finally, generalizations that were not needed are undone.

Guarantee: an allowed cut; specializing any one value of it is not allowed, or loses more. Nothing else
is proven of its loss. At most as many steps as the taxonomies have inner nodes; each judges the parents.
"""

from __future__ import annotations

from fractions import Fraction

from shoal.running.clock import Clock
from shoal.search.cuts.cut_judge import CutJudge, JudgedCut
from shoal.search.cuts.first_cut import first_cut
from shoal.search.cuts.top_down import specialize
from shoal.search.task import Algorithm, Found, Task

FIRST = 0.5
"""The share of a time limit for the way up; if that fails, the rest is for a way down from the top."""


def bottom_up(task: Task, clock: Clock) -> Found:
    """Return the cut that greedy generalization ends in."""
    judge = CutJudge(task)
    specialized = set(judge.inner)
    judged = judge.judge(specialized)
    most, steps = max(len(specialized), 1), 0
    first = clock.part(FIRST)
    while not judged.allowed:
        parents = [
            i for i in specialized if not any(child in specialized for child in judge.children[i])
        ]
        options = _options(judge, specialized, judged, parents, first)
        if not options:
            judge = CutJudge(task)
            specialized = set()
            judged = judge.judge(specialized)
            if not judged.allowed:
                specialized = first_cut(judge, clock, "bottom-up")
                judged = judge.judge(specialized)
            break
        *_, chosen, judged = min(options, key=lambda option: option[:4])
        specialized.discard(chosen)
        judge.settle(specialized)
        steps += 1
        clock.show(
            steps / most, f"{steps:,} generalizations, {judged.suppressed:,} rows in broken groups"
        )
    judge = CutJudge(task)  # counts from the values again, for nodes below the cut
    specialized, back = specialize(judge, specialized, judged, clock)
    return Found(judge.recoding(specialized), task.promise, details={"steps": steps + back})


def _options(
    judge: CutJudge, specialized: set[int], judged: JudgedCut, parents: list[int], clock: Clock
) -> list[tuple[bool, bool, Fraction, int, JudgedCut]]:
    """Return the steps up, each with what it is ranked by; none if the time is over."""
    options = []
    for parent in parents:
        if clock.over:
            return []
        found = judge.judge(specialized - {parent})
        fewer = judged.suppressed - found.suppressed
        # Steps that help are compared by loss per row helped; if none helps, by loss alone.
        price = Fraction(found.loss - judged.loss, max(fewer, 1))
        options.append((not found.allowed, fewer <= 0, price, parent, found))
    return options


BOTTOM_UP = Algorithm(
    "bottom-up",
    "Bottom-up generalization (Wang, Yu and Chakraborty 2004)",
    "cut",
    bottom_up,
    ("the promise is kept", "a cut is found if one exists and there is enough time"),
    at_end=("no single value of the cut could be specialized at a gain",),
)
