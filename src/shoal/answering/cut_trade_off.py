"""From what a curator asks to the frontier of cuts: metric, objective, suppression, range of k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from shoal.answering.following import clock_after, seconds_after
from shoal.answers.recoding import Scheme
from shoal.answers.solution import CutPoint, Frontier, NodeSolution
from shoal.data.tally import Problem
from shoal.describe.hierarchies import Hierarchy
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
from shoal.search.cuts.from_nodes import CutsOfEveryK
from shoal.search.cuts.full_domain import cuts_of_nodes
from shoal.search.cuts.posing import branches_of, common_cost
from shoal.search.lattice.anytime import HOPELESS
from shoal.search.lattice.evaluator import Evaluator
from shoal.search.lattice.exact_frontier import exact_frontier
from shoal.search.lattice.pareto import ParetoPoint

NODES, SECONDS = 0.15, 2.0
"""The share of a time limit for nodes where there are few of them, and the seconds without a limit."""


def cut_trade_off(
    material: Material,
    question: FrontierQuestion,
    *,
    beyond: bool = False,
    known: Sequence[NodeSolution] = (),
) -> Frontier:
    """Return every Pareto-optimal (k, loss) of cuts, or (l, loss), or (theta, loss).

    The loss is the metric's common one, in which a suppressed row counts once, so it compares with
    nodes. With `beyond`, the first point above the largest k is included: it may be the cheapest that
    keeps that k.

    Every node is a cut. Where the proof is not done when the time is over, the frontier of k is no worse than
    the `known` nodes and those that are found here: where there are few nodes, all of them, in a moment.
    """
    counting = Clock()
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
    cost = common_cost(metric, "the frontier of cuts", material.hierarchies, tally)
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
    clock = clock_after(counting, question, seconds_after(tally, "cut"))
    near: CutsOfEveryK | None = None
    few: Sequence[ParetoPoint] = ()
    with clock:
        # Bounds rule out nearly all of many cuts; with too many nodes there are many columns, and no proof.
        if objective == "k" and lattice.nodes > HOPELESS:
            evaluator = Evaluator(lattice, metric, limit, material.threads)
            ks = (least_k, question.max_k)
            near = CutsOfEveryK(problem, evaluator, material.hierarchies, ks, clock)
        elif objective == "k" and not known and least_k <= lattice.people:
            evaluator = Evaluator(lattice, metric, limit, material.threads)
            own = clock.part(NODES, heard=True, most=SECONDS)
            few = exact_frontier(evaluator, min_k=least_k, clock=own).points
        found = cut_frontier(
            problem,
            objective,
            first=least_k if objective == "k" else 1,
            last=question.max_k,
            threads=material.threads,
            clock=clock,
            near=None if near is None else near.steps(),
        )
    points = tuple(_point(each, objective, metric, problem) for each in found.points)
    if objective == "k" and not found.certified:
        stairs = few if near is None else list(near.stairs)
        nodes = _nodes(stairs, problem, lattice, metric, material.hierarchies)
        nodes += _known(known, problem, lattice, material.hierarchies)
        found_near = () if near is None else near.cuts
        cuts = (_point(cut, objective, metric, problem) for cut in found_near)
        points = _undominated([*points, *nodes, *(replace(cut, lower_bound=0.0) for cut in cuts)])
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


def _nodes(
    points: Sequence[ParetoPoint],
    problem: CutProblem,
    lattice: Problem,
    metric: Metric,
    hierarchies: Mapping[str, Hierarchy],
) -> list[CutPoint]:
    """Return the points of nodes, which are cuts too: good ones for every k, and soon."""
    lost = lattice.lost_below([(point.node, point.k) for point in points])
    cuts = cuts_of_nodes(problem.branches, lattice, hierarchies, [point.node for point in points])
    return [
        CutPoint(
            point.k,
            float((told := metric.told(point.loss)).loss),
            {},
            point.suppressed,
            share=float(told.share),
            suppressed_persons=persons,
            cut=cut,
        )
        for point, persons, cut in zip(points, lost, cuts, strict=True)
    ]


def _known(
    nodes: Sequence[NodeSolution],
    problem: CutProblem,
    lattice: Problem,
    hierarchies: Mapping[str, Hierarchy],
) -> list[CutPoint]:
    """Return nodes that are known already as cuts."""
    levels = [tuple(point.node[name] for name in lattice.names) for point in nodes]
    cuts = cuts_of_nodes(problem.branches, lattice, hierarchies, levels)
    return [
        CutPoint(
            point.k,
            point.loss,
            {},
            point.suppressed,
            share=point.share,
            suppressed_persons=point.suppressed_persons,
            cut=cut,
        )
        for point, cut in zip(nodes, cuts, strict=True)
    ]


def _undominated(points: Sequence[CutPoint]) -> tuple[CutPoint, ...]:
    """Return the points that lose less than all of a larger k, most privacy first."""
    found: list[CutPoint] = []
    for point in sorted(points, key=lambda point: (-point.k, point.loss)):
        if not found or point.loss < found[-1].loss:
            found.append(point)
    return tuple(found)


def _point(found: FrontierCut, objective: str, metric: Metric, problem: CutProblem) -> CutPoint:
    # Costs of cuts begin where labels tell most, losses of the metric at each row's own value.
    told = metric.told(round(found.loss * metric.unit) - metric.refund)
    least = found.lower_bound - Fraction(metric.refund, metric.unit)
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
        lower_bound=float(least),
    )


def _why_none(problem: Problem, limit: int, least_k: int, most_k: int | None) -> str:
    if least_k > problem.people:
        return f"no k of {least_k:,} or more: the table has {problem.crowd}; lower it"
    if most_k is not None:
        return f"no Pareto-optimal k lies from {least_k:,} to {most_k:,}; widen the range"
    return f"no cut keeps that with at most {limit:,} rows suppressed; ask for less, or allow more"
