"""The engines that the shared suite runs on: each has a home, where tables can be put and read again."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import duckdb
import pyarrow as pa
from sqlglot import exp

from shoal.data.engine import Engine
from shoal.data.opening import open_engine
from shoal.describe import Place


class AbsentError(Exception):
    """An engine is not on this machine; the reason says what is missing."""


class Home(Protocol):
    """A small world of one engine, for as long as the tests run."""

    name: str
    new_table: str
    """A name for a new table, as odd as the engine takes."""
    slowness: int
    """By how much fewer examples are tried than with DuckDB."""

    def put(self, table: pa.Table, name: str = "people") -> Any:
        """Make a table of the engine, in the place of an older one of its name; any name will do."""

    def read(self, place: Any) -> pa.Table:
        """Return the rows of a table as the engine's own tools read them."""

    def open(self, place: Any) -> Engine:
        """Return Shoal's engine of a table."""

    def close(self) -> None:
        """Leave nothing behind."""


def quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql()


class DuckDBHome:
    """Database files of DuckDB, one for each table."""

    name = "duckdb"
    new_table = '"new; table"'
    slowness = 1

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._numbers = itertools.count()
        self._connection = (
            duckdb.connect()
        )  # opening another one takes longer than all that is done with it

    @contextmanager
    def _attached(self, path: str, mode: str) -> Iterator[None]:
        self._connection.execute(f"ATTACH '{path}' AS home ({mode})")
        try:
            yield
        finally:
            self._connection.execute("DETACH home")

    def put(self, table: pa.Table, name: str = "people") -> Place:
        path = str(Path(self._folder.name) / f"{next(self._numbers)}.duckdb")
        with self._attached(path, "READ_WRITE"):
            self._connection.register("rows_to_put", table)
            self._connection.execute(f"CREATE TABLE home.main.{quoted(name)} AS FROM rows_to_put")
            self._connection.unregister("rows_to_put")
        return Place("duckdb", f"main.{quoted(name)}", path)

    def read(self, place: Place) -> pa.Table:
        name = ".".join(quoted(part) for part in place.names)
        with self._attached(place.url, "READ_ONLY"):
            return self._connection.sql(f"FROM home.{name}").to_arrow_table()

    def open(self, place: Place) -> Engine:
        return open_engine(place)

    def close(self) -> None:
        self._connection.close()
        self._folder.cleanup()


def _postgres() -> Home:
    from tests.engines.postgres_home import PostgresHome

    return PostgresHome()


def _spark() -> Home:
    from tests.engines.spark_home import home, missing

    if (reason := missing()) is not None:
        raise AbsentError(reason)
    return home()


HOMES: dict[str, Callable[[], Home]] = {"duckdb": DuckDBHome, "postgres": _postgres, "spark": _spark}
