"""Anatomy's release: the rows with their group number, and a table of each group's sensitive values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from shoal.answers.recoding import BucketRecoding, Decision
from shoal.data.engine import Engine, Outlet
from shoal.data.files.labelled import write_rows
from shoal.data.opening import opened
from shoal.data.sql import bucket_statements
from shoal.data.sql.bucket_statements import BucketShape
from shoal.describe import Role
from shoal.describe.table_reading import AS_WRITTEN
from shoal.documents.digests import digest
from shoal.errors import InputError, VerificationError, show
from shoal.questions.material import Material
from shoal.release.release import Release
from shoal.release.whose_rows import narrow, staged, without
from shoal.search.groups.anatomy import Deal, check_split, dealt_of
from shoal.search.groups.bucket_table import PersonDeal
from shoal.verification import Verdict, verify_buckets
from shoal.verification.bucket_check import Columns, second_path


class AnatomyRelease(Release):
    """One table split in two, ready to be written.

    The first has all columns with a role except identifying and sensitive ones, and the group; the second has
    the group, the sensitive value and its count. Other sensitive columns are not released, because exact
    quasi values would expose them. The seed also decides which row goes to which group. Where persons have
    several rows, persons go to groups, and the second table counts persons.
    """

    splits = True

    def __init__(self, material: Material, decision: Decision, **options: Any) -> None:
        recoding, specification = decision.recoding, material.specification
        if not isinstance(recoding, BucketRecoding):
            raise InputError("this solution splits off no column; release it as one table")
        self.recoding = recoding
        check_split(specification, recoding.sensitive, recoding.l)
        if dict(recoding.levels) != dict.fromkeys(specification.having(Role.QUASI), 0):
            raise InputError("the solution has other quasi columns than the study; make it again")
        persons = specification.units.persons
        self._by_persons = bool(persons) and material.tally(recoding.sensitive).persons is not None
        if options.get("pseudonyms") is not None and persons and not self._by_persons:
            raise InputError(
                "every person has one row, which Anatomy releases with exact values; pseudonyms would link "
                "nothing, leave them out"
            )
        super().__init__(material, decision, **options)
        if self.shifts:
            raise InputError(
                "Anatomy releases exact values, so dates cannot be shifted; remove the shift, or choose "
                "another algorithm"
            )

    @property
    def persons(self) -> tuple[str, ...]:
        """The columns that tell who a row is about; none where every person has one row: rows are counted."""
        return super().persons if self._by_persons else ()

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive column that is split off."""
        return (self.recoding.sensitive,)

    @cached_property
    def second(self) -> Columns:
        """The columns of the second table; the added ones get names that no other column has."""
        taken = {name.lower() for name in self.material.engine.columns}
        group = _free("group", taken)
        return Columns(group, self.recoding.sensitive, _free("count", {*taken, group}))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the first table."""
        pseudonyms = () if self.pseudonyms is None else (self.person or "",)
        return (*self._kept, self.second.group, *pseudonyms)

    @property
    def _kept(self) -> tuple[str, ...]:
        hidden = self.material.specification.having(Role.SENSITIVE)
        return tuple(name for name in super()._kept if name not in hidden)

    @property
    def maps(self) -> None:
        """No value is recoded, so there is no mapping to keep."""
        return None

    @cached_property
    def dealt(self) -> Deal | PersonDeal:
        """The group from which each value's rows are dealt, or the groups of the persons with some values."""
        return dealt_of(self.tally, self.recoding.sensitive, self.recoding.l)

    @property
    def _said(self) -> tuple[str, ...]:
        return (*self._kept, self.recoding.sensitive, *self.persons)

    @cached_property
    def statement(self) -> tuple[Any, dict[str, Any]]:
        """The shape of the statement, without its key, and its tables."""
        import pyarrow as pa

        shape = BucketShape(
            self._kept,
            self.recoding.sensitive,
            self.second.group,
            self.second.count,
            self.dealt.groups,
            self.spreadsheet_safe,
            self.seed,
        )
        if isinstance(self.dealt, PersonDeal):
            shape = replace(
                shape,
                persons=self.persons,
                person=self.person or "",
                secret="" if self.pseudonyms is None else self._whose,
            )
            return shape, {bucket_statements.DEALT_TO: self._dealt_to(shape, self.dealt)}
        values, places = (self.dealt.values, pa.string()), (self.dealt.starts, pa.int64())
        starts = pa.table({"value": pa.array(*values), "start": pa.array(*places)})
        return shape, {bucket_statements.STARTS: starts}

    def _dealt_to(self, shape: BucketShape, dealt: PersonDeal) -> Any:
        """Return the group of each person, by the name that the seed draws.

        Persons with the same values take their places in the order of these names, and groups are numbered
        by the first name in each, so that numbers tell nothing of how they were dealt.
        """
        import pyarrow as pa

        place = {value: code for code, value in enumerate(self.tally.domain(self.recoding.sensitive))}
        having: dict[str, list[int]] = {}
        for drawn, value in self.material.engine.drawn_values(shape):
            having.setdefault(drawn, []).append(place[value])
        waiting = {kind: iter(places.tolist()) for kind, places in dealt.places.items()}
        numbers: dict[int, int] = {}
        names = sorted(having)
        groups = [
            numbers.setdefault(next(waiting[tuple(sorted(having[name]))]), len(numbers) + 1)
            for name in names
        ]
        return pa.table({"drawn": pa.array(names, pa.string()), "place": pa.array(groups, pa.int64())})

    def tables(self) -> tuple[Any, Any]:
        """Return both tables as Arrow tables, verified."""
        first, second, _ = self._verified()
        return first, second

    def verified_table(self) -> tuple[Any, Verdict]:
        """Return the first table, and what was measured on both."""
        first, _, verdict = self._verified()
        return first, verdict

    def _verified(self) -> tuple[Any, Any, Verdict]:
        first, second = self._through(lambda i, outlet: outlet.table())
        verdict = self._agreed(self._measure(first, second))
        return without(first, self.hidden), second, verdict

    def check(self, rows: Any) -> Verdict:
        """Verify a written file with the second table beside it; raise if a promise does not hold."""
        return self._agreed(self._measure(rows, second_path(rows)))

    def _measure(self, rows: Any, second: Any, *, told: bool = True) -> Verdict:
        """Verify the two tables; the first tells whose its rows are, unless it is not `told`."""
        persons: tuple[str, ...] | None = () if self.person is None else (self.person,)
        if persons and not told:
            persons = None
        return verify_buckets(rows, second, self.decision.promise, self.quasi, self.second, persons)

    def write_rows(self, path: Path, progress: Callable[[float], None] | None = None) -> Verdict:
        """Write both tables, the second beside the first, and verify the files.

        If the first does not tell whose the rows are, another file does until its persons are counted.
        """

        def half(i: int) -> Callable[[float], None] | None:
            return None if progress is None else lambda share: progress((i + share) / 2)

        if self.hidden is None:
            files = (path, second_path(path))
            self._through(lambda i, outlet: write_rows(outlet, self.codebook, files[i], half(i)))
            return self.check(path)
        with staged(path) as told:

            def write(i: int, outlet: Outlet) -> None:
                if i == 0:
                    outlet.write(told, half(0))
                else:
                    write_rows(outlet, self.codebook, second_path(path), half(1))

            self._through(write)
            verdict = self._agreed(self._measure(told, second_path(path)))
            narrow(told, path, self.columns, self.codebook)
        self.check_same(path, verdict)
        return verdict

    def check_same(self, rows: Any, verdict: Verdict) -> None:
        """Verify a first table that no longer tells whose its rows are: it has those that were verified."""
        with self.material.limits.kept(), opened(rows, AS_WRITTEN) as engine:
            if engine.columns != self.columns:
                raise VerificationError(
                    "verification failed, nothing is released: other columns were written"
                )
            again = self._measure(engine, second_path(rows), told=False)
        if replace(verdict.measured, persons=None) != again.measured:
            raise VerificationError("verification failed, nothing is released: other rows were written")
        self._agreed(again)

    @contextmanager
    def into(self, target: str, *, replace: bool = False) -> Iterator[Engine]:
        """Refuse, because the two tables are written to files."""
        raise InputError(f"Anatomy releases two tables as files; drop the table {show(target)} (`into`)")

    def _through(self, use: Callable[[int, Outlet], Any]) -> list[Any]:
        shape, tables = self.statement
        keyed = replace(shape, order_key=self.order_key, secret=self._whose if self.persons else "")
        first, second = self.material.engine.bucket_outlets(keyed, tables)
        with closing(second), closing(first):
            return [use(0, first), use(1, second)]

    def beside(self, out: Path | None, written: Path | None) -> dict[str, Any]:
        """Return what the papers say about the second table."""
        return {
            "buckets": {
                "file": None if out is None else second_path(out).name,
                "sha256": None if written is None else digest(second_path(written)),
                "columns": self.second.names,
            }
        }


def release_of(material: Material, decision: Decision, **options: Any) -> Release:
    """Return the release of a decision, in one table or in two."""
    kind = AnatomyRelease if isinstance(decision.recoding, BucketRecoding) else Release
    return kind(material, decision, **options)


def _free(name: str, taken: Iterable[str]) -> str:
    """Return an unused column name, ignoring case.

    >>> _free("group", {"group", "group_2"})
    'group_3'
    """
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found
