"""Every question that can be asked of a study."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Unpack

from shoal.answering.best_cut import Wish, optimize
from shoal.answering.named import anonymize, pose
from shoal.answering.objective_trade_off import frontier_of, objectives_named
from shoal.answering.side_by_side import Comparison, compare
from shoal.answering.trade_off import trade_off
from shoal.answers.anonymization import Anonymization
from shoal.answers.found_on import found_on
from shoal.answers.negotiation import Answer
from shoal.answers.solution import CutSolution, Frontier
from shoal.data.tally.problem import Problem
from shoal.data.tally.tally import Tally
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.specification import Role, Specification
from shoal.errors import InputError
from shoal.metrics import Metric, metric_named
from shoal.metrics.on_cuts import CutMetric
from shoal.questions.material import Material
from shoal.questions.promised import Asked, promise_of, refuse_doubled
from shoal.running.clock import Progress
from shoal.search.cuts.l_plus_optimize import Improvement, Standing
from shoal.search.task import Task

if TYPE_CHECKING:
    from shoal.search.negotiation.negotiator import Negotiator

MEMORY = 256 << 20
"""Bytes that a negotiation over a lattice too large for an index may keep."""


class Asking(ABC):
    """What a study answers, given what it holds."""

    specification: Specification
    threads: int
    _negotiator: Negotiator | None = None

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The table's columns, in their order."""

    @abstractmethod
    def tally(self, *others: str) -> Tally:
        """Return the distinct combinations of quasi values, with the counts of other columns."""

    @abstractmethod
    def hierarchy(self, attribute: str) -> Hierarchy:
        """Return the hierarchy of an attribute."""

    @abstractmethod
    def problem(self, *, with_class: bool = False, others: tuple[str, ...] = ()) -> Problem:
        """Return what the searches work on."""

    @abstractmethod
    def posed(self, kind: type[Metric], columns: tuple[str, ...]) -> tuple[Problem, Tally]:
        """Return the problem for a metric, and a tally that holds these columns too."""

    @abstractmethod
    def material(self, hierarchies: Mapping[str, Hierarchy] | None = None) -> Material:
        """Return what releases are made from."""

    def negotiator(
        self,
        *,
        index: bool = True,
        lazy: bool | None = None,
        memory: int = MEMORY,
        notice: Callable[[str], None] | None = None,
    ) -> Negotiator:
        """Return a session that answers requests for k, l, heights and suppression.

        The histograms of a study file over a table file are kept beside it, and taken from there the next
        time, unless `index` is False. With `lazy` they are made when they are asked for, within `memory`
        bytes; by default that is so where the lattice is too large for all of them. `notice` is told where
        a kept index is damaged; by default it is a warning.
        """
        from shoal.search.negotiation.starting import open_negotiator

        return open_negotiator(self, index=index, lazy=lazy, memory=memory, notice=notice)

    def negotiate(
        self,
        *,
        k: int | None = None,
        l: int | None = None,  # noqa: E741  the literature's name
        heights: Mapping[str, int] | None = None,
        max_suppressed: str | float = 0,
    ) -> Answer:
        """Return an exact answer to the constraints, or what comes nearest; see `Negotiator.ask`."""
        if self._negotiator is None:
            self._negotiator = self.negotiator()
        return self._negotiator.ask(k=k, l=l, heights=heights, max_suppressed=max_suppressed)

    def frontier(
        self,
        *,
        objectives: str | Sequence[str] = ("k", "loss"),
        k: int | None = None,
        metric: str = "LM",
        suppress: str | float | None = None,
        method: str = "exact",
        depth: int | None = None,
        min_k: int = 1,
        max_k: int | None = None,
        time_limit: float | None = None,
        progress: Progress | None = None,
    ) -> Frontier:
        """Return every Pareto-optimal (k, loss) generalization, or that of other `objectives`.

        Those are `suppressed,loss` at a given `k`, `l,loss`, `t,loss`, `k,suppressed,loss` and `k,l,loss`
        (docs/objectives.md); with l and t every point also keeps a `k` that is given. `suppress` is a share
        (0.01, "1%") or a number of rows, by default none, but any number where `suppressed` is an objective.
        `method` is exact (certified), poka (with its `depth`, for k and loss) or exhaustive. With a
        `time_limit` in seconds the points found so far come back, and `certified` says whether they are all.
        """
        names = objectives_named(objectives)
        if names != ("k", "loss"):
            if depth is not None:
                raise InputError(
                    f"a depth is for k,loss by poka, not for {','.join(names)}; leave it out"
                )
            sensitive = self.specification.having(Role.SENSITIVE)
            if {"l", "t"} & {*names}:
                refuse_doubled(self.specification, sensitive)
            front = frontier_of(
                names,
                self.posed,
                sensitive=sensitive,
                k=k,
                metric=metric,
                suppress=suppress,
                method=method,
                min_k=min_k,
                max_k=max_k,
                time_limit=time_limit,
                threads=self.threads,
                progress=progress,
            )
            return self._marked(front, front.sensitive)
        if k is not None:
            raise InputError("k is an objective of k,loss; limit it with min_k and max_k")
        front = trade_off(
            lambda kind: self.problem(with_class=kind.needs_class),
            metric=metric,
            suppress=0 if suppress is None else suppress,
            method=method,
            depth=depth,
            min_k=min_k,
            max_k=max_k,
            time_limit=time_limit,
            threads=self.threads,
            progress=progress,
        )
        return self._marked(front)

    def _marked(self, front: Frontier, columns: Iterable[str] = ()) -> Frontier:
        """Return a frontier with the counts it was found on: those of the tally that was searched."""
        kind = metric_named(front.metric)
        classes = self.specification.having(Role.CLASS) if kind.needs_class else ()
        return replace(front, found_on=self.found_on(*classes, *columns))

    def found_on(self, *others: str) -> dict[str, Any]:
        """Return the mark of the counts that solutions are found on, over other columns too."""
        quasi = self.specification.having(Role.QUASI)
        tally = self.tally(*(name for name in dict.fromkeys(others) if name not in quasi))
        return found_on(tally, {name: self.hierarchy(name) for name in quasi})

    def optimize(
        self,
        *,
        l: float | str | Fraction | None = None,  # noqa: E741  the literature's name
        theta: float | str | Fraction | None = None,
        limits: Mapping[str, float | str | Fraction] | None = None,
        theta_by_frequency: float | str | Fraction | None = None,
        k: int | None = None,
        sensitive: str | Iterable[str] = (),
        scheme: str = "allRec",
        metric: str | type[CutMetric] = "LM",
        top: int = 1,
        seed: int | None = None,
        time_limit: float | None = None,
        gap: float = 0.0,
        progress: Progress | None = None,
        on_improvement: Callable[[Improvement], None] | None = None,
        watch: Callable[[Standing], None] | None = None,
    ) -> CutSolution:
        """Return the provably cheapest full-subtree recoding for share limits, k, or both.

        In every released group no sensitive value has a share above 1 / `l`, or above `theta`, but those
        that `limits` names have their own; `theta_by_frequency` limits rare values most. `scheme` says what
        is suppressed where a group breaks that (NoSupp, allRec, vioRec, allSA, vioSA), `metric` what is
        cheap: LM, DM, CM, NCP, Entropy, or a class of your own (see `shoal.metrics.on_cuts`). With a
        `time_limit` in seconds, a `gap`, Ctrl-C, or a `progress` that returns True, the best so far comes
        back, and says how good it is; `watch` is told how the search stands while it goes on.
        `top` keeps so many of the best cuts and picks one by the `seed`, against minimality attacks.
        """
        wish = Wish(
            l=l,
            theta=theta,
            values=limits or {},
            by_frequency=theta_by_frequency,
            k=k,
            sensitive=(sensitive,) if isinstance(sensitive, str) else tuple(sensitive),
        )
        return optimize(
            self.material(),
            wish,
            scheme=scheme,
            metric=metric,
            top=top,
            seed=seed,
            time_limit=time_limit,
            gap=gap,
            threads=self.threads,
            progress=progress,
            on_improvement=on_improvement,
            watch=watch,
        )

    def anonymize(
        self,
        algorithm: str,
        *,
        suppress: str | float | None = None,
        metric: str = "LM",
        seed: int = 0,
        time_limit: float | None = None,
        progress: Progress | None = None,
        options: Mapping[str, Any] | None = None,
        **asked: Unpack[Asked],
    ) -> Anonymization:
        """Return the answer of one named algorithm (see `shoal.search.algorithms`, docs/methods.md).

        What is `asked` for, `k` and more, is told by `shoal.questions.promised.Asked`. Rows of groups that
        break it are suppressed, `suppress` at most. `options` are the algorithm's own.
        """
        material, question = self._question(asked, metric, suppress, seed)
        return anonymize(
            material, question, algorithm, options=options, time_limit=time_limit, progress=progress
        )

    def compare(
        self,
        algorithms: Iterable[str] = (),
        *,
        suppress: str | float | None = None,
        metric: str = "LM",
        seed: int = 0,
        time_limit: float | None = None,
        progress: Progress | None = None,
        **asked: Unpack[Asked],
    ) -> Comparison:
        """Return the answers of some algorithms, or of all, to one question (asked as in `anonymize`).

        Each has `time_limit` seconds; every answer is released in memory and verified.
        """
        material, question = self._question(asked, metric, suppress, seed)
        return compare(material, question, tuple(algorithms), time_limit=time_limit, progress=progress)

    def _question(
        self, asked: Asked, metric: str, suppress: str | float | None, seed: int
    ) -> tuple[Material, Task]:
        material = self.material()
        question = pose(
            material,
            self.problem,
            promise_of(material, **asked),
            metric=metric,
            suppress=suppress,
            seed=seed,
            threads=self.threads,
        )
        return material, question
