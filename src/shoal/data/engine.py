"""What an engine is: the place where the table lives, and the statements it runs for Shoal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.data.sql.bucket_statements import BucketShape
    from shoal.data.sql.release_statement import ReleaseShape
    from shoal.describe import Place

Value = str | None
"""A cell as Shoal sees it: text, or None where it is missing."""


Merged = Mapping[str, Mapping[Value, Value]]
"""For some columns, the value that each of their values is counted as (see `merging`)."""


@dataclass(frozen=True)
class Cells:
    """The distinct rows over some columns, with how often each occurs, in the order of their codes.

    `domains[c]` are the sorted values of column c, the missing value last; `codes[:, c]` index them.
    """

    columns: tuple[str, ...]
    domains: tuple[tuple[Value, ...], ...]
    codes: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Profile:
    """What one column holds. A missing value is not among the `distinct` ones.

    `once` are the values that one row has; `whole`, `decimal`, `date` (YYYY-MM-DD, a time may follow)
    and `digits` say what all values look like, `zeros` whether digits begin with 0 somewhere. `lowest`
    and `highest` are those of the numbers, `first` and `last` those of the texts. `values` has all
    values in order where they are few. A column of lists or structures has a `nested` type and nothing
    else.
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


class Outlet(Protocol):
    """The way out for the released rows of one table."""

    def table(self) -> Any:
        """Return the rows: an Arrow table, or a frame of the engine's own where rows stay there."""

    def write(self, path: Path, progress: Callable[[float], None] | None = None) -> None:
        """Write the rows to a file, CSV, TSV, Parquet or Arrow by its ending."""

    def into(self, target: str, *, replace: bool = False) -> AbstractContextManager[Engine]:
        """Write the rows into a new table of the engine, and give that table to be verified.

        Others see it when the block ends well; otherwise everything is as before. With `replace` it then
        takes the place of an older table of its name; without, such a table is refused.
        """

    def close(self) -> None:
        """Forget the mapping tables."""


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

    def count(self) -> int:
        """Return the number of rows."""

    def cells(self, columns: Sequence[str], merged: Merged | None = None) -> Cells:
        """Return the distinct rows over these columns with their counts, by one GROUP BY.

        Values of `merged` columns are replaced before they are grouped, by a join with a mapping table; the
        domains then have the replacements only, and rows with values that are not mapped are not counted.
        The groups are counted before they are fetched, and `budget.check_cells` refuses too many.
        """

    def about_cells(self, columns: Sequence[str], merged: Merged | None = None) -> int:
        """Return about how many cells there would be, without holding them: by a sketch, or exactly."""

    def few_alike(self, columns: Sequence[str], k: int) -> tuple[int, int]:
        """Return how many rows no other row is like in these columns, and how many fewer than k are like.

        The rows themselves are among those; the engine counts, and holds what it counts.
        """

    def profile(self, few: int) -> tuple[Profile, ...]:
        """Return what each column holds, with all its values where there are at most `few`."""

    def first_values(self, column: str, most: int) -> tuple[str, ...]:
        """Return at most so many different values of a column, in order, without the missing one."""

    def content(self, columns: Sequence[str]) -> str:
        """Return a digest of what the rows say over these columns, and of their order where they have one."""

    def outlet(self, shape: ReleaseShape, tables: Mapping[str, pa.Table]) -> Outlet:
        """Return the way out for released rows, with the mapping tables taken in."""

    def bucket_outlets(
        self, shape: BucketShape, tables: Mapping[str, pa.Table]
    ) -> tuple[Outlet, Outlet]:
        """Return the ways out for rows with their groups, and for the groups' sensitive values."""

    def close(self) -> None:
        """Let go of the table."""
