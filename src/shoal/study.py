"""The study: a table, the roles of its columns, and every question that can be asked of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from shoal.answering.best_cut import optimize
from shoal.answering.named import anonymize
from shoal.answering.side_by_side import Comparison, compare
from shoal.answering.trade_off import frontier
from shoal.answers.anonymization import Anonymization
from shoal.answers.negotiation import Answer, Offer
from shoal.answers.recoding import BucketRecoding, Decision
from shoal.answers.solution import CutSolution, Frontier
from shoal.criteria import Population
from shoal.data.engines.saved_tally.engine import KeptTally
from shoal.data.opening import open_engine
from shoal.data.tally.counting import StudyCounts
from shoal.data.tally.problem import Problem
from shoal.data.tally.tally import Tally
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.specification import HierarchyLike, Role, Specification
from shoal.describe.study_file import read_study_file
from shoal.describe.table_reading import Reading
from shoal.describe.units import Units
from shoal.errors import did_you_mean, show
from shoal.metrics import CM, LM
from shoal.questions.execution import Engines
from shoal.questions.fields import asks
from shoal.questions.kinds import Names, Place, Several
from shoal.questions.material import Material
from shoal.questions.option_words import ACCEPTED
from shoal.questions.searches import (
    AnonymizeQuestion,
    CompareQuestion,
    FrontierQuestion,
    NegotiateQuestion,
    OptimizeQuestion,
)
from shoal.release.pseudonyms import Pseudonyms
from shoal.release.read_population import read_population
from shoal.release.solutions import agrees, choose, current, decision_of
from shoal.release.study_release import StudyAnatomy, StudyRelease
from shoal.running.watching import within

if TYPE_CHECKING:
    from shoal.search.negotiation.negotiator import Negotiator
    from shoal.web.notebook.exploring import Exploring

NO_LIMITS = Engines()
MEMORY = 256 << 20
"""Bytes that a negotiation over a lattice too large for an index may keep."""


class Study:
    """A table with the roles of its columns, ready to be asked.

    `table` is a path (CSV, TSV, Parquet, Arrow), a frame of pandas, Polars, PyArrow or Spark, a DuckDB
    relation, or a place in an engine. `quasi` gives every quasi attribute its hierarchy: a file in the
    ARX form, a description, or a `Hierarchy`; for names alone hierarchies are proposed. `levels`
    restricts attributes to (lowest, highest) levels; `weights` say how much a loss in an attribute
    counts (1 by default). `sensitive` may give its columns hierarchies too, or lists of their values in
    order, for the distances of t-closeness. Columns that are `undecided` are not released. The
    `population` is a table like `table`, of everybody who might be in it. `persons` name the columns
    whose values tell who a row is about, where a person has several rows; docs/risk.md tells of
    `households`, `sample_weight`, `population_size` and `sampling_fraction`. `shift` gives columns of
    dates the most days by which a release moves them, each person's by the same number. `missing` lists
    the codes that stand for missing values, such as ["?", -9], or gives some columns theirs: {"age": [99]};
    `encoding` and `decimal` ("." or ",") are those of a text file. `tally_memory` is what the tally may
    take, such as "4GB", by default a quarter of what is available; above it the lowest `levels` are the
    levels that are counted.

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["02138", "02139", "02141", "02142"]})
    >>> study = Study(table, quasi={"zip": {"mask": {"digits": 5}}})
    >>> [(point.k, point.node["zip"]) for point in study.frontier()]
    [(4, 2), (2, 1), (1, 0)]
    """

    def __init__(
        self,
        table: Any,
        *,
        quasi: Mapping[str, HierarchyLike] | Iterable[str],
        sensitive: str | Iterable[str] | Mapping[str, HierarchyLike | Sequence[str] | None] = (),
        class_: str | None = None,
        identifying: str | Iterable[str] = (),
        insensitive: str | Iterable[str] = (),
        undecided: str | Iterable[str] = (),
        levels: Mapping[str, tuple[int, int]] | None = None,
        weights: Mapping[str, float | str | Fraction] | None = None,
        population: Any = None,
        persons: str | Iterable[str] = (),
        households: str | None = None,
        sample_weight: str | None = None,
        population_size: int | None = None,
        sampling_fraction: float | str | Fraction | None = None,
        shift: Mapping[str, int] | None = None,
        missing: str | Iterable[Any] | Mapping[str, Any] = (),
        encoding: str | None = None,
        decimal: str | None = None,
        threads: int | None = None,
        memory_limit: str | None = None,
        temp_directory: str | Path | None = None,
        tally_memory: int | str | None = None,
    ) -> None:
        reading = Reading.said(missing, encoding, decimal)
        if not isinstance(quasi, Mapping):
            from shoal.proposal.fitting import propose_hierarchies

            quasi = propose_hierarchies(table, quasi, reading)
        roles = {
            Role.QUASI: quasi,
            Role.SENSITIVE: sensitive,
            Role.CLASS: () if class_ is None else class_,
            Role.IDENTIFYING: identifying,
            Role.INSENSITIVE: insensitive,
            Role.UNDECIDED: undecided,
        }
        units = Units.said(persons, households, sample_weight, population_size, sampling_fraction)
        specification = Specification.said(
            table, roles, levels, weights, population, units, shift, reading
        )
        limits = Engines(
            threads=threads,
            memory_limit=memory_limit,
            temp_directory=temp_directory,
            tally_memory=tally_memory,
        )
        self._begin(specification, limits)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        table: Any = None,
        population: Any = None,
        persons: str | Iterable[str] | None = None,
        threads: int | None = None,
        memory_limit: str | None = None,
        temp_directory: str | Path | None = None,
        tally: str | Path | None = None,
        tally_memory: int | str | None = None,
        min_levels: Mapping[str, int] | str | None = None,
    ) -> Self:
        """Return the study of a YAML file, or of it with another `table`, `population` or `persons`.

        With a saved `tally` the table itself is not needed. `min_levels` raises lowest levels of the file.
        """
        specification = read_study_file(path).raised(min_levels).about(persons)
        if table is not None:
            specification = replace(specification, table=table)
        if population is not None:
            specification = replace(specification, population=population)
        if tally is not None:
            specification = replace(specification, table=KeptTally(Path(tally)))
        limits = Engines(
            threads=threads,
            memory_limit=memory_limit,
            temp_directory=temp_directory,
            tally_memory=tally_memory,
        )
        return cls.of(specification, limits)

    @classmethod
    def of(
        cls, specification: Specification, limits: Engines = NO_LIMITS, *, coarse: bool = False
    ) -> Self:
        """Return the study that a specification describes.

        With `coarse` values are put together up to the lowest levels even where the tally would fit.
        """
        study = cls.__new__(cls)
        study._begin(specification, limits, coarse)
        return study

    def _begin(self, specification: Specification, limits: Engines, coarse: bool = False) -> None:
        self.specification = specification
        self.limits = limits
        self._engine = open_engine(specification.table, specification.reading, **limits.settings)
        self._counted = StudyCounts(self._engine, specification, limits.tally_memory, coarse=coarse)
        self._population: Population | None = None
        self._negotiator: Negotiator | None = None
        named = (
            *specification.attributes,
            *specification.units.columns,
            *specification.reading.missing_in,
        )
        for name in named:
            if name not in self._engine.columns:
                self.close()
                raise specification.refuse(
                    f"the table {self._engine.name} has no column {show(name)}; "
                    f"{did_you_mean(name, self._engine.columns)}",
                    name,
                )

    def __repr__(self) -> str:
        named = self.specification.attributes
        roles = {role: [name for name in named if role in named[name].roles] for role in Role}
        said = "; ".join(f"{role.value}: {', '.join(names)}" for role, names in roles.items() if names)
        return f"<Study of {self._engine.name}; {said}>"

    def _repr_html_(self) -> str:
        """Return the columns with their roles and hierarchies for notebooks."""
        from shoal.present.notebook.study_display import study_html

        return study_html(self.source, self.specification, self.unlisted)

    def close(self) -> None:
        """Let go of the table."""
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def threads(self) -> int:
        """How many threads searches take."""
        return self.limits.threads or os.cpu_count() or 1

    @threads.setter
    def threads(self, number: int) -> None:
        self.limits = replace(self.limits, threads=number)

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi attributes, in their order."""
        return self.specification.having(Role.QUASI)

    @property
    def columns(self) -> tuple[str, ...]:
        """The table's columns, in their order."""
        return self._engine.columns

    @property
    def source(self) -> str:
        """What the table is called."""
        return self._engine.name

    @property
    def unlisted(self) -> tuple[str, ...]:
        """The table's columns that the study does not name, and that are not released."""
        named = (*self.specification.attributes, *self.specification.units.columns)
        return tuple(name for name in self._engine.columns if name not in named)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about how the table was read, where that is not plain."""
        return self._engine.notes

    @property
    def undecided(self) -> tuple[str, ...]:
        """The columns about which nobody has decided, and which are not released until somebody does."""
        return self.specification.having(Role.UNDECIDED)

    def tally(self, *others: str) -> Tally:
        """Return the distinct combinations of quasi values, with the counts of other columns."""
        return self._counted.tally(*others)

    def hierarchy(self, attribute: str) -> Hierarchy:
        """Return the hierarchy of an attribute, over the table's values where it is described."""
        return self._counted.hierarchy(attribute)

    def problem(self, *, with_class: bool = False, others: tuple[str, ...] = ()) -> Problem:
        """Return what the searches work on: ladders and tally, with class labels if asked for.

        The tally is the one over these `others`, should it be needed too.
        """
        return self.material().posed(CM if with_class else LM, others)[0]

    def found_on(self, *others: str) -> dict[str, Any]:
        """Return the mark of the counts that solutions are found on, over other columns too."""
        return self.material().found_on(others)

    @asks(FrontierQuestion)
    def frontier(self, question: FrontierQuestion) -> Frontier:
        """Return every Pareto-optimal (k, loss) generalization, or that of other `objectives`.

        docs/objectives.md tells of these; with l and t every point also keeps a `k` that is given. With a
        `time_limit` the points found so far come back, and `certified` says whether they are all. With the
        `recoding` groups or all it is a `PrivacyCosts`: a curve for each kind of recoding over a series of k.
        """
        return frontier(self.material(), question)

    @asks(OptimizeQuestion)
    def optimize(self, question: OptimizeQuestion) -> CutSolution:
        """Return the provably cheapest full-subtree recoding for share limits, k, or both.

        With a `time_limit`, a `gap`, Ctrl-C, or a `progress` that returns True, the best so far comes back,
        and says how good it is. `metric` may be a class of your own (see `shoal.metrics.on_cuts`). `top`
        keeps so many of the best cuts and picks one by the `seed`, against minimality attacks.
        """
        return optimize(self.material(), question)

    @asks(AnonymizeQuestion)
    def anonymize(self, question: AnonymizeQuestion) -> Anonymization:
        """Return the answer of one named algorithm (docs/methods.md).

        Rows of groups that break what is asked for are suppressed, `suppress` at most.
        """
        return anonymize(self.material(), question)

    @asks(CompareQuestion)
    def compare(self, question: CompareQuestion) -> Comparison:
        """Return the answers of some algorithms, or of all, to one question.

        Each has `time_limit` seconds; every answer is released in memory and verified.
        """
        return compare(self.material(), question)

    @asks(NegotiateQuestion)
    def negotiate(self, question: NegotiateQuestion) -> Answer:
        """Return an exact answer to the constraints, or what comes nearest; see `Negotiator.ask`.

        A `time_limit` is also about what is counted before.
        """
        with within(question.time_limit):
            if self._negotiator is None:
                self._negotiator = self.negotiator()
            return self._negotiator.answer(question)

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

    def release(
        self,
        solution: Decision | Frontier | CutSolution | Anonymization | Answer | Offer | Mapping[str, Any],
        *,
        k: int | None = None,
        point: int | None = None,
        recoding: str | None = None,
        seed: int | None = None,
        order_key: str | None = None,
        spreadsheet_safe: bool = False,
        pseudonyms: str | None = None,
        secret: Place | None = None,
        household_k: int | None = None,
        accept_attack: Names = (),
        again: bool = False,
    ) -> StudyRelease:
        """Return the release of a solution, ready to be written.

        Of a frontier the `point` of that number, counted from 1, or the cheapest with at least `k`, or else
        the knee, is released; of a frontier of all recodings the cheapest with at least `k` on the curve of
        that `recoding`; of a negotiation its exact answer, or a suggestion of it. A mapping is a solution
        document. The `order_key` of a record gives the rows its order. If the study names households, those
        are suppressed whole that fewer than `household_k` look like.

        If the study names persons, `pseudonyms` releases a random name for each: "fresh" ones, or "stable"
        ones, which are the same in all releases under one `secret`. That is a file, such as the record of an
        earlier release with stable pseudonyms; by default it is new. The record keeps it.

        A release that an attack proves to break its promise is refused, unless the attack is one that you
        accept (`accept_attack`); the record then says so (docs/attacks.md).

        A solution that was found on other counts or hierarchies is refused, unless it is to be carried out
        `again` on the present ones: its promise and its limit of suppressed rows then hold as before, and
        nothing is said to be proven.
        """
        if isinstance(solution, Frontier):
            solution = choose(solution, k, point, recoding)
        elif isinstance(solution, (CutSolution, Anonymization, Answer, Offer)):
            solution = solution.decision()
        elif not isinstance(solution, Decision):
            solution = decision_of(solution)
        options: dict[str, Any] = {
            "order_key": order_key,
            "spreadsheet_safe": spreadsheet_safe,
            "pseudonyms": Pseudonyms.asked(pseudonyms, secret),
            "household_k": household_k,
            "accept_attack": Several(known=ACCEPTED).check("accept_attack", accept_attack),
        }
        made = self.carry_out(current(solution, self.found_on, again), seed=seed, **options)
        if made.decision.proven and not agrees(made.decision, made.treatment):
            made = self.carry_out(made.decision.unproven(), seed=made.seed, **options)
        return made

    def explore(
        self, *, height: int = 700, notebook: str | None = None, port: int | None = None
    ) -> Exploring:
        """Open the pages of the web application on this study, and return what becomes of it there.

        In a notebook they are shown in a frame of this `height`; elsewhere the answer says where they are.
        The frame is for the notebook's own page alone, which is the one of the Jupyter server that started
        this kernel; `notebook` names another, such as "http://localhost:8889". They listen at a free `port`
        of this machine unless one is given. docs/notebooks.md tells where this does not work.
        """
        from shoal.web.notebook.exploring import explore

        return explore(self, height, notebook, port)

    def carry_out(self, decision: Decision, **options: Any) -> StudyRelease:
        """Return the release of a decision, whatever counts it was found on; the options are of `Release`."""
        kind = StudyAnatomy if isinstance(decision.recoding, BucketRecoding) else StudyRelease
        return kind(self.material(), decision, **options)

    def material(self, hierarchies: Mapping[str, Hierarchy] | None = None) -> Material:
        """Return what releases are made from, with the study's hierarchies or others."""
        found = hierarchies or {name: self.hierarchy(name) for name in self.quasi}
        population = self.population if hierarchies is None else lambda: self._read_population(found)
        named = self.specification.population is not None
        return Material(
            self._engine,
            self.specification,
            found,
            self.tally,
            self.hierarchy,
            population if named else None,
            self.limits,
        )

    def population(self) -> Population:
        """Return the population's combinations of quasi values."""
        if self._population is None:
            self._population = self._read_population({name: self.hierarchy(name) for name in self.quasi})
        return self._population

    def _read_population(self, hierarchies: Mapping[str, Hierarchy]) -> Population:
        with self.limits.kept():
            return read_population(self.specification, hierarchies)
