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
from shoal.data.sql import bucket_statements
from shoal.data.sql.bucket_statements import BucketShape
from shoal.describe import Role
from shoal.documents.digests import digest
from shoal.errors import InputError, show
from shoal.questions.material import Material
from shoal.release.release import Release
from shoal.search.groups.anatomy import Deal, check_split, deal
from shoal.verification import Verdict, verify_buckets
from shoal.verification.bucket_check import Columns, second_path


class AnatomyRelease(Release):
    """One table split in two, ready to be written.

    The first has all columns with a role except identifying and sensitive ones, and the group; the second has
    the group, the sensitive value and its count. Other sensitive columns are not released, because exact
    quasi values would expose them. The seed also decides which row goes to which group.
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
        if options.get("pseudonyms") is not None:
            raise InputError("Anatomy is for persons with one row each, whom pseudonyms would not link")
        super().__init__(material, decision, **options)
        if self.tally.persons is not None:
            # All rows of a person are found by their exact values, and what their groups have in common is
            # what the person has.
            raise InputError(
                "Anatomy deals single rows to groups, so it cannot hide persons with several; choose another "
                "algorithm"
            )

    @property
    def persons(self) -> tuple[str, ...]:
        """No columns: every person has one row, so that rows are counted."""
        return ()

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
        return (*self._kept, self.second.group)

    @property
    def _kept(self) -> tuple[str, ...]:
        hidden = self.material.specification.having(Role.SENSITIVE)
        return tuple(name for name in super()._kept if name not in hidden)

    @property
    def maps(self) -> None:
        """No value is recoded, so there is no mapping to keep."""
        return None

    @cached_property
    def dealt(self) -> Deal:
        """The group from which each value's rows are dealt."""
        column = self.recoding.sensitive
        counts = self.tally.totals(column).tolist()
        return deal(column, self.tally.domain(column), counts, self.recoding.l)

    @property
    def _said(self) -> tuple[str, ...]:
        return (*self._kept, self.recoding.sensitive)

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
        values, places = (self.dealt.values, pa.string()), (self.dealt.starts, pa.int64())
        starts = pa.table({"value": pa.array(*values), "start": pa.array(*places)})
        return shape, {bucket_statements.STARTS: starts}

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
        return first, second, self._agreed(self._measure(first, second))

    def check(self, rows: Any) -> Verdict:
        """Verify a written file with the second table beside it; raise if a promise does not hold."""
        return self._agreed(self._measure(rows, second_path(rows)))

    def _measure(self, rows: Any, second: Any) -> Verdict:
        return verify_buckets(rows, second, self.decision.promise, self.quasi, self.second)

    def write_rows(self, path: Path, progress: Callable[[float], None] | None = None) -> Verdict:
        """Write both tables, the second beside the first, and verify the files."""
        files = (path, second_path(path))

        def half(i: int) -> Callable[[float], None] | None:
            return None if progress is None else lambda share: progress((i + share) / 2)

        self._through(lambda i, outlet: write_rows(outlet, self.codebook, files[i], half(i)))
        return self.check(path)

    @contextmanager
    def into(self, target: str, *, replace: bool = False) -> Iterator[Engine]:
        """Refuse, because the two tables are written to files."""
        raise InputError(f"Anatomy releases two tables as files; drop the table {show(target)} (`into`)")

    def _through(self, use: Callable[[int, Outlet], Any]) -> list[Any]:
        shape, tables = self.statement
        keyed = replace(shape, order_key=self.order_key)
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
