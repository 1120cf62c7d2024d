"""From what a curator asks to a frontier of other objectives than k and loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from shoal.answers.solution import Frontier, NodeSolution
from shoal.data.tally.problem import Problem
from shoal.data.tally.tally import Tally
from shoal.describe.quantities import suppression_limit
from shoal.errors import InputError, NoSolutionError, did_you_mean, show
from shoal.kernels import Diversity
from shoal.metrics import Metric, metric_named
from shoal.running.clock import Clock, Progress, check_time_limit
from shoal.search.lattice.objective_frontier import ObjectiveOutcome, objective_frontier
from shoal.search.lattice.objectives import OBJECTIVES
from shoal.search.lattice.thresholds import Points, ThresholdEvaluator, Thresholds
from shoal.search.lattice.two_objectives import MOST_ROWS_FOR_T, two_objectives

CHOICES = (
    ("k", "loss"),
    ("suppressed", "loss"),
    ("l", "loss"),
    ("t", "loss"),
    ("k", "suppressed", "loss"),
    ("k", "l", "loss"),
)
"""The objectives that frontiers can be asked of, in the order in which points are sorted."""

METHODS = ("exact", "exhaustive")

Pose = Callable[[type[Metric], tuple[str, ...]], tuple[Problem, Tally]]
"""Returns the problem for a metric, and a tally that holds these columns too."""


def objectives_named(given: str | Sequence[str]) -> tuple[str, ...]:
    """Return the objectives of a list, in whatever order, or refuse them.

    >>> objectives_named("loss, suppressed")
    ('suppressed', 'loss')
    """
    names = [name.strip() for name in given.split(",")] if isinstance(given, str) else list(given)
    for name in names:
        if name not in OBJECTIVES:
            raise InputError(f"unknown objective {show(name)}; {did_you_mean(name, OBJECTIVES)}")
    for choice in CHOICES:
        if sorted(choice) == sorted(names):
            return choice
    known = "; ".join(",".join(choice) for choice in CHOICES)
    raise InputError(f"no frontier of {','.join(names)}; choose one of: {known}")


def frontier_of(
    objectives: tuple[str, ...],
    pose: Pose,
    *,
    sensitive: tuple[str, ...],
    k: int | None,
    metric: str,
    suppress: str | float | None,
    method: str,
    min_k: int,
    max_k: int | None,
    time_limit: float | None,
    threads: int,
    progress: Progress | None,
) -> Frontier:
    """Return every Pareto-optimal point of the objectives, one of CHOICES but the first.

    A point is a node at thresholds: the rows of classes smaller than k, or of fewer than l distinct values,
    are suppressed. docs/objectives.md tells which thresholds.
    """
    kind = metric_named(metric)
    _check(objectives, sensitive, k, suppress, method, min_k, max_k)
    check_time_limit(time_limit)
    columns = sensitive if {"l", "t"} & {*objectives} else ()
    problem, tally = pose(kind, columns)
    if suppress is None:
        limit = problem.rows - 1 if "suppressed" in objectives else 0
    else:
        limit = suppression_limit(suppress, problem.rows)
    least_k = min_k if "k" in objectives else k or 1
    if least_k > problem.rows:
        raise NoSolutionError(
            f"no k of {least_k:,} or more: the table has {problem.rows:,} rows; lower it"
        )
    clock = Clock(time_limit, progress)
    evaluator = ThresholdEvaluator(
        problem,
        kind(problem),
        tally,
        Thresholds(least_k, "k" in objectives, _diversity(objectives), limit),
        diverse=columns if "l" in objectives else (),
        close=columns if "t" in objectives else (),
        threads=threads,
    )
    found = _search(evaluator, objectives, method, clock)
    front = _frontier(found, objectives, evaluator, method, columns, k, max_k)
    if not front.points and found.certified:
        raise NoSolutionError(_why_none(limit, least_k, max_k, objectives))
    return front


def _search(
    evaluator: ThresholdEvaluator, objectives: tuple[str, ...], method: str, clock: Clock
) -> ObjectiveOutcome:
    """Two objectives go the way of k and loss; three, and too large numbers, are searched by boxes."""
    short = len(objectives) == 2 and ("t" not in objectives or evaluator.problem.rows <= MOST_ROWS_FOR_T)
    if method == "exact" and short and evaluator.metric.monotone:
        return two_objectives(evaluator, objectives[0], clock=clock)
    return objective_frontier(evaluator, objectives, prune=method == "exact", clock=clock)


def _check(
    objectives: tuple[str, ...],
    sensitive: tuple[str, ...],
    k: int | None,
    suppress: str | float | None,
    method: str,
    min_k: int,
    max_k: int | None,
) -> None:
    names = ",".join(objectives)
    if method not in METHODS:
        raise InputError(f"no method {show(method)} for {names}; {did_you_mean(method, METHODS)}")
    if {"l", "t"} & {*objectives} and not sensitive:
        raise InputError(f"{names} needs a column of the role sensitive; name one in the study")
    if k is not None and k < 1:
        raise InputError(f"k is {k}; use 1 or more")
    if "k" in objectives:
        if k is not None:
            raise InputError(f"k is an objective of {names}; limit it with min_k and max_k")
    elif min_k != 1 or max_k is not None:
        raise InputError(f"k is no objective of {names}; leave min_k and max_k out, and give k")
    if k is None and objectives == ("suppressed", "loss"):
        raise InputError("suppressed,loss needs a k: what smaller classes are suppressed for")
    if min_k < 1:
        raise InputError(f"a smallest k of {min_k}; min_k is 1 or more")
    if max_k is not None and max_k < min_k:
        raise InputError(f"no k lies between {min_k} and {max_k}; make max_k not less than min_k")
    if "t" in objectives and suppress is not None and suppression_limit(suppress, 1 << 62) > 0:
        raise InputError(
            "t,loss suppresses nothing, since that would change what t compares with; leave it 0"
        )


def _diversity(objectives: tuple[str, ...]) -> Diversity:
    if "l" not in objectives:
        return Diversity.NONE
    return Diversity.EVERY if "k" in objectives else Diversity.LARGEST


def _frontier(
    found: ObjectiveOutcome,
    objectives: tuple[str, ...],
    evaluator: ThresholdEvaluator,
    method: str,
    sensitive: tuple[str, ...],
    k: int | None,
    max_k: int | None,
) -> Frontier:
    problem, metric = evaluator.problem, evaluator.metric
    points = () if found.points is None else _solutions(found.points, objectives, problem, metric)
    return Frontier(
        method=method,
        metric=metric.name,
        rows=problem.rows,
        suppression_limit=evaluator.thresholds.limit,
        nodes=problem.nodes,
        evaluated=found.evaluated,
        certified=found.certified,
        seconds=found.seconds,
        points=tuple(point for point in points if max_k is None or point.k <= max_k),
        objectives=objectives,
        required_k=k,
        sensitive=sensitive,
    )


def _solutions(
    points: Points, objectives: tuple[str, ...], problem: Problem, metric: Metric
) -> tuple[NodeSolution, ...]:
    losses, levels = points.loss, points.levels.tolist()
    return tuple(
        NodeSolution(
            int(points.k[i]),
            float(metric.figure(int(losses[i]))),
            dict(zip(problem.names, levels[i], strict=True)),
            int(points.suppressed[i]),
            int(points.distinct[i]) if "l" in objectives else None,
            Fraction(int(points.far[i]), int(points.far_of[i]) * 2 * problem.rows)
            if "t" in objectives
            else None,
        )
        for i in range(len(points))
    )


def _why_none(limit: int, least_k: int, max_k: int | None, objectives: tuple[str, ...]) -> str:
    if max_k is not None:
        return f"no Pareto-optimal k lies from {least_k:,} to {max_k:,}; widen the range"
    wanted = f"k = {least_k:,}" + (" and a sensitive value in every class" if "l" in objectives else "")
    return f"no node has {wanted} with at most {limit:,} suppressed rows; allow more, or ask for less"
