"""From what a curator asks to the answer of a named algorithm: promise, search, figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from shoal.answers.anonymization import Anonymization
from shoal.answers.found_on import found_on
from shoal.answers.recoding import Decision
from shoal.assess.utility import measure_utility
from shoal.assess.utility.rows import released_sizes
from shoal.criteria import sensitive_of
from shoal.data.tally.problem import Problem
from shoal.describe.promise import Promise
from shoal.describe.quantities import suppression_limit
from shoal.describe.specification import Role
from shoal.errors import InputError, NoSolutionError, did_you_mean, show
from shoal.metrics import metric_named
from shoal.questions.material import Material
from shoal.recode.treatment import treat
from shoal.running.clock import Clock, Progress, check_time_limit
from shoal.search.algorithms import algorithm_named
from shoal.search.task import Algorithm, Found, Task

Pose = Callable[..., Problem]
"""Returns the problem, `with_class` labels if asked for, over a tally that holds `others` too."""


def pose(
    material: Material,
    problem: Pose,
    promise: Promise,
    *,
    metric: str = "LM",
    suppress: str | float | None = None,
    seed: int = 0,
    threads: int = 1,
) -> Task:
    """Return the question that all algorithms can be asked; without `suppress` no row may go."""
    specification = material.specification
    kind = metric_named(metric)
    columns = sensitive_of(promise, specification.having(Role.SENSITIVE))
    quasi = specification.having(Role.QUASI)
    others = tuple(name for name in columns if name not in quasi)
    posed = problem(with_class=kind.needs_class, others=others)
    classes = specification.having(Role.CLASS) if kind.needs_class else ()
    tally = material.tally(*(name for name in (*classes, *others) if name not in quasi))
    limit = suppression_limit(0 if suppress is None else suppress, posed.rows)
    return Task(
        specification,
        tally,
        posed,
        material.hierarchies,
        promise,
        limit,
        kind(posed),
        seed,
        threads,
        material.the_population() if promise.needs_population else None,
        suppress is not None,
    )


def anonymize(
    material: Material,
    question: Task,
    algorithm: str | Algorithm,
    *,
    options: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Anonymization:
    """Return the answer of one algorithm, with all figures counted on what it would release."""
    chosen = algorithm_named(algorithm) if isinstance(algorithm, str) else algorithm
    for name in options or {}:
        if name not in chosen.options:
            known = did_you_mean(name, chosen.options) if chosen.options else "it has none"
            raise InputError(f"{chosen.name} has no option {show(name)}; {known}")
    check_time_limit(time_limit)
    if (question.promise.k or 1) > question.rows:
        raise NoSolutionError(
            f"the table has {question.rows:,} rows, fewer than k asks for in every group; lower k"
        )
    if chosen.recodes == "groups":
        question.tally.check_fine(f"{chosen.name} recodes single combinations, which")
    clock = Clock(time_limit, progress)
    found = chosen(question, clock, **(options or {}))
    # What is guaranteed of a whole search is not of one that a time limit ended.
    guarantees = chosen.guarantees if clock.over else (*chosen.guarantees, *chosen.at_end)
    return _measured(material, question, chosen, found, clock.seconds, guarantees)


def _measured(
    material: Material,
    question: Task,
    algorithm: Algorithm,
    found: Found,
    seconds: float,
    guarantees: tuple[str, ...],
) -> Anonymization:
    metric = question.metric.name
    details = {"method": algorithm.name, "optimal": found.optimal, **found.details}
    decision = Decision(
        found.recoding,
        found.promise,
        found.scheme,
        metric,
        details,
        deleted=found.deleted,
        found_on=found_on(question.tally, question.hierarchies),
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
    sizes = sizes[sizes > 0]
    if not len(sizes):
        raise NoSolutionError(f"{algorithm.name} would suppress every row; ask for less")
    tally, class_column = question.tally, next(iter(specification.having(Role.CLASS)), None)
    if class_column is not None and class_column not in (*tally.others, *tally.attributes):
        tally = material.tally(*tally.others, class_column)
    limit = None if treatment.suppressed_rows > question.limit else question.limit
    if limit is not None:
        decision = replace(decision, details=details | {"suppression_limit": limit})
    utility = measure_utility(
        found.recoding, treatment, tally, question.hierarchies, class_column, specification.weights
    )
    return Anonymization(
        algorithm.name,
        decision,
        question.rows,
        int(sizes.min()),
        len(sizes),
        treatment.suppressed_rows,
        {name: float(loss.loss) for name, loss in utility.losses.items()},
        metric,
        found.optimal,
        guarantees,
        question.promise.to_dict(),
        limit,
        seconds,
    )
