"""Spark: a frame, a table of its catalog, or Parquet on any path that Hadoop knows.

The rows stay with the executors. Only groups are fetched, and they are counted first. Statements depend on no
setting of the session, and none is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from sqlglot import exp

from shoal.data.budget import check_cells
from shoal.data.coding import Whose, coded, merged_names, merged_tables
from shoal.data.engine import Cells, Merged, Profile, Value
from shoal.data.engines.spark import dialect
from shoal.data.engines.spark.reading import SparkFiles, read_parquet, read_place
from shoal.data.engines.spark.session import is_spark_frame, session_of, told
from shoal.data.engines.spark.text import kind_of, raw_name, written
from shoal.data.engines.sql_engine import SqlEngine
from shoal.data.files.sources import check_columns
from shoal.data.sql import release_statement, statements
from shoal.data.sql.missing_codes import blanked
from shoal.describe import Place
from shoal.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.data.engines.spark.outlet import SparkOutlet
    from shoal.data.sql.bucket_statements import BucketShape
    from shoal.data.sql.release_statement import ReleaseShape

SMALL = 100_000_000
"""Mapping tables up to this many bytes are sent to every executor; Spark decides how to join larger ones."""
_SOURCE = "source"


class SparkEngine(SqlEngine):
    """A table in Spark: a frame of a classic session or of Spark Connect, a place, or files of one."""

    source = _SOURCE

    def __init__(self, table: Any) -> None:
        if isinstance(table, SparkFiles):
            session = session_of(place := table.place)
            with told(str(place), place.address, session):
                self._begin(read_parquet(session, place.table, table.names), place)
        elif isinstance(table, Place):
            session = session_of(table)
            with told(str(table), table.address, session):
                self._begin(read_place(session, table), table)
        elif is_spark_frame(table):
            self._begin(table, None)
        else:
            raise InputError(f"a {type(table).__name__} is not a Spark frame; give one, or a place")

    @classmethod
    def over(cls, frame: Any, place: Place) -> Self:
        """Return the engine of a frame whose rows will later be at a place."""
        engine = cls.__new__(cls)
        engine._begin(frame, place)
        return engine

    def _begin(self, frame: Any, place: Place | None) -> None:
        self.session = frame.sparkSession
        self.place = place
        self.name = "the pyspark DataFrame" if place is None else str(place)
        self._address = "" if place is None else place.address
        with self.told():
            self._fields = list(frame.schema.fields)
            if frame.isStreaming:
                raise InputError("a stream has no end; give a table", file=self.name)
        self.columns = tuple(field.name for field in self._fields)
        check_columns(self.columns, self.name)
        self._closed = False
        with self.told():
            plain = frame.toDF(*(raw_name(i) for i in range(len(self._fields))))
            self.raw = self.ask(dialect.raws(_SOURCE, self._fields), source=plain)
            """The frame of the table's columns, under plain names."""
            self._frames = {_SOURCE: self.texts(self.raw)}

    def blank(self, codes: Mapping[str, Sequence[str]]) -> None:
        """Let these texts of some columns be missing values from now on, also in what is released."""
        plain = {self.inner(name): given for name, given in codes.items() if not self.nested(name)}
        with self.told():
            self.raw = self.ask(blanked(_SOURCE, self.kinds(), plain), **self._frames)
            self._frames = {_SOURCE: self.texts(self.raw)}

    def count(self) -> int:
        """Return the number of rows."""
        # Spark's own frame.count() refuses new types such as TIME.
        return int(self.rows(statements.count(_SOURCE), source=self.raw)[0][0])

    def cells(
        self, columns: Sequence[str], merged: Merged | None = None, persons: Sequence[str] = ()
    ) -> Cells:
        """Return the distinct rows over these columns with their counts, by one GROUP BY.

        The executors keep the groups until it is known that they fit here. See `Engine.cells` about
        `persons`.
        """
        self._check_open()
        with self.told():
            tally = statements.tally
            if persons:
                tally = partial(statements.persons_tally, persons=self.known(persons))
            grouped = self._counted(tally, columns, merged).persist()
            try:
                check_cells(grouped.count(), len(columns), self.name)
                found = grouped.toArrow()
            finally:
                grouped.unpersist()
        texts = [found[f"c{i}"] for i in range(len(columns))]
        whose = Whose.fetched(found["person"], found["persons"]) if persons else None
        return coded(tuple(columns), texts, found["n"].to_numpy(), whose)

    def about_cells(self, columns: Sequence[str], merged: Merged | None = None) -> int:
        """Return about how many cells there would be, by a sketch."""
        self._check_open()
        with self.told():
            found = self._counted(statements.about_cells, columns, merged).toArrow()
        return int(found.column(0)[0].as_py())

    def _counted(
        self, statement: Callable[..., exp.Select], columns: Sequence[str], merged: Merged | None
    ) -> Any:
        """Return the frame of a statement over columns, through their mapping tables."""
        asked = statement(_SOURCE, self.known(columns), merged=merged_names(columns, merged))
        maps = {name: self.taken_in(table) for name, table in merged_tables(columns, merged).items()}
        return self.ask(asked, **self._frames, **maps)

    def taken_in(self, table: pa.Table) -> Any:
        """Return a mapping table as a frame, sent to every executor unless it is large."""
        frame = self.session.createDataFrame(table)
        return frame.hint("broadcast") if table.nbytes <= SMALL else frame

    def profile(self, few: int) -> tuple[Profile, ...]:
        """Return what each column holds, with all its values if there are at most `few`."""
        self._check_open()
        with self.told():  # one watch for all statements
            return super().profile(few)

    def keep(self, name: str, rows: exp.Select) -> str:
        """Let the executors keep the rows of a statement, and return their name."""
        self._frames[name] = self.ask(rows, **self._frames).persist()
        return name

    def drop(self, name: str) -> None:
        """Drop what was kept."""
        if name in self._frames:
            self._frames.pop(name).unpersist()

    def rows(self, statement: exp.Expression, **frames: Any) -> list[tuple[Any, ...]]:
        """Return the few rows of a statement over the table, or over other frames."""
        self._check_open()
        with self.told():
            found = self.ask(statement, **(self._frames | frames)).toArrow()
        return list(zip(*(column.to_pylist() for column in found.columns), strict=True))

    def digested(self, columns: Sequence[str]) -> exp.Expression:
        """Return the digest of a row over these columns."""
        said = release_statement.said([self.inner(name) for name in columns], self.kinds())
        return exp.Anonymous(this="XXHASH64", expressions=[said])

    def outlet(self, shape: ReleaseShape, tables: Mapping[str, pa.Table]) -> SparkOutlet:
        """Return the outlet for the released rows; the mapping tables go to the executors."""
        from shoal.data.engines.spark.outlet import outlet

        self._check_open()
        return outlet(self, shape, tables)

    def bucket_outlets(
        self, shape: BucketShape, tables: Mapping[str, pa.Table]
    ) -> tuple[SparkOutlet, SparkOutlet]:
        """Return two outlets: the rows with their groups, and the groups' sensitive values."""
        from shoal.data.engines.spark.outlet import bucket_outlets

        self._check_open()
        return bucket_outlets(self, shape, tables)

    def drawn_values(self, shape: BucketShape) -> list[tuple[str, Value]]:
        """Return each person's drawn name with each sensitive value of the person."""
        from shoal.data.engines.spark.outlet import plain_shape

        return super().drawn_values(plain_shape(self, shape))

    def close(self) -> None:
        """Close the table, but not the session, because other frames may belong to it."""
        self._closed = True

    def told(self) -> AbstractContextManager[None]:
        """Watch Spark's work on the table, and turn its errors into one sentence."""
        return told(self.name, self._address, self.session)

    def kinds(self) -> dict[str, statements.ColumnKind]:
        """Return how each column becomes text, under its plain name."""
        # Columns without plain values are only digested, for the name of a row.
        return {
            raw_name(i): kind_of(field) or statements.ColumnKind.OTHER
            for i, field in enumerate(self._fields)
        }

    def type_of(self, column: str) -> str:
        """Return the type of a column as Spark calls it."""
        return str(self._fields[self.columns.index(column)].dataType.simpleString())

    def texts(self, frame: Any) -> Any:
        """Return a frame of columns under plain names, with the texts that Spark would write differently."""
        here = set(frame.columns)
        fields = {
            i: field
            for i, field in enumerate(self._fields)
            if raw_name(i) in here and written(field, i) is not None
        }
        if not fields:
            return frame
        from pyspark.errors import AnalysisException

        try:
            found = self._write(fields, frame, reflect=True)
            found.schema  # noqa: B018  Spark Connect looks at a statement when it is needed
        except AnalysisException:  # if Java methods may not be called
            found = self._write(fields, frame, reflect=False)
        return found

    def _write(self, fields: Mapping[int, Any], frame: Any, *, reflect: bool) -> Any:
        statement = dialect.with_texts(_SOURCE, fields, reflect=reflect)
        return self.session.sql(dialect.spark_text(statement, [_SOURCE], ()), source=frame)

    def ask(self, statement: exp.Expression, **frames: Any) -> Any:
        """Return the frame of a statement over the named frames."""
        texts = [i for i, field in enumerate(self._fields) if written(field, i) is not None]
        text = dialect.spark_text(statement, frames, texts)
        return self.session.sql(text, **frames)

    def _check_open(self) -> None:
        if self._closed:
            raise InputError("the table is closed; open it again", file=self.name)

    def inner(self, column: str) -> str:
        """Return a column's name in statements."""
        return raw_name(self.columns.index(column))

    def nested(self, column: str) -> str | None:
        """Return the type of a column of lists or structures, None for one of plain values."""
        field = self._fields[self.columns.index(column)]
        return self.type_of(column).upper() if kind_of(field) is None else None
