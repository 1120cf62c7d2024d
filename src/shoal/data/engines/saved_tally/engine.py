"""A saved tally in place of its table: searches run on it, but it has no rows to release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.data.engine import Cells, Keyed, Merged, Outlet, Profile, Value
from shoal.data.engines.saved_tally.tally_file import projected, read_tally, replaced
from shoal.data.files.codebook import NOTHING_TOLD
from shoal.errors import CoarseTallyError, InputError, did_you_mean, show

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.data.sql.bucket_statements import BucketShape
    from shoal.data.sql.release_statement import ReleaseShape


@dataclass(frozen=True)
class KeptTally:
    """The file of a saved tally, where a study would have its table."""

    path: Path


class TalliedEngine:
    """Answers from a saved tally whatever counts alone can answer."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._saved = read_tally(self._path)
        self.name = str(self._path)
        self.place = None
        self.columns = self._saved.columns
        self.codebook = NOTHING_TOLD
        self.notes: tuple[str, ...] = ()
        self.found = None

    def blank(self, codes: Mapping[str, Sequence[str]]) -> None:
        """Refuse a tally in which such a code was counted as a value."""
        counted = self._saved.cells
        for column, domain in zip(counted.columns, counted.domains, strict=True):
            coarse = self._saved.coarse.get(column)
            known = domain if coarse is None else coarse.values
            for value in known:
                if value is not None and value.strip() in codes.get(column, ()):
                    raise InputError(
                        f"the tally counts {show(value)} in {show(column)} as a value, and the study calls "
                        "it missing; make it again",
                        file=self._path,
                    )

    def count(self) -> int:
        """Return the number of rows that were counted."""
        return self._saved.rows

    def keyed(self, persons: Sequence[str]) -> Keyed:
        """Return how many persons were counted; no row was without one."""
        if tuple(persons) != self._saved.persons:
            counted = ", ".join(map(show, self._saved.persons)) or "no column"
            raise InputError(
                f"the tally counts persons by {counted}, and the study by {', '.join(map(show, persons))}; "
                "make it again",
                file=self._path,
            )
        whose = self._saved.cells.persons
        return Keyed(self._saved.rows, self._saved.rows if whose is None else whose.total, 0)

    def cells(
        self, columns: Sequence[str], merged: Merged | None = None, persons: Sequence[str] = ()
    ) -> Cells:
        """Return the distinct rows over these columns with their counts, and whose they are.

        A coarse column by itself has all its values; with other columns, only the merged ones.
        """
        known = self._saved.cells.columns
        for column in columns:
            if column not in known:
                raise InputError(
                    f"the tally does not count the column {show(column)}; {did_you_mean(column, known)}, "
                    "or make it again",
                    file=self._path,
                )
        merged, coarse = merged or {}, self._saved.coarse
        if len(columns) == 1 and columns[0] in coarse and not merged:
            return coarse[columns[0]].alone(columns[0])
        for column in columns:
            if column in coarse and not coarse[column].within(merged.get(column)):
                raise CoarseTallyError(self._path, {name: one.level for name, one in coarse.items()})
        counted = self._saved.cells if persons else replace(self._saved.cells, persons=None)
        found = projected(counted, columns)
        return replaced(found, merged) if merged else found

    def about_cells(self, columns: Sequence[str], merged: Merged | None = None) -> int:
        """Return how many cells there would be."""
        return len(self.cells(columns, merged).counts)

    def few_alike(self, columns: Sequence[str], k: int) -> tuple[int, int]:
        """Return how many rows are unique in these columns, and how many are in groups of fewer than k."""
        counts = self.cells(columns).counts
        return int((counts == 1).sum()), int(counts[counts < k].sum())

    def profile(self, few: int) -> tuple[Profile, ...]:
        """Refuse, because a tally does not count single columns."""
        raise InputError("a saved tally does not describe columns; look at the table", file=self._path)

    def first_values(self, column: str, most: int) -> tuple[str, ...]:
        """Return up to `most` distinct values of a column, in order, without the missing value."""
        values = self.cells([column]).domains[0]
        return tuple(value for value in values if value is not None)[:most]

    def content(self, columns: Sequence[str]) -> str:
        """Refuse, because there are no rows."""
        raise self._refusal()

    def outlet(self, shape: ReleaseShape, tables: Mapping[str, pa.Table]) -> Outlet:
        """Refuse, because there are no rows."""
        raise self._refusal()

    def bucket_outlets(
        self, shape: BucketShape, tables: Mapping[str, pa.Table]
    ) -> tuple[Outlet, Outlet]:
        """Refuse, because there are no rows."""
        raise self._refusal()

    def drawn_values(self, shape: BucketShape) -> list[tuple[str, Value]]:
        """Refuse, because there are no rows."""
        raise self._refusal()

    def _refusal(self) -> InputError:
        return InputError(
            "a saved tally has no rows to release; release where the table is, with the saved solution",
            file=self._path,
        )

    def close(self) -> None:
        """Do nothing, because nothing is open."""
