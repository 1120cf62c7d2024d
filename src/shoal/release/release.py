"""A release: applies a decision, and verifies the released rows."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from shoal.answers.group_recoding import GroupRecoding
from shoal.answers.recoding import BucketRecoding, Decision
from shoal.answers.released_classes import value_map
from shoal.criteria import Population, sensitive_of
from shoal.data.engine import Engine, Hidden, Outlet
from shoal.data.files.codebook import Codebook
from shoal.data.files.labelled import write_rows
from shoal.data.files.table_files import find_files
from shoal.data.opening import opened
from shoal.data.sql.release_statement import ReleaseShape, is_risky
from shoal.data.tally import Tally
from shoal.describe import Role
from shoal.describe.hierarchies import Label
from shoal.describe.promise import Promise
from shoal.describe.table_reading import AS_WRITTEN
from shoal.errors import InputError, NoSolutionError, VerificationError, show
from shoal.questions.material import Material
from shoal.recode import Treatment, mapping_tables, suppress_households, treat
from shoal.release.order import order_key
from shoal.release.papers.public import public_promise
from shoal.release.pseudonyms import Pseudonyms, column_name, new_secret
from shoal.release.whole_households import check_households, household_failures
from shoal.release.whose_rows import check_dates, narrow, staged, without
from shoal.verification import Verdict, verify_table


class Release:
    """A decision about one table, ready to be written.

    `seed` decides the order of the rows and which rows vioRec suppresses; it is random unless given, and only
    the curator may know it. `order_key` is that of an earlier release, to repeat its order; by default it
    follows from the seed and all that is released. `spreadsheet_safe` puts an apostrophe before cells that a
    spreadsheet would run. If the study names persons, these are counted; with `pseudonyms` a column of
    random names tells whose the rows are. With `household_k`, households that fewer than so many look like
    are suppressed whole. An attack that proves a promise broken stops it, unless `accept_attack` names it.
    """

    splits = False
    """Whether a sensitive column goes to a second table (see `bucket_release`)."""

    def __init__(
        self,
        material: Material,
        decision: Decision,
        *,
        seed: int | None = None,
        order_key: str | None = None,
        spreadsheet_safe: bool = False,
        pseudonyms: Pseudonyms | None = None,
        household_k: int | None = None,
        accept_attack: tuple[str, ...] = (),
        reused: bool = False,
        refused: Mapping[str, frozenset[Label]] | None = None,
    ) -> None:
        self.reused = reused
        self.refused = refused or {}
        self.material = material
        self.decision = decision
        self.seed = secrets.randbits(63) if seed is None else seed
        self._order_key = order_key
        self.spreadsheet_safe = spreadsheet_safe
        self.pseudonyms = pseudonyms
        self._whose = new_secret() if pseudonyms is None else pseudonyms.secret
        self._shifted = new_secret()  # goes nowhere, so that nobody can shift dates back
        if pseudonyms is not None and not self.persons:
            raise InputError(
                "pseudonyms are for persons; name the columns that tell who a row is about (persons)"
            )
        self.household_k = household_k
        self.accept_attack = accept_attack
        check_households(self)
        if isinstance(decision.recoding, BucketRecoding) and not self.splits:
            raise InputError("Anatomy releases two tables; make them with Study.release")
        specification = material.specification
        sensitive = specification.having(Role.SENSITIVE)
        unknown = [name for name in decision.promise.columns if name not in sensitive]
        if unknown:
            raise InputError(f"the promise is about {unknown[0]}, which is not a sensitive column")
        for name in sensitive_of(decision.promise, sensitive):
            if name in self.shifts:
                raise InputError(
                    f"the promise is about {show(name)}, whose dates are shifted, so that other values are "
                    "released than were counted; remove its shift, or promise nothing about it"
                )
        if decision.promise.l is not None and not sensitive:
            raise InputError("l is promised, but the study has no sensitive column")
        for name in decision.recoding.names:
            if name not in self.quasi:
                raise InputError(
                    f"the solution recodes {show(name)}, which is not quasi; was it made for this study?"
                )
        for name in self.columns if spreadsheet_safe else ():
            if is_risky(name):
                raise InputError(
                    f"a spreadsheet would run the column name {show(name)}; rename the column first"
                )

    @property
    def household(self) -> str | None:
        """The column that tells which rows live together, if households are to look alike."""
        return None if self.household_k is None else self.material.specification.units.households

    @property
    def codebook(self) -> Codebook:
        """What the table's file tells about its columns, those that are not released included."""
        return self.material.engine.codebook

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi attributes."""
        return self.material.specification.having(Role.QUASI)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return self.material.specification.having(Role.SENSITIVE)

    @property
    def persons(self) -> tuple[str, ...]:
        """The columns that tell who a row is about; they are never released."""
        return self.material.specification.units.persons

    @property
    def shifts(self) -> dict[str, int]:
        """The columns whose dates are shifted, and by how many days at most."""
        return self.material.specification.shifts

    @property
    def person(self) -> str | None:
        """The column of names that stands for the persons' key while rows are counted; None without a key."""
        return column_name(self.material.engine.columns) if self.persons else None

    @property
    def columns(self) -> tuple[str, ...]:
        """The released columns, in the table's order and with the persons' pseudonyms last."""
        return (*self._kept, *(() if self.pseudonyms is None else (self.person or "",)))

    @property
    def _kept(self) -> tuple[str, ...]:
        """The table's columns that are released: those with a role that are not held back."""
        attributes = self.material.specification.attributes
        return tuple(
            name
            for name in self.material.engine.columns
            if name in attributes and attributes[name].released
        )

    @cached_property
    def tally(self) -> Tally:
        """The tally, with the columns that the decision looks at."""
        others = list(sensitive_of(self.decision.promise, self.sensitive))
        if self._class_column is not None:
            others.append(self._class_column)
        if self.household is not None:
            others.append(self.household)
        return self.material.tally(*(name for name in others if name not in self.quasi))

    @cached_property
    def treatment(self) -> Treatment:
        """What is done to every class; refused if more rows are suppressed than the decision allows."""

        def treated(tally: Tally) -> Treatment:
            return treat(
                self.decision.on_quasi(),
                tally,
                self.material.hierarchies,
                self._class_column,
                sensitive=self.sensitive,
                reused=self.reused,
                refused=self.refused,
                population=self.population,
            )

        if self.household is None or self.household_k is None:
            found = treated(self.tally)
        else:
            found = suppress_households(self.tally, self.household, self.household_k, treated)
        limit = self.decision.details.get("suppression_limit")
        if limit is not None and found.suppressed_rows > limit and not self.reused:
            raise InputError(
                f"the solution would suppress {found.suppressed_rows:,} rows of this table, and {limit:,} "
                "are allowed; search again, or allow more"
            )
        return found

    @cached_property
    def population(self) -> Population | None:
        """The population that the promise is about, if any; it must be unchanged."""
        promised = self.decision.promise
        if not promised.needs_population:
            return None
        found = self.material.the_population()
        if promised.population is not None and promised.population.sha256 != found.sha256:
            raise InputError("the population is not the one that the promise is about", file=found.file)
        return found

    @cached_property
    def promise(self) -> Promise:
        """The promise that is kept, with the population's rows in each released group.

        Only the curator sees it; the public sees what `public_promise` makes of it.
        """
        promise, treatment = self.decision.promise, self.treatment
        if self.population is None or treatment.crowds is None:
            return promise
        order = [treatment.attributes.index(name) for name in self.quasi]
        groups = {
            tuple(treatment.labels[c][a] for a in order): int(treatment.crowds[c])
            for c in range(len(treatment.labels))
            if c not in treatment.deleted
        }
        return replace(promise, population=replace(self.population.named, groups=groups))

    @property
    def _class_column(self) -> str | None:
        if self.decision.metric != "CM" or self.decision.scheme.value != "vioRec":
            return None
        return next(iter(self.material.specification.having(Role.CLASS)), None)

    @cached_property
    def maps(self) -> dict[str, dict[Label, Label]] | None:
        """The released label of every value, by attribute; None for group-wise recodings."""
        recoding = self.decision.recoding
        if isinstance(recoding, GroupRecoding):
            return None
        return {
            name: value_map(
                name,
                recoding,
                self.material.hierarchies[name],
                self.tally.domain(name),
                self.refused.get(name, frozenset()),
            )
            for name in self.quasi
        }

    @cached_property
    def source_digest(self) -> str | None:
        """The digest of the table's files; None for a table without files."""
        table = self.material.specification.table
        return find_files(Path(table)).digest() if isinstance(table, (str, Path)) else None

    @cached_property
    def order_key(self) -> str:
        """The key that decides the order of the rows; like the seed, only the curator may know it."""
        if self._order_key is not None:
            return self._order_key
        content = self.source_digest or self.material.engine.content(self._said)
        return order_key(*self.statement, content)

    @property
    def _said(self) -> tuple[str, ...]:
        """The columns whose values are released, or decide what is released."""
        homes = () if self.household is None else (self.household,)
        return tuple(dict.fromkeys([*self._kept, *self.quasi, *self.persons, *homes]))

    @cached_property
    def statement(self) -> tuple[Any, dict[str, Any]]:
        """The shape of the statement, without its key, and its mapping tables."""
        treatment = self.treatment
        if treatment.released_rows == 0:
            raise NoSolutionError("every row would be suppressed; choose another solution")
        check_dates(self.material.engine, self.shifts)
        shape = ReleaseShape(
            columns=self._kept,
            quasi=self.quasi,
            by_groups=self.maps is None,
            deleted=bool(treatment.deleted),
            quotas=treatment.sensitive if treatment.quotas else (),
            favoured=self._class_column if treatment.quotas else None,
            blanked={column: marks[0][1] is not None for column, marks in treatment.blanked.items()},
            safe=frozenset(self._kept) if self.spreadsheet_safe else frozenset(),
            seed=self.seed,
            persons=self.persons,
            person=self.person or "",
            secret="" if self.pseudonyms is None else self._whose,
            shifts=self.shifts,
            shift_secret=self._shifted if self.shifts else "",
            household=self.household,
        )
        return shape, mapping_tables(treatment, self.tally, shape, self.maps)

    def _outlet(self) -> Outlet:
        shape, tables = self.statement
        whole = replace(shape, order_key=self.order_key, secret=self._whose)
        return self.material.engine.outlet(whole, tables)

    def table(self) -> Any:
        """Return the released rows as an Arrow table, verified."""
        return self.verified_table()[0]

    def verified_table(self) -> tuple[Any, Verdict]:
        """Return the released rows as an Arrow table, and what was measured on them."""
        with closing(self._outlet()) as outlet:
            rows = outlet.table()
        verdict = self.check(rows)
        return without(rows, self.hidden), verdict

    @property
    def hidden(self) -> str | None:
        """The column that rows have until their persons are counted; None if all columns are released."""
        return self.person if self.pseudonyms is None else None

    def check(self, rows: Any) -> Verdict:
        """Verify rows that tell whose they are (a file, a frame or an open engine).

        It raises an error if a promise does not hold.
        """
        persons = () if self.person is None else (self.person,)
        with self.material.limits.kept(), opened(rows, AS_WRITTEN) as engine:
            public = public_promise(self.promise, engine, self.material.specification, persons)
            verdict = verify_table(engine, public, self.quasi, self.sensitive, persons)
            if public.theta != self.promise.theta:
                # Promises that the public does not see are kept too.
                kept = verify_table(
                    engine, Promise(theta=self.promise.theta), self.quasi, persons=persons
                )
                failures = dict.fromkeys((*verdict.failures, *kept.failures))
                verdict = replace(verdict, failures=tuple(failures))
            homes = household_failures(self, engine)
            return self._agreed(replace(verdict, failures=(*verdict.failures, *homes)))

    def check_same(self, rows: Any, verdict: Verdict) -> None:
        """Verify released rows that no longer tell whose they are: they are those that were verified."""
        with self.material.limits.kept(), opened(rows, AS_WRITTEN) as engine:
            if engine.columns != self.columns:
                raise VerificationError(
                    "verification failed, nothing is released: other columns were written"
                )
            again = verify_table(engine, verdict.promise, self.quasi, self.sensitive, None)
        # What else is measured compares persons, or the rows in their place.
        alike = [
            replace(one.measured, persons=None, population=None, risk=None, known=None)
            for one in (verdict, again)
        ]
        if alike[0] != alike[1]:
            raise VerificationError("verification failed, nothing is released: other rows were written")
        self._agreed(again)

    def _agreed(self, verdict: Verdict) -> Verdict:
        failures = list(verdict.failures)
        if verdict.measured.rows != self.treatment.released_rows:
            failures.append(
                f"rows: {verdict.measured.rows:,} were written, {self.treatment.released_rows:,} expected"
            )
        counted = verdict.measured.persons
        if counted is not None and counted.count != self.treatment.released_persons:
            failures.append(
                f"persons: {counted.count:,} were written, {self.treatment.released_persons:,} expected"
            )
        if failures:
            raise VerificationError("verification failed, nothing is released: " + "; ".join(failures))
        return verdict

    def beside(self, out: Path | None, written: Path | None) -> dict[str, Any]:
        """Return what the papers say about further tables, now at `written` and later at `out`."""
        return {}

    @contextmanager
    def into(self, target: str, *, replace: bool = False) -> Iterator[Engine]:
        """Write the rows into a new table, which others see when the block ends without an error.

        They are verified before what tells whose they are is dropped.
        """

        def count(rows: Engine) -> None:
            self._counted = self.check(rows)

        hidden = None if self.hidden is None else Hidden(self.hidden, count)
        with (
            closing(self._outlet()) as outlet,
            outlet.into(target, replace=replace, hidden=hidden) as rows,
        ):
            yield rows

    def check_landed(self, rows: Engine) -> Verdict:
        """Verify the rows of a new table, before others see them."""
        if self.hidden is None:
            return self.check(rows)
        self.check_same(rows, self._counted)
        return self._counted

    def write_rows(self, path: Path, progress: Callable[[float], None] | None = None) -> Verdict:
        """Write the rows to a file and verify that file.

        If it does not tell whose the rows are, another file beside it does until its persons are counted.
        """
        with closing(self._outlet()) as outlet:
            if self.hidden is None:
                write_rows(outlet, self.codebook, path, progress)
                return self.check(path)
            with staged(path) as told:
                outlet.write(told, progress)
                verdict = self.check(told)
                narrow(told, path, self.columns, self.codebook)
        self.check_same(path, verdict)
        return verdict
