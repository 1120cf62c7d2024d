"""DuckDB, embedded: the default engine, for files and for frames in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from sqlglot import exp

from shoal.data.engine import Cells, Engine, Hidden, Merged
from shoal.data.engines.duckdb.cells import Counting
from shoal.data.engines.duckdb.connection import Connection, DuckDBSettings
from shoal.data.engines.duckdb.database import Database
from shoal.data.engines.duckdb.delta_target import DeltaTarget
from shoal.data.engines.duckdb.outlet import BATCH_ROWS, DuckDBOutlet
from shoal.data.engines.duckdb.refusals import refusal
from shoal.data.engines.duckdb.views import make_known
from shoal.data.engines.sql_engine import SqlEngine
from shoal.data.sql import bucket_statements, release_statement, statements
from shoal.describe import Place
from shoal.describe.table_reading import AS_IT_IS, Reading
from shoal.errors import InputError
from shoal.running import stopping

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from shoal.data.sql.bucket_statements import BucketShape
    from shoal.data.sql.release_statement import ReleaseShape

_SOURCE = "source"
_WRITTEN, _STAGED = "written", "staged"
_NESTED = ("BLOB", "LIST", "STRUCT", "MAP", "UNION", "ARRAY", "BIT", "GEOMETRY")
_DATED = ("DATE", "TIMESTAMP")
_DIGESTS = "digests"
WIDE = 16
"""From so many columns on, rows are counted by digests first."""
MANY = 100_000
"""After counting this many cells DuckDB gives its memory back."""


class DuckDBEngine(SqlEngine):
    """A table in DuckDB: a CSV, TSV, Parquet or Arrow file, or any frame with Arrow's C interface.

    `reading` says what a text file does not. `threads`, `memory_limit` (such as "2GB") and `temp_directory`
    are DuckDB's settings.
    """

    source: str | exp.Subquery

    def __init__(
        self, table: Any, reading: Reading = AS_IT_IS, **settings: Unpack[DuckDBSettings]
    ) -> None:
        self._session = Connection(**settings)
        self.source = _SOURCE
        self._database: Database | None = None
        self._lake = table if isinstance(table, Place) and table.engine == "delta" else None
        self.place: Place | None = None
        try:
            self.name, self._database, self.codebook = make_known(table, self._session, _SOURCE, reading)
            self._describe()
        except BaseException:
            self.close()
            raise
        self.place = None if self._database is None else self._database.place

    @classmethod
    def _over(cls, engine: DuckDBEngine, view: str, place: Place) -> DuckDBEngine:
        """Return an engine for another view of the same session; it does not close the session."""
        made = cls.__new__(cls)
        made._session, made.source, made._database, made._lake = engine._session, view, None, None
        made.name, made.place = str(place), place
        made._describe()
        return made

    def cells(
        self, columns: Sequence[str], merged: Merged | None = None, persons: Sequence[str] = ()
    ) -> Cells:
        """Return the distinct rows over these columns with their counts, by one GROUP BY.

        The rows stay in DuckDB, which may spill to disk. If there are many cells, Python sees codes and each
        text once, and DuckDB then rests. See `Engine.cells` about `persons`.
        """
        found = self._counting().cells(self.known(columns), merged, self.known(persons))
        if len(found.counts) > MANY:
            self._session.rest()
        return found

    def cells_by_place(self, columns: Sequence[str], windows: int) -> Cells:
        """Return the cells over these columns and, as a last column, the rows' position in the table.

        A position is the number, from 0, of a window; all windows have about equally many rows.
        """
        known = self.known(columns)
        place = "w" * (1 + max(len(name) for name in self.columns))  # no column has this name
        before = exp.paren(exp.Window(this=exp.RowNumber()) - 1) * exp.Literal.number(windows)
        number = exp.IntDiv(this=exp.paren(before), expression=exp.Literal.number(self.count()))
        rows = exp.select("*", exp.cast(number, "TEXT").as_(place)).from_(self.source)
        counting = self._counting(rows.subquery("placed"))
        return counting.cells([*known, (place, statements.ColumnKind.TEXT)], None)

    def about_cells(self, columns: Sequence[str], merged: Merged | None = None) -> int:
        """Return about how many cells there would be, by a sketch of HyperLogLog."""
        return self._counting().about(self.known(columns), merged)

    def _counting(self, source: str | exp.Subquery | None = None) -> Counting:
        small = self._session.small
        return Counting(self._connection, self._run, source or self.source, self.name, small=small)

    def keep(self, name: str, rows: exp.Select) -> str:
        """Keep the rows of a statement, and return the table that holds them."""
        self._run(statements.keep(name, rows))
        return name

    def rows(self, statement: exp.Expression) -> list[tuple[Any, ...]]:
        """Return the few rows of a statement."""
        found: list[tuple[Any, ...]] = self._run(statement).fetchall()
        return found

    def drop(self, name: str) -> None:
        """Drop what was kept."""
        self._run(statements.drop(name))

    def few_alike(self, columns: Sequence[str], k: int) -> tuple[int, int]:
        """Return how many rows are unique in these columns, and how many are in groups of fewer than k.

        Of many columns nearly every row may be a group, and groups of 200 texts take gigabytes. So rows are
        counted by a digest first: one that no other row has is unique, whatever its texts. The others, among
        them those that have a digest in common by chance, are counted by their texts.
        """
        if len(columns) < WIDE:
            return super().few_alike(columns, k)
        known = self.known(columns)
        try:
            kept = self.keep(_DIGESTS, statements.digests(self.source, known))
            ((unique,),) = self.rows(statements.digests_alone(kept))
            others = statements.tally(statements.not_alone(self.source, known, kept), known)
            ((alone, below),) = self.rows(statements.few_alike(others, k))
        finally:
            self.drop(_DIGESTS)
        return unique + int(alone or 0), (unique if k > 1 else 0) + int(below or 0)

    def risky_cells(self) -> dict[str, int]:
        """Return the text columns in which a spreadsheet would run cells as formulas, and how many."""
        texts = [column for column, kind in self.kinds().items() if kind is statements.ColumnKind.TEXT]
        if not texts:
            return {}
        (counts,) = self.rows(release_statement.count_risky(self.source, texts))
        return {column: int(n) for column, n in zip(texts, counts, strict=True) if n}

    def digested(self, columns: Sequence[str]) -> exp.Expression:
        """Return the digest of a row over these columns and its number."""
        values = [exp.column(name, quoted=True) for name in columns]
        return exp.Anonymous(this="HASH", expressions=[exp.Window(this=exp.RowNumber()), *values])

    def outlet(self, shape: ReleaseShape, tables: Mapping[str, pa.Table]) -> DuckDBOutlet:
        """Load the mapping tables, and return the outlet for the released rows."""
        self._check_types(shape.columns)
        dated = {name: self._types[name] for name in shape.shifts if self._types[name] in _DATED}
        rows = release_statement.statement(self.source, self.kinds(), shape, ordered=True, dated=dated)
        return self._outlet(rows, tables)

    def bucket_outlets(
        self, shape: BucketShape, tables: Mapping[str, pa.Table]
    ) -> tuple[DuckDBOutlet, DuckDBOutlet]:
        """Return two outlets: the rows with their groups, and the groups' sensitive values."""
        self._check_types(shape.columns)
        rows = bucket_statements.rows_statement(self.source, self.kinds(), shape)
        values = bucket_statements.values_statement(self.source, self.kinds(), shape)
        return self._outlet(rows, tables), self._outlet(values, tables)

    def _check_types(self, columns: Sequence[str]) -> None:
        """Refuse to release columns whose values have several types."""
        if mixed := [name for name in columns if name in self._session.mixed]:
            self.known(mixed)

    def _outlet(self, rows: exp.Select, tables: Mapping[str, pa.Table]) -> DuckDBOutlet:
        landing = None
        if self._database is not None:
            landing = partial(self._land, self._database, rows)
        elif self._lake is not None:
            landing = partial(self._land_in_delta, self._lake, rows)
        return DuckDBOutlet(self._open, rows, tables, landing)

    @contextmanager
    def _land(
        self,
        database: Database,
        rows: exp.Select,
        target: str,
        replace: bool,
        hidden: Hidden | None,
    ) -> Iterator[Engine]:
        """Write rows into a new table of the database file, and yield the table."""
        place = database.place.at(target)
        with (
            self._without_hidden(rows, hidden, place) as shown,
            database.writing(self._session, shown, target, _WRITTEN, replace=replace),
        ):
            yield DuckDBEngine._over(self, _WRITTEN, place)

    @contextmanager
    def _land_in_delta(
        self, source: Place, rows: exp.Select, target: str, replace: bool, hidden: Hidden | None
    ) -> Iterator[Engine]:
        """Write rows into a new table of Delta beside the one they come from, and yield it, read afresh."""
        made = DeltaTarget(source, target)
        with self._without_hidden(rows, hidden, made.place) as shown, ExitStack() as landing:
            connection = self._connection
            with stopping.interrupted_by(connection.interrupt, str(made.place)):
                stream = connection.sql(shown.sql(dialect="duckdb")).to_arrow_reader(BATCH_ROWS)
                staged = landing.enter_context(made.written(stream, replace=replace))
            new = landing.enter_context(closing(DuckDBEngine(staged)))
            new.name, new.place = str(made.place), made.place
            yield new

    @contextmanager
    def _without_hidden(
        self, rows: exp.Select, hidden: Hidden | None, place: Place
    ) -> Iterator[exp.Select]:
        """Yield the rows without the column that only their check needs.

        With one they are first in a temporary table, for DuckDB would keep what it drops.
        """
        with ExitStack() as staged:
            if hidden is not None:
                # The connection must not rest while it has the table.
                staged.enter_context(self._session.awake())
                staged.callback(self.drop, _STAGED)
                self.keep(_STAGED, rows)
                kept = DuckDBEngine._over(self, _STAGED, place)
                hidden.check(kept)
                rows = statements.without(_STAGED, hidden.column, kept.columns)
            yield rows

    def kinds(self) -> dict[str, statements.ColumnKind]:
        """Return how each column becomes text."""
        return {column: _kind(kind) for column, kind in self._types.items()}

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about how the table was read, where that is not plain."""
        return self._session.notes

    @property
    def found(self) -> Reading | None:
        """How a text file is read, as a study may say it; None for other tables."""
        return self._session.found

    def close(self) -> None:
        """Close the connection; closing it again does nothing."""
        self._session.close()

    @property
    def _open(self) -> Connection:
        if self._session.closed:
            raise InputError("the table is closed; open it again", file=self.name)
        return self._session

    @property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        return self._open.live

    def _describe(self) -> None:
        # Only some versions of DuckDB have these types in a cursor's description.
        source = self._connection.view(str(self.source))
        types = (str(kind).upper() for kind in source.types)
        self._types = dict(zip(source.columns, types, strict=True))
        self.columns = tuple(self._types)

    def nested(self, column: str) -> str | None:
        """Return the type of a column of lists or structures, None for one of plain values."""
        if column in self._session.mixed:
            return self._session.mixed[column]
        kind = self._types[column]
        return kind if kind.startswith(_NESTED) or kind.endswith("]") else None

    def _run(self, statement: exp.Expression) -> Any:
        import duckdb

        connection = self._connection
        try:
            if statement.key == "drop":  # leave nothing behind when stopped, either
                return connection.execute(statement.sql(dialect="duckdb"))
            with stopping.interrupted_by(connection.interrupt, self.name):
                return connection.execute(statement.sql(dialect="duckdb"))
        except duckdb.Error as problem:
            raise refusal(problem, Path(self.name)) from None


def _kind(duckdb_type: str) -> statements.ColumnKind:
    if duckdb_type.startswith(("VARCHAR", "ENUM")):
        return statements.ColumnKind.TEXT
    if duckdb_type in {"DOUBLE", "FLOAT"}:
        return statements.ColumnKind.FLOAT
    if duckdb_type == "TIMESTAMP WITH TIME ZONE":
        return statements.ColumnKind.MOMENT
    return statements.ColumnKind.OTHER
