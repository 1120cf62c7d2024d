"""The study: a table, the roles of its columns, and every question that can be asked of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from shoal.anonymization import Anonymization
from shoal.anonymize import anonymize, pose
from shoal.asked import Number, Pair, promise_of
from shoal.compare import Comparison, compare
from shoal.cuts.metrics import CutMetric
from shoal.engines.duckdb import DuckDBEngine
from shoal.engines.frames import like
from shoal.errors import InputError, did_you_mean, show
from shoal.hierarchy import Hierarchy, build_hierarchy, read_hierarchy
from shoal.lattice.ladders import make_ladder
from shoal.negotiate.answer import Answer, Offer
from shoal.optimize import Wish, optimize
from shoal.privacy import Population
from shoal.problem import Problem
from shoal.quantities import weight
from shoal.recoding import BucketRecoding, Decision
from shoal.release import papers
from shoal.release.anatomy import AnatomyRelease
from shoal.release.population import read_population
from shoal.release.release import Material, Release
from shoal.release.solutions import choose, decision_of
from shoal.search.clock import Progress
from shoal.search.l_plus_optimize import Improvement
from shoal.solution import CutSolution, Frontier
from shoal.specification import Attribute, HierarchyLike, Role, Specification
from shoal.study_file import read_study_file
from shoal.tally import Tally, take_tally
from shoal.trade_off import trade_off

if TYPE_CHECKING:
    from shoal.negotiate.negotiator import Negotiator
    from shoal.publish.write import Published

MOST_THREADS = 1024
MEMORY = 256 << 20
"""Bytes that a negotiation over a lattice too large for an index may keep."""


class Study:
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
            for name in [names] if isinstance(names, str) else names:
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
    ) -> Self:
        """Return the study of a YAML file, with another `population` than the file's if one is given."""
        specification = read_study_file(path)
        if population is not None:
            specification = replace(specification, population=population)
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
        self._engine = DuckDBEngine(
            specification.table,
            threads=threads,
            memory_limit=memory_limit,
            temp_directory=temp_directory,
        )
        self._tallies: dict[tuple[str, ...], Tally] = {}
        self._negotiator: Negotiator | None = None
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
        tally = self.tally(*(name for name in (*classes, *others) if name not in self.quasi))
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
        from shoal.negotiate.opening import open_negotiator

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

    def release(
        self,
        solution: Decision | Frontier | CutSolution | Anonymization | Answer | Offer | Mapping[str, Any],
        *,
        k: int | None = None,
        seed: int | None = None,
        spreadsheet_safe: bool = False,
    ) -> StudyRelease:
        """Return the release of a solution, ready to be written.

        Of a frontier the point with at least `k`, or else the knee, is released; of a negotiation its exact
        answer, or a suggestion of it. A mapping is a solution document.
        """
        if isinstance(solution, Frontier):
            solution = choose(solution, k)
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

    def frontier(
        self,
        *,
        metric: str = "LM",
        suppress: str | float = 0,
        method: str = "exact",
        depth: int | None = None,
        min_k: int = 1,
        max_k: int | None = None,
        time_limit: float | None = None,
        progress: Progress | None = None,
    ) -> Frontier:
        """Return every Pareto-optimal (k, loss) generalization.

        `suppress` is a share (0.01, "1%") or a number of rows. `method` is exact (certified), poka (with
        its `depth`) or exhaustive. With a `time_limit` in seconds the points found so far come back, and
        `certified` says whether they are all.
        """
        return trade_off(
            lambda kind: self.problem(with_class=kind.needs_class),
            metric=metric,
            suppress=suppress,
            method=method,
            depth=depth,
            min_k=min_k,
            max_k=max_k,
            time_limit=time_limit,
            threads=self.threads,
            progress=progress,
        )

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
    ) -> CutSolution:
        """Return the provably cheapest full-subtree recoding for share limits, k, or both.

        In every released group no sensitive value has a share above 1 / `l`, or above `theta`, but those
        that `limits` names have their own; `theta_by_frequency` limits rare values most. `scheme` says what
        is suppressed where a group breaks that (NoSupp, allRec, vioRec, allSA, vioSA), `metric` what is
        cheap: LM, DM, CM, NCP, Entropy, or a class of your own (see `shoal.cuts.metrics`). With a
        `time_limit` in seconds, a `gap`, or Ctrl-C the best so far comes back, and says how good it is.
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
        )

    def anonymize(
        self,
        algorithm: str,
        *,
        k: int | None = None,
        l: int | None = None,  # noqa: E741  the literature's name
        theta: Number | None = None,
        t: Number | None = None,
        distance: str | Mapping[str, str] | None = None,
        entropy_l: Number | None = None,
        recursive_l: Pair | None = None,
        delta: Pair | None = None,
        k_map: int | None = None,
        sensitive: str | Iterable[str] = (),
        suppress: str | float = 0,
        metric: str = "LM",
        seed: int = 0,
        time_limit: float | None = None,
        progress: Progress | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Anonymization:
        """Return the answer of one named algorithm (see `shoal.search.algorithms`).

        Every released group has at least `k` rows, `l` distinct values of each sensitive column, no value
        with a share above `theta`, and lies within `t` of the table, by the `distance` equal, ordered or
        hierarchical. `entropy_l` is that of entropy l-diversity, `recursive_l` the pair of recursive
        (c, l)-diversity. All that is about the sensitive columns, or about those that are named. `k_map` rows
        of the population fall into every group; `delta` is the pair of delta-presence. Rows of groups that
        break that are suppressed, `suppress` at most. `options` are the algorithm's own.
        """
        material = self.material()
        promise = promise_of(
            material,
            k=k,
            l=l,
            theta=theta,
            t=t,
            distance=distance,
            entropy_l=entropy_l,
            recursive_l=recursive_l,
            delta=delta,
            k_map=k_map,
            sensitive=sensitive,
        )
        question = pose(
            material,
            self.problem,
            promise,
            metric=metric,
            suppress=suppress,
            seed=seed,
            threads=self.threads,
        )
        return anonymize(
            material, question, algorithm, options=options, time_limit=time_limit, progress=progress
        )

    def compare(
        self,
        algorithms: Iterable[str] = (),
        *,
        suppress: str | float = 0,
        metric: str = "LM",
        seed: int = 0,
        time_limit: float | None = None,
        progress: Progress | None = None,
        **asked: Any,
    ) -> Comparison:
        """Return the answers of some algorithms, or of all, to one question (asked as in `anonymize`).

        Each has `time_limit` seconds; every answer is released in memory and verified.
        """
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
        return compare(material, question, tuple(algorithms), time_limit=time_limit, progress=progress)


class StudyRelease(Release):
    """A release of a study; rows come back as the kind of table that went in."""

    def frame(self) -> Any:
        """Return the released rows, verified: a pandas, Polars or Arrow table, or a DuckDB relation."""
        return like(self.material.specification.table, self.table())

    @property
    def certificate(self) -> dict[str, Any]:
        """What is promised, and what was measured on the released rows."""
        measured = self.verified_table()[1].measured
        return papers.certificate(self, measured, None, None, self.beside(None, None))

    def write(
        self,
        path: str | Path,
        *,
        force: bool = False,
        progress: Callable[[float], None] | None = None,
    ) -> Published:
        """Write the table with its papers and reports; all of it or nothing."""
        # Reports and audit are loaded when something is released, not at every start.
        from shoal.publish.write import publish

        return publish(self, path, force=force, progress=progress)


class StudyAnatomy(AnatomyRelease, StudyRelease):
    """A release of a study in two tables; `table` and `frame` give the first of them."""

    def frames(self) -> tuple[Any, Any]:
        """Return both tables, verified, as the kind of table that went in."""
        first, second = self.tables()
        given = self.material.specification.table
        return like(given, first), like(given, second)
