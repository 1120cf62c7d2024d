"""Connects to a PostgreSQL server: reads the address, and says why a connection fails."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

from shoal.describe import Place
from shoal.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    import psycopg

_SECONDS = "10"
"""Seconds to wait for the server's first answer, if the address does not say."""
_VARIABLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")


def connect(place: Place, name: str) -> psycopg.Connection[tuple[Any, ...]]:
    """Return a connection to the server of a place, or say in our own words why there is none."""
    try:
        import psycopg
    except ImportError:
        raise MissingExtraError("tables in PostgreSQL", "psycopg", "postgres") from None
    logging.getLogger("psycopg").addFilter(_quiet)
    settings = _settings(place, name)
    settings.setdefault("connect_timeout", _SECONDS)
    settings.setdefault("application_name", "shoal")
    settings["client_encoding"] = "utf8"
    try:
        return psycopg.connect(prepare_threshold=None, **settings)
    except psycopg.Error as problem:
        raise InputError(_why_not(problem), file=name) from None


def _quiet(record: logging.LogRecord) -> bool:
    """Keep the driver's warnings out of logs: they name the user, and the problem is raised as an error."""
    return record.levelno >= logging.CRITICAL


def _settings(place: Place, name: str) -> dict[str, Any]:
    """Return the settings that an address contains.

    Variables are filled in after parsing, because a password may contain any character.
    """
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    variables = _VARIABLE.findall(place.url)
    whole = _VARIABLE.match(place.url) is not None
    try:
        if whole:
            return dict(conninfo_to_dict(place.address))
        found = 0

        def mark(_: re.Match[str]) -> str:
            nonlocal found
            found += 1
            return f"shoalvariable{found - 1}x"

        settings = dict(conninfo_to_dict(_VARIABLE.sub(mark, place.url)))
    except psycopg.Error:
        raise InputError(
            "the url cannot be read; write postgresql://user:${PASSWORD}@host:port/database", file=name
        ) from None
    for key, given in settings.items():
        text = str(given)
        for i, variable in enumerate(variables):
            text = text.replace(f"shoalvariable{i}x", Place("postgres", "t", variable).address)
        settings[key] = text
    return settings


def _why_not(problem: psycopg.Error) -> str:
    """Return why there is no connection, in our own words: the driver's message names the user."""
    said, state = str(problem).lower(), problem.sqlstate or ""
    if state.startswith("28") or any(
        word in said for word in ("password", "authentication", "pg_hba", "role ")
    ):
        return (
            "the server refuses the user or the password; "
            "check the url, or PGUSER and PGPASSWORD if it has none"
        )
    if state == "3D000" or ("database" in said and "does not exist" in said):
        return "the server has no such database, or the user may not use it; check the url"
    if state == "53300" or "too many" in said or "remaining connection slots" in said:
        return "the server has no connection left; try again later"
    if "ssl" in said or "certificate" in said:
        return "no secure connection was possible; check sslmode and the certificates"
    if "permission denied for database" in said:
        return "the user may not connect to the database; ask for the right"
    return "the server cannot be reached; check the host and the port, and whether it runs"
