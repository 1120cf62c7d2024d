"""From what a curator asks to the frontier: metric, suppression, method, range of k."""

from __future__ import annotations

from dataclasses import replace

from shoal.answering.cut_trade_off import cut_trade_off
from shoal.answering.following import clock_after
from shoal.answering.objective_trade_off import frontier_of
from shoal.answers.solution import Frontier, NodeSolution
from shoal.data.tally.problem import Problem
from shoal.describe.quantities import suppression_limit
from shoal.errors import NoSolutionError
from shoal.metrics import metric_named
from shoal.questions.material import Material
from shoal.questions.searches import FrontierQuestion
from shoal.running.clock import Clock
from shoal.search.lattice.evaluator import Evaluator
from shoal.search.lattice.exact_frontier import exact_frontier
from shoal.search.lattice.exhaustive import exhaustive
from shoal.search.lattice.pareto import Outcome
from shoal.search.lattice.poka import poka


def frontier(material: Material, question: FrontierQuestion) -> Frontier:
    """Return every Pareto-optimal point of the objectives, with the mark of the counts it was found on."""
    if question.recoding in ("groups", "all"):
        from shoal.answering.by_any_means import by_any_means

        return by_any_means(material, question)
    if question.recoding == "cuts":
        front = cut_trade_off(material, question)
    elif question.named == ("k", "loss"):
        front = trade_off(material, question)
    else:
        front = frontier_of(material, question)
    classes = material.classes(metric_named(front.metric))
    return replace(front, found_on=material.found_on(classes, front.sensitive))


def trade_off(material: Material, question: FrontierQuestion) -> Frontier:
    """Return every Pareto-optimal (k, loss) pair over all nodes and amounts of suppression.

    If the question fills, every node suppresses as much as it may. Otherwise `exhaustive` means the
    search by boxes without pruning.
    """
    if question.method == "exhaustive" and not question.fills:
        return frontier_of(material, question)
    counting, kind = Clock(), metric_named(question.metric)
    problem, _ = material.posed(kind)
    limit = suppression_limit(question.suppress or 0, problem.rows)
    min_k, max_k, method = question.min_k, question.max_k, question.method
    if min_k > problem.people:
        raise NoSolutionError(_why_none(problem, limit, min_k, max_k))
    clock = clock_after(counting, question)
    evaluator = Evaluator(problem, kind(problem), limit, material.threads)
    with clock:
        if method == "exact":
            outcome = exact_frontier(
                evaluator, fill=question.fills, min_k=min_k, max_k=max_k, clock=clock
            )
        elif method == "poka":
            outcome = poka(evaluator, depth=question.depth, min_k=min_k, max_k=max_k, clock=clock)
        else:
            outcome = exhaustive(evaluator, min_k=min_k, max_k=max_k, clock=clock)
    front = _frontier(outcome, question, evaluator)
    if not front.points and (outcome.certified or method == "poka"):
        raise NoSolutionError(_why_none(problem, limit, min_k, max_k))
    return front


def _frontier(outcome: Outcome, question: FrontierQuestion, evaluator: Evaluator) -> Frontier:
    problem = evaluator.problem
    lost = problem.lost_below([(point.node, point.k) for point in outcome.points])
    return Frontier(
        method=question.method,
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
                float((told := evaluator.metric.told(point.loss)).loss),
                dict(zip(problem.names, point.node, strict=True)),
                point.suppressed,
                share=float(told.share),
                suppressed_persons=persons,
            )
            for point, persons in zip(outcome.points, lost, strict=True)
        ),
        suppression=question.suppression,
        persons=problem.people_if_several,
    )


def _why_none(problem: Problem, limit: int, min_k: int, max_k: int | None) -> str:
    if limit >= problem.rows:
        return "all rows may be suppressed, so no k is left; lower the suppression"
    if min_k > problem.people:
        return f"no k of {min_k:,} or more: the table has {problem.crowd}; lower min_k"
    span = f"from {min_k:,} on" if max_k is None else f"from {min_k:,} to {max_k:,}"
    return f"no Pareto-optimal k lies {span}; widen the range"
