"""The files of a folder in Spark, which are counted one after the other as they come."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from shoal.data.engines.saved_tally.tally_file import Part
from shoal.data.engines.spark.reading import is_path
from shoal.data.engines.spark.session import session_of, told
from shoal.describe.places import Place


@dataclass(frozen=True)
class SparkFiles:
    """Some files of a place, by the names that Spark has for them; all of them where none is named."""

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
        """Return the files by their names, as a tally remembers them: Spark lists them, and reads none."""
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
        """Return some of the files, as a table of their own."""
        return SparkFiles(self.place, tuple(names))


def has_files(table: object) -> bool:
    """Whether a table is a folder of files in Spark, not a table of its catalog nor a pattern of paths.

    >>> has_files(Place("spark", "/data/people")), has_files(Place("spark", "people"))
    (True, False)
    """
    if not isinstance(table, Place) or table.engine != "spark":
        return False
    return is_path(table.table) and not any(sign in table.table for sign in "*?[{")
