"""Finds or starts the Spark session that holds a table, and turns its errors into one sentence."""

from __future__ import annotations

import atexit
import os
import re
import socket
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from shoal.data.engines.spark.stages import ClassicWork, RemoteWork, attended
from shoal.describe import Place
from shoal.documents.whole.journal import THERE
from shoal.errors import InputError, MissingExtraError, NoTableError, ShoalError

PATIENCE = 5.0
"""Seconds to wait for a machine to answer: Spark itself would try for minutes."""
_PORTS = {"spark": 7077, "sc": 15002}

_remote: dict[str, Any] = {}


def is_spark_frame(table: Any) -> bool:
    """Return whether a table is a Spark frame, classic or Spark Connect."""
    kind = type(table)
    return kind.__name__ == "DataFrame" and kind.__module__.startswith("pyspark.sql")


def is_remote(session: Any) -> bool:
    """Return whether a session is Spark Connect, which gives no access to its Java machine."""
    return type(session).__module__.startswith("pyspark.sql.connect")


def session_of(place: Place) -> Any:
    """Return the session that a place names: at a master, at a Spark Connect server, or the active one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pyspark.sql  # noqa: F401
    except ImportError:
        raise MissingExtraError("tables in Spark", "pyspark", "spark") from None
    address = place.address
    if address.startswith("sc://"):
        return _connected(address, place)
    active = _active()
    if not address:
        return active if active is not None else _started(None, place)
    if active is None:
        return _started(address, place)
    runs_on = None if is_remote(active) else active.sparkContext.master
    if runs_on != address:
        raise InputError(
            f"Spark already runs on {'a server' if runs_on is None else shown(runs_on)} here; stop that "
            "session, or omit the url",
            file=str(place),
        )
    return active


def _active() -> Any:
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is None and "pyspark.sql.connect.session" in sys.modules:
        from pyspark.sql.connect.session import SparkSession as Remote

        session = Remote.getActiveSession()
    return session


def _connected(address: str, place: Place) -> Any:
    """Return the session at a server of Spark Connect, one for each address."""
    known = _remote.get(address)
    if known is not None and not known.is_stopped:
        return known
    _check_answers(address, place)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pyspark.sql.connect.session import SparkSession as Remote
    except ImportError:
        raise MissingExtraError("tables in Spark Connect", "grpcio and others", "spark") from None
    with told(str(place), address):
        session = Remote.builder.remote(address).create()
        session.version  # noqa: B018  the server is asked for the first time
    if not _remote:
        atexit.register(_let_go)
    _remote[address] = session
    return session


def _let_go() -> None:
    for session in _remote.values():
        with suppress(Exception):
            session.stop()


def _started(address: str | None, place: Place) -> Any:
    """Return a new session with its own Java machine, which ends with this process."""
    if address is not None and address.startswith("spark://"):
        _check_answers(address, place)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("shoal")
    if address is not None:
        builder = builder.master(address)
    # Spark's web pages would show the table's values to anyone who finds the port.
    builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    with told(str(place), address or ""), _quiet() as quiet:
        session = builder.getOrCreate()
        if quiet and not is_remote(session):
            session.sparkContext.setLogLevel("ERROR")
    return session


def _check_answers(address: str, place: Place) -> None:
    """Refuse an address where nothing listens."""
    try:
        parts = urlsplit(address.split(",", maxsplit=1)[0])
        host, port = parts.hostname, parts.port or _PORTS[parts.scheme]
    except ValueError:
        host, port = None, 0
    if not host:
        raise InputError(
            "the url cannot be read; write spark://host:7077 or sc://host:15002", file=str(place)
        )
    try:
        socket.create_connection((host, port), PATIENCE).close()
    except OSError:
        raise InputError(
            f"nothing answers at port {port} there; check the url, and that Spark runs", file=str(place)
        ) from None


@contextmanager
def _quiet() -> Iterator[bool]:
    """Keep Java's messages off the terminal, unless its log is configured."""
    folders = [os.environ.get("SPARK_CONF_DIR"), str(Path(os.environ.get("SPARK_HOME", "-")) / "conf")]
    if any(folder and list(Path(folder).glob("log4j2.*")) for folder in folders):
        yield False
        return
    sys.stderr.flush()
    with tempfile.TemporaryFile() as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield True
        finally:
            os.dup2(kept, 2)
            os.close(kept)


