"""The study: a table, the roles of its columns, and every question that can be asked of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

from shoal.anonymization import Anonymization
from shoal.asking import Asking
from shoal.engines.opening import open_engine
from shoal.engines.tallied import KeptTally
from shoal.errors import InputError, did_you_mean, show
from shoal.hierarchy import Hierarchy, build_hierarchy, read_hierarchy
from shoal.lattice.ladders import make_ladder
from shoal.loss import Metric
from shoal.negotiate.answer import Answer, Offer
from shoal.privacy import Population
from shoal.problem import Problem
from shoal.quantities import weight
from shoal.recoding import BucketRecoding, Decision
from shoal.release.population import read_population
from shoal.release.release import Material
from shoal.release.solutions import choose, decision_of
from shoal.solution import CutSolution, Frontier
from shoal.specification import Attribute, HierarchyLike, Role, Specification
from shoal.study_file import read_study_file
from shoal.study_release import StudyAnatomy, StudyRelease
from shoal.tally import Tally, take_tally

MOST_THREADS = 1024


class Study(Asking):
    """A table with the roles of its columns, ready to be asked.

    `table` is a path (CSV, TSV, Parquet, Arrow), a frame of pandas, Polars or PyArrow, or a DuckDB
    relation. `quasi` gives every quasi attribute its hierarchy: a file in the ARX form, a description,
    or a `Hierarchy`. `levels` restricts attributes to (lowest, highest) levels; `weights` say how much a
    loss in an attribute counts (1 by default). `sensitive` may give its columns hierarchies too, or lists
    of their values in order, for the distances of t-closeness. The `population` is a table like `table`, of
    everybody who might be in it.

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
        quasi: Mapping[str, HierarchyLike],
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
    ) -> None:
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
        self._begin(specification, threads, memory_limit, temp_directory)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        population: Any = None,
        threads: int | None = None,
        memory_limit: str | None = None,
        temp_directory: str | Path | None = None,
        tally: str | Path | None = None,
    ) -> Self:
        """Return the study of a YAML file, with another `population` than the file's if one is given.

        With a saved `tally` the table itself is not needed.
        """
        specification = read_study_file(path)
        if population is not None:
            specification = replace(specification, population=population)
        if tally is not None:
            specification = replace(specification, table=KeptTally(Path(tally)))
        return cls.of(
            specification,
            threads=threads,
            memory_limit=memory_limit,
            temp_directory=temp_directory,
        )

    @classmethod
    def of(
        cls,
        specification: Specification,
        *,
        threads: int | None = None,
        memory_limit: str | None = None,
        temp_directory: str | Path | None = None,
    ) -> Self:
        """Return the study that a specification describes."""
        study = cls.__new__(cls)
        study._begin(specification, threads, memory_limit, temp_directory)
        return study

    def _begin(
        self,
        specification: Specification,
        threads: int | None,
        memory_limit: str | None,
        temp_directory: str | Path | None,
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
        self._tallies: dict[tuple[str, ...], Tally] = {}
        self._population: Population | None = None
        self._hierarchies: dict[str, Hierarchy] = {}
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
        if others not in self._tallies:
            tally = take_tally(self._engine, self.quasi, others)
            if tally.rows == 0:
                raise InputError("the table has no rows", file=self._engine.name)
            self._tallies[others] = tally
        return self._tallies[others]

    def hierarchy(self, attribute: str) -> Hierarchy:
        """Return the hierarchy of an attribute, over the table's values where it is described."""
        if attribute not in self._hierarchies:
            given = self.specification.attributes[attribute].hierarchy
            if isinstance(given, Hierarchy):
                found = given
            elif isinstance(given, Mapping):
                where = f"the hierarchy of {attribute}"
                if self.specification.file is not None:
                    where = f"{self.specification.file}, {where}"
                # A sensitive column is not in the plain tally.
                quasi = attribute in self.quasi
                domain = (
                    self.tally().domain(attribute)
                    if quasi
                    else self._engine.cells([attribute]).domains[0]
                )
                found = build_hierarchy(given, domain, where)
            elif isinstance(given, (str, Path)):
                found = read_hierarchy(given)
            else:
                raise InputError(
                    f"a {type(given).__name__} is no hierarchy of {show(attribute)}; give a file, "
                    "a description or a Hierarchy"
                )
            self._hierarchies[attribute] = found
        return self._hierarchies[attribute]

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
        ladders = []
        for name in self.quasi:
            given = self.specification.attributes[name]
            counts = tally.totals(name)
            ladder = make_ladder(
                name,
                self.hierarchy(name),
                tally.domain(name),
                counts,
                given.min_level,
                given.max_level,
                self.specification.refuse("", name),
                given.weight,
            )
            ladders.append(ladder)
        labels = tally.histogram(classes[0]) if classes else None
        return Problem(tuple(ladders), tally.codes, tally.counts, labels)

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
        spreadsheet_safe: bool = False,
    ) -> StudyRelease:
        """Return the release of a solution, ready to be written.

        Of a frontier the `point` of that number, counted from 1, or the cheapest with at least `k`, or else
        the knee, is released; of a negotiation its exact answer, or a suggestion of it. A mapping is a
        solution document.
        """
        if isinstance(solution, Frontier):
            solution = choose(solution, k, point)
        elif isinstance(solution, (CutSolution, Anonymization, Answer, Offer)):
            solution = solution.decision()
        elif not isinstance(solution, Decision):
            solution = decision_of(solution)
        kind = StudyAnatomy if isinstance(solution.recoding, BucketRecoding) else StudyRelease
        return kind(self.material(), solution, seed=seed, spreadsheet_safe=spreadsheet_safe)

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
        )

    def population(self) -> Population:
        """Return the population's combinations of quasi values."""
        if self._population is None:
            self._population = read_population(self.specification, self.hierarchy)
        return self._population
