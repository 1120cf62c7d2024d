"""The study: a table, the roles of its columns, and every question that can be asked of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

from shoal.answers.anonymization import Anonymization
from shoal.answers.negotiation import Answer, Offer
from shoal.answers.recoding import BucketRecoding, Decision
from shoal.answers.solution import CutSolution, Frontier
from shoal.asking import Asking
from shoal.criteria import Population
from shoal.data.budget import budgeted
from shoal.data.engines.saved_tally.engine import KeptTally
from shoal.data.opening import open_engine
from shoal.data.tally.counting import StudyCounts
from shoal.data.tally.problem import Problem
from shoal.data.tally.tally import Tally
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.quantities import weight
from shoal.describe.specification import Attribute, HierarchyLike, Role, Specification
from shoal.describe.study_file import read_study_file
from shoal.errors import InputError, did_you_mean, show
from shoal.metrics import Metric
from shoal.questions.material import Material
from shoal.release.read_population import read_population
from shoal.release.solutions import agrees, choose, current, decision_of
from shoal.release.study_release import StudyAnatomy, StudyRelease

MOST_THREADS = 1024


class Study(Asking):
    """A table with the roles of its columns, ready to be asked.

    `table` is a path (CSV, TSV, Parquet, Arrow), a frame of pandas, Polars, PyArrow or Spark, a DuckDB
    relation, or a place in an engine. `quasi` gives every quasi attribute its hierarchy: a file in the
    ARX form, a description, or a `Hierarchy`; for names alone hierarchies are proposed. `levels`
    restricts attributes to (lowest, highest) levels; `weights` say how much a loss in an attribute
    counts (1 by default). `sensitive` may give its columns hierarchies too, or lists of their values in
    order, for the distances of t-closeness. The `population` is a table like `table`, of everybody who
    might be in it. `tally_memory` is what the tally may take, such as "4GB", by default a quarter of
    what is available; above it the lowest `levels` are the levels that are counted.

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
        levels: Mapping[str, tuple[int, int]] | None = None,
        weights: Mapping[str, float | str | Fraction] | None = None,
        population: Any = None,
        threads: int | None = None,
        memory_limit: str | None = None,
        temp_directory: str | Path | None = None,
        tally_memory: int | str | None = None,
    ) -> None:
        if not isinstance(quasi, Mapping):
            from shoal.proposal.fitting import propose_hierarchies

            quasi = propose_hierarchies(table, quasi)
        given: dict[str, set[Role]] = {}
        for role, names in (
            (Role.QUASI, quasi),
            (Role.SENSITIVE, sensitive),
            (Role.CLASS, () if class_ is None else class_),
            (Role.IDENTIFYING, identifying),
            (Role.INSENSITIVE, insensitive),
        ):
            for name in [names] if isinstance(names, str) else names or ():
                given.setdefault(name, set()).add(role)
        for what, named in (("levels", levels), ("weights", weights)):
            for name in named or ():
                if name not in quasi:
                    raise InputError(
                        f"{what} are given for {show(name)}, which is no quasi attribute; "
                        f"{did_you_mean(name, quasi)}"
                    )
        trees = sensitive if isinstance(sensitive, Mapping) else {}
        orders = {name: tuple(tree) for name, tree in trees.items() if isinstance(tree, (list, tuple))}
        attributes = {}
        for name, roles in given.items():
            lo, hi = (levels or {}).get(name, (0, None))
            own = weight((weights or {}).get(name, 1))
            tree: Any = quasi.get(name, None if name in orders else trees.get(name))
            attributes[name] = Attribute(
                frozenset(roles), tree, lo, hi, weight=own, order=orders.get(name, ())
            )
        specification = Specification(table, attributes, population=population)
        specification.check()
        self._begin(specification, threads, memory_limit, temp_directory, tally_memory)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        table: Any = None,
        population: Any = None,
        threads: int | None = None,
        memory_limit: str | None = None,
        temp_directory: str | Path | None = None,
        tally: str | Path | None = None,
        tally_memory: int | str | None = None,
        min_levels: Mapping[str, int] | str | None = None,
    ) -> Self:
        """Return the study of a YAML file, or of it with another `table` or `population` that is given.

        With a saved `tally` the table itself is not needed. `min_levels` raises lowest levels of the file.
        """
        specification = read_study_file(path).raised(min_levels)
        if table is not None:
            specification = replace(specification, table=table)
        if population is not None:
            specification = replace(specification, population=population)
        if tally is not None:
            specification = replace(specification, table=KeptTally(Path(tally)))
        return cls.of(
            specification,
            threads=threads,
            memory_limit=memory_limit,
            temp_directory=temp_directory,
            tally_memory=tally_memory,
        )

    @classmethod
    def of(
        cls,
        specification: Specification,
        *,
        threads: int | None = None,
        memory_limit: str | None = None,
        temp_directory: str | Path | None = None,
        tally_memory: int | str | None = None,
        coarse: bool = False,
    ) -> Self:
        """Return the study that a specification describes.

        With `coarse` values are put together up to the lowest levels even where the tally would fit.
        """
        study = cls.__new__(cls)
        study._begin(specification, threads, memory_limit, temp_directory, tally_memory, coarse)
        return study

    def _begin(
        self,
        specification: Specification,
        threads: int | None,
        memory_limit: str | None,
        temp_directory: str | Path | None,
        tally_memory: int | str | None,
        coarse: bool = False,
    ) -> None:
        if threads is not None and not 1 <= threads <= MOST_THREADS:
            raise InputError(f"{threads} threads; use 1 to {MOST_THREADS:,}")
        self.specification = specification
        self.threads = threads or os.cpu_count() or 1
        self._engine = open_engine(
            specification.table,
            threads=threads,
            memory_limit=memory_limit,
            temp_directory=temp_directory,
        )
        self._counted = StudyCounts(self._engine, specification, tally_memory, coarse=coarse)
        self._population: Population | None = None
        for name in specification.attributes:
            if name not in self._engine.columns:
                self.close()
                raise specification.refuse(
                    f"the table {self._engine.name} has no column {show(name)}; "
                    f"{did_you_mean(name, self._engine.columns)}",
                    name,
                )

    def close(self) -> None:
        """Let go of the table."""
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi attributes, in their order."""
        return self.specification.having(Role.QUASI)

    @property
    def columns(self) -> tuple[str, ...]:
        """The table's columns, in their order."""
        return self._engine.columns

    @property
    def unlisted(self) -> tuple[str, ...]:
        """The table's columns that the study does not name, and that are not released."""
        return tuple(name for name in self._engine.columns if name not in self.specification.attributes)

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
        classes = self.specification.having(Role.CLASS) if with_class else ()
        if with_class and not classes:
            raise self.specification.refuse(
                "the metric CM needs a column of the role class; name one, or choose LM"
            )
        tally = self.tally(*self._others(classes, others))
        ladders = tuple(
            self._counted.ladder(name, tally.domain(name), tally.totals(name)) for name in self.quasi
        )
        labels = tally.histogram(classes[0]) if classes else None
        rows = tuple(tally.totals(name) for name in self.quasi) if tally.coarse else None
        return Problem(ladders, tally.codes, tally.counts, labels, rows)

    def posed(self, kind: type[Metric], columns: tuple[str, ...]) -> tuple[Problem, Tally]:
        """Return the problem for a metric, and a tally that holds these columns too."""
        problem = self.problem(with_class=kind.needs_class, others=columns)
        classes = self.specification.having(Role.CLASS) if kind.needs_class else ()
        return problem, self.tally(*self._others(classes, columns))

    def _others(self, *groups: Iterable[str]) -> list[str]:
        """Return the columns that a tally counts besides the quasi attributes, each once."""
        named = dict.fromkeys(name for group in groups for name in group)
        return [name for name in named if name not in self.quasi]

    def release(
        self,
        solution: Decision | Frontier | CutSolution | Anonymization | Answer | Offer | Mapping[str, Any],
        *,
        k: int | None = None,
        point: int | None = None,
        seed: int | None = None,
        order_key: str | None = None,
        spreadsheet_safe: bool = False,
        again: bool = False,
    ) -> StudyRelease:
        """Return the release of a solution, ready to be written.

        Of a frontier the `point` of that number, counted from 1, or the cheapest with at least `k`, or else
        the knee, is released; of a negotiation its exact answer, or a suggestion of it. A mapping is a
        solution document. The `order_key` of a record gives the rows its order.

        A solution that was found on other counts or hierarchies is refused, unless it is to be carried out
        `again` on the present ones: its promise and its limit of suppressed rows then hold as before, and
        nothing is said to be proven.
        """
        if isinstance(solution, Frontier):
            solution = choose(solution, k, point)
        elif isinstance(solution, (CutSolution, Anonymization, Answer, Offer)):
            solution = solution.decision()
        elif not isinstance(solution, Decision):
            solution = decision_of(solution)
        options: dict[str, Any] = {"order_key": order_key, "spreadsheet_safe": spreadsheet_safe}
        made = self.carry_out(current(solution, self.found_on, again), seed=seed, **options)
        if made.decision.proven and not agrees(made.decision, made.treatment):
            made = self.carry_out(made.decision.unproven(), seed=made.seed, **options)
        return made

    def carry_out(self, decision: Decision, **options: Any) -> StudyRelease:
        """Return the release of a decision, whatever counts it was found on; the options are of `Release`."""
        kind = StudyAnatomy if isinstance(decision.recoding, BucketRecoding) else StudyRelease
        return kind(self.material(), decision, **options)

    def material(self, hierarchies: Mapping[str, Hierarchy] | None = None) -> Material:
        """Return what releases are made from, with the study's hierarchies or others."""
        found = hierarchies or {name: self.hierarchy(name) for name in self.quasi}
        named = self.specification.population is not None
        return Material(
            self._engine,
            self.specification,
            found,
            self.tally,
            self.hierarchy,
            self.population if named else None,
            self._counted.tally_memory,
        )

    def population(self) -> Population:
        """Return the population's combinations of quasi values."""
        if self._population is None:
            with budgeted(self._counted.tally_memory):
                self._population = read_population(self.specification, self.hierarchy)
        return self._population