@contextmanager
def told(name: str, address: str = "", session: Any = None) -> Iterator[None]:
    """Turn Spark's errors into one sentence about a table, without secrets from the address.

    The session's work inside the block is watched.
    """
    try:
        with _unlogged(), _attended(name, session):
            yield
    except ShoalError:
        raise
    except Exception as problem:
        if not _is_sparks(problem):
            raise
        kind = NoTableError if _condition(problem).startswith(_ABSENT) else InputError
        raise kind(_sentence(problem, address), file=name) from None


def _attended(name: str, session: Any) -> AbstractContextManager[None]:
    if session is None:
        return nullcontext()
    return attended(RemoteWork(session) if is_remote(session) else ClassicWork(session), name)


@contextmanager
def _unlogged() -> Iterator[None]:
    """Keep Spark from printing errors, with parts of statements, before they are reported."""
    from pyspark.logger import PySparkLogger

    loggers = [PySparkLogger.getLogger(f"{kind}QueryContextLogger") for kind in ("SQL", "DataFrame")]
    kept = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
            yield
    finally:
        for logger, disabled in zip(loggers, kept, strict=True):
            logger.disabled = disabled


def _is_sparks(problem: Exception) -> bool:
    homes = {kind.__module__.split(".")[0] for kind in type(problem).__mro__}
    return bool(homes & {"pyspark", "py4j", "grpc"}) or isinstance(problem, ConnectionError)


_KNOWN = {
    "TABLE_OR_VIEW_NOT_FOUND": "Spark has no such table; check its name",
    "SCHEMA_NOT_FOUND": "Spark has no such schema; check its name",
    "PATH_NOT_FOUND": "there is nothing at this path; check it",
    "UNABLE_TO_INFER_SCHEMA": "there are no Parquet files at this path; check it",
    "JAVA_GATEWAY_EXITED": "Spark's Java does not start; install Java 17 or newer, or set JAVA_HOME",
    "TABLE_OR_VIEW_ALREADY_EXISTS": THERE,
    "PATH_ALREADY_EXISTS": THERE,
}


_ABSENT = ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "PATH_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA")


def _condition(problem: Exception) -> str:
    return str(getattr(problem, "getCondition", lambda: None)() or "")


def _sentence(problem: Exception, address: str) -> str:
    condition = _condition(problem)
    known = next((what for name, what in _KNOWN.items() if condition.startswith(name)), None)
    if known is not None:
        return known
    text = str(problem)
    if "spark.driver.maxResultSize" in text:
        return "there are more groups than spark.driver.maxResultSize lets through; raise it"
    if "OutOfMemoryError" in text:
        return "Spark is out of memory; give it more (spark.driver.memory, spark.executor.memory)"
    if "AccessControlException" in text or "Permission denied" in text:
        return "Spark may not read or write there; ask for the right"
    if "is not a Parquet file" in text or "CANNOT_READ_FILE_FOOTER" in text:
        return "there is a file that is not Parquet; check the path"
    cause = re.search(r"(?:^|\n)(?:Caused by|: )[^\n]*(?:Exception|Error): ([^\n]+)", text)
    line = cause[1] if cause else next((line for line in text.splitlines() if line.strip()), "")
    line = re.sub(r"^\[[A-Z0-9_.]+\] ", "", line)
    line = re.sub(r" ?SQLSTATE: \w+", "", line).strip().rstrip(".")
    return f"Spark cannot do it: {shown(line, address) or type(problem).__name__}"


def shown(text: str, address: str = "") -> str:
    """Return Spark's text without the address, users and passwords.

    >>> shown("spark://ann:pw@host failed, token=abc;x")
    'spark://host failed, token=...;x'
    """
    if address:
        text = text.replace(address, "the url")
    text = re.sub(r"//[^/@\s]+@", "//", text)
    return re.sub(r"(?i)\b(token|password|secret|user_id|user)=[^;&\s]+", r"\1=...", text)
