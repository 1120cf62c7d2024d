"""Simulated annealing over cuts (Kirkpatrick, Gelatt and Vecchi 1983): the baseline that proves nothing.

From the most general cut, each step specializes a value of the cut or generalizes to one above it. Better
cuts are always accepted, worse ones with a probability that falls with the extra cost and with time. The
answer is a cut that the scheme allows and its exact cost; it may be far from the best. If the walk meets no
allowed cut, l+-Optimize finds one.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from shoal.errors import NoSolutionError
from shoal.kernels import Annealing
from shoal.numbers import amount
from shoal.running.clock import Clock
from shoal.search.algorithm_options import whole_number
from shoal.search.cuts.cut_problem import CutProblem, refuse_too_hard
from shoal.search.cuts.l_plus_optimize import CutFound, CutOutcome, Improvement
from shoal.search.cuts.posing import allowed_cut, solve_cuts
from shoal.search.task import Algorithm, Found, Task

STEPS = 20_000
SLICE = 0.01
"""About how many seconds pass between two looks at the clock and the progress."""


def annealing(
    problem: CutProblem,
    *,
    seed: int = 0,
    steps: int = STEPS,
    clock: Clock | None = None,
    on_improvement: Callable[[Improvement], None] | None = None,
) -> CutOutcome:
    """Return the best cut of one walk, which time may end early.

    The same seed and steps give the same walk. The lower bound is 0, since annealing has none.
    """
    clock = clock or Clock()
    forest = problem.forest(merged=True)
    posed = problem.question(forest)
    unit = problem.unit
    walk = Annealing(posed, seed, steps)
    known: int | None = None
    taken, stride = 0, 1

    def look() -> None:
        nonlocal known
        forbidden, cost, specialized = walk.best()
        if forbidden or (known is not None and cost >= known):
            return
        known = cost
        if on_improvement is not None:
            on_improvement(Improvement(cost / unit, 0.0, clock.seconds, forest.cut(specialized)))

    look()
    more = True
    while more and not clock.over:
        before = clock.seconds
        more = walk.run(stride)
        taken = min(taken + stride, steps)
        look()
        words = "no solution yet" if known is None else f"cost {amount(known / unit)}"
        lost = None if known is None else problem.share(Fraction(known, unit))
        clock.show(taken / steps, words, lost)
        stride = stride * 2 if clock.seconds - before < SLICE / 2 else max(stride // 2, 1)
    refuse_too_hard(posed.gave_up)
    forbidden, cost, specialized = walk.best()
    found = []
    if not forbidden:
        found.append(CutFound(cost / unit, forest.cut(specialized)))
    return CutOutcome(tuple(found), 0.0, False, False, taken, forest.space, clock.seconds)


def annealed(task: Task, clock: Clock, steps: int | str = STEPS) -> Found:
    """Return the cut that annealing finds for a task about k and share limits."""
    many = whole_number(steps, "steps")
    try:
        return solve_cuts(
            task,
            "annealing",
            lambda problem: annealing(problem, seed=task.seed, steps=many, clock=clock),
        )
    except NoSolutionError:  # on this walk; only a proof can say that there is none at all
        return Found(allowed_cut(task, "annealing", clock), task.promise)


ANNEALING = Algorithm(
    "annealing",
    "Simulated annealing over cuts (Kirkpatrick, Gelatt and Vecchi 1983)",
    "cut",
    annealed,
    ("the promise is kept", "a cut is found if one exists and there is enough time"),
    options={"steps": f"how many steps the walk has, by default {STEPS:,}"},
)
