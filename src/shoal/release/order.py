"""The key that draws the order of a release's rows: the seed alone would draw the same order for others.

Rows come in the order of digests of the key and their names (`engines.release_sql`). The key is a digest of
the seed and of all that decides what is released: the columns, the mapping tables, and the rows themselves.

What can somebody learn from the positions in two releases? With two keys the digests of one row are as good
as drawn anew, so the two orders are independent: every way to pair up the rows is as likely, whatever was
the same in both (the table, the rows' names, the seed), and no position tells of a place in the table. The
two keys are the same only if seed, columns and mapping tables are the same and the rows, too:

- where rows are named by their number, all of the table and its order, so that both releases are the same;
- where they are named by what they say over the released and the quasi columns, how often each name is
  there. Then the released rows are the same, and which of two equal rows comes first is nobody's affair.

In both cases the second release says nothing that the first does not. If the rows were left out, last
month's table and this month's would have one order wherever rows did not change: those that did would be
seen, each with what it was and what it is, where the releases alone tell how many look how.

A seed that can be guessed (1, say) does not give the order away either: without the table, the key cannot be
worked out. (Which rows quotas delete, and which group Anatomy puts a row into, is drawn by the seed and the
rows' names alone, so that every engine does the same; for these the seed must not be guessed.)
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from shoal.data.sql.bucket_statements import BucketShape
from shoal.data.sql.release_statement import ReleaseShape

if TYPE_CHECKING:
    import pyarrow as pa


def order_key(shape: ReleaseShape | BucketShape, tables: Mapping[str, pa.Table], content: str) -> str:
    """Return the key of a release of this shape by these mapping tables, from a table of this content."""
    asked = {
        field.name: _plain(getattr(shape, field.name))
        for field in fields(shape)
        if field.name != "order_key"
    }
    made = hashlib.sha256(json.dumps([asked, content]).encode())
    for name, table in tables.items():
        made.update(json.dumps([name, table.column_names, len(table)]).encode())
        for column in table.columns:
            if _whole(column):
                made.update(column.to_numpy().astype("<i8").tobytes())
            else:
                made.update(json.dumps(column.to_pylist()).encode())
    return made.hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    return list(value.items()) if isinstance(value, Mapping) else value


def _whole(column: pa.ChunkedArray) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(column.type)) and column.null_count == 0
