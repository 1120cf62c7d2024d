"""Answers as tables: one line that says what they are, frames of three kinds, and HTML for notebooks."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from itertools import count as numbers_from
from typing import TYPE_CHECKING, Any

from shoal.errors import MissingExtraError
from shoal.numbers import count, figure

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


@dataclass(frozen=True)
class AnswerColumn:
    """A column of a table: its name, the type of its values, and the values, None if missing.

    `shown` writes a value for people, by default according to its type. A `framed` column is only in frames.
    The `title` is its heading for people, if that is not its name.
    """

    name: str
    kind: type[int] | type[float] | type[str]
    values: Sequence[Any]
    shown: Callable[[Any], str] | None = None
    framed: bool = False
    title: str = ""

    def cell(self, i: int) -> str:
        """Return a value as people read it."""
        value = self.values[i]
        if self.shown is not None:
            return self.shown(value)
        return "" if value is None else _SHOWN[self.kind](value)


_SHOWN: dict[type, Callable[[Any], str]] = {int: count, float: figure, str: str}


@dataclass(frozen=True)
class AnswerTable:
    """A table: one line that says what it shows, its columns, and which rows are bold."""

    caption: str
    columns: tuple[AnswerColumn, ...]
    bold: frozenset[int] = frozenset()

    def names(self) -> list[str]:
        """Return the columns' names, each made unique: an attribute may have the name of a figure.

        >>> AnswerTable("", (AnswerColumn("k", int, [2]), AnswerColumn("k", int, [0]))).names()
        ['k', 'k (2)']
        """
        names: list[str] = []
        for column in self.columns:
            tries = chain([column.name], (f"{column.name} ({i})" for i in numbers_from(2)))
            names.append(next(name for name in tries if name not in names))
        return names

    def to_arrow(self) -> pa.Table:
        """Return the columns as an Arrow table."""
        import pyarrow as pa

        types = {int: pa.int64(), float: pa.float64(), str: pa.string()}
        arrays = [pa.array(column.values, types[column.kind]) for column in self.columns]
        return pa.Table.from_arrays(arrays, names=self.names())

    def to_html(self) -> str:
        """Return the table as HTML."""
        shown = [column for column in self.columns if not column.framed]
        head = "".join(f"<th>{html.escape(column.title or column.name)}</th>" for column in shown)
        rows = []
        for i in range(len(shown[0].values) if shown else 0):
            style = ' style="font-weight:bold"' if i in self.bold else ""
            cells = "".join(f"<td>{html.escape(column.cell(i))}</td>" for column in shown)
            rows.append(f"<tr{style}>{cells}</tr>")
        caption = f"<caption>{html.escape(self.caption)}</caption>"
        return f"<table>{caption}<tr>{head}</tr>{''.join(rows)}</table>"


class Tabular(ABC):
    """An answer that can be read as a table."""

    @abstractmethod
    def as_table(self) -> AnswerTable:
        """Return the answer as a table."""

    def to_arrow(self) -> pa.Table:
        """Return the answer as an Arrow table."""
        return self.as_table().to_arrow()

    def to_pandas(self) -> pd.DataFrame:
        """Return the answer as a frame of pandas."""
        if find_spec("pandas") is None:
            raise MissingExtraError("frames of pandas", "pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Return the answer as a frame of Polars."""
        try:
            import polars as pl
        except ImportError:
            raise MissingExtraError("frames of Polars", "polars") from None
        return pl.DataFrame(self.to_arrow())

    def _repr_html_(self) -> str:
        return self.as_table().to_html()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.as_table().caption}>"
