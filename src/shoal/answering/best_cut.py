"""From what a curator asks to the provably best cut: roles, limits, search, and a solution to release."""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.answering.defended import measured_defence
from shoal.answering.following import seconds_after, timed_after
from shoal.answers.found_on import found_on
from shoal.answers.recoding import Scheme
from shoal.answers.solution import CutSolution
from shoal.assess.utility import measure_utility
from shoal.data.tally.tally import Tally
from shoal.describe.promise import Promise, ShareLimits, share
from shoal.describe.promise.limits import diversity
from shoal.describe.quantities import suppression_limit
from shoal.errors import InputError, NoSolutionError, did_you_mean, show
from shoal.metrics import LM, METRICS
from shoal.metrics.on_cuts import TargetCost, cut_metric_named
from shoal.metrics.target import target_named, target_of
from shoal.numbers import many
from shoal.questions.material import Material, problem_of
from shoal.questions.promised import sensitive_columns
from shoal.questions.searches import OptimizeQuestion
from shoal.recode import treat
from shoal.running.clock import Clock
from shoal.search.cuts.cut_problem import CutProblem
from shoal.search.cuts.from_nodes import node_cuts
from shoal.search.cuts.l_plus_optimize import (
    Cut,
    CutFound,
    CutOutcome,
    Techniques,
    l_plus_optimize,
    suppressed,
)
from shoal.search.cuts.near_cuts import all_detail, near_cut
from shoal.search.cuts.posing import branches_of, target_cost
from shoal.search.task import Task

BLANKING = (Scheme.ALL_SA, Scheme.VIO_SA)
"""The schemes that blank sensitive values and suppress no rows."""
SEARCH, WALK = 0.6, 0.5
"""Shares of a time limit for a robust cut: for the best one, and of what is left for drawing another."""
NODES = 0.5
"""The share of a time limit for the best node, if there are too many cuts for a proof."""


def optimize(
    material: Material, question: OptimizeQuestion, techniques: Techniques | None = None
) -> CutSolution:
    """Return the cheapest full-subtree recoding that keeps a promise, or say why there is none."""
    counting = Clock()
    problem = pose(material, question)
    top, seed = question.top, question.seed
    drawn = secrets.randbits(32) if seed is None and top > 1 else seed or 0
    timed = timed_after(counting, question)
    limit = timed.time_limit
    whole = Clock(limit, timed.progress, seconds_after(problem.tally, "cut"))
    if problem.scheme not in BLANKING and _too_low(problem) is not None:
        raise NoSolutionError(_why_none(problem, complete=True))
    with whole:
        outcome = l_plus_optimize(
            problem,
            keep=top,
            seed=drawn,
            gap=question.gap,
            threads=material.threads,
            clock=whole
            if question.robust is None or limit is None
            else Clock(SEARCH * limit, question.progress),
            on_improvement=question.on_improvement,
            watch=question.watch,
            techniques=techniques,
            known=lambda clock: _good_nodes(material, question, problem, clock),
        )
    if not outcome.found:
        raise NoSolutionError(_why_none(problem, outcome.complete, whole.ended))
    picked = random.Random(drawn).choice(outcome.found) if top > 1 else outcome.found[0]
    solution = _solution(material, question, problem, outcome, picked)
    if top > 1:
        spread = Fraction(outcome.found[-1].cost) - Fraction(outcome.found[0].cost)
        within = float(spread / all_detail(problem)) if all_detail(problem) else 0.0
        near = {"within": within, "best_proven": outcome.complete}
        costs = tuple(cut.cost for cut in outcome.found)
        return replace(solution, seed=drawn, solutions=costs, near=near)
    if question.robust is None:
        return solution
    return _robust(material, question, problem, outcome, solution, whole)


def _robust(
    material: Material,
    question: OptimizeQuestion,
    problem: CutProblem,
    outcome: CutOutcome,
    plain: CutSolution,
    clock: Clock,
) -> CutSolution:
    """Return a cut drawn at random among those near the best one, with what attacks find on both."""
    within = Fraction(question.robust or 0)
    more = within * all_detail(problem)
    with clock.part(WALK) as part:
        near = near_cut(problem, plain.cut, more, random.SystemRandom(), part)
    picked = CutFound(near.cost, dict(near.cut))
    told: dict[str, Any] = {
        "within": float(within),
        "best_proven": outcome.optimal,
        "met": near.met,
    }
    drawn = replace(_solution(material, question, problem, outcome, picked), optimal=False, near=told)
    shares = plain.share or 0.0, drawn.share or 0.0
    found = measured_defence(material, plain.decision(), drawn.decision(), within, shares, clock)
    told |= {"robust": found | {"measure": plain.measure}}
    return replace(drawn, near=told, seconds=clock.seconds)


