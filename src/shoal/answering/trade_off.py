"""From what a curator asks to the frontier: metric, suppression, method, range of k."""

from __future__ import annotations

from collections.abc import Callable

from shoal.answers.solution import Frontier, NodeSolution
from shoal.data.tally.problem import Problem
from shoal.describe.quantities import suppression_limit
from shoal.errors import InputError, NoSolutionError, did_you_mean, show
from shoal.metrics import Metric, metric_named
from shoal.running.clock import Clock, Progress, check_time_limit
from shoal.search.lattice.evaluator import Evaluator
from shoal.search.lattice.exact_frontier import exact_frontier
from shoal.search.lattice.exhaustive import exhaustive
from shoal.search.lattice.pareto import Outcome
from shoal.search.lattice.poka import poka

METHODS = ("exact", "poka", "exhaustive")


def trade_off(
    pose: Callable[[type[Metric]], Problem],
    *,
    metric: str,
    suppress: str | float,
    method: str,
    depth: int | None,
    min_k: int,
    max_k: int | None,
    time_limit: float | None,
    threads: int,
    progress: Progress | None,
) -> Frontier:
    """Return every Pareto-optimal (k, loss) pair of the problem that `pose` gives for a metric."""
    if method not in METHODS:
        raise InputError(f"unknown method {show(method)}; {did_you_mean(method, METHODS)}")
    kind = metric_named(metric)
    if depth is not None and depth < 1:
        raise InputError(f"a depth of {depth}; use 1 or more")
    if depth is not None and method != "poka":
        raise InputError(f"the method {method} has no depth; leave it out, or use poka")
    if min_k < 1:
        raise InputError(f"a smallest k of {min_k}; min_k is 1 or more")
    if max_k is not None and max_k < min_k:
        raise InputError(f"no k lies between {min_k} and {max_k}; make max_k not less than min_k")
    check_time_limit(time_limit)
    problem = pose(kind)
    limit = suppression_limit(suppress, problem.rows)
    if min_k > problem.rows:
        raise NoSolutionError(_why_none(problem.rows, limit, min_k, max_k))
    clock = Clock(time_limit, progress)
    evaluator = Evaluator(problem, kind(problem), limit, threads)
    if method == "exact":
        outcome = exact_frontier(evaluator, min_k=min_k, max_k=max_k, clock=clock)
    elif method == "poka":
        outcome = poka(evaluator, depth=depth, min_k=min_k, max_k=max_k, clock=clock)
    else:
        outcome = exhaustive(evaluator, min_k=min_k, max_k=max_k, clock=clock)
    front = _frontier(outcome, method, evaluator)
    if not front.points and (outcome.certified or method == "poka"):
        raise NoSolutionError(_why_none(problem.rows, limit, min_k, max_k))
    return front


def _frontier(outcome: Outcome, method: str, evaluator: Evaluator) -> Frontier:
    problem = evaluator.problem
    return Frontier(
        method=method,
        metric=evaluator.metric.name,
        rows=problem.rows,
        suppression_limit=evaluator.suppression_limit,
        nodes=problem.nodes,
        evaluated=outcome.evaluated,
        certified=outcome.certified,
        seconds=outcome.seconds,
        points=tuple(
            NodeSolution(
                point.k,
                float(evaluator.metric.figure(point.loss)),
                dict(zip(problem.names, point.node, strict=True)),
                point.suppressed,
            )
            for point in outcome.points
        ),
    )


def _why_none(rows: int, limit: int, min_k: int, max_k: int | None) -> str:
    if limit >= rows:
        return "all rows may be suppressed, so no k is left; lower the suppression"
    if min_k > rows:
        return f"no k of {min_k:,} or more: the table has {rows:,} rows; lower min_k"
    span = f"from {min_k:,} on" if max_k is None else f"from {min_k:,} to {max_k:,}"
    return f"no Pareto-optimal k lies {span}; widen the range"
