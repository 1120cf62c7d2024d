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
from shoal.errors import InputError, NoSolutionError, show
from shoal.metrics import METRICS, Metric, TargetLoss, metric_named
from shoal.metrics.metric import named_in
from shoal.metrics.on_cuts import CUT_COSTS, CutMetric, TargetCost
from shoal.running.clock import Clock
from shoal.search.cuts.cut_problem import CutProblem
from shoal.search.cuts.forest import Branches
from shoal.search.cuts.l_plus_optimize import CutOutcome, l_plus_optimize, suppressed
from shoal.search.task import Found, Task


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


def cut_problem(task: Task, scheme: Scheme, algorithm: str) -> CutProblem:
    """Return the cut problem of a task with k and share limits, or refuse other criteria."""
    for criterion in task.criteria:
        if not isinstance(criterion, (KAnonymity, ShareLimit)):
            raise InputError(
                f"{algorithm} keeps k and theta, not {criterion.name}; choose another algorithm"
            )
    if column := hidden_by_missing(task):
        raise InputError(
            f"{algorithm} lets missing values of {show(column)} count in shares, where they hide others; use "
            "another algorithm, or drop the rows without a value"
        )
    cost = common_cost(task.metric, algorithm, task.hierarchies, task.tally)
    classes = task.specification.having(Role.CLASS) if cost.needs_class else ()
    labels = len(task.tally.domain(classes[0])) if classes else 0
    weights = task.specification.weights
    return CutProblem(
        branches_of(task.specification, task.hierarchies, task.tally),
        task.tally,
        scheme,
        cost(task.problem.names, task.rows, labels, weights),
        task.promise.theta,
        min(task.promise.k or 1, task.rows + 1),
        classes[0] if classes else None,
        task.limit,
    )


def hidden_by_missing(task: Task) -> str | None:
    """Return a column with missing values whose limits are about the known ones: cuts count all rows."""
    limited = (name for name, limits in task.promise.theta.items() if limits.known)
    return next((name for name in limited if None in task.tally.domain(name)), None)


def common_cost(
    metric: Metric, algorithm: str, hierarchies: Mapping[str, Hierarchy], tally: Tally
) -> type[CutMetric]:
    """Return the cost of cuts in which a suppressed row costs what a metric says.

    The l+ paper may charge more for it, since it charges for the sensitive value too.
    """
    if isinstance(metric, TargetLoss):
        return target_cost(metric, hierarchies, tally)
    kind = next((kind for kind in CUT_COSTS if kind.name == metric.name), None)
    if kind is None:
        known = ", ".join(kind.name for kind in CUT_COSTS if named_in(METRICS, kind.name))
        raise InputError(f"{algorithm} has no metric {metric.name}; use one of {known}")
    row = Fraction(metric.row, metric.unit)
    return type(kind.name, (kind,), {"record_cost": lambda _: row})


def target_cost(
    metric: TargetLoss, hierarchies: Mapping[str, Hierarchy], tally: Tally
) -> type[CutMetric]:
    """Return the cost of cuts by what labels tell about a column."""
    domains = {name: tally.domain(name) for name in metric.problem.names}
    return TargetCost.on(metric, hierarchies, domains)


def solve_cuts(task: Task, algorithm: str, solve: Callable[[CutProblem], CutOutcome]) -> Found:
    """Return the best answer of a search over cuts that suppresses within the limit, or refuse."""
    problem = cut_problem(task, Scheme.ALL_REC, algorithm)
    outcome = solve(problem)
    if not outcome.found or suppressed(problem, outcome.found[0].cut)[0] >= task.rows:
        found = "keeps the promise" if outcome.complete else "was found that keeps the promise"
        raise NoSolutionError(f"no cut {found} without suppressing more than allowed; ask for less")
    details = {
        "space": outcome.space,
        "examined": outcome.examined,
        "lower_bound": outcome.lower_bound,
    }
    return Found(CutRecoding(outcome.found[0].cut), task.promise, outcome.optimal, details=details)


def allowed_cut(task: Task, algorithm: str, clock: Clock) -> CutRecoding:
    """Return a cut that suppresses within the limit, the best one by LM if time allows; or refuse."""
    found = solve_cuts(
        replace(task, metric=metric_named("LM")(task.problem)),
        algorithm,
        lambda problem: l_plus_optimize(problem, threads=task.threads, clock=clock),
    ).recoding
    assert isinstance(found, CutRecoding)
    return found
