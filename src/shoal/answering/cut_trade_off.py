"""From what a curator asks to the frontier of cuts: metric, objective, suppression, range of k."""

from __future__ import annotations

from shoal.answers.recoding import Scheme
from shoal.answers.solution import CutPoint, Frontier
from shoal.data.tally import Problem
from shoal.describe.promise import Promise, ShareLimits
from shoal.describe.quantities import suppression_limit
from shoal.errors import NoSolutionError
from shoal.metrics import Metric, metric_named
from shoal.questions.material import Material
from shoal.questions.promised import sensitive_columns
from shoal.questions.searches import FrontierQuestion
from shoal.running.clock import Clock
from shoal.search.cuts.cut_frontier import FrontierCut, cut_frontier
from shoal.search.cuts.cut_problem import CutProblem
from shoal.search.cuts.posing import branches_of, common_cost


def cut_trade_off(material: Material, question: FrontierQuestion, *, beyond: bool = False) -> Frontier:
    """Return every Pareto-optimal (k, loss) of cuts, or (l, loss), or (theta, loss).

    The loss is the metric's common one, in which a suppressed row counts once, so it compares with
    nodes. With `beyond`, the first point above the largest k is included: it may be the cheapest that
    keeps that k.
    """
    objective, kind = question.named[0], metric_named(question.metric)
    columns: tuple[str, ...] = ()
    if objective != "k":
        columns = sensitive_columns(
            material.specification, (), f"{objective},loss needs a column of the role sensitive"
        )
    lattice, tally = material.posed(kind, columns)
    metric, classes = kind(lattice), material.classes(kind)
    limit = suppression_limit(question.suppress or 0, tally.rows)
    labels = len(tally.domain(classes[0])) if classes else 0
    least_k = question.min_k if objective == "k" else question.k or 1
    cost = common_cost(metric, "the frontier of cuts")
    problem = CutProblem(
        branches_of(material.specification, material.hierarchies, tally),
        tally,
        Scheme.ALL_REC,
        cost(material.quasi, tally.rows, labels, material.specification.weights),
        {column: ShareLimits(None) for column in columns},
        min(least_k, tally.rows + 1),
        classes[0] if classes else None,
        limit,
        distinct=objective == "l",
    )
    found = cut_frontier(
        problem,
        objective,
        first=least_k if objective == "k" else 1,
        last=question.max_k,
        threads=material.threads,
        clock=Clock(question.time_limit, question.progress),
    )
    points = tuple(_point(each, objective, metric, problem) for each in found.points)
    if question.max_k is not None and not beyond:
        points = tuple(point for point in points if point.k <= question.max_k)
    if not points and found.certified:
        raise NoSolutionError(_why_none(lattice, limit, least_k, question.max_k))
    return Frontier(
        method=question.method,
        metric=metric.name,
        rows=tally.rows,
        suppression_limit=limit,
        nodes=found.space,
        evaluated=found.examined,
        certified=found.certified,
        seconds=found.seconds,
        points=points,
        objectives=question.named,
        required_k=question.k,
        sensitive=columns,
        recoding="cuts",
        proven_to=None if found.proven_to is None else float(found.proven_to),
        persons=tally.people_if_several,
    )


def _point(found: FrontierCut, objective: str, metric: Metric, problem: CutProblem) -> CutPoint:
    told = metric.told(round(found.loss * metric.unit))
    kept = Promise(found.k)
    if objective == "l":
        kept = Promise(problem.k, found.distinct)
    elif objective == "theta":
        kept = Promise(problem.k, theta={name: ShareLimits(found.theta) for name in problem.limits})
    return CutPoint(
        found.k,
        float(told.loss),
        {},
        found.suppressed,
        found.distinct if objective == "l" else None,
        share=float(told.share),
        suppressed_persons=problem.lost_under(found.cut, kept),
        cut=found.cut,
        theta=found.theta if objective == "theta" else None,
        lower_bound=float(found.lower_bound),
    )


def _why_none(problem: Problem, limit: int, least_k: int, most_k: int | None) -> str:
    if least_k > problem.people:
        return f"no k of {least_k:,} or more: the table has {problem.crowd}; lower it"
    if most_k is not None:
        return f"no Pareto-optimal k lies from {least_k:,} to {most_k:,}; widen the range"
    return f"no cut keeps that with at most {limit:,} rows suppressed; ask for less, or allow more"
