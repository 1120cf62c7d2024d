"""From what a curator asks to a frontier of objectives at thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from shoal.answering.following import clock_after
from shoal.answers.solution import Frontier, NodeSolution
from shoal.data.tally import Node
from shoal.describe.quantities import suppression_limit
from shoal.errors import NoSolutionError
from shoal.kernels import Diversity
from shoal.metrics import metric_named
from shoal.questions.material import Material
from shoal.questions.promised import sensitive_columns
from shoal.questions.searches import FrontierQuestion
from shoal.running.clock import Clock
from shoal.search.lattice.anytime import HOPELESS
from shoal.search.lattice.evaluator import Evaluator
from shoal.search.lattice.every_k import ks_between
from shoal.search.lattice.exact_frontier import FIRST, sketched
from shoal.search.lattice.objective_frontier import ObjectiveOutcome, objective_frontier
from shoal.search.lattice.person_thresholds import threshold_evaluator
from shoal.search.lattice.thresholds import Points, ThresholdEvaluator, Thresholds
from shoal.search.lattice.two_objectives import FINEST, two_objectives

NODES = 0.6
"""The share of a time limit for good nodes, if the lattice is too large for a proof."""


def frontier_of(material: Material, question: FrontierQuestion) -> Frontier:
    """Return every Pareto-optimal point of the objectives; of k and loss over every node.

    A point is a node at thresholds: the rows of classes smaller than k, or of fewer than l distinct values,
    are suppressed. docs/objectives.md says which thresholds.
    """
    counting = Clock()
    objectives, kind = question.named, metric_named(question.metric)
    columns: tuple[str, ...] = ()
    if {"l", "t"} & {*objectives}:
        columns = sensitive_columns(
            material.specification, (), f"{','.join(objectives)} needs a column of the role sensitive"
        )
    problem, tally = material.posed(kind, columns)
    if question.suppress is None:
        limit = problem.rows - 1 if "suppressed" in objectives else 0
    else:
        limit = suppression_limit(question.suppress, problem.rows)
    least_k = question.min_k if "k" in objectives else question.k or 1
    if least_k > problem.people:
        raise NoSolutionError(f"no k of {least_k:,} or more: the table has {problem.crowd}; lower it")
    clock = clock_after(counting, question)
    evaluator = threshold_evaluator(
        problem,
        kind(problem),
        tally,
        Thresholds(least_k, "k" in objectives, _diversity(question), limit),
        diverse=columns if "l" in objectives else (),
        close=columns if "t" in objectives else (),
        threads=material.threads,
    )
    with clock:
        found = _search(evaluator, objectives, question.method, clock)
    front = _frontier(found, question, evaluator, columns)
    if not front.points and found.certified:
        raise NoSolutionError(_why_none(limit, least_k, question.max_k, objectives))
    return front


def _search(
    evaluator: ThresholdEvaluator, objectives: tuple[str, ...], method: str, clock: Clock
) -> ObjectiveOutcome:
    """Search two objectives like k and loss; search three, and numbers that are too large, by boxes."""
    problem = evaluator.problem
    short = len(objectives) == 2 and ("t" not in objectives or (evaluator.finest or FINEST) < FINEST)
    if method == "exact" and short and evaluator.metric.monotone:
        return two_objectives(evaluator, objectives[0], clock=clock)
    known = _good_nodes(evaluator, clock) if problem.nodes > HOPELESS else ()
    return objective_frontier(
        evaluator,
        objectives,
        prune=method == "exact",
        clock=clock,
        known=known,
        first=None if clock.limited else FIRST,
    )


def _good_nodes(evaluator: ThresholdEvaluator, clock: Clock) -> Iterator[Node | None]:
    """Yield the best nodes for the k that people ask for as the anytime search finds them, and None after
    each of its steps; when its time is over the best nodes for every k.
    """
    asked = evaluator.thresholds
    limit = min(asked.limit, evaluator.problem.rows - 1)
    measurer = Evaluator(evaluator.problem, evaluator.metric, limit, evaluator.threads)
    own = clock.part(NODES, heard=True) if clock.limited else clock
    stairs, steps = sketched(measurer, min_k=asked.k, clock=own)
    ks = ks_between(asked.k, evaluator.problem.people)
    told: set[Node] = set()
    for _ in steps:
        for best in map(stairs.cheapest, ks):
            if best is not None and best.node not in told:
                told.add(best.node)
                yield best.node
        yield None
    yield from dict.fromkeys(point.node for point in stairs if point.node not in told)


def _diversity(question: FrontierQuestion) -> Diversity:
    if "l" not in question.named:
        return Diversity.NONE
    return Diversity.LARGEST if question.fill else Diversity.EVERY


def _frontier(
    found: ObjectiveOutcome,
    question: FrontierQuestion,
    evaluator: ThresholdEvaluator,
    sensitive: tuple[str, ...],
) -> Frontier:
    objectives, max_k = question.named, question.max_k
    problem, metric = evaluator.problem, evaluator.metric
    points = () if found.points is None else _solutions(found.points, objectives, evaluator)
    return Frontier(
        method=question.method,
        metric=metric.name,
        rows=problem.rows,
        suppression_limit=evaluator.thresholds.limit,
        nodes=problem.nodes,
        evaluated=found.evaluated,
        certified=found.certified,
        seconds=found.seconds,
        points=tuple(point for point in points if max_k is None or point.k <= max_k),
        objectives=objectives,
        required_k=question.k,
        sensitive=sensitive,
        suppression=question.suppression,
        persons=problem.people_if_several,
    )


def _solutions(
    points: Points, objectives: tuple[str, ...], evaluator: ThresholdEvaluator
) -> tuple[NodeSolution, ...]:
    problem, metric = evaluator.problem, evaluator.metric
    losses, levels, lost = points.loss, points.levels.tolist(), evaluator.lost(points)
    return tuple(
        NodeSolution(
            int(points.k[i]),
            float((told := metric.told(int(losses[i]))).loss),
            dict(zip(problem.names, levels[i], strict=True)),
            int(points.suppressed[i]),
            int(points.distinct[i]) if "l" in objectives else None,
            Fraction(int(points.far[i]), int(points.far_of[i]) * 2 * problem.rows)
            if "t" in objectives
            else None,
            float(told.share),
            lost[i],
        )
        for i in range(len(points))
    )


def _why_none(limit: int, least_k: int, max_k: int | None, objectives: tuple[str, ...]) -> str:
    if max_k is not None:
        return f"no Pareto-optimal k lies from {least_k:,} to {max_k:,}; widen the range"
    wanted = f"k = {least_k:,}" + (" and a sensitive value in every class" if "l" in objectives else "")
    return f"no node has {wanted} with at most {limit:,} suppressed rows; allow more, or ask for less"
