"""What a place in Spark names: a table of the catalog, or Parquet at a path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.describe.places import Place


def read_place(session: Any, place: Place) -> Any:
    """Return the frame of a place: Parquet at a path, or a table of the catalog."""
    if is_path(place.table):
        return read_parquet(session, place.table)
    return session.table(quoted(place.names))


def is_path(table: str) -> bool:
    """Whether a table is a path or an address of one, not a name.

    >>> is_path("people"), is_path("a/b"), is_path("hdfs://host/x")
    (False, True, True)
    """
    return "/" in table


def quoted(names: Sequence[str]) -> str:
    """Return a name as Spark's functions take it.

    >>> quoted(["a", "b`c"])
    '`a`.`b``c`'
    """
    return ".".join("`" + name.replace("`", "``") + "`" for name in names)


def read_parquet(session: Any, path: str, only: Sequence[str] = ()) -> Any:
    """Return the frame of Parquet files, of some alone where they are named.

    What folders name is text, as it is written there.
    """
    from pyspark.sql.types import StringType, StructField, StructType

    frame = session.read.parquet(path)
    inside = session.read.option("recursiveFileLookup", "true").parquet(path).columns
    named = set(frame.columns) - set(inside)
    fields = [
        StructField(field.name, StringType()) if field.name in named else field
        for field in frame.schema.fields
    ]
    if only:
        return session.read.schema(StructType(fields)).option("basePath", path).parquet(*only)
    return session.read.schema(StructType(fields)).parquet(path) if named else frame
