"""The key that decides the order of a release's rows. The seed alone would order other releases alike.

Rows are sorted by digests of the key and their names (`data.sql.release_statement`). The key is a digest of
the seed and of all that decides what is released: the columns, the mapping tables, and the rows themselves.

What can somebody learn from the positions in two releases? With different keys the digests of a row are as
good as independent random numbers, so the two orders are independent: every pairing of the rows is equally
likely, whatever both have in common (the table, the rows' names, the seed), and a position reveals nothing
about the place in the table. The two keys are equal only if seed, columns, mapping tables and rows are the
same:

- if rows are named by their number, the whole table and its order, so both releases are the same;
- if they are named by their content in the released and the quasi columns, how often each name occurs. Then
  the released rows are the same, and the order of equal rows does not matter.

In both cases the second release reveals nothing new. If pseudonyms are released or dates are shifted, their
secrets are part of the key, so that two releases of the same rows and seed have different orders: positions
do not tell which two names are one person's. If the key did not depend on the rows, last month's
table and this month's would be in the same order except for changed rows: these would be visible, each with
its old and new values, while the releases alone only show counts.

A seed that can be guessed (1, say) does not reveal the order either, because the key cannot be computed
without the table. (Which rows quotas suppress, and which group Anatomy puts a row into, depends only on the
seed and the rows' names, so that every engine does the same; for these the seed must be hard to guess.)
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
    import pyarrow as pa

    asked = {
        field.name: _plain(getattr(shape, field.name))
        for field in fields(shape)
        # What says nothing leaves the keys of earlier releases as they were.
        if field.name != "order_key" and (field.name not in _LATER or getattr(shape, field.name))
    }
    made = hashlib.sha256(json.dumps([asked, content]).encode())
    for name, table in tables.items():
        made.update(json.dumps([name, table.column_names, len(table)]).encode())
        for column in table.columns:
            if pa.types.is_integer(column.type) and column.null_count == 0:
                made.update(column.to_numpy().astype("<i8").tobytes())
            else:
                made.update(json.dumps(column.to_pylist()).encode())
    return made.hexdigest()


_LATER = ("persons", "person", "secret", "shifts", "shift_secret")


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    return list(value.items()) if isinstance(value, Mapping) else value
