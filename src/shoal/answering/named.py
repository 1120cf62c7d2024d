"""From what a curator asks to the answer of a named algorithm: promise, search, figures."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.answering.following import clock_after, seconds_after, timed_after
from shoal.answers.anonymization import Anonymization
from shoal.answers.found_on import found_on
from shoal.answers.recoding import Decision
from shoal.answers.solution import loss_and_share
from shoal.assess.utility import utility_of
from shoal.assess.utility.rows import released_sizes
from shoal.criteria import sensitive_of
from shoal.describe.quantities import suppression_limit
from shoal.describe.specification import Role
from shoal.errors import InputError, NoSolutionError, did_you_mean, show
from shoal.metrics import TargetLoss, metric_named
from shoal.questions.execution import Timed
from shoal.questions.material import Material
from shoal.questions.promised import promise_of
from shoal.questions.searches import AlgorithmQuestion, AnonymizeQuestion
from shoal.recode.treatment import treat
from shoal.running.clock import Clock
from shoal.search.algorithms import algorithm_named
from shoal.search.task import Algorithm, Found, Task


def pose(material: Material, question: AlgorithmQuestion) -> Task:
    """Return the question as every algorithm takes it; without `suppress`, no row may be suppressed."""
    specification = material.specification
    promise = promise_of(material, question)
    kind = metric_named(question.metric)
    problem, tally = material.posed(kind, sensitive_of(promise, specification.having(Role.SENSITIVE)))
    given = question.suppress
    return Task(
        specification,
        tally,
        problem,
        material.hierarchies,
        promise,
        suppression_limit(0 if given is None else given, problem.rows),
        kind(problem),
        question.seed,
        material.threads,
        material.the_population() if promise.needs_population else None,
        given is not None,
    )


def anonymize(material: Material, question: AnonymizeQuestion) -> Anonymization:
    """Return the answer of one algorithm, with all figures counted on what it would release."""
    chosen = algorithm_named(question.algorithm)
    options = question.options or {}
    for name in options:
        if name not in chosen.options:
            known = did_you_mean(name, chosen.options) if chosen.options else "it has none"
            raise InputError(f"{chosen.name} has no option {show(name)}; {known}")
    counting = Clock()
    task = pose(material, question)
    timed = timed_after(counting, question)
    if question.robust is not None:
        from shoal.answering.near_best import robust_answer  # which runs algorithms as it is done here

        within = Fraction(question.robust)
        return robust_answer(material, task, chosen, timed, within, **options)
    return run(material, task, chosen, timed, **options)


def run(
    material: Material, question: Task, algorithm: Algorithm, timed: Timed, **options: Any
) -> Anonymization:
    """Return the answer of an algorithm to a posed question."""
    if (question.promise.k or 1) > question.problem.people:
        raise NoSolutionError(
            f"the table has {question.problem.crowd}, fewer than k asks for in every group; lower k"
        )
    if algorithm.recodes == "groups":
        question.tally.check_fine(f"{algorithm.name} recodes single combinations, which")
    # Count before the search, which may use up all the time.
    counting = Clock()
    material.counts(question.tally.others, material.specification.having(Role.CLASS))
    clock = clock_after(counting, timed, seconds_after(question.tally, algorithm.recodes))
    with clock:
        found = algorithm(question, clock, **options)
    # Some guarantees hold only if neither a time limit nor Ctrl-C ended the search.
    early = clock.over
    guarantees = algorithm.guarantees if found.guarantees is None else found.guarantees
    if found.to_end and not early:
        guarantees += algorithm.at_end
    if early:
        found = replace(found, details={**found.details, "ended_early": True})
    return measured(material, question, algorithm, found, clock.seconds, guarantees)


def _aim(question: Task) -> TargetLoss | None:
    """Return the metric of a question that aims at a column: no other question measures by it."""
    return question.metric if isinstance(question.metric, TargetLoss) else None


def measured(
    material: Material,
    question: Task,
    algorithm: Algorithm,
    found: Found,
    seconds: float,
    guarantees: tuple[str, ...],
) -> Anonymization:
    """Return what an algorithm found, with all figures counted on what it would release."""
    metric = question.metric.name
    details = {"method": algorithm.name, "optimal": found.optimal, **found.details}
    decision = Decision(
        found.recoding,
        found.promise,
        found.scheme,
        metric,
        details,
        deleted=found.deleted,
        found_on=found_on(question.tally, question.hierarchies, material.specification.lowest),
    )
    specification = material.specification
    sensitive = specification.having(Role.SENSITIVE)
    treatment = treat(
        decision.on_quasi(),
        question.tally,
        question.hierarchies,
        sensitive=sensitive,
        population=question.population,
    )
    sizes = released_sizes(treatment, question.tally)
    if question.tally.persons is not None:
        sizes = question.tally.people_in(treatment.classes, len(sizes)) * (sizes > 0)
    sizes = sizes[sizes > 0]
    if not len(sizes):
        raise NoSolutionError(f"{algorithm.name} would suppress every row; ask for less")
    figures = utility_of(material, found.recoding, treatment, question.tally, aim=_aim(question)).figures
    if metric not in figures["losses"]:
        raise InputError(f"the {metric} of this table is too large for any document; use LM")
    details |= loss_and_share(figures["losses"][metric], figures["shares"][metric])
    loss, bound = figures["losses"][metric], details.get("lower_bound")
    if bound is not None:
        details["gap"] = max(0.0, 1 - bound / loss) if loss else 0.0
    limit = None if treatment.suppressed_rows > question.limit else question.limit
    if limit is not None:
        details["suppression_limit"] = limit
    decision = replace(decision, details=details)
    return Anonymization(
        algorithm.name,
        decision,
        question.rows,
        int(sizes.min()),
        len(sizes),
        treatment.suppressed_rows,
        figures["losses"],
        metric,
        found.optimal,
        guarantees,
        question.promise.to_dict(),
        limit,
        seconds,
        figures["shares"],
        question.problem.people_if_several,
        question.problem.lost(np.isin(treatment.classes, sorted(treatment.deleted))),
    )