def _solution(
    material: Material,
    question: OptimizeQuestion,
    problem: CutProblem,
    outcome: CutOutcome,
    picked: CutFound,
) -> CutSolution:
    """Return a cut with all its figures, held against the bound of the search."""
    optimal = outcome.optimal and picked.cost == outcome.found[0].cost
    deleted, blanked = suppressed(problem, picked.cut)
    blanks = problem.scheme in BLANKING
    solution = CutSolution(
        metric=problem.metric.name,
        scheme=problem.scheme,
        rows=problem.tally.rows,
        space=outcome.space,
        examined=outcome.examined,
        cost=picked.cost,
        lower_bound=outcome.lower_bound,
        gap=0.0 if optimal or not picked.cost else max(0.0, 1 - outcome.lower_bound / picked.cost),
        optimal=optimal,
        seconds=outcome.seconds,
        cut=picked.cut,
        suppressed_records=deleted,
        suppressed_values=blanked,
        promise=Promise(question.k, None, problem.limits),
        seed=question.seed,
        complete=outcome.complete,
        found_on=found_on(problem.tally, material.hierarchies, material.specification.lowest),
        suppression_limit=None if blanks else problem.most_lost,
        blank_limit=problem.most_lost if blanks else None,
        persons=problem.tally.people_if_several,
    )
    decision = solution.decision()
    labels = problem.class_column if decision.metric == "CM" else None
    treatment = treat(decision, problem.tally, material.hierarchies, labels)
    # CM only if the search counted the class: it is not worth counting the table again.
    figures = measure_utility(
        decision.recoding,
        treatment,
        problem.tally,
        material.hierarchies,
        problem.class_column,
        material.specification.weights,
    ).figures
    return replace(
        solution,
        losses=figures["losses"],
        shares=figures["shares"],
        suppressed_persons=problem.tally.lost(np.isin(treatment.classes, sorted(treatment.deleted))),
    )


def _good_nodes(
    material: Material, question: OptimizeQuestion, problem: CutProblem, clock: Clock
) -> Iterator[Cut | None]:
    """Yield better and better nodes as cuts, none if a proof is in reach.

    Where a scheme suppresses no rows, they are nodes that suppress none.
    """
    name = problem.metric.name
    kind = target_named(name) or next((one for one in METRICS if one.name == name), LM)
    lattice, tally = material.posed(kind, tuple(problem.limits))
    rows = tally.rows if problem.most_lost is None else problem.most_lost
    task = Task(
        material.specification,
        tally,
        lattice,
        material.hierarchies,
        Promise(question.k, None, problem.limits),
        0 if problem.scheme in (*BLANKING, Scheme.NO_SUPP) else rows,
        kind(lattice),
        question.seed or 0,
        material.threads,
    )
    return node_cuts(task, problem.branches, clock, NODES)


def pose(material: Material, question: OptimizeQuestion) -> CutProblem:
    """Return the problem that a question poses on a study's table."""
    specification = material.specification
    given = question.metric
    kind = cut_metric_named(given) if isinstance(given, str) else given
    columns: tuple[str, ...] = ()
    if question.limits_shares:
        columns = sensitive_columns(
            specification,
            tuple(question.sensitive),
            "no column has the role sensitive, so no share can be limited",
        )
    classes = material.classes(kind)
    tally = material.counts(columns, classes)
    if issubclass(kind, TargetCost):
        lattice = problem_of(specification, material.hierarchies, tally, classes)
        kind, classes = target_cost(target_of(kind.column)(lattice), material.hierarchies, tally), ()
    labels = len(tally.domain(classes[0])) if classes else 0
    return CutProblem(
        branches_of(specification, material.hierarchies, tally),
        tally,
        Scheme.of(question.scheme),
        kind(material.quasi, tally.rows, labels, specification.weights),
        _limits(question, tally, columns),
        min(question.k or 1, tally.rows + 1),
        classes[0] if classes else None,
        _most_lost(question, tally.rows, len(columns)),
    )


def _most_lost(question: OptimizeQuestion, rows: int, columns: int) -> int | None:
    """Return how many rows the scheme may suppress, or values it may blank; None for any number.

    Every cut keeps the other limit, since a scheme does only one of the two.
    """
    deleted = blanked = None
    if question.suppress is not None:
        deleted = suppression_limit(question.suppress, rows)
    if question.blank is not None:
        # Where no column is limited, none of its values need go; a number of them is no mistake.
        blanked = suppression_limit(question.blank, rows * max(columns, 1), "sensitive values")
    return blanked if Scheme.of(question.scheme) in BLANKING else deleted


def _limits(question: OptimizeQuestion, tally: Tally, columns: Sequence[str]) -> dict[str, ShareLimits]:
    """Return the limits of each sensitive column, or refuse values that no such column has."""
    by_value = {value: share(limit) for value, limit in (question.limits or {}).items()}
    found = {
        column: {value for value in tally.domain(column) if value is not None} for column in columns
    }
    for value in by_value:
        if not any(value in values for values in found.values()):
            known = sorted(set().union(*found.values()))
            raise InputError(
                f"no value {show(value)} in {', '.join(columns)}; {did_you_mean(value, known)}"
            )
    limits = {}
    for column in columns:
        own = {value: limit for value, limit in by_value.items() if value in found[column]}
        if question.theta_by_frequency is None:
            limits[column] = ShareLimits(_uniform(question), own).marked(tally.frequencies(column))
            continue
        general = ShareLimits.by_frequency(share(question.theta_by_frequency), tally.frequencies(column))
        limits[column] = replace(
            general, values={**general.values, **own}, counted=frozenset(general.values).difference(own)
        ).marked(tally.frequencies(column))
    return limits


