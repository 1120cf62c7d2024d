"""Reads what a place in Spark names: a table of the catalog, Parquet at a path, or some of its files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.data.engines.saved_tally.tally_file import Part
from shoal.data.engines.spark.session import session_of, told
from shoal.describe import Place


def read_place(session: Any, place: Place) -> Any:
    """Return the frame of a place: Parquet at a path, or a table of the catalog."""
    if is_path(place.table):
        return read_parquet(session, place.table)
    return session.table(quoted(place.names))


def is_path(table: str) -> bool:
    """Return whether a table is a path or URL, not a name.

    >>> is_path("people"), is_path("a/b"), is_path("hdfs://host/x")
    (False, True, True)
    """
    return "/" in table


def quoted(names: Sequence[str]) -> str:
    """Return a name quoted for Spark.

    >>> quoted(["a", "b`c"])
    '`a`.`b``c`'
    """
    return ".".join("`" + name.replace("`", "``") + "`" for name in names)


def read_parquet(session: Any, path: str, only: Sequence[str] = ()) -> Any:
    """Return the frame of Parquet files; `only` names some of them.

    Values from folder names stay text.
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


@dataclass(frozen=True)
class SparkFiles:
    """Some files of a place, by Spark's names for them; all files if none is named."""

    place: Place
    names: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The place, as messages name it."""
        return str(self.place)

    @property
    def table(self) -> SparkFiles:
        """What `open_engine` opens."""
        return self

    def parts(self) -> dict[str, Part]:
        """Return the files by name, as a tally records them; Spark lists them without reading."""
        session = session_of(self.place)
        with told(self.name, self.place.address, session):
            files = session.read.format("binaryFile").option("recursiveFileLookup", "true")
            listed = files.load(self.place.table).selectExpr(
                "path", "length", "CAST(unix_micros(modificationTime) AS STRING) AS written"
            )
            rows = listed.toArrow().to_pylist()
        found = [Part(row["path"], row["length"], f"written {row['written']}") for row in rows]
        found.sort(key=lambda part: part.name)
        return {part.name: part for part in found if not self.names or part.name in self.names}

    def only(self, names: Iterable[str]) -> SparkFiles:
        """Return some of the files as a table."""
        return SparkFiles(self.place, tuple(names))


def has_files(table: object) -> bool:
    """Return whether a table is a folder of files in Spark, not a catalog table or a pattern of paths.

    >>> has_files(Place("spark", "/data/people")), has_files(Place("spark", "people"))
    (True, False)
    """
    if not isinstance(table, Place) or table.engine != "spark":
        return False
    return is_path(table.table) and not any(sign in table.table for sign in "*?[{")
