"""A table in an engine: its address and name, and the small file that says where it is."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from shoal.errors import InputError, did_you_mean, show

LAKES = ("delta", "iceberg")
"""Tables that are folders of files with a log of their versions; DuckDB counts them."""
ENGINES = ("duckdb", "postgres", "spark", *LAKES)

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SETTING = re.compile(r"(\w+)\s*=\s*('(?:[^'\\]|\\.)*'|(?:\\.|\S)*)")
_OPEN = ("host", "hostaddr", "port", "dbname", "sslmode", "connect_timeout", "use_ssl")
"""Settings in an address that are not secret."""


@dataclass(frozen=True)
class Place:
    """A table in an engine. The address may contain a password, so it is never shown in full.

    `${NAME}` in the address stands for an environment variable, read when the table is opened.
    """

    engine: str
    table: str
    url: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise InputError(f"unknown engine {show(self.engine)}; {did_you_mean(self.engine, ENGINES)}")
        if not self.table:
            raise InputError(f"no table of {self.engine} is named; write table: schema.name")

    @property
    def address(self) -> str:
        """The address with environment variables filled in; it may contain a password."""

        def value(found: re.Match[str]) -> str:
            if found[1] not in os.environ:
                raise InputError(f"the url names the variable {found[1]}, which is not set; set it")
            return os.environ[found[1]]

        return _VARIABLE.sub(value, self.url)

    @property
    def names(self) -> tuple[str, ...]:
        """The parts of the table's name; a part in double quotes may contain dots.

        >>> Place("postgres", 'public."odd.name"').names
        ('public', 'odd.name')
        """
        parts = re.findall(r'"((?:[^"]|"")*)"|([^."]+)', self.table)
        rebuilt = ".".join(f'"{quoted}"' if quoted else plain for quoted, plain in parts)
        if rebuilt != self.table:
            raise InputError(
                f"the table name {show(self.table)} cannot be read; write schema.name, in double quotes "
                "where a part contains a dot or a quote"
            )
        return tuple(quoted.replace('""', '"') if quoted else plain for quoted, plain in parts)

    def public(self) -> Place:
        """Return the place without users, passwords and other private settings.

        References to environment variables stay, since their names are not secret.

        >>> Place("postgres", "t", "postgresql://ann:secret@db.example/x?sslmode=require").public().url
        'postgresql://db.example/x?sslmode=require'
        """

        return replace(self, url=_public(self.url))

    def at(self, table: str) -> Place:
        """Return the place of another table at the same address."""
        return replace(self, table=table)

    def __str__(self) -> str:
        """Return what messages show: never a user or a password."""
        parts = urlsplit(self.url)
        where = parts.hostname or ("" if "@" in self.url or "=" in self.url else self.url)
        if "@" in self.url and "@" not in parts.netloc:  # a password that was not encoded
            where = ""
        return f"{self.engine} table {self.table}" + (f" at {where}" if where else "")


def _public(url: str) -> str:
    scheme, slashes, rest = url.partition("://")
    if not slashes:
        settings = _SETTING.findall(url)
        kept = [f"{name}={value}" for name, value in settings if _is_public(name, value)]
        return " ".join(kept) if settings else url
    for mark, between in (("?", "&"), ("/;", ";")):
        rest, found, listed = rest.partition(mark)
        kept = [one for one in listed.split(between) if _is_public(*one.partition("=")[::2])]
        rest += found + between.join(kept) if kept else ""
    # Whatever is before the last @ may be part of a password.
    user, at, host = rest.rpartition("@")
    if not all(_VARIABLE.fullmatch(part) for part in user.split(":")):
        user = at = ""
    return scheme + slashes + user + at + host


def _is_public(name: str, value: str) -> bool:
    return name in _OPEN or _VARIABLE.fullmatch(value) is not None


ENDINGS = (".yaml", ".yml")
_FIELDS = ("engine", "url", "table")


def names_a_table(path: Path) -> bool:
    """Return whether a path, by its ending, is a file that says where a table is."""
    return path.suffix.lower() in ENDINGS


def holds_a_place(path: Path) -> bool:
    """Return whether a file says where a table is; a study has the same ending but does not."""
    try:
        read_place(path)
    except InputError:
        return False
    return True


def followed(table: Any) -> Any:
    """Return the place that a file names; any other table as it is."""
    named = isinstance(table, (str, Path)) and names_a_table(Path(table))
    return read_place(Path(table)) if named else table


def place_fields(place: Place, document: Path) -> dict[str, str]:
    """Return a place as documents show it: without secrets, and with paths relative to the document."""
    public = place.public()
    fields = {name: getattr(public, name) for name in _FIELDS if getattr(public, name)}
    if lies_in_a_folder(place.engine, place.url):
        fields["url"] = os.path.relpath(Path(place.url).absolute(), document.parent.absolute())
    return fields


def place_of(fields: Mapping[str, Any], document: Path) -> Place:
    """Return the place that a document shows."""
    engine, table, url = (str(fields.get(name) or "") for name in ("engine", "table", "url"))
    return Place(engine, table, str(document.parent / url) if lies_in_a_folder(engine, url) else url)


def lies_in_a_folder(engine: str, url: str) -> bool:
    """Return whether an address is a path, which documents write relative to themselves."""
    addressed = "://" in url or url.startswith(("catalog:", "${"))
    return engine == "duckdb" or (engine in LAKES and not addressed)


def write_place(path: Path, place: Place, out: Path) -> None:
    """Write where a table is into a file that will be moved to `out`."""
    text = yaml.safe_dump(place_fields(place, out), allow_unicode=True, sort_keys=False)
    path.write_text(text, encoding="utf-8")


def read_place(path: Path) -> Place:
    """Return where a table is, as a file says, or refuse a file that does not say it."""
    try:
        # Plain texts only: aliases and merges could multiply without end.
        found = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    except FileNotFoundError:
        raise InputError("no such file; check the path", file=path) from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError):
        found = None
    if (
        not isinstance(found, dict)
        or not {"engine", "table"} <= set(found) <= set(_FIELDS)
        or not all(isinstance(value, str) for value in found.values())
    ):
        raise InputError("does not say where a table is (engine, url, table)", file=path)
    return place_of(found, path)
