"""Frames: results come back as the kind that went in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def like(given: Any, rows: pa.Table) -> Any:
    """Return Arrow rows as the kind of frame that `given` is; a path gives an Arrow table.

    >>> import pyarrow as pa
    >>> type(like("adult.csv", pa.table({"a": [1]}))).__name__
    'Table'
    """
    home = type(given).__module__.split(".")[0]
    if home == "pandas":
        return rows.to_pandas()
    if home == "polars":
        import polars as pl

        return pl.from_arrow(rows)
    if home in {"duckdb", "_duckdb"}:
        import duckdb

        return duckdb.from_arrow(rows)
    return rows
