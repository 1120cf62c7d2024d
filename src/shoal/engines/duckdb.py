"""DuckDB, embedded: the default engine, for files and for frames in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.engines import sources, sql
from shoal.engines.base import Cells, Engine, Merged, Profile
from shoal.engines.duckdb_cells import Counting
from shoal.engines.duckdb_connection import Connection
from shoal.engines.duckdb_database import Database
from shoal.engines.duckdb_refusals import first_line, refusal
from shoal.engines.files import Files, find_files
from shoal.engines.places import Place
from shoal.errors import InputError, did_you_mean, show

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa
    from sqlglot import exp

    from shoal.engines.bucket_sql import BucketShape
    from shoal.engines.duckdb_release import DuckDBOutlet, Landing
    from shoal.engines.release_sql import Shape

_SOURCE = "source"
_WRITTEN = "written"
_VALUES = "column_values"
_BATCH = 16
"""Columns that are profiled in one scan: more would need their hash tables in memory together."""
_NESTED = ("BLOB", "LIST", "STRUCT", "MAP", "UNION", "ARRAY", "BIT", "GEOMETRY")
MANY = 100_000
"""Cells after whose count DuckDB gives its memory back."""


class DuckDBEngine:
    """A table in DuckDB: a CSV, TSV, Parquet or Arrow file, or any frame with Arrow's C interface.

    `threads`, `memory_limit` (such as "2GB") and `temp_directory` are DuckDB's settings.
    """

    def __init__(
        self,
        table: Any,
        *,
        threads: int | None = None,
        memory_limit: str | None = None,
        temp_directory: str | Path | None = None,
    ) -> None:
        import duckdb

        self._session = Connection(
            threads=threads, memory_limit=memory_limit, temp_directory=temp_directory
        )
        self._errors = duckdb.Error
        self._types: dict[str, str] = {}
        self._source = _SOURCE
        self._database: Database | None = None
        try:
            self._name = self._open(table)
            self._describe()
        except BaseException:
            self.close()
            raise

    @classmethod
    def _over(cls, engine: DuckDBEngine, view: str, database: Database) -> DuckDBEngine:
        """Return the engine of another view of the same session, which is not its own to close."""
        made = cls.__new__(cls)
        made._session, made._errors = engine._session, engine._errors
        made._types, made._source, made._database = {}, view, database
        made._name = str(database.place)
        made._describe()
        return made

    @property
    def name(self) -> str:
        """The file's path, or the kind of frame."""
        return self._name

    @property
    def place(self) -> Place | None:
        """The database file and the table in it; None for other files and frames."""
        return None if self._database is None else self._database.place

    @property
    def columns(self) -> tuple[str, ...]:
        """The table's columns, in their order."""
        return tuple(self._types)

    def count(self) -> int:
        """Return the number of rows."""
        return int(self._run(sql.count(self._source)).fetchone()[0])

    def cells(self, columns: Sequence[str], merged: Merged | None = None) -> Cells:
        """Return the distinct rows over these columns with their counts, by one GROUP BY.

        The rows stay in DuckDB, which may spill to disk; Python sees numbers and one text a value. Where
        cells are many, DuckDB then rests.
        """
        found = self._counting().cells(self._known(columns), merged)
        if len(found.counts) > MANY:
            self._session.rest()
        return found

    def about_cells(self, columns: Sequence[str], merged: Merged | None = None) -> int:
        """Return about how many cells there would be, by a sketch of HyperLogLog."""
        return self._counting().about(self._known(columns), merged)

    def _counting(self) -> Counting:
        return Counting(self._connection, self._run, self._source, self._name)

    def _known(self, columns: Sequence[str]) -> list[tuple[str, sql.Kind]]:
        for column in columns:
            self._check(column)
        return [(column, _kind(self._types[column])) for column in columns]

    def profile(self, few: int) -> tuple[Profile, ...]:
        """Return what each column holds, with all its values where there are at most `few`.

        The values are counted and judged in DuckDB; Python sees one row a column, and the few values.
        """
        plain = [column for column in self.columns if not self._nested(column)]
        found: dict[str, Profile] = {}
        for start in range(0, len(plain), _BATCH):
            batch = plain[start : start + _BATCH]
            try:
                kinds = [(column, _kind(self._types[column])) for column in batch]
                self._keep(_VALUES, sql.column_values(self._source, kinds))
                facts = self._run(sql.column_facts(_VALUES)).fetchall()
                # The number of the column, and of its values, come first.
                wanted = [int(row[0]) for row in facts if 0 < row[1] <= few]
                values: dict[int, list[str]] = {number: [] for number in wanted}
                if wanted:
                    for number, value in self._run(sql.values_of(_VALUES, wanted)).fetchall():
                        values[number].append(value)
            finally:
                self._run(sql.drop(_VALUES))
            for number, distinct, missing, once, *rest in facts:
                counts = (int(distinct), int(missing), int(once))
                seen = Profile(batch[number], *counts, *rest)
                found[seen.column] = replace(seen, values=tuple(values.get(number, ())))
        # A table without rows has no values to group, so some columns may not be found.
        return tuple(
            found.get(column) or Profile(column, nested=self._nested(column)) for column in self.columns
        )

    def first_values(self, column: str, most: int) -> tuple[str, ...]:
        """Return at most so many different values of a column, in order, without the missing one."""
        self._check(column)
        kind = _kind(self._types[column])
        found = self._run(sql.first_values(self._source, column, kind, most)).fetchall()
        return tuple(value for (value,) in found)

    def risky_cells(self) -> dict[str, int]:
        """Return the text columns in which a spreadsheet would run cells as formulas, and how many."""
        from shoal.engines import release_sql

        texts = [column for column, kind in self._types.items() if _kind(kind) is sql.Kind.TEXT]
        if not texts:
            return {}
        counts = self._run(release_sql.count_risky(self._source, texts)).fetchone()
        return {column: int(n) for column, n in zip(texts, counts, strict=True) if n}

    def outlet(self, shape: Shape, tables: Mapping[str, pa.Table]) -> DuckDBOutlet:
        """Return the way out for released rows, with the mapping tables taken in."""
        from shoal.engines import release_sql
        from shoal.engines.duckdb_release import DuckDBOutlet

        statement = release_sql.statement(self._source, self._kinds(), shape, ordered=True)
        return DuckDBOutlet(self._connection, statement, tables, self._landing(statement))

    def bucket_outlets(
        self, shape: BucketShape, tables: Mapping[str, pa.Table]
    ) -> tuple[DuckDBOutlet, DuckDBOutlet]:
        """Return the ways out for rows with their groups, and for the groups' sensitive values."""
        from shoal.engines import bucket_sql
        from shoal.engines.duckdb_release import DuckDBOutlet

        rows = bucket_sql.rows_statement(self._source, self._kinds(), shape)
        values = bucket_sql.values_statement(self._source, self._kinds(), shape)
        return (
            DuckDBOutlet(self._connection, rows, tables, self._landing(rows)),
            DuckDBOutlet(self._connection, values, {}, self._landing(values)),
        )

    def _landing(self, rows: exp.Select) -> Landing | None:
        """Return how rows get into a new table of the database file; None where there is no such file."""
        database = self._database
        if database is None:
            return None

        @contextmanager
        def land(target: str, replace: bool) -> Iterator[Engine]:
            with database.writing(self._session, rows, target, _WRITTEN, replace=replace) as place:
                yield DuckDBEngine._over(self, _WRITTEN, Database(place))

        return land

    def _kinds(self) -> dict[str, sql.Kind]:
        return {column: _kind(kind) for column, kind in self._types.items()}

    def close(self) -> None:
        """Close the connection and let go of the table; a second time does nothing."""
        self._session.close()

    @property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        if self._session.closed:
            raise InputError("the table is closed; open it again", file=self._name)
        return self._session.live

    def _open(self, table: Any) -> str:
        if sources.is_frame(table):
            home = type(table).__module__.split(".")[0].lstrip("_")
            name = f"the {home} {type(table).__name__}"
            self._register(sources.to_arrow(table, name), name)
            return name
        if isinstance(table, Place):
            self._open_database(table)
            return str(table)
        if not isinstance(table, (str, Path, Files)):
            raise InputError(
                f"a {type(table).__name__} is no table; give a path, or a frame of pandas, Polars, "
                "PyArrow or DuckDB"
            )
        files = table if isinstance(table, Files) else find_files(Path(table))
        ending = sources.ending_of(files.paths[0])
        if ending in sources.TEXT_ENDINGS:
            self._open_text(files)
        elif ending in sources.PARQUET_ENDINGS:
            self._open_parquet(files)
        else:
            self._open_arrow(files.paths[0])
        return str(files.given)

    def _open_database(self, place: Place) -> None:
        """Look at a table of a database file, which is neither written nor locked for other readers."""
        self._database = Database(place)
        self._view(self._database.path, self._database.read)

    def _open_text(self, files: Files) -> None:
        file = sources.inspect_text(files.paths[0])
        for path in files.paths[1:]:
            other = sources.inspect_text(path)
            if (other.columns, other.delimiter) != (file.columns, file.delimiter):
                raise InputError(
                    f"other columns, or another delimiter, than {file.path}; give files that are alike",
                    file=path,
                    line=1,
                )
        # DuckDB takes the escapes, and guesses from the file's first line end where there are none.
        end = None if file.line_end is None else file.line_end.encode("unicode_escape").decode()

        def read(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
            return connection.read_csv(
                [sources.literal(path) for path in files.paths],
                header=True,
                sep=file.delimiter,
                quotechar='"',
                escapechar='"',
                auto_detect=False,
                columns=dict.fromkeys(file.columns, "VARCHAR"),
                lineterminator=end,
                compression="gzip" if file.path.name.lower().endswith(".gz") else "none",
                **_partitioning(files),
            )

        self._view(files.given, read)

    def _open_parquet(self, files: Files) -> None:
        def read(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
            paths = [sources.literal(path) for path in files.paths]
            return connection.sql(sql.read_parquet(paths, bool(files.partitions)).sql(dialect="duckdb"))

        self._view(files.given, read)
        for path in files.paths:
            # DuckDB gives columns new names where they have none or stand twice.
            names = sources.parquet_columns(path)
            sources.check_columns([*names, *files.partitions], path)
            if sorted(names) != sorted(sources.parquet_columns(files.paths[0])):
                raise InputError(
                    f"other columns than {files.paths[0]}; give files that are alike", file=path
                )

    def _open_arrow(self, path: Path) -> None:
        import pyarrow as pa
        from pyarrow import ipc

        try:
            with pa.memory_map(str(path)) as source:
                try:
                    table = ipc.open_file(source).read_all()
                except pa.ArrowInvalid:
                    source.seek(0)
                    table = ipc.open_stream(source).read_all()
            table.validate(full=True)  # a damaged file would crash the process
            self._register(table, str(path))
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            raise InputError("this is no Arrow file; check it, or its ending", file=path) from None

    def _register(self, table: pa.Table, name: str) -> None:
        sources.check_columns(table.column_names, name)
        try:
            self._connection.register(self._source, table)
        except self._errors as problem:
            raise InputError(
                f"a column cannot be read ({first_line(problem)}); turn it into text", file=name
            ) from None

    def _view(
        self, path: Path, read: Callable[[duckdb.DuckDBPyConnection], duckdb.DuckDBPyRelation]
    ) -> None:
        def show(connection: duckdb.DuckDBPyConnection) -> None:
            try:
                read(connection).create_view(self._source)
            except self._errors as problem:
                raise refusal(problem, path) from None

        self._session.show(show)

    def _describe(self) -> None:
        # A cursor's description has these types in some versions of DuckDB only.
        source = self._connection.view(self._source)
        for column, kind in zip(source.columns, source.types, strict=True):
            self._types[column] = str(kind).upper()

    def _check(self, column: str) -> None:
        if column not in self._types:
            raise InputError(
                f"no column {show(column)}; {did_you_mean(column, self.columns)}", file=self._name
            )
        if kind := self._nested(column):
            raise InputError(
                f"the column {show(column)} holds {kind}, not plain values; turn it into text",
                file=self._name,
            )

    def _nested(self, column: str) -> str | None:
        """Return the type of a column of lists or structures, None for one of plain values."""
        kind = self._types[column]
        return kind if kind.startswith(_NESTED) or kind.endswith("]") else None

    def _keep(self, name: str, statement: exp.Select) -> None:
        self._run(sql.keep(name, statement))

    def _run(self, statement: exp.Expression) -> Any:
        connection = self._connection
        try:
            return connection.execute(statement.sql(dialect="duckdb"))
        except self._errors as problem:
            raise refusal(problem, Path(self._name) if hasattr(self, "_name") else None) from None


def _partitioning(files: Files) -> dict[str, bool]:
    """Return how folders name columns; what they name is text, as it is written."""
    if not files.partitions:
        return {"hive_partitioning": False}
    return {"hive_partitioning": True, "hive_types_autocast": False}


def _kind(duckdb_type: str) -> sql.Kind:
    if duckdb_type.startswith(("VARCHAR", "ENUM")):
        return sql.Kind.TEXT
    if duckdb_type in {"DOUBLE", "FLOAT"}:
        return sql.Kind.FLOAT
    if duckdb_type == "TIMESTAMP WITH TIME ZONE":
        return sql.Kind.MOMENT
    return sql.Kind.OTHER
