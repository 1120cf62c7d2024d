"""Where a table lies that is no file: an engine, its address, and the table's name there."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from shoal.errors import InputError, did_you_mean, show

ENGINES = ("duckdb", "postgres", "spark")

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True)
class Place:
    """A table in an engine. The address may hold a password, so nothing ever shows it whole.

    `${NAME}` in the address stands for a variable of the environment, taken when the table is opened.
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
        """The address with the environment's variables filled in; may hold a password."""

        def value(found: re.Match[str]) -> str:
            if found[1] not in os.environ:
                raise InputError(
                    f"the environment has no variable {found[1]}, which the url names; set it"
                )
            return os.environ[found[1]]

        return _VARIABLE.sub(value, self.url)

    @property
    def names(self) -> tuple[str, ...]:
        """The parts of the table's name; a part in double quotes may hold dots.

        >>> Place("postgres", 'public."odd.name"').names
        ('public', 'odd.name')
        """
        parts = re.findall(r'"((?:[^"]|"")*)"|([^."]+)', self.table)
        rebuilt = ".".join(f'"{quoted}"' if quoted else plain for quoted, plain in parts)
        if rebuilt != self.table:
            raise InputError(
                f"the table name {show(self.table)} cannot be read; write schema.name, in double quotes "
                "where a part holds a dot or a quote"
            )
        return tuple(quoted.replace('""', '"') if quoted else plain for quoted, plain in parts)

    def __str__(self) -> str:
        """Return what messages show: never a user or a password."""
        parts = urlsplit(self.url)
        where = parts.hostname or ("" if "@" in self.url or "=" in self.url else self.url)
        return f"{self.engine} table {self.table}" + (f" at {where}" if where else "")
