"""What an engine is: it holds the table and runs Shoal's statements on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from shoal.data.files.codebook import Codebook, Variable
from shoal.data.person_rows import PersonRows

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.data.sql.bucket_statements import BucketShape
    from shoal.data.sql.release_statement import ReleaseShape
    from shoal.describe import Place
    from shoal.describe.table_reading import Reading

Value = str | None
"""A cell as Shoal sees it: text, or None if it is missing."""


Merged = Mapping[str, Mapping[Value, Value]]
"""For some columns, the value that each of their values is counted as (see `tally.counting`)."""


@dataclass(frozen=True)
class Cells:
    """The distinct rows over some columns, with how often each occurs, in the order of their codes.

    `domains[c]` are the sorted values of column c, the missing value last; `codes[:, c]` index them. Whose
    rows they are is told by `persons`, if they were counted.
    """

    columns: tuple[str, ...]
    domains: tuple[tuple[Value, ...], ...]
    codes: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]
    persons: PersonRows | None = None


@dataclass(frozen=True)
class Keyed:
    """What the columns tell that name persons: how many persons, and in how many rows no one is named."""

    rows: int
    persons: int
    nameless: int


@dataclass(frozen=True)
class Profile:
    """What one column holds. A missing value is not among the `distinct` ones.

    `once` counts the values that only one row has; `whole`, `decimal`, `date` (YYYY-MM-DD, a time may follow)
    and `digits` say what all values look like, `zeros` whether some digits begin with 0. `lowest` and
    `highest` are of numbers, `first` and `last` of texts. `values` lists all values in order if they are few.
    A column of lists or structures has a `nested` type and nothing else. `label` and `labels` are what the
    table's file calls the column and its values.
    """

    column: str
    distinct: int = 0
    missing: int = 0
    once: int = 0
    whole: bool = False
    decimal: bool = False
    date: bool = False
    digits: bool = False
    zeros: bool = False
    shortest: int | None = None
    longest: int | None = None
    lowest: float | None = None
    highest: float | None = None
    first: str | None = None
    last: str | None = None
    values: tuple[str, ...] = ()
    nested: str | None = None
    label: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    def shown(self, value: str) -> str:
        """Return a value as people read it: with its label, if it has one."""
        return Variable(self.column, values=self.labels).shown(value)


@dataclass(frozen=True)
class Hidden:
    """A column that rows have only until they are checked with it."""

    column: str
    check: Callable[[Engine], None]


class Outlet(Protocol):
    """Where an engine's released rows come out: as a table, a file or a new table of the engine."""

    def table(self) -> Any:
        """Return the rows as an Arrow table, or as the engine's own kind of frame if rows stay there."""

    def write(self, path: Path, progress: Callable[[float], None] | None = None) -> None:
        """Write the rows to a file, CSV, TSV, Parquet or Arrow by its ending."""

    def into(
        self, target: str, *, replace: bool = False, hidden: Hidden | None = None
    ) -> AbstractContextManager[Engine]:
        """Write the rows into a new table of the engine, and yield that table so that it can be verified.

        Others see it only after the block ends without an error; otherwise nothing changes. With `replace` it
        then replaces an older table of the same name; without, an existing table is refused. A `hidden`
        column is never in the new table.
        """

    def close(self) -> None:
        """Drop the mapping tables."""


class Engine(Protocol):
    """Runs set-oriented statements on one table."""

    @property
    def name(self) -> str:
        """The table, as messages name it."""

    @property
    def place(self) -> Place | None:
        """Where the table is found again; None for files and frames."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The table's columns, in their order."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about how the table was read, where that is not plain."""

    @property
    def found(self) -> Reading | None:
        """How a text file is read, as a study may say it so that it is read the same later; else None."""

    def blank(self, codes: Mapping[str, Sequence[str]]) -> None:
        """Let these texts of some columns be missing values from now on, also in what is released."""

    @property
    def codebook(self) -> Codebook:
        """What the table's file tells about its columns: labels, codes for missing values."""

    def count(self) -> int:
        """Return the number of rows."""

    def keyed(self, persons: Sequence[str]) -> Keyed:
        """Return how many persons these columns name; a row that has none of some column names no one."""

    def cells(
        self, columns: Sequence[str], merged: Merged | None = None, persons: Sequence[str] = ()
    ) -> Cells:
        """Return the distinct rows over these columns with their counts, by one GROUP BY.

        If the columns `persons` are named, the cells also tell whose rows they are. The engine numbers the
        persons whose rows are in several cells, and what names them is not fetched.

        Values of `merged` columns are replaced before they are grouped, by a join with a mapping table; the
        domains then have the replacements only, and rows with values that are not mapped are not counted.
        Groups are counted before they are fetched; `budget.check_cells` refuses too many.
        """

    def about_cells(self, columns: Sequence[str], merged: Merged | None = None) -> int:
        """Return about how many cells there would be, by a sketch or exactly, without holding them."""

    def few_alike(self, columns: Sequence[str], k: int) -> tuple[int, int]:
        """Return how many rows are unique in these columns, and how many are in groups of fewer than k.

        Unique rows are in both counts. The engine does the counting.
        """

    def profile(self, few: int) -> tuple[Profile, ...]:
        """Return what each column holds, with all its values if there are at most `few`."""

    def first_values(self, column: str, most: int) -> tuple[str, ...]:
        """Return up to `most` distinct values of a column, in order, without the missing value."""

    def content(self, columns: Sequence[str]) -> str:
        """Return a digest of the rows over these columns, and of their order if they have one."""

    def outlet(self, shape: ReleaseShape, tables: Mapping[str, pa.Table]) -> Outlet:
        """Load the mapping tables, and return the outlet for the released rows."""

    def bucket_outlets(
        self, shape: BucketShape, tables: Mapping[str, pa.Table]
    ) -> tuple[Outlet, Outlet]:
        """Return two outlets: the rows with their groups, and the groups' sensitive values."""

    def drawn_values(self, shape: BucketShape) -> list[tuple[str, Value]]:
        """Return each person's name, drawn by the shape's seed, with each sensitive value of the person."""

    def close(self) -> None:
        """Close the table."""