def _uniform(question: OptimizeQuestion) -> Fraction | None:
    """Return the limit for values without one of their own."""
    if question.theta is not None:
        return share(question.theta)
    return None if question.l is None else 1 / diversity(question.l, "l", most=None)


def _too_low(problem: CutProblem) -> str | None:
    """Return why no group can keep the limits of some column; None where some group may.

    The shares of all values of a group add up to 1, or to more where persons count who have several. So
    limits of all values that add up to less leave only groups without rows.
    """
    for column, given in problem.limits.items():
        limits = [given.of(value) for value in problem.tally.domain(column)]
        total = sum((limit for limit in limits if limit is not None), Fraction(0))
        if None not in limits and total < 1:
            return (
                f"no group can keep the limits of the {len(limits)} values of {column}: they add up to "
                f"{total}, less than 1; raise them"
            )
    return None


def _why_none(problem: CutProblem, complete: bool, ended: bool = False) -> str:
    """Return why no cut was found.

    Merging allowed groups gives an allowed group: shares become averages, rows add up, and the persons
    of a part are persons of the whole. So if any cut is allowed, the most general one is, and if any
    releases a row, it does: its groups say what is wrong. This fails only for shares of persons with
    several rows.
    """
    people, who = problem.tally.people, "rows" if problem.tally.persons is None else "persons"
    if people < problem.k:
        return f"the table has {people:,} {who}, fewer than k asks for in every group; lower k"
    for labels, size, counts in _top_groups(problem):
        where = ", ".join("(missing)" if label is None else label for label in labels)
        if size < problem.k and problem.scheme not in (Scheme.ALL_REC, Scheme.VIO_REC):
            return (
                f"no cut has at least {problem.k:,} {who} in every group: even the most general group "
                f"({where}) has {size:,}; lower k"
            )
        if problem.scheme is not Scheme.NO_SUPP or problem.weighed:
            continue
        for (column, value), count in zip(problem.values, counts, strict=True):
            limit = problem.limits[column].of(value)
            if limit is not None and count > limit * size:
                return (
                    f"no cut limits {show(value)} of {column} to {limit}: even in the most general group "
                    f"({where}) it has {count:,} of {size:,} rows; raise its limit to "
                    f"{Fraction(count, size)} or more, or choose a scheme that suppresses"
                )
    if complete and problem.weighed and problem.scheme is Scheme.NO_SUPP:
        return (
            "every cut has a group that breaks a limit of shares, each person counting once, or k; raise the "
            "limits, or choose a scheme that suppresses"
        )
    if complete and problem.most_lost is not None and problem.scheme in BLANKING:
        return _why_too_many(problem, problem.most_lost)
    if (why := _too_low(problem)) is not None:
        return why
    if not complete and ended:
        return "the search was stopped before any solution was found; let it go on for longer"
    if not complete:
        return "the time was over before any solution was found; give it more"
    if problem.most_lost is not None:
        return _why_too_many(problem, problem.most_lost)
    return "every row would be deleted under these limits; raise them, lower k, or choose another scheme"


def _why_too_many(problem: CutProblem, limit: int) -> str:
    """Return that every cut suppresses more than the limit, and how much the most general one does."""
    top = {branch.name: tuple(tree.label for tree in branch.trees) for branch in problem.branches}
    deleted, blanked = suppressed(problem, top)
    if problem.scheme in BLANKING:
        wish, most, needed = "blank", many(limit, "value"), many(blanked, "value")
    else:
        wish, most, needed = "suppress", many(limit, "row"), many(deleted, "row")
    return (
        f"no cut keeps the promise with at most {most} suppressed: the most general one suppresses {needed}; "
        f"raise {wish}, or promise less"
    )


def _top_groups(problem: CutProblem) -> list[tuple[tuple[str | None, ...], int, list[int]]]:
    """Return the labels, the persons and the sensitive values' rows of each group of the most general cut.

    Where every row is a person, the persons are its rows.
    """
    tally = problem.tally
    roots = []
    for branch in problem.branches:
        root_of = {leaf: tree.label for tree in branch.trees for leaf in tree.leaves}
        roots.append([root_of[leaf] for leaf in branch.values])
    place: dict[tuple[str | None, ...], int] = {}
    groups = np.array(
        [
            place.setdefault(
                tuple(root[code] for root, code in zip(roots, codes, strict=True)), len(place)
            )
            for codes in tally.codes.tolist()
        ],
        dtype=np.int64,
    )
    people = tally.people_in(groups, len(place)).tolist()
    columns = [tally.histogram(column, groups, len(place)) for column in problem.limits]
    counts = np.concatenate([*columns, np.zeros((len(place), 0), dtype=np.int64)], axis=1).tolist()
    return list(zip(place, people, counts, strict=True))
