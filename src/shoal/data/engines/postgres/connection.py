"""The connection to PostgreSQL: runs statements, and explains failures.

A session reads everything in one transaction, so it sees the rows of one moment. The driver's messages may
contain users and passwords, so only the server's own reasons are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from shoal.data.engines.postgres.connect import connect
from shoal.data.engines.postgres.dialect import PostgresColumn, kind_of
from shoal.data.sql import statements
from shoal.describe import Place
from shoal.errors import InputError, show
from shoal.running.watching import watch

if TYPE_CHECKING:
    import psycopg

OLDEST = 14
"""The oldest PostgreSQL whose numbers and times Shoal can rely on."""
_SETTINGS = {
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "standard_conforming_strings": "on",
    # Searches may run for long between two statements of one transaction.
    "idle_in_transaction_session_timeout": "0",
    # The planner underestimates joins with mapping tables; a wrong plan would cost hours.
    "enable_nestloop": "off",
}
_LOST = {"08000", "08003", "08006", "57P01", "57P02", "57P03"}
_MADE_MEANWHILE = (
    "a table of this name was made at the same time; choose another name, or try again with `force`"
)
_REASONS = {
    "25006": "only reading is allowed there (a standby, or a role that only reads); write elsewhere",
    "53100": "the server has no space left on its disk",
    "53200": "the server is out of memory",
    "3F000": "there is no such schema; have it made, or choose another",
    "42P07": _MADE_MEANWHILE,
    "23505": _MADE_MEANWHILE,  # when the other table appeared after our check
    "55P03": "others are using the table, so it cannot be replaced; try again when they are done",
    "57014": "the server stopped the statement (a time limit, or somebody there)",
    "2BP01": "other tables or views of the database need it, so it cannot be replaced",
    "22021": "PostgreSQL cannot hold a NUL byte; take it out",
}


_ABOUT = """SELECT pg_is_in_recovery(), current_setting('transaction_read_only')::bool,
    has_database_privilege(current_database(), 'TEMP'),
    (SELECT reset_val::bigint FROM pg_settings WHERE name = 'statement_timeout')"""
_GAVE_WAY = (
    "the standby gave up what is read here to keep up with its primary; try again, have "
    "hot_standby_feedback set there, or ask the primary"
)


class PostgresSession:
    """One connection with one transaction; `name` is the table's name in messages.

    `keeps` says whether it may create temporary tables; a standby, a read-only role and a role without the
    right to them may not.
    """

    def __init__(self, place: Place, *, snapshot: str | None = None) -> None:
        self.name = str(place)
        self.closed = False
        self.keeps = self._standby = self._only_reads = False
        self._patience: int | None = None
        self._connection = connect(place, self.name)
        try:
            with self.asking():
                self._begin(snapshot)
        except BaseException:
            self.close()
            raise

    def _begin(self, snapshot: str | None) -> None:
        import psycopg

        connection = self._connection
        version = connection.info.server_version // 10_000
        if version < OLDEST:
            raise InputError(
                f"the server is PostgreSQL {version}; Shoal needs {OLDEST} or newer", file=self.name
            )
        encoding = connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise InputError(f"the database is in {encoding}; Shoal reads UTF8", file=self.name)
        for setting in _SETTINGS.items():
            connection.execute("SELECT set_config(%s, %s, false)", setting)
        connection.commit()
        with suppress(psycopg.Error):  # some platforms cannot check whether the client is alive
            connection.execute("SET client_connection_check_interval = '2s'")
        connection.commit()
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        if snapshot is not None:
            self._execute(command("SET TRANSACTION SNAPSHOT", exp.Literal.string(snapshot)))
        # The server and the role decide whether it may write.
        standby, reads, temporary, milliseconds = connection.execute(_ABOUT.encode()).fetchall()[0]
        self._standby, self._only_reads = bool(standby), bool(reads)
        self.keeps = bool(temporary) and not self._only_reads
        self._patience = int(milliseconds) or None

    def check_writes(self) -> None:
        """Refuse to write where only reading is allowed."""
        if self._standby:
            raise InputError(
                "the server is a standby, which only reads; make the table at its primary, or release to "
                "a file (without `into`)",
                file=self.name,
            )
        if self._only_reads:
            raise InputError(
                "the role only reads here (default_transaction_read_only is on); ask for one that may "
                "write, or release to a file (without `into`)",
                file=self.name,
            )

    def snapshot(self) -> str:
        """Return the name by which another session can see the same rows while this one is open."""
        with self.asking():
            return str(self._connection.execute("SELECT pg_export_snapshot()").fetchall()[0][0])

    def run(self, statement: exp.Expression) -> int:
        """Run a statement, and return the number of affected rows."""
        with self.asking(), self._connection.transaction():
            return self._execute(statement).rowcount

    def rows(self, statement: exp.Expression) -> list[tuple[Any, ...]]:
        """Return the few rows of a statement."""
        with self.asking(), self._connection.transaction():
            return self._execute(statement).fetchall()

    def find(self, table: exp.Table) -> tuple[int, str, str] | None:
        """Return a table's id, schema and name; None if there is no such table."""
        text = "SELECT c.oid, n.nspname, c.relname FROM pg_class c JOIN pg_namespace n "
        text += "ON n.oid = c.relnamespace WHERE c.oid = to_regclass(%s) AND c.relkind = ANY(%s)"
        rows = self._select(text, table.sql(dialect="postgres"), list("rpvmf"))
        return (int(rows[0][0]), str(rows[0][1]), str(rows[0][2])) if rows else None

    def number(self, table: exp.Table) -> int | None:
        """Return the id of whatever has this name now; None if nothing has."""
        ((found,),) = self._select("SELECT to_regclass(%s)::oid", table.sql(dialect="postgres"))
        return None if found is None else int(found)

    def schema(self) -> str | None:
        """Return the default schema for new tables."""
        ((found,),) = self._select("SELECT current_schema()")
        return None if found is None else str(found)

    def _select(self, text: str, *given: Any) -> list[tuple[Any, ...]]:
        with self.asking(), self._connection.transaction():
            return self._connection.execute(text.encode(), given or None).fetchall()

    def describe(self, statement: exp.Select) -> tuple[PostgresColumn, ...]:
        """Return the columns of a statement."""
        with self.asking(), self._connection.transaction():
            described = self._execute(statement.limit(0)).description or []
            text = "SELECT oid, typname, typcategory, typtype, format_type(oid, NULL) FROM pg_type "
            text += "WHERE oid = ANY(%s)"
            found = self._connection.execute(text, ([column.type_code for column in described],))
            types = {oid: facts for oid, *facts in found.fetchall()}
        columns = []
        for column in described:
            name, category, sort, shown = types[column.type_code]
            size = (column.precision, column.scale) if name == "numeric" else (None, None)
            columns.append(
                PostgresColumn(column.name, name, shown, kind_of(name, category, sort), *size)
            )
        return tuple(columns)

    def drop(self, name: str) -> None:
        """Drop a temporary table, if it exists."""
        if self.keeps:
            self.run(command("DROP TABLE IF EXISTS", own(name)))

    def analyze(self, name: str) -> None:
        """Let the server analyze a temporary table, for its plans."""
        self.run(command("ANALYZE", own(name)))

    @contextmanager
    def copying(self, statement: str) -> Iterator[psycopg.Copy]:
        """Open a COPY to or from the server."""
        asked = statement.encode()
        with (
            self.asking(),
            self._connection.transaction(),
            self._connection.cursor().copy(asked) as copy,
        ):
            yield copy

    def commit(self) -> None:
        """Commit what was written."""
        with self.asking():
            self._connection.commit()

    def close(self) -> None:
        """End the transaction and the connection; closing again does nothing."""
        self.closed = True
        self._connection.close()

    def _execute(self, statement: exp.Expression) -> psycopg.Cursor[tuple[Any, ...]]:
        return self._connection.execute(statement.sql(dialect="postgres").encode())

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Turn the driver's errors into one sentence."""
        import psycopg

        if self.closed:
            raise InputError("the table is closed; open it again", file=self.name)
        kept = watch()
        kept.check(self.name)
        try:
            if kept.limit is not None:
                self._limit(kept.left)
            yield
        except psycopg.Error as problem:
            if problem.sqlstate == "57014" and kept.left <= 0:
                raise kept.over(self.name) from None
            raise InputError(self._reason(problem), file=self.name) from None

    def _limit(self, seconds: float) -> None:
        """Let the server stop a statement at the time limit, or earlier if its own limit is lower."""
        milliseconds = int(seconds * 1000) + 1
        if self._patience is not None:
            milliseconds = min(milliseconds, self._patience)
        setting = "SELECT set_config('statement_timeout', %s, false)"
        self._connection.execute(setting, (str(milliseconds),))

    def _reason(self, problem: psycopg.Error) -> str:
        state = problem.sqlstate
        if state == "40001" and self._standby:
            return _GAVE_WAY
        if state is None or state in _LOST or self._connection.closed:
            return "the connection to the server was lost; try again"
        if state in _REASONS:
            return _REASONS[state]
        said = (problem.diag.message_primary or "").strip().split("\n", 1)[0]
        info = self._connection.info
        if any(secret and secret in said for secret in (info.user, info.password)):
            said = ""
        if state == "42501":
            return f"{said or 'a right is missing'}; ask for the right (docs/engines.md lists them)"
        return f"the server refuses: {said or 'no reason given'} (SQLSTATE {state})"


def own(name: str) -> exp.Table:
    """Return a temporary table, which no other table of the same name can hide."""
    return exp.Table(this=exp.to_identifier(name), db=exp.to_identifier("pg_temp"))


def command(*parts: str | exp.Expression) -> exp.Command:
    """Return a statement that sqlglot has no expression for: words and quoted names."""
    words = [part if isinstance(part, str) else part.sql(dialect="postgres") for part in parts]
    return exp.Command(this=" ".join(words))


def table_of(place: Place) -> exp.Table:
    """Return the table that a place names, or refuse a name that PostgreSQL would truncate or misread."""
    names = place.names
    if len(names) > 2:
        raise InputError("a table of PostgreSQL has a name, or schema.name", file=str(place))
    for name in names:
        if len(name.encode()) > 63 or "\0" in name:
            raise InputError(
                f"PostgreSQL has no names such as {show(name)}: at most 63 bytes, none of them NUL",
                file=str(place),
            )
    return statements.table_named(names)
