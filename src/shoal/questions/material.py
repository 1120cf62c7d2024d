"""What questions are asked of: a table in its engine, its roles and hierarchies, and its tally."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from shoal.answers.found_on import found_on
from shoal.criteria import Population
from shoal.data.engine import Engine
from shoal.data.tally.ladders import ladder_of
from shoal.data.tally.problem import Problem
from shoal.data.tally.tally import Tally
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.specification import Role, Specification
from shoal.errors import InputError, did_you_mean, show
from shoal.metrics import Metric
from shoal.metrics.on_cuts import CutMetric
from shoal.questions.execution import Engines

NO_LIMITS = Engines()


@dataclass(frozen=True)
class Material:
    """What a question is asked of, and a release made from."""

    engine: Engine
    specification: Specification
    hierarchies: Mapping[str, Hierarchy]
    tally: Callable[..., Tally]
    hierarchy: Callable[[str], Hierarchy]
    """The hierarchy of any column that has one, sensitive ones too."""
    population: Callable[[], Population] | None = None
    limits: Engines = NO_LIMITS
    """The cores, memory and disk that may be used, for the released rows too."""

    @property
    def threads(self) -> int:
        """How many threads a search may take."""
        return self.limits.threads or os.cpu_count() or 1

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi attributes, in their order."""
        return self.specification.having(Role.QUASI)

    def the_population(self) -> Population:
        """Return the population, or say that none is named."""
        if self.population is None:
            raise InputError(
                "k-map and delta-presence need a population; name its table as population, in the question "
                "or in the study"
            )
        return self.population()

    def counts(self, *groups: Iterable[str]) -> Tally:
        """Return the tally, over these columns as well, each once."""
        named = dict.fromkeys(name for group in groups for name in group)
        return self.tally(*(name for name in named if name not in self.quasi))

    def classes(self, kind: type[Metric | CutMetric]) -> tuple[str, ...]:
        """Return the class column where a metric needs one, or refuse a study that has none."""
        if kind.column is not None:
            return (self._target(kind.column),)
        classes = self.specification.having(Role.CLASS) if kind.needs_class else ()
        if kind.needs_class and not classes:
            raise self.specification.refuse(
                f"the metric {kind.name} needs a column of the role class; name one, or choose LM"
            )
        return classes

    def _target(self, column: str) -> str:
        """Return the column that a metric aims at, or refuse one that cannot be aimed at."""
        if column not in self.engine.columns:
            known = [name for name in self.engine.columns if name not in self.quasi]
            raise InputError(f"the target {show(column)} is no column; {did_you_mean(column, known)}")
        if column in self.quasi:
            raise InputError(
                f"the target {show(column)} is quasi, so it is itself generalized; name another column"
            )
        return column

    def posed(self, kind: type[Metric], others: Iterable[str] = ()) -> tuple[Problem, Tally]:
        """Return what a search by a metric works on: ladders and combinations, and a tally with `others`."""
        classes = self.classes(kind)
        tally = self.counts(classes, others)
        return problem_of(self.specification, self.hierarchies, tally, classes), tally

    def found_on(self, *groups: Iterable[str]) -> dict[str, Any]:
        """Return the mark of the counts that solutions are found on, over other columns as well."""
        return found_on(self.counts(*groups), self.hierarchies, self.specification.lowest)


def problem_of(
    specification: Specification,
    hierarchies: Mapping[str, Hierarchy],
    tally: Tally,
    classes: tuple[str, ...] = (),
) -> Problem:
    """Return the ladders of a study over its tally, with the labels of a class column if one is named."""
    ladders = tuple(
        ladder_of(specification, name, hierarchies[name], tally.domain(name), tally.totals(name))
        for name in specification.having(Role.QUASI)
    )
    labels = tally.histogram(classes[0]) if classes else None
    rows = tuple(tally.totals(ladder.name) for ladder in ladders) if tally.coarse else None
    return Problem(ladders, tally.codes, tally.counts, labels, rows, tally.in_combinations)
