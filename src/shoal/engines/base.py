"""What an engine is: the place where the table lives, and the statements it runs for Shoal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Value = str | None
"""A cell as Shoal sees it: text, or None where it is missing."""


@dataclass(frozen=True)
class Cells:
    """The distinct rows over some columns, with how often each occurs, in the order of their codes.

    `domains[c]` are the sorted values of column c, the missing value last; `codes[:, c]` index them.
    """

    columns: tuple[str, ...]
    domains: tuple[tuple[Value, ...], ...]
    codes: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]


class Engine(Protocol):
    """Runs set-oriented statements on one table."""

    @property
    def name(self) -> str:
        """The table, as messages name it."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The table's columns, in their order."""

    def count(self) -> int:
        """Return the number of rows."""

    def cells(self, columns: Sequence[str]) -> Cells:
        """Return the distinct rows over these columns with their counts, by one GROUP BY."""

    def close(self) -> None:
        """Let go of the table."""
