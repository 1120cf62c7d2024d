"""The mapping tables by which an engine groups values together before it counts them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.data.engine import Merged

if TYPE_CHECKING:
    import pyarrow as pa

_TABLE = "merged{}"


def merged_names(columns: Sequence[str], merged: Merged | None) -> dict[int, str]:
    """Return the name of the mapping table of each merged column, by the column's place, as `sql` wants it.

    >>> merged_names(["age", "zip"], {"zip": {"02138": "02138", "02139": "02138"}})
    {1: 'merged1'}
    """
    return {i: _TABLE.format(i) for i, name in enumerate(columns) if name in (merged or {})}


def merged_tables(columns: Sequence[str], merged: Merged | None) -> dict[str, pa.Table]:
    """Return the mapping tables (value, shown) by their names, for an engine to take in."""
    import pyarrow as pa

    tables = {}
    for i, table in merged_names(columns, merged).items():
        pairs = (merged or {})[columns[i]]
        tables[table] = pa.table(
            {
                "value": pa.array(list(pairs), pa.string()),
                "shown": pa.array(list(pairs.values()), pa.string()),
            }
        )
    return tables
