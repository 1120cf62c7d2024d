"""Counts a study's table: every combination if the tally fits into memory, else coarser if allowed.

A coarse tally. Let an attribute be searched from level m up. If it has many values, the engine replaces each
value v before counting by r(v), the first value in byte order with v's label on level m. This changes nothing
at or above level m:

- r(v) has v's label on level m, and therefore on every level above m; so at each node whose levels are m or
  more the rows fall into the same classes, with the same sizes and the same sensitive and class values. The
  same holds for every cut whose labels lie on level m or above, since r(v) lies below the label that v does.
- What a cell costs depends on its label (LM, NCP, Prec, Height, Intensity, Ambiguity), on the rows below its
  label (NUE), or on its class (DM, CM, ClassSize); the first and last are as before. The rows of each single
  value, which NUE needs too, are counted column by column (`Coarse.rows`), and so are the domains, from which
  described hierarchies are built and values are mapped when rows are released.

What is lost are the combinations of single values: how many original rows are unique, samples of original
rows, and recodings of single combinations (Mondrian, local recoding, mu-Argus). These are refused or omitted.
An attribute that is also sensitive or the class is never merged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from shoal.data.budget import budgeted, memory_of, parse_size, tally_budget
from shoal.data.engine import Cells, Engine, Keyed, Value
from shoal.data.tally.coarser import MergeableAttribute, propose
from shoal.data.tally.ladders import ladder_of
from shoal.data.tally.problem import Ladder
from shoal.data.tally.tally import Coarse, Tally, tally_of
from shoal.describe import Role, Specification
from shoal.describe.hierarchies import Hierarchy, build_hierarchy, read_hierarchy
from shoal.describe.hierarchies.telling_apart import told_apart
from shoal.errors import CoarseTallyError, InputError, TallyTooLargeError, show

WORTH_A_LOOK = 8
"""A tally below 1 / WORTH_A_LOOK of the budget also fits with other columns."""


class StudyCounts:
    """The counts of a study's table, each taken once, and the hierarchies over them.

    Either all tallies of a study are coarse or none is, so all have the same combinations.
    """

    def __init__(
        self,
        engine: Engine,
        specification: Specification,
        tally_memory: int | str | None = None,
        *,
        coarse: bool = False,
    ) -> None:
        self.engine = engine
        self.specification = specification
        self.tally_memory = None if tally_memory is None else parse_size(tally_memory)
        self._tallies: dict[tuple[str, ...], Tally] = {}
        self._hierarchies: dict[str, Hierarchy] = {}
        self._columns: dict[str, tuple[tuple[Value, ...], npt.NDArray[np.int64]]] = {}
        self._coarse = True if coarse else None

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi attributes, in their order."""
        return self.specification.having(Role.QUASI)

    def tally(self, *others: str) -> Tally:
        """Return the distinct combinations of quasi values, with the counts of other columns."""
        others = tuple(column for column in others if column not in self.quasi)
        if others not in self._tallies:
            with budgeted(self.tally_memory):
                cells, coarse = self.cells([*self.quasi, *others])
                tally = tally_of(cells, len(self.quasi), coarse)
            if tally.rows == 0:
                raise InputError("the table has no rows", file=self.engine.name)
            self._tallies[others] = tally
        return self._tallies[others]

    @cached_property
    def persons(self) -> tuple[str, ...]:
        """The columns that name persons, if some person has several rows; rows without a name are refused."""
        named = self.specification.units.persons
        if not named:
            return ()
        found = self.check_named()
        return () if found.persons == found.rows else named

    def check_named(self) -> Keyed:
        """Return how many persons the table names; refuse rows that name none."""
        named = self.specification.units.persons
        found = self.engine.keyed(named)
        if found.nameless:
            raise self.specification.refuse(
                f"{found.nameless:,} rows name no person: {' or '.join(map(show, named))} is missing there; "
                "fill it in, or drop these rows",
                named[0],
            )
        return found

    def cells(self, columns: Sequence[str]) -> tuple[Cells, dict[str, Coarse]]:
        """Return the distinct rows over columns, and how attributes are merged."""
        with budgeted(self.tally_memory):
            if self._coarse:
                return self._merged(columns)
            try:
                found = self.engine.cells(columns, None, self.persons)
                fits = self._all_fit(memory_of(len(found.counts), len(columns)))
            except (TallyTooLargeError, CoarseTallyError) as problem:
                # Tallies that were counted before stay in use.
                if self._coarse is not None or not self.levels:
                    raise self._refusal(problem, columns) from None
                fits = False
            self._coarse = not fits
            return (found, {}) if fits else self._merged(columns)

    @property
    def levels(self) -> dict[str, int]:
        """The lowest levels above 0 of the attributes that may be merged."""
        given = self.specification.attributes
        return {name: given[name].min_level for name in self.mergeable if given[name].min_level > 0}

    @property
    def mergeable(self) -> tuple[str, ...]:
        """The attributes that are quasi and nothing else."""
        given = self.specification.attributes
        return tuple(name for name in self.quasi if given[name].roles == {Role.QUASI})

    def _all_fit(self, needed: int) -> bool:
        """Return whether the tally over all relevant columns fits, if a coarser one is possible."""
        if not self.levels or needed * WORTH_A_LOOK < tally_budget():
            return True
        columns = counted_columns(self.specification)
        return memory_of(self.engine.about_cells(columns), len(columns)) <= tally_budget()

    def _merged(self, columns: Sequence[str]) -> tuple[Cells, dict[str, Coarse]]:
        """Return the cells, with values merged as far as the lowest levels allow."""
        scales = {name: self._scale(name) for name in self.levels}
        coarse = {
            name: Coarse(level, scales[name].shown(level), scales[name].rows)
            for name, level in self.levels.items()
        }
        mapping = {name: scales[name].mapping(level) for name, level in self.levels.items()}
        try:
            found = self.engine.cells(columns, mapping, self.persons)
        except (TallyTooLargeError, CoarseTallyError) as problem:
            raise self._refusal(problem, columns) from None
        for name, one in coarse.items():
            if int(found.counts.sum()) != int(one.rows.sum()):
                raise InputError(
                    f"the table changed while {show(name)} was counted; count again",
                    file=self.engine.name,
                )
        codes, domains = found.codes, list(found.domains)
        for i, name in enumerate(columns):
            if name in coarse:
                domain = scales[name].domain
                place = {value: code for code, value in enumerate(domain)}
                # Both domains are in byte order, so the cells stay in the order of their codes.
                codes[:, i] = np.array([place[v] for v in domains[i]], dtype=np.int32)[codes[:, i]]
                domains[i] = domain
        return replace(found, codes=codes, domains=tuple(domains)), coarse

    def column(self, name: str) -> tuple[tuple[Value, ...], npt.NDArray[np.int64]]:
        """Return the values of a column, and how many rows have each."""
        if name not in self._columns:
            with budgeted(self.tally_memory):
                found = self.engine.cells([name])
            self._columns[name] = found.domains[0], found.counts
        return self._columns[name]

    def _scale(self, name: str) -> MergeableAttribute:
        domain, rows = self.column(name)
        return MergeableAttribute(self.ladder(name, domain, rows), domain, rows)

    def ladder(self, name: str, domain: tuple[Value, ...], rows: npt.NDArray[np.int64]) -> Ladder:
        """Return the levels of a quasi attribute, or refuse values and levels that do not fit."""
        return ladder_of(self.specification, name, self.hierarchy(name), domain, rows)

    def hierarchy(self, attribute: str) -> Hierarchy:
        """Return the hierarchy of an attribute, over the table's values if it is described."""
        if attribute not in self._hierarchies:
            given = self.specification.attributes[attribute].hierarchy
            if isinstance(given, Hierarchy):
                found = given
            elif isinstance(given, Mapping):
                where = f"the hierarchy of {attribute}"
                if self.specification.file is not None:
                    where = f"{self.specification.file}, {where}"
                single = attribute in self._columns or attribute not in self.quasi
                values = self.column(attribute)[0] if single else self.tally().domain(attribute)
                found = build_hierarchy(given, values, where)
            elif isinstance(given, (str, Path)):
                found = read_hierarchy(given)
            else:
                raise InputError(
                    f"a {type(given).__name__} is not a hierarchy for {show(attribute)}; give a file, "
                    "a description or a Hierarchy"
                )
            self._hierarchies[attribute] = told_apart(found)
        return self._hierarchies[attribute]

    def _refusal(self, problem: InputError, columns: Sequence[str]) -> InputError:
        """Return the refusal of a tally that does not fit, with the levels from which one would."""
        if not isinstance(problem, TallyTooLargeError):
            return problem
        try:
            scales = {name: self._scale(name) for name in self.mergeable}
        except TallyTooLargeError:  # not even the values of a column fit
            return problem
        weight = sum(self.specification.weights.values(), Fraction(0))
        proposal = propose(self.engine, columns, scales, weight, problem.budget)
        return problem.advised(proposal.sentence())


def counted_columns(specification: Specification) -> tuple[str, ...]:
    """Return the columns that searches look at: quasi, sensitive and class."""
    roles = (Role.QUASI, Role.SENSITIVE, Role.CLASS)
    return tuple(dict.fromkeys(name for role in roles for name in specification.having(role)))
