"""A home in PostgreSQL: a database of its own on the server of this run of the tests."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pyarrow as pa

from shoal.data.engine import Engine
from shoal.data.opening import open_engine
from shoal.describe import Place
from tests.engines import scratch_postgres
from tests.engines.homes import AbsentError, quoted

_PATIENCE = 60
_TYPES = {
    pa.string(): "text",
    pa.int16(): "smallint",
    pa.int32(): "integer",
    pa.int64(): "bigint",
    pa.float32(): "real",
    pa.float64(): "double precision",
    pa.bool_(): "boolean",
    pa.date32(): "date",
    pa.time64("us"): "time",
    pa.timestamp("us"): "timestamp",
    pa.timestamp("us", tz="UTC"): "timestamptz",
}


def server() -> str:
    """Return the address of a server to test with: the one that is named, or one for this run alone."""
    if given := os.environ.get("SHOAL_POSTGRES"):
        return given
    if scratch_postgres.binaries() is None:
        raise AbsentError(
            "no PostgreSQL server: install one (apt-get install postgresql), or name one in SHOAL_POSTGRES"
        )
    return served("postgres")


def served(name: str, *primary: str) -> str:
    """Return the address of a server for this run alone, perhaps a standby of the one at another address."""
    # The workers of one run share a server, which ends with the process that started them.
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    owner = os.getppid() if run else os.getpid()
    folder = Path(tempfile.gettempdir()) / f"shoal-{name}-{run or f'of-{owner}'}"
    try:
        folder.mkdir()
    except FileExistsError:
        pass  # another worker was first, or this process has asked before
    else:
        subprocess.Popen(
            [sys.executable, scratch_postgres.__file__, "serve", str(folder), str(owner), *primary],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    until = time.monotonic() + _PATIENCE
    while not (folder / scratch_postgres.ADDRESS).exists():
        if (folder / scratch_postgres.FAILURE).exists():
            raise RuntimeError((folder / scratch_postgres.FAILURE).read_text())
        if time.monotonic() > until:
            raise RuntimeError(f"no PostgreSQL server came up in {_PATIENCE} s (see {folder})")
        time.sleep(0.05)
    return (folder / scratch_postgres.ADDRESS).read_text()


def at(address: str, *, user: str | None = None, password: str = "", database: str | None = None) -> str:
    """Return an address with another user, or another database."""
    parts = urlsplit(address)
    where = parts.netloc.rpartition("@")
    netloc = f"{user}:{password}@{where[2]}" if user is not None else parts.netloc
    return urlunsplit((parts.scheme, netloc, f"/{database}" if database else parts.path, "", ""))


def sql_type(kind: pa.DataType) -> str:
    if pa.types.is_decimal(kind):
        return f"numeric({kind.precision}, {kind.scale})"
    return _TYPES[kind]


class PostgresHome:
    """Tables in the schema public of a database that goes when the tests end."""

    name = "postgres"
    new_table = '"new; table"'
    slowness = 1

    def __init__(self) -> None:
        import psycopg

        self._server = server()
        self.database = f"shoal_{secrets.token_hex(6)}"
        with psycopg.connect(self._server, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {self.database}")
        self.address = at(self._server, database=self.database)
        self.connection = psycopg.connect(self.address, autocommit=True, prepare_threshold=None)

    def put(self, table: pa.Table, name: str = "people") -> Place:
        where = f"public.{quoted(name)}"
        columns = [f"{quoted(field.name)} {sql_type(field.type)}" for field in table.schema]
        self.run(f"DROP TABLE IF EXISTS {where} CASCADE")
        self.run(f"CREATE TABLE {where} ({', '.join(columns)})")
        with self.connection.cursor().copy(f"COPY {where} FROM STDIN") as copy:
            for row in table.to_pylist():
                copy.write_row(tuple(row.values()))
        return Place("postgres", where, self.address)

    def read(self, place: Place) -> pa.Table:
        where = ".".join(quoted(part) for part in place.names)
        found = self.run(f"SELECT * FROM {where}")
        names = [column.name for column in found.description]
        columns = list(zip(*found.fetchall(), strict=True)) or [()] * len(names)
        return pa.table({name: pa.array(values) for name, values in zip(names, columns, strict=True)})

    def open(self, place: Place) -> Engine:
        return open_engine(place)

    def run(self, statement: str) -> Any:
        """Run a statement as the owner of the database."""
        return self.connection.execute(statement.encode())

    def close(self) -> None:
        import psycopg

        self.connection.close()
        with psycopg.connect(self._server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {self.database} WITH (FORCE)")
