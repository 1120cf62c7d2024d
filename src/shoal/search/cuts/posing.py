"""Builds cut problems: the branches of a study, and the cut problem of a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from shoal.answers.recoding import CutRecoding, Scheme
from shoal.criteria import KAnonymity, ShareLimit
from shoal.data.tally import Tally, make_ladder
from shoal.describe import Role, Specification
from shoal.describe.hierarchies import Hierarchy
from shoal.errors import InputError, NoSolutionError
from shoal.metrics import metric_named
from shoal.metrics.on_cuts import CUT_COSTS
from shoal.search.cuts.cut_problem import CutProblem
from shoal.search.cuts.forest import Branches
from shoal.search.cuts.l_plus_optimize import CutFound, CutOutcome, suppressed
from shoal.search.task import Found, Task

MOST_PRICE = 64
STEPS = 3
"""How high the price of a suppressed row may rise, and how many bisections then refine it."""


def branches_of(
    specification: Specification, hierarchies: Mapping[str, Hierarchy], tally: Tally
) -> tuple[Branches, ...]:
    """Return the branches of every quasi attribute, or refuse values and levels that they lack."""
    branches = []
    for name in specification.having(Role.QUASI):
        given = specification.attributes[name]
        tree, domain, counts = hierarchies[name], tally.domain(name), tally.totals(name)
        levels = (given.min_level, given.max_level)
        make_ladder(name, tree, domain, counts, *levels, specification.refuse("", name))
        branches.append(Branches.of(name, tree, domain, counts.tolist(), *levels))
    return tuple(branches)


def cut_problem(task: Task, scheme: Scheme, algorithm: str, price: Fraction = Fraction(1)) -> CutProblem:
    """Return the cut problem of a task with k and share limits, or refuse other criteria.

    A suppressed row costs `price` times what the task's metric says.
    """
    for criterion in task.criteria:
        if not isinstance(criterion, (KAnonymity, ShareLimit)):
            raise InputError(
                f"{algorithm} keeps k and theta, not {criterion.name}; choose another algorithm"
            )
    kind = next((kind for kind in CUT_COSTS if kind.name == task.metric.name), None)
    if kind is None:
        known = ", ".join(kind.name for kind in CUT_COSTS)
        raise InputError(f"{algorithm} has no metric {task.metric.name}; use one of {known}")
    classes = task.specification.having(Role.CLASS) if kind.needs_class else ()
    labels = len(task.tally.domain(classes[0])) if classes else 0
    weights = task.specification.weights
    # What the l+ paper charges for a suppressed row may be more: that pays for its sensitive value too.
    row = Fraction(task.metric.row, task.metric.unit) * price
    priced = type(kind.name, (kind,), {"record_cost": lambda _: row})
    return CutProblem(
        branches_of(task.specification, task.hierarchies, task.tally),
        task.tally,
        scheme,
        priced(task.problem.names, task.rows, labels, weights),
        task.promise.theta,
        min(task.promise.k or 1, task.rows + 1),
        classes[0] if classes else None,
    )


class _Limited:
    """Searches cuts that suppress at most the limit, by raising the price of a suppressed row.

    Let c(C) be what cut C costs and s(C) what it suppresses. At price p the search finds the least of
    c(C) + (p - 1) r s(C), where r is what a row costs. A cut that it finds within the limit L is the best of
    all that suppress no more than it does. And for every cut within L, c(C) >= [c(C) + (p - 1) r s(C)] -
    (p - 1) r L, so the least at price p, less (p - 1) r L, is a lower bound of them all.
    """

    def __init__(self, task: Task, algorithm: str, solve: Callable[[CutProblem], CutOutcome]) -> None:
        self.task, self.algorithm, self.solve = task, algorithm, solve
        self.best: tuple[float, CutFound] | None = None
        self.bound, self.examined, self.space = 0.0, 0, 0
        self.complete = True

    def at(self, price: Fraction) -> bool:
        """Search at a price; return whether what is found keeps the limit."""
        problem = cut_problem(self.task, Scheme.ALL_REC, self.algorithm, price)
        outcome = self.take(problem)
        row = float(Fraction(problem.metric.record_cost()) * (1 - 1 / price))
        self.bound = max(self.bound, outcome.lower_bound - row * self.task.limit)
        if not outcome.found:
            return False
        gone = suppressed(problem, outcome.found[0].cut)[0]
        fits = gone <= self.task.limit and gone < self.task.rows
        if fits:
            self.offer(outcome.found[0].cost - row * gone, outcome.found[0])
        return fits

    def without(self) -> None:
        """Search the cuts that suppress nothing."""
        outcome = self.take(cut_problem(self.task, Scheme.NO_SUPP, self.algorithm))
        if not self.task.limit:
            self.bound = outcome.lower_bound
        if outcome.found:
            self.offer(outcome.found[0].cost, outcome.found[0])

    def take(self, problem: CutProblem) -> CutOutcome:
        outcome = self.solve(problem)
        self.examined, self.space = self.examined + outcome.examined, outcome.space
        self.complete = self.complete and outcome.complete
        return outcome

    def offer(self, loss: float, found: CutFound) -> None:
        if self.best is None or loss < self.best[0]:
            self.best = (loss, found)


def fewest_suppressed(
    task: Task, algorithm: str, solve: Callable[[CutProblem], CutOutcome]
) -> CutRecoding:
    """Return the cut that suppresses the fewest rows, or refuse if they exceed the limit.

    By LM a cut costs at most what suppressing all rows would cost. So if one suppressed row costs more than
    that, a cut that suppresses fewer rows is always cheaper.
    """
    plain = replace(task, metric=metric_named("LM")(task.problem))
    search = _Limited(plain, algorithm, solve)
    search.at(Fraction(task.rows + 2))
    if search.best is None:
        found = "keeps the promise" if search.complete else "was found that keeps the promise"
        raise NoSolutionError(f"no cut {found} without suppressing more than allowed; ask for less")
    return CutRecoding(search.best[1].cut)


def solve_cuts(task: Task, algorithm: str, solve: Callable[[CutProblem], CutOutcome]) -> Found:
    """Return the best answer of a search over cuts that suppresses within the limit, or refuse."""
    search = _Limited(task, algorithm, solve)
    low, high = Fraction(1), Fraction(2)
    if not task.limit or not search.at(low):
        search.without()
        if task.limit:
            while not search.at(high) and high < MOST_PRICE:
                low, high = high, high * 2
            for _ in range(STEPS):
                middle = (low + high) / 2
                low, high = (low, middle) if search.at(middle) else (middle, high)
    if search.best is None:
        return Found(fewest_suppressed(task, algorithm, solve), task.promise)
    loss, best = search.best
    optimal = search.bound >= loss * (1 - 1e-12)
    details = {
        "space": search.space,
        "examined": search.examined,
        "lower_bound": min(search.bound, loss),
    }
    return Found(CutRecoding(best.cut), task.promise, optimal, details=details)
