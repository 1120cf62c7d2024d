"""Answers as tables: one line that says what they are, frames of three kinds, and HTML."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from itertools import count as numbers_from
from typing import TYPE_CHECKING, Any

from shoal.errors import MissingExtraError, printable
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
    kind: type[int] | type[float] | type[str] | type[bool]
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


_SHOWN: dict[type, Callable[[Any], str]] = {
    int: count,
    float: figure,
    str: str,
    bool: lambda value: "yes" if value else "no",
}
SHOWN_ROWS = 20
"""The most rows of a table that HTML shows, besides bold ones; it says how many there are."""
SHOWN_LETTERS = 300
"""The most letters of a cell that HTML shows."""


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

        types = {int: pa.int64(), float: pa.float64(), str: pa.string(), bool: pa.bool_()}
        arrays = [pa.array(column.values, types[column.kind]) for column in self.columns]
        return pa.Table.from_arrays(arrays, names=self.names())

    def to_html(self) -> str:
        """Return the table as HTML: its first rows and the bold ones, and how many there are.

        >>> AnswerTable("two", (AnswerColumn("k", int, [2, 3]),)).to_html().count("<tr>")
        3
        """
        shown = [column for column in self.columns if not column.framed]
        size = len(shown[0].values) if shown else 0
        places = [*range(min(size, SHOWN_ROWS)), *sorted(i for i in self.bold if i >= SHOWN_ROWS)]
        head = "".join(
            f"<th{_side(column)}>{_safe(column.title or column.name)}</th>" for column in shown
        )
        rows = []
        for i in places:
            style = ' style="font-weight:bold"' if i in self.bold else ""
            cells = "".join(f"<td{_side(column)}>{_safe(column.cell(i))}</td>" for column in shown)
            rows.append(f"<tr{style}>{cells}</tr>")
        if len(places) < size:
            told = f"{len(places):,} of {size:,} rows; to_pandas(), to_polars() and to_arrow() have all"
            rows.append(f'<tr><td colspan="{len(shown)}" style="text-align:left">{told}</td></tr>')
        caption = ""
        if self.caption:
            # A narrow table would break its caption after every word.
            wrap = "" if len(self.caption) > SHOWN_LETTERS // 3 else ";white-space:nowrap"
            words = html.escape(printable(self.caption))
            caption = f'<caption style="caption-side:top;text-align:left{wrap}">{words}</caption>'
        head = f"<tr>{head}</tr>" if any(column.title or column.name for column in shown) else ""
        return f'<table style="margin:0.5em 0">{caption}{head}{"".join(rows)}</table>'


def _side(column: AnswerColumn) -> str:
    """Notebooks align cells to the right, as suits numbers."""
    return ' style="text-align:left"' if column.kind is str else ""


def _safe(words: str) -> str:
    cut = words if len(words) <= SHOWN_LETTERS else words[: SHOWN_LETTERS - 1] + "…"
    return html.escape(printable(cut))


class Shown:
    """An answer that notebooks show as more than its line; pictures and words come from `shoal.present`.

    That is above the answers in the house, so it is looked up when something is to be shown.
    """

    def _repr_html_(self) -> str:
        found: str = import_module("shoal.present.notebook").html_of(self)
        return found


class Tabular(Shown, ABC):
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

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.as_table().caption}>"
