"""What every algorithm is given, and what it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.answers.recoding import NodeRecoding, Recoding, Scheme
from shoal.criteria import Criterion, Groups, Population, criteria_of, monotone, sensitive_of
from shoal.data.tally import Node, Problem, Tally
from shoal.describe import Role, Specification
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.describe.promise import Promise
from shoal.metrics.metric import Metric
from shoal.running.clock import Clock
from shoal.search.lattice.node_judge import Judge


@dataclass(frozen=True)
class Task:
    """A table's tally, what every released group must keep, and the metric to minimize.

    At most `limit` rows may be suppressed; `limited` says whether the user set that limit, because Datafly
    has its own rule otherwise. The tally has the sensitive columns of the promise, and the class column if
    the metric needs it. The `population` is given if the promise needs it.
    """

    specification: Specification
    tally: Tally
    problem: Problem
    hierarchies: Mapping[str, Hierarchy]
    promise: Promise
    limit: int
    metric: Metric
    seed: int = 0
    threads: int = 1
    population: Population | None = None
    limited: bool = True
    ceiling: Fraction | None = None
    """If given, labels of groups are widened at random until this share of all detail is lost by LM
    (`search.groups.wider_labels`)."""
    by_chance: bool = False
    """Whether groups are formed from a random start."""

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return self.problem.rows

    @cached_property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns that the promise is about."""
        return sensitive_of(self.promise, self.specification.having(Role.SENSITIVE))

    @cached_property
    def criteria(self) -> tuple[Criterion, ...]:
        """What every released group must keep."""
        return criteria_of(self.promise, self.tally, self.specification.having(Role.SENSITIVE))

    @property
    def monotone(self) -> bool:
        """Whether merging released groups never breaks the promise nor makes more rows break it."""
        return monotone(self.criteria, self.limit)

    def groups(self, of: npt.NDArray[np.int64], count: int) -> Groups:
        """Return the groups of combinations, given the group of each and how many there are."""
        return Groups.of(self.tally, of, count, self.sensitive)

    def judge(self, metric: Metric | None = None, criteria: Sequence[Criterion] | None = None) -> Judge:
        """Return a judge of nodes by the metric and the criteria of the task, or by others.

        It judges the nodes of the lattice that the metric is of.
        """
        by, wanted = metric or self.metric, self.criteria if criteria is None else criteria
        return Judge(
            by.problem,
            self.tally,
            wanted,
            self.limit,
            by,
            self.sensitive,
            self.population,
            self.threads,
        )

    def at(self, node: Node) -> NodeRecoding:
        """Return the recoding of a node of the lattice."""
        return NodeRecoding(dict(zip(self.problem.names, node, strict=True)))


@dataclass(frozen=True)
class Found:
    """What an algorithm returns: a recoding, what it promises, and what is known about it.

    `promise` is what the released rows will keep; mu-Argus may promise less than was asked for. `deleted` are
    the labels of groups that are suppressed although they would keep it. `optimal` says that no other
    recoding of this kind costs less by the task's metric; `details` hold further results.
    """

    recoding: Recoding
    promise: Promise
    optimal: bool = False
    scheme: Scheme = Scheme.ALL_REC
    deleted: tuple[tuple[Label, ...], ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    to_end: bool = True
    """Whether it says at its end what the algorithm then guarantees (`at_end`)."""
    guarantees: tuple[str, ...] | None = None
    """What holds with the options that were given; None where it is what the algorithm always guarantees."""


@dataclass(frozen=True)
class Algorithm:
    """A named algorithm: how it is run, and what it guarantees, in sentences.

    `run` takes a task, a clock, and the algorithm's own `options` by name (given here with a sentence each);
    it raises `NoSolutionError`, with the reason, if it finds nothing. `recodes` is node, cut, groups or
    buckets. `guarantees` are those with the options' defaults.
    """

    name: str
    title: str
    recodes: str
    run: Callable[..., Found]
    guarantees: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    at_end: tuple[str, ...] = ()
    """What it also guarantees if the search came to its end."""
    by_chance: bool = True
    """Whether another answer near its own can be drawn at random (`robust`)."""

    def __call__(self, task: Task, clock: Clock, **options: Any) -> Found:
        """Run the algorithm."""
        return self.run(task, clock, **options)
