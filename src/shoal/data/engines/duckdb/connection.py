"""The connection to DuckDB: its settings, and how it rests to give its memory back."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypedDict, Unpack
from weakref import WeakSet

from shoal.data.engines.duckdb.instances import locked, reader, settings, shared
from shoal.data.engines.duckdb.refusals import first_line, refusal
from shoal.errors import InputError

if TYPE_CHECKING:
    import duckdb

    from shoal.describe.table_reading import Reading

    Show = Callable[[duckdb.DuckDBPyConnection], None]


class DuckDBSettings(TypedDict, total=False):
    """How much of the machine DuckDB may use; None leaves a setting as it is."""

    threads: int | None
    memory_limit: str | None
    temp_directory: str | Path | None


_kept: WeakSet[Connection] = WeakSet()
_usual: ContextVar[Mapping[str, Any]] = ContextVar("usual", default=MappingProxyType({}))


@contextmanager
def using(**settings: Unpack[DuckDBSettings]) -> Iterator[None]:
    """Give DuckDB these settings wherever a table is opened in a block; None leaves one as it is.

    It reaches what opens tables on its own: verification, audit, populations.
    """
    token = _usual.set({**_usual.get(), **_checked(settings)})
    try:
        yield
    finally:
        _usual.reset(token)


@atexit.register
def _close_all() -> None:
    """Close what a script left open: DuckDB complains about connections that outlive the interpreter."""
    for connection in list(_kept):
        connection.close()
    shared.close()
    reader.close()


class Connection:
    """A connection that may rest: it is closed, and reopened as it was when it is next needed.

    DuckDB keeps much of the memory that a large statement took until its connection is closed.
    """

    def __init__(self, **asked: Unpack[DuckDBSettings]) -> None:
        self._asked: dict[str, Any] = {**_usual.get(), **_checked(asked)}
        self.small = False
        """Whether the table is small and so shares a DuckDB with others; set before first use."""
        self.files: tuple[Path, ...] = ()
        """What DuckDB may open; set before first use."""
        self.stale: Callable[[], bool] = lambda: False
        """Whether the table must be registered again before it is next used."""
        self.mixed: Mapping[str, str] = {}
        """What columns hold whose values have several types; they are empty here."""
        self.notes: tuple[str, ...] = ()
        """Sentences about how the table was read."""
        self.found: Reading | None = None
        """How a text file is read, as a study may say it."""
        self.scratch: TemporaryDirectory[str] | None = None
        """A folder with copies of the files, if DuckDB cannot read them as they are."""
        self._show: Show | None = None
        self.closed = False
        self._connection: duckdb.DuckDBPyConnection | None = None
        _kept.add(self)

    @property
    def live(self) -> duckdb.DuckDBPyConnection:
        """DuckDB's own connection, opened if it is closed or resting."""
        if self.stale():
            self._let_go()
        if self._connection is None:
            connection = shared.cursor() if self.shares else self._connect_alone(self.files)
            try:
                if self._show is not None:
                    self._show(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def show(self, show: Show) -> None:
        """Register a table, now and whenever the connection is reopened."""
        show(self.live)
        self._show = show

    def rest(self) -> None:
        """Give DuckDB's memory back, unless the connection is kept awake."""
        if self._show is not None:
            self._let_go()

    @contextmanager
    def awake(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Keep the connection open inside the block: a transaction would be lost if it rested."""
        connection = self.live
        shown, self._show = self._show, None
        try:
            yield connection
        finally:
            self._show = shown

    @contextmanager
    def writing(self, *paths: Path) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield another connection that sees the table and may write only these files."""
        # DuckDB writes a temporary file beside an existing one.
        beside = [path.with_name(f"tmp_{path.name}") for path in paths]
        connection = self._connect_alone((*self.files, *paths, *beside))
        try:
            if self._show is not None:
                self._show(connection)
            yield connection
        finally:
            connection.close()

    def close(self) -> None:
        """Close the connection for good; closing it again does nothing."""
        self.closed = True
        self._show = None
        self._let_go()
        if self.scratch is not None:
            self.scratch.cleanup()

    def folder(self) -> Path:
        """Return a private folder for copies of files; it goes when the connection is closed."""
        if self.scratch is None:
            beside = self._asked.get("temp_directory")
            if beside is not None:
                Path(beside).mkdir(parents=True, exist_ok=True)
            self.scratch = TemporaryDirectory(prefix="shoal-", dir=beside)
        return Path(self.scratch.name)

    def _let_go(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @cached_property
    def _settings(self) -> dict[str, str | int | bool]:
        """The settings for each start of DuckDB."""
        return {**settings(), **self._asked}

    @property
    def shares(self) -> bool:
        """Whether this is a cursor of the DuckDB that small tables share."""
        return self.small and not self._asked

    def _connect_alone(self, files: Iterable[Path]) -> duckdb.DuckDBPyConnection:
        import duckdb

        try:
            return locked(duckdb.connect(config=self._settings), files)
        except duckdb.OutOfMemoryException as problem:
            raise refusal(problem, None) from None
        except duckdb.Error as problem:
            raise InputError(f"DuckDB refuses its settings: {first_line(problem)}") from None


def _checked(settings: DuckDBSettings) -> dict[str, Any]:
    """Return the settings that are given, or refuse those that DuckDB would misread."""
    limit, folder = settings.get("memory_limit"), settings.get("temp_directory")
    if limit is not None and str(limit).strip().startswith("-"):
        raise InputError(f"a memory limit of {limit} is negative; write one such as 2GB")
    if folder is not None and Path(folder).exists() and not Path(folder).is_dir():
        raise InputError("is not a folder; name one for DuckDB's temporary files", file=folder)
    given = {**settings, "temp_directory": None if folder is None else str(folder)}
    return {name: value for name, value in given.items() if value is not None}
